//! `insonate patient demo`.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use insonate::files::FolderParts;
use insonate::models::torsos::Shape;
use insonate::ultrasound::phantom::Adult;
use serde_json::json;

use crate::cli::output_folder::OverwriteArg;
use crate::cli::patient_args::{Patient, PatientChoice, PhysiqueArgs};
use crate::cli::progress_bar::Busy;
use crate::cli::{Usage, print};

/// Folder of the masks, and the CT next to it, as in the data set of TotalSegmentator.
const MASKS: &str = "segmentations";
const CT: &str = "ct.nii.gz";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate patient demo --output output/demo-ct
  insonate patient demo --patient-sex female --seed 3 --voxel 0.002 --output output/demo-ct --json

The folder holds segmentations/NAME.nii.gz, one mask for each class of TotalSegmentator (tasks total, body and tissue_types) that the \
procedural adult has, and ct.nii.gz, a simulated CT of it on a table, with noise. Nobody's data are in it.")]
pub(crate) struct Demo {
    /// Folder of the segmentation.
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Edge of the voxels, 0.001 to 0.01 [m].
    #[arg(long, value_name = "M", default_value_t = 0.0015)]
    voxel: f64,
    /// Seed of the organs, and of noise and gas in the CT.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    physique: PhysiqueArgs,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl Demo {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let start = Instant::now();
        let choice = PatientChoice {
            patient: Some(&Patient::Adult),
            seed: None,
            physique: self.physique,
        };
        let physique = choice.physique(Shape::Adult)?.unwrap_or_default();
        let folder = self.overwrite.folder(&self.output, "patient demo")?;
        let busy = Busy::with("voxelising the adult")?;
        let adult = Adult::new(&physique, self.seed).map_err(Usage::new)?;
        let made = adult.segmentation(self.voxel).map_err(Usage::new)?;
        let classes: Vec<&str> = made.classes().iter().map(|class| &*class.name).collect();
        let parts = FolderParts::begin(&folder)?;
        let masks = parts.path().join(MASKS);
        std::fs::create_dir_all(&masks)
            .with_context(|| format!("cannot create {}", masks.display()))?;
        for class in &classes {
            // As in TotalSegmentator, the body contains all others.
            let mask = if *class == "body_trunc" {
                made.mask_to_nifti(&classes)
            } else {
                made.mask_to_nifti(&[class])
            };
            insonate::files::write(masks.join(format!("{class}.nii.gz")), &mask?)?;
        }
        let ct = adult.ct(&made, self.seed).map_err(Usage::new)?;
        let text = format!("simulated CT of insonate's adult, seed {}", self.seed);
        insonate::files::write(parts.path().join(CT), &ct.to_nifti(&text)?)?;
        parts.commit(&folder)?;
        drop(busy);
        let seconds = start.elapsed().as_secs_f64();
        let path = folder.path().display();
        if self.json {
            let json = json!({
                "classes": classes,
                "voxels": made.count(),
                "ct_voxels": ct.count(),
                "edge_m": self.voxel,
                "seconds": seconds,
            });
            return print(&serde_json::to_string_pretty(&json)?);
        }
        let n = classes.len();
        let voxels = made.count().map(|n| n.to_string()).join(" x ");
        print(&format!(
            "{n} masks of {voxels} voxels, and a CT, in {path}\nnext: insonate patient make {path} --ct {path}/{CT} --output output/patient"
        ))
    }
}
