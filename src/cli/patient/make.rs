//! `insonate patient make`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use insonate::anatomy::{AnatomyError, Findings, Patient, PatientSettings, Tissues, Verdict};
use insonate::report::PatientReport;
use insonate::volumes::{ClassMap, Segmentation};

use super::tell;
use crate::cli::Usage;
use crate::cli::output_folder::OverwriteArg;
use crate::cli::progress_bar::Busy;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate patient make segmentations/ --output output/patient
  insonate patient make total.nii.gz --output output/patient --json
  insonate patient make btcv.nii.gz --classes btcv --output output/patient
  insonate patient make own.seg.nrrd --classes my_classes.toml --output output/patient

SEGMENTATION is a folder with a mask for each class, as TotalSegmentator writes it, or one file: NIfTI (.nii, .nii.gz), NRRD (.nrrd, .nhdr, \
.seg.nrrd of 3D Slicer) or MetaImage (.mha, .mhd), of at most 2^28 voxels. One of its classes must be the body: add `TotalSegmentator -ta \
body` to the same folder.

Names of classes come from the file; a file without names needs --classes: total, total-v1, maisi, btcv, amos, abdomenatlas, or a table:
  [classes]
  1 = \"liver\"
  2 = \"kidney_right\"

The folder holds report.html (open it in a browser) with the verdict, volumes, pictures and sections, patient.toml, labels.nii.gz, skin.ply, \
bones.ply and organ_NAME.ply. Coordinates are to the left, head and front [m].

The exit status is 1 if the segmentation is refused, as a mirror image is; the reasons are told and nothing is written.")]
pub(crate) struct Make {
    /// Folder of masks, or label volume.
    segmentation: PathBuf,
    /// What the numbers of a file without names mean: a data set, or a table (FILE.toml).
    #[arg(long, value_name = "NAME|FILE")]
    classes: Option<String>,
    /// Folder of the patient.
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl Make {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let start = Instant::now();
        let map = self.classes.as_deref().map(ClassMap::find).transpose();
        let map = map.map_err(Usage::new)?;
        let folder = self.overwrite.folder(&self.output, "patient make")?;
        let busy = Busy::with("reading the segmentation")?;
        let segmentation = Segmentation::read(&self.segmentation, map.as_ref());
        let segmentation = segmentation.map_err(Usage::new)?;
        drop(busy);
        let busy = Busy::with("making skin and organs")?;
        let tissues = Tissues::standard()?;
        let source = self.segmentation.display().to_string();
        let findings = Findings::of(&segmentation, &tissues);
        let mut report = PatientReport {
            source: &source,
            segmentation: &segmentation,
            findings: &findings,
            patient: None,
        };
        if findings.verdict() == Verdict::Refused {
            drop(busy);
            if self.json {
                tell(&report, start.elapsed().as_secs_f64(), true, "")?;
            }
            let reasons = findings.refusals.join("; ");
            return Err(AnatomyError::Refused(format!("{source}: {reasons}")).into());
        }
        let settings = PatientSettings::default();
        let patient = Patient::make(&segmentation, &tissues, &settings, &source)?;
        report.patient = Some(&patient);
        for (name, content) in patient.files()? {
            folder.write(&name, &content)?;
        }
        folder.write("report.html", report.html()?.as_bytes())?;
        drop(busy);
        let place = format!("open: {}", folder.path().join("report.html").display());
        tell(&report, start.elapsed().as_secs_f64(), self.json, &place)
    }
}
