//! `insonate image`.

mod files;
mod ignored;
mod inserts;
mod labels;
mod neck;
mod organs;
mod phantom;
mod pressed;
mod report;
mod setup;
mod source;
mod strain;
mod view_3d;

use std::cell::OnceCell;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use insonate::experiments::{
    Backend, BlockMeasure, Device, PixelFigures, SettingsFigures, legend, mean_intensity,
    middle_line,
};
#[cfg(feature = "gpu")]
use insonate::ultrasound::GpuBMode;
use insonate::ultrasound::measure::{BoneRod, ConfidenceSettings, confidence};
use insonate::ultrasound::phantom::{Lesion, Neck};
use insonate::ultrasound::transducer::{self, Transducer};
use insonate::ultrasound::{BMode, Frame, Settings, UltrasoundError, View};
use serde_json::json;

use self::organs::{Organ, OrganFrame};
use self::phantom::PhantomArg;
use self::report::ImageReport;
use self::strain::StrainArgs;
use super::device_arg::DeviceArg;
use super::progress_bar::Busy;
use super::scanner_args::ScannerArgs;
use super::scene_args::SceneArgs;
use super::verdict_args::{VerdictArgs, ending};
use super::{Usage, print};
use crate::cli::output_folder::OverwriteArg;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
#[command(after_help = "Examples:
  insonate image --patient adult --site -0.06,-0.02 --force 5 --output output/pressed
  insonate image --torso xpbd --site -0.06,-0.02 --force 10 --json
  insonate image --patient adult --site -0.09,-0.035 --output output/gallbladder
  insonate image --patient adult --seed 3 --site -0.09,0.03 --json
  insonate image --phantom neck --probe l12-5 --output output/neck
  insonate image --phantom cysts --probe l12-5 --output output/cysts
  insonate image --phantom points --probe c5-2 --depths 0.04,0.08,0.12 --json
  insonate image --phantom speckle --json
  insonate image --phantom attenuation --alpha 0.7 --json
  insonate image --phantom points --array elements=128,pitch=0.3e-3,frequency=6e6,bandwidth=0.7,elevation=5e-3,elevation-focus=0.02 --json
  insonate image --phantom inclusion --probe l12-5 --strain --output output/strain
  insonate image --phantom rod --radius 0.004 --depth 0.015 --depths 0.08 --json
  insonate image --patient output/patient --site -0.08,0.03 --force 5 --output output/own-patient
  insonate image --patient output/patient --force 5 --glb --obj --output output/model
  insonate image --labels ct_labels.nii.gz --materials materials.toml --site 0.02,-0.1 --output output/own
  insonate image --labels organs.nii.gz --body-mask body.nii.gz --materials materials.toml --output output/organs
  insonate image --patient adult --lesion hypo:0.01 --lesion cyst --json
  insonate image --patient adult --organ-mesh tumour.stl=spleen --organ-unit 0.001 --dicom --output output/tumour

A folder holds b_mode.png, figure.png (the same with depth ticks, a mark at the first scanline's side and a caption) and, in the same geometry, labels.png with the materials (legend.svg, and legend in image.json, say which number is what) and confidence.png with how far each place can be \
trusted (Karamalis 2012); image.json; view_3d.png with the image among the organs; with --force also scene.png, which shows the probe on the patient. The patient's organs are synthetic, drawn from --seed. With --force a robot presses the probe onto \
the torso that the scene options describe, and the picture shows that torso's tissue as it is deformed; without it the face is pressed in \
by kinematics, at once and without forces.

Labels come from NIfTI (.nii, .nii.gz), NRRD (.nrrd, .nhdr) or MetaImage (.mha, .mhd) and lie where the file says; the probe comes from the front. Of a file with more than \
512^3 voxels, up to 2^32, only those within --imaging-depth and 60 mm of the site are kept. The table says what each is:
  outside = \"air\"
  body = \"soft tissue\"
  [labels]
  0 = \"air\"
  1 = \"liver\"
  2 = { name = \"tumour\", like = \"liver\", backscatter = -6 }
  3 = { speed_of_sound = 1560, density = 1060, attenuation = 0.5, backscatter = -3 }
Many segmentations have label 0 for air and for all tissue without a label. A warning says so where it lies behind the skin; --body-mask MASK then gives the body.")]
pub(crate) struct ImageCommand {
    #[command(flatten)]
    scene: SceneArgs,
    /// Array of your own instead of --probe: elements=N,pitch=M,frequency=HZ,bandwidth=SHARE,elevation=M,elevation-focus=M and, if it is curved,
    /// radius=M, or phased, sector=DEG; element-width=M is 0.9 of the pitch unless it is given.
    #[arg(long, value_name = "ARRAY", value_parser = transducer::described, conflicts_with_all = ["probe", "force"])]
    array: Option<Transducer>,
    /// Phantom: a test block or a neck instead of the patient's trunk.
    #[arg(long, value_name = "PHANTOM", conflicts_with_all = ["patient", "force"])]
    phantom: Option<PhantomArg>,
    /// Your own label volume to image (NIfTI, NRRD, MetaImage); at most 512^3 of its voxels are kept.
    #[arg(long, value_name = "FILE", requires = "materials", conflicts_with_all = ["patient", "force", "phantom"])]
    labels: Option<PathBuf>,
    /// Material of each label, by name or with sound speed [m/s], density [kg/m³], attenuation [dB/(cm MHz)] and backscatter [dB over liver].
    #[arg(long, value_name = "TOML", requires = "labels")]
    materials: Option<PathBuf>,
    /// Mask of the body: a label volume on any grid, in which nonzero labels are the body. In the body, label 0 of --labels is soft tissue, or as
    /// `body` of the table says.
    #[arg(
        long = "body-mask",
        alias = "body",
        value_name = "MASK",
        requires = "labels"
    )]
    body: Option<PathBuf>,
    /// A lesion at a place of --seed in the liver, the neck's thyroid, or the tissue of a block: cyst, hypo or hyper (6 dB less or more), with a radius [m]
    /// unless it is of 8 mm; repeatable.
    #[arg(long, value_name = "KIND[:RADIUS]")]
    lesion: Vec<Lesion>,
    /// An organ of your own: a closed mesh (OBJ, STL, PLY) in the frame of what is imaged, and its material; repeatable.
    #[arg(long = "organ-mesh", alias = "organ", value_name = "FILE=MATERIAL")]
    organ: Vec<String>,
    /// Unit of lengths in the meshes of organs [m]; 0.001 for mm.
    #[arg(long, value_name = "M", default_value_t = 1.0, requires = "organ")]
    organ_unit: f64,
    /// Frame of the coordinates in the meshes of organs [default: from the file's header (SPACE=RAS or SPACE=LPS); else the frame
    /// of what is imaged: left, head, front]
    #[arg(long, value_name = "FRAME", requires = "organ")]
    organ_frame: Option<OrganFrame>,
    /// Seed of the patient's or the neck's organs, of speckle and noise.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Site of the probe on the patient: left of the middle, towards the head [m] [default: -0.09,-0.035; the liver of a patient's folder; the middle of a label volume or of the neck]
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true, value_parser = super::outcome::point)]
    site: Option<[f64; 2]>,
    /// Turn of the probe about its axis; 90 lies along the body [°] [default: 90; 0 on the neck]
    #[arg(long, value_name = "DEG")]
    rotation: Option<f64>,
    /// Target force of a robot that holds the probe on the simulated patient [N].
    #[arg(long, value_name = "N", conflicts_with = "indentation")]
    force: Option<f64>,
    /// Maximum contact force of any part of the robot; the experiment ends above it [N].
    #[arg(long, value_name = "N", default_value_t = 80.0, requires = "force")]
    max_force: f64,
    /// Indentation of the face into the patient if --force is not given [m] [default: 0.013; 0.004 on the neck]
    #[arg(long, value_name = "M")]
    indentation: Option<f64>,
    /// Depths of the points or of levels in the rod's shadow, separated by commas [m] [default: three; depends on the probe]
    #[arg(long, value_name = "M,…", value_delimiter = ',')]
    depths: Vec<f64>,
    /// Attenuation of --phantom attenuation [default: 0.5] or points [default: 0] [dB/(cm MHz)]
    #[arg(long, value_name = "ALPHA")]
    alpha: Option<f64>,
    /// Radius of --phantom rod [default: 0.002] or inclusion [default: 0.005] [m]
    #[arg(long, value_name = "M")]
    radius: Option<f64>,
    /// Depth of the top of --phantom rod below the face [m] [default: 0.01]; without a rod, an older name of --imaging-depth
    #[arg(long, value_name = "M")]
    depth: Option<f64>,
    /// Imaging depth [m] [default: depends on the probe; 0.045 for the neck, 0.05 for the inclusion]
    #[arg(long, value_name = "M")]
    imaging_depth: Option<f64>,
    /// Number of scanlines.
    #[arg(long, value_name = "N", default_value_t = 256)]
    lines: usize,
    /// Number of samples per scanline.
    #[arg(long, value_name = "N", default_value_t = 1024)]
    samples: usize,
    /// Width and height of the picture [pixels].
    #[arg(long, value_name = "N", default_value_t = 768)]
    size: usize,
    /// Device; auto uses a hardware GPU if there is one, else the CPU.
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: DeviceArg,
    /// Folder for pictures and figures [default: none, only figures are printed]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Also write b_mode.dcm, an ultrasound multi-frame image of one frame (DICOM).
    #[arg(long, requires = "output")]
    dicom: bool,
    /// Also write iq.nrrd: complex lines before noise and gain, with sample rate and centre frequency in the header.
    #[arg(long, requires = "output")]
    iq: bool,
    /// Also write view_3d.glb: skin, organs, robot, probe and image as binary glTF, for Blender and other viewers.
    #[arg(long, requires = "output", conflicts_with = "phantom")]
    glb: bool,
    /// Also write view_3d.obj and view_3d.mtl: the same in millimetres to the left, back and head (LPS), for 3D Slicer.
    #[arg(long, requires = "output", conflicts_with = "phantom")]
    obj: bool,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    scanner: ScannerArgs,
    #[command(flatten)]
    strain: StrainArgs,
    #[command(flatten)]
    verdict: VerdictArgs,
    /// The organs of `organ`, once they are in the body.
    #[arg(skip)]
    organs: OnceCell<Vec<Organ>>,
}

/// Imaging depth of the inclusion [m].
const INCLUSION_DEPTH: f64 = 0.05;

impl ImageCommand {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        self.check_effects()?;
        self.check_strain()?;
        let probe = self.transducer()?;
        let settings = self.settings(&probe).map_err(Usage::new)?;
        if !(16..=4096).contains(&self.size) {
            anyhow::bail!(
                "--size is {}; it must be between 16 and 4096 pixels",
                self.size
            );
        }
        let backend = Device::from(self.device).open()?;
        if self.iq && !matches!(backend, Backend::Cpu) {
            return Err(Usage::new(ImageError(
                "--iq needs --device cpu: a GPU keeps the complex lines to itself".to_owned(),
            ))
            .into());
        }
        let device = backend.name();
        // A wrong folder is told before the work.
        let folder = self
            .output
            .as_deref()
            .map(|path| self.overwrite.folder(path, "image"))
            .transpose()?;
        let mut report = ImageReport::default();
        report.set("depth_m", settings.depth);
        // A press has a bar of its own.
        let busy = self
            .force
            .is_none()
            .then(|| Busy::with("simulating the image"))
            .transpose()?;
        let scanned = self.scanned(&probe, &settings, &mut report)?;
        let mut b_mode = BMode::new(&probe, &settings).map_err(Usage::new)?;
        let view = View::new(&*scanned.phantom, &*scanned.deformation, &scanned.pose)
            .map_err(Usage::new)?;
        let (frame, seconds) = match backend {
            Backend::Cpu => timed(|| Ok(b_mode.frame(&view, 0).clone()))?,
            #[cfg(feature = "gpu")]
            Backend::Gpu(gpu) => {
                let mut b_mode = GpuBMode::new(&gpu, &probe, &settings, 1, None)?;
                timed(|| Ok(b_mode.frames(&[(view, 0)])?[0].clone()))?
            }
        };
        drop(busy);
        report.set("settings", json!(SettingsFigures::of(&probe, &settings)));
        let converter = b_mode.scan_converter(self.size).map_err(Usage::new)?;
        report.add(&PixelFigures::of(&converter, &scanned.pose))?;
        report.set("seconds_per_frame", seconds);
        report.set("device", device);
        report.set("legend", json!(legend(&*scanned.phantom)));
        if let Some(organs) = self.organ_figures(&b_mode, &scanned) {
            report.set("organs", organs);
        }
        report.set("contact_share", frame.contact_share());
        if frame.contact_share() == 0.0 {
            eprintln!(
                "note: the picture is black: the whole face is in front of gas, so no scanline has acoustic contact"
            );
        }
        report.set("mean_intensity_db", mean_intensity(&frame));
        self.warn_of_gas(&b_mode, &frame, &scanned, &mut report)?;
        report.set("middle_line", json!(middle_line(&frame, &*scanned.phantom)));
        let confidence = (self.phantom.is_none() || self.is_neck())
            .then(|| confidence(&frame, &ConfidenceSettings::of(&settings)))
            .transpose()?;
        if let Some(confidence) = &confidence {
            report.set("confidence_mean", confidence.mean());
        }
        self.measure(&probe, &settings, &frame, &mut report)?;
        let strain = self.strain_between((&probe, &settings), &scanned, &mut report)?;
        if let Some(folder) = folder {
            self.write_files(&b_mode, &frame, confidence.as_ref(), &scanned, &folder)?;
            if let Some(map) = &strain {
                self.write_strain(&b_mode, &frame, map, &folder)?;
            }
            let text = report.to_json()?;
            folder.write("image.json", format!("{text}\n").as_bytes())?;
        }
        if self.json {
            print(&report.to_json()?)?;
        } else {
            print(&report.to_text(self.output.as_deref()))?;
        }
        scanned
            .verdict
            .map_or(Ok(()), |verdict| ending(&verdict, "pressing"))
    }

    fn transducer(&self) -> anyhow::Result<Transducer> {
        if let Some(array) = self.array {
            return Ok(array);
        }
        let name = self.scene.probe_name();
        transducer::by_name(name).ok_or_else(|| {
            let names = transducer::names().join(", ");
            Usage::new(ImageError(format!(
                "--probe is {name}; it must be one of {names}"
            )))
            .into()
        })
    }

    fn probe_name(&self) -> &str {
        match self.array {
            Some(_) => "own array",
            None => self.scene.probe_name(),
        }
    }

    /// Attenuation of the block [dB/(cm MHz)].
    fn attenuation(&self) -> f64 {
        let is_clear = matches!(self.phantom, Some(PhantomArg::Points));
        self.alpha.unwrap_or(if is_clear { 0.0 } else { 0.5 })
    }

    /// The rod of bone, with the numbers of the oracle of its shadow if none are given.
    fn rod(&self) -> BoneRod {
        BoneRod {
            radius: self.radius.unwrap_or(0.002),
            top: self.depth.unwrap_or(0.01),
        }
    }

    fn is_rod(&self) -> bool {
        matches!(self.phantom, Some(PhantomArg::Rod))
    }

    fn is_neck(&self) -> bool {
        matches!(self.phantom, Some(PhantomArg::Neck))
    }

    /// Turn of the probe about its axis [rad].
    fn turn(&self) -> f64 {
        let usual = if self.is_neck() { 0.0 } else { 90.0 };
        self.rotation.unwrap_or(usual).to_radians()
    }

    /// How far the face is pressed in by kinematics [m].
    fn depth_pressed(&self) -> f64 {
        let usual = if self.is_neck() {
            Neck::INDENTATION
        } else {
            0.013
        };
        self.indentation.unwrap_or(usual)
    }

    fn settings(&self, probe: &Transducer) -> Result<Settings, UltrasoundError> {
        let usual = match self.phantom {
            Some(word) if word.is_bare() => Settings::bare(probe),
            _ => Settings::of(probe),
        };
        let deepest = |depths: &[f64]| 1.2 * depths.iter().copied().fold(0.0, f64::max);
        let own = match self.phantom {
            Some(PhantomArg::Points) => deepest(&self.depths(usual.depth)),
            Some(PhantomArg::Rod) => deepest(&self.depths).max(usual.depth),
            Some(PhantomArg::Neck) => Neck::DEPTH,
            Some(PhantomArg::Inclusion) => INCLUSION_DEPTH,
            _ => usual.depth,
        };
        let shown = self.imaging_depth.or(self.depth.filter(|_| !self.is_rod()));
        let own = Settings {
            n_lines: self.lines,
            n_samples: self.samples,
            depth: shown.unwrap_or(own),
            speckle_seed: self.seed,
            noise_seed: self.seed,
            ..usual
        };
        self.scanner.controls().applied(own, probe)
    }

    /// Depths of the points, or three of those that the probe shows to a depth [m].
    fn depths(&self, shown: f64) -> Vec<f64> {
        if !self.depths.is_empty() {
            return self.depths.clone();
        }
        [0.3, 0.6, 0.9].map(|share| share * shown).to_vec()
    }

    /// Depths of levels in the rod's shadow, or three behind it in a picture of a depth [m].
    fn depths_behind(&self, shown: f64) -> Vec<f64> {
        if !self.depths.is_empty() {
            return self.depths.clone();
        }
        self.rod().depths_behind(shown).to_vec()
    }

    /// Adds what a test block is there for.
    fn measure(
        &self,
        probe: &Transducer,
        settings: &Settings,
        frame: &Frame,
        report: &mut ImageReport,
    ) -> anyhow::Result<()> {
        let measure = match self.phantom {
            Some(PhantomArg::Points) => BlockMeasure::Points {
                depths: self.depths(Settings::of(probe).depth),
                attenuation: self.attenuation(),
            },
            Some(PhantomArg::Rod) => BlockMeasure::Rod {
                rod: self.rod(),
                depths: self.depths_behind(settings.depth),
            },
            Some(PhantomArg::Speckle) => BlockMeasure::Speckle,
            Some(PhantomArg::Attenuation) => BlockMeasure::Attenuation(self.attenuation()),
            _ => return Ok(()),
        };
        let measured = measure
            .figures(probe, settings, frame)
            .map_err(Usage::new)?;
        report.add(&measured)
    }
}

/// What is wrong with the options.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct ImageError(String);

/// What work makes, and how long it takes [s].
fn timed<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(T, f64)> {
    let start = Instant::now();
    Ok((work()?, start.elapsed().as_secs_f64()))
}
