//! `insonate patient make`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use insonate::anatomy::{
    AnatomyError, CtFindings, Findings, Patient, PatientSettings, Tissues, Verdict,
};
use insonate::report::PatientReport;
use insonate::volumes::{ClassMap, CtImage, Segmentation};

use super::tell;
use crate::cli::Usage;
use crate::cli::output_folder::OverwriteArg;
use crate::cli::progress_bar::Busy;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate patient make segmentations/ --output output/patient
  insonate patient make segmentations/ --ct ct.nii.gz --output output/patient
  insonate patient make total.nii.gz --output output/patient --json
  insonate patient make btcv.nii.gz --classes btcv --output output/patient
  insonate patient make own.seg.nrrd --classes my_classes.toml --output output/patient

SEGMENTATION is a folder with a mask for each class, as TotalSegmentator writes it, or one file: NIfTI (.nii, .nii.gz), NRRD (.nrrd, .nhdr, \
.seg.nrrd of 3D Slicer) or MetaImage (.mha, .mhd), of at most 2^28 voxels. Without --ct one of its classes must be the body: add \
`TotalSegmentator -ta body` to the same folder.

--ct is the CT in Hounsfield units, in the same frame, on the same or another grid: NIfTI, NRRD or MetaImage. It gives the body if the \
segmentation has none, fat, muscle and gas between the classes, gas in stomach and bowel, and cancellous bone. Table and cables are removed.

Names of classes come from the file; a file without names needs --classes: total, total-v1, maisi, btcv, amos, abdomenatlas, or a table:
  [classes]
  1 = \"liver\"
  2 = \"kidney_right\"

The folder holds report.html (open it in a browser) with the verdict, volumes, pictures and sections, patient.toml, labels.nii.gz, skin.ply, \
bones.ply and organ_NAME.ply. Coordinates are to the left, head and front [m].

The exit status is 1 if the segmentation is refused, as a mirror image is, or the CT does not cover it; the reasons are told and nothing \
is written.")]
pub(crate) struct Make {
    /// Folder of masks, or label volume.
    segmentation: PathBuf,
    /// What the numbers of a file without names mean: a data set, or a table (FILE.toml).
    #[arg(long, value_name = "NAME|FILE")]
    classes: Option<String>,
    /// CT of the same frame.
    #[arg(long, value_name = "FILE")]
    ct: Option<PathBuf>,
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
        let ct = self.ct.as_ref().map(CtImage::read).transpose();
        let ct = ct.map_err(Usage::new)?;
        drop(busy);
        let busy = Busy::with("making skin and organs")?;
        let tissues = Tissues::standard()?;
        let source = self.segmentation.display().to_string();
        let (segmentation, ct) = self.with_body(segmentation, ct, &tissues)?;
        let findings = Findings::of(&segmentation, &tissues);
        let report = PatientReport {
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
        let mut patient = Patient::make(&segmentation, &tissues, &settings, &source)?;
        let refined = match ct {
            Some((ct, found)) => {
                patient.refine(&ct, found, &tissues)?;
                Some(patient.findings(&tissues))
            }
            None => None,
        };
        let report = PatientReport {
            findings: refined.as_ref().unwrap_or(&findings),
            patient: Some(&patient),
            ..report
        };
        for (name, content) in patient.files()? {
            folder.write(&name, &content)?;
        }
        folder.write("report.html", report.html()?.as_bytes())?;
        drop(busy);
        let place = format!("open: {}", folder.path().join("report.html").display());
        tell(&report, start.elapsed().as_secs_f64(), self.json, &place)
    }

    /// Adds the body that a CT shows to a segmentation without one.
    fn with_body(
        &self,
        segmentation: Segmentation,
        ct: Option<CtImage>,
        tissues: &Tissues,
    ) -> anyhow::Result<(Segmentation, Option<(CtImage, CtFindings)>)> {
        let (Some(ct), Some(path)) = (ct, &self.ct) else {
            return Ok((segmentation, None));
        };
        let source = path.display().to_string();
        match CtFindings::of(&ct, segmentation, tissues, &source) {
            Ok((found, segmentation)) => Ok((segmentation, Some((ct, found)))),
            Err(AnatomyError::Refused(reason)) => {
                Err(AnatomyError::Refused(format!("{source}: {reason}")).into())
            }
            Err(other) => Err(other.into()),
        }
    }
}
