//! `insonate image`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use insonate::files::OutputFolder;
use insonate::models::patients::Physique;
use insonate::report::{grey_picture, label_picture};
use insonate::ultrasound::deformation::{Deformation, Indentation, Rigid};
use insonate::ultrasound::material::{BONE, FAT, GEL, MUSCLE, SKIN, SOFT_TISSUE, URINE};
use insonate::ultrasound::measure::{attenuation_slope, point_targets, speckle_statistics};
use insonate::ultrasound::phantom::{Adult, Block, Phantom};
use insonate::ultrasound::transducer::{self, Transducer};
use insonate::ultrasound::{BMode, Frame, Material, Settings, View};
use nalgebra::Isometry3;
use serde_json::{Value, json};

use super::patient_args::Patient;
use super::{Usage, print};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate image --patient adult --site -0.09,-0.035 --output output/gallbladder
  insonate image --patient adult --seed 3 --site -0.09,0.03 --json
  insonate image --phantom cysts --probe l12-5 --output output/cysts
  insonate image --phantom points --probe c5-2 --depths 0.04,0.08,0.12 --json
  insonate image --phantom speckle --json
  insonate image --phantom attenuation --alpha 0.7 --json

A folder holds b_mode.png and labels.png, which shows the materials in the same geometry, and image.json. The patient's organs are \
synthetic, drawn from the seed; the face is pressed in by kinematics, without forces.")]
pub(crate) struct ImageCommand {
    /// What is imaged: a test block.
    #[arg(long, value_name = "PHANTOM", conflicts_with = "patient")]
    phantom: Option<PhantomWord>,
    /// What is imaged: a patient [default]
    #[arg(long, value_name = "KIND")]
    patient: Option<Patient>,
    /// Seed of the patient's organs, of speckle and noise.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Probe: c5-2, l12-5, l11-5v or p4-2.
    #[arg(long, value_name = "PROBE", default_value = "c5-2", value_parser = probe)]
    probe: Transducer,
    /// Where the probe stands on the patient: left of the middle, towards the head [m].
    #[arg(long, value_name = "X,Y", default_value = "-0.09,-0.035", allow_hyphen_values = true, value_parser = super::outcome::point)]
    site: [f64; 2],
    /// Turn of the probe about its axis; 90 lies along the body [°].
    #[arg(
        long,
        value_name = "DEG",
        default_value_t = 90.0,
        allow_negative_numbers = true
    )]
    rotation: f64,
    /// How far the face is pressed into the patient [m].
    #[arg(
        long,
        value_name = "M",
        default_value_t = 0.013,
        allow_negative_numbers = true
    )]
    indentation: f64,
    /// Depths of the points [m], between commas [default: by the probe]
    #[arg(long, value_name = "M,…", value_delimiter = ',')]
    depths: Vec<f64>,
    /// Attenuation of the block [dB/(cm MHz)].
    #[arg(
        long,
        value_name = "ALPHA",
        default_value_t = 0.5,
        allow_negative_numbers = true
    )]
    alpha: f64,
    /// Depth that is shown [m] [default: by the probe]
    #[arg(long, value_name = "M")]
    depth: Option<f64>,
    /// Lines of sight.
    #[arg(long, value_name = "N", default_value_t = 256)]
    lines: usize,
    /// Samples of each line.
    #[arg(long, value_name = "N", default_value_t = 1024)]
    samples: usize,
    /// Width and height of the picture [pixels].
    #[arg(long, value_name = "N", default_value_t = 768)]
    size: usize,
    /// Folder for pictures and figures [default: none, only figures are printed]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Test blocks.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PhantomWord {
    /// Points on the axis in a clear medium: their widths.
    Points,
    /// Uniform speckle without loss: its statistics.
    Speckle,
    /// Uniform speckle that attenuates: how fast it fades.
    Attenuation,
    /// Cysts and inclusions in tissue.
    Cysts,
    /// Skin, fat and muscle over two ribs.
    Layers,
}

fn probe(name: &str) -> Result<Transducer, String> {
    let names: Vec<&str> = transducer::ALL.iter().map(|(name, _)| *name).collect();
    transducer::by_name(name).ok_or_else(|| format!("choose one of {}", names.join(", ")))
}

impl ImageCommand {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let settings = self.settings();
        settings.check().map_err(Usage::new)?;
        if !(16..=4096).contains(&self.size) {
            anyhow::bail!("--size is {}, but must be 16 to 4096 pixels", self.size);
        }
        // A wrong folder is told before the work.
        let folder = self
            .output
            .as_deref()
            .map(OutputFolder::create)
            .transpose()?;
        let mut figures = json!({ "depth_m": settings.depth });
        let (phantom, deformation, pose) = self.view(&settings)?;
        let mut b_mode = BMode::new(&self.probe, &settings).map_err(Usage::new)?;
        let view = View::new(&*phantom, &*deformation, &pose).map_err(Usage::new)?;
        let start = Instant::now();
        let frame = b_mode.frame(&view, 0).clone();
        figures["seconds_per_frame"] = start.elapsed().as_secs_f64().into();
        figures["contact_share"] = frame.contact_share().into();
        figures["mean_intensity_db"] = mean_intensity(&frame).into();
        self.measure(&settings, &frame, &mut figures)?;
        if let Some(folder) = folder {
            self.write(&b_mode, &frame, &*phantom, &folder)?;
            let text = serde_json::to_string_pretty(&figures)?;
            folder.write("image.json", format!("{text}\n").as_bytes())?;
        }
        if self.json {
            return print(&serde_json::to_string_pretty(&figures)?);
        }
        print(&lines(&figures, self.output.as_deref()))
    }

    fn settings(&self) -> Settings {
        let usual = match self.phantom {
            Some(PhantomWord::Points | PhantomWord::Speckle | PhantomWord::Attenuation) => {
                Settings::bare(&self.probe)
            }
            _ => Settings::of(&self.probe),
        };
        let deepest = self.depths().into_iter().fold(0.0, f64::max);
        let own = match self.phantom {
            Some(PhantomWord::Points) => 1.2 * deepest,
            _ => usual.depth,
        };
        Settings {
            n_lines: self.lines,
            n_samples: self.samples,
            depth: self.depth.unwrap_or(own),
            speckle_seed: self.seed,
            noise_seed: self.seed,
            ..usual
        }
    }

    /// Depths of the points, or three of those that the probe shows.
    fn depths(&self) -> Vec<f64> {
        if !self.depths.is_empty() {
            return self.depths.clone();
        }
        let shown = Settings::of(&self.probe).depth;
        [0.3, 0.6, 0.9].map(|share| share * shown).to_vec()
    }

    #[expect(
        clippy::type_complexity,
        reason = "what is seen, how it is deformed, from where"
    )]
    fn view(
        &self,
        settings: &Settings,
    ) -> anyhow::Result<(Box<dyn Phantom>, Box<dyn Deformation>, Isometry3<f64>)> {
        let Some(word) = self.phantom else {
            let adult = Adult::new(&Physique::default(), self.seed).map_err(Usage::new)?;
            let pose = adult
                .probe_pose(self.site, self.rotation.to_radians(), self.indentation)
                .map_err(Usage::new)?;
            let pressed =
                Indentation::new(&self.probe, &pose, self.indentation).map_err(Usage::new)?;
            return Ok((Box::new(adult), Box::new(pressed), pose));
        };
        let depths: Vec<f32> = self
            .depths()
            .into_iter()
            .map(|depth| depth as f32)
            .collect();
        let shown = settings.depth as f32;
        let block = match word {
            PhantomWord::Points => Block::points(&depths, settings.speed_of_sound as f32),
            PhantomWord::Speckle => Block::uniform(Material {
                attenuation: 0.0,
                ..SOFT_TISSUE
            }),
            PhantomWord::Attenuation => Block::uniform(Material {
                attenuation: self.alpha as f32,
                ..SOFT_TISSUE
            }),
            PhantomWord::Cysts => cysts(shown),
            PhantomWord::Layers => layers(shown),
        };
        block.check().map_err(Usage::new)?;
        Ok((
            Box::new(block),
            Box::new(Rigid::default()),
            Isometry3::identity(),
        ))
    }

    /// Adds what a test block is there for.
    fn measure(
        &self,
        settings: &Settings,
        frame: &Frame,
        figures: &mut Value,
    ) -> anyhow::Result<()> {
        match self.phantom {
            Some(PhantomWord::Points) => {
                let fine = Settings {
                    n_lines: settings.n_lines.max(1025),
                    ..settings.clone()
                };
                let targets =
                    point_targets(&self.probe, &fine, &self.depths()).map_err(Usage::new)?;
                let targets = targets.iter().map(|target| {
                    json!({
                        "depth_m": target.depth,
                        "lateral_fwhm_m": target.lateral,
                        "axial_fwhm_m": target.axial,
                        "elevation_fwhm_m": target.elevation,
                    })
                });
                figures["point_targets"] = targets.collect();
            }
            Some(PhantomWord::Speckle) => {
                // Beside the edges and below the ringing face.
                let (edge, top) = (frame.n_lines / 16, frame.n_samples / 5);
                let lines = (edge..frame.n_lines - edge).map(|line| &frame.line(line)[top..]);
                let levels: Vec<f32> = lines.flatten().copied().collect();
                let speckle = speckle_statistics(&levels);
                figures["snr"] = speckle.snr.into();
                figures["log_sd_db"] = speckle.log_sd.into();
            }
            Some(PhantomWord::Attenuation) => {
                let found =
                    attenuation_slope(&self.probe, settings, self.alpha).map_err(Usage::new)?;
                figures["slope_db_per_cm_mhz"] = found.slope.into();
                figures["frequency_hz"] = found.frequency.into();
            }
            _ => {}
        }
        Ok(())
    }

    fn write(
        &self,
        b_mode: &BMode,
        frame: &Frame,
        phantom: &dyn Phantom,
        folder: &OutputFolder,
    ) -> anyhow::Result<()> {
        let converter = b_mode.scan_converter(self.size).map_err(Usage::new)?;
        let mut grey = Vec::new();
        converter.picture(frame, &mut grey);
        folder.write("b_mode.png", &grey_picture(self.size, &grey)?)?;
        let outside = phantom.materials().len() as u8;
        let labels = converter.labels(frame, outside);
        folder.write(
            "labels.png",
            &label_picture(self.size, &labels, phantom.materials().len())?,
        )?;
        Ok(())
    }
}

/// Anechoic cysts above, inclusions of −9, −6, −3, 3, 6 dB below, and wires down the middle.
fn cysts(shown: f32) -> Block {
    let fluid = Material {
        speed_of_sound: SOFT_TISSUE.speed_of_sound,
        density: SOFT_TISSUE.density,
        ..URINE
    };
    let mut block = Block::uniform(SOFT_TISSUE);
    for (place, radius) in [(-0.27, 0.05), (-0.14, 0.035), (0.14, 0.025), (0.27, 0.015)] {
        block = block.with_rod(fluid, [place * shown, 0.35 * shown], radius * shown);
    }
    for (place, step) in [
        (-0.3, -9.0),
        (-0.15, -6.0),
        (0.0, -3.0),
        (0.15, 3.0),
        (0.3, 6.0),
    ] {
        let inclusion = Material {
            backscatter: step,
            ..SOFT_TISSUE
        };
        block = block.with_rod(inclusion, [place * shown, 0.68 * shown], 0.055 * shown);
    }
    let depths: Vec<f32> = (1..9).map(|n| 0.1 * n as f32 * shown).collect();
    let wires = Block::points(&depths, SOFT_TISSUE.speed_of_sound).scatterers;
    block.scatterers = wires
        .into_iter()
        .filter(|wire| (wire.rest.z - 0.7 * shown).abs() > 0.06 * shown)
        .collect();
    block
}

/// An intercostal window: gel, skin, fat, muscle, and two ribs over soft tissue.
fn layers(shown: f32) -> Block {
    let ends = [0.0, 0.002, 0.014, 0.034];
    let [gel, skin, fat, muscle] = ends;
    Block::layers(&[
        (GEL, gel),
        (SKIN, skin),
        (FAT, fat),
        (MUSCLE, muscle),
        (SOFT_TISSUE, shown),
    ])
    .with_rod(BONE, [-0.014, 0.026], 0.005)
    .with_rod(BONE, [0.014, 0.026], 0.005)
}

/// Level of the mean power of what couples [dB over the speckle of liver].
fn mean_intensity(frame: &Frame) -> Option<f64> {
    let coupled = (0..frame.n_lines).filter(|&line| frame.coupled[line]);
    let (mut sum, mut n) = (0.0, 0.0);
    for level in coupled.flat_map(|line| frame.line(line)) {
        sum += 10f64.powf(0.1 * f64::from(*level));
        n += 1.0;
    }
    (n > 0.0).then(|| 10.0 * f64::log10(sum / n))
}

fn lines(figures: &Value, output: Option<&Path>) -> String {
    let mut lines = Vec::new();
    for (name, figure) in figures.as_object().into_iter().flatten() {
        match figure.as_f64() {
            Some(number) => lines.push(format!("{name:<20} {number:>12.4}")),
            None => lines.push(format!("{name:<20} {figure}")),
        }
    }
    if let Some(folder) = output {
        lines.push(format!("\npictures and figures: {}", folder.display()));
    }
    lines.join("\n")
}
