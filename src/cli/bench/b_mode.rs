//! `insonate bench b-mode`.

use std::time::Instant;

use clap::{Args, ValueEnum};
use insonate::models::patients::Physique;
use insonate::ultrasound::deformation::{Indentation, Rigid};
use insonate::ultrasound::phantom::Adult;
use insonate::ultrasound::transducer;
use insonate::ultrasound::{BMode, Settings, View};
use serde_json::json;

use super::{median, print_figures};
use crate::cli::Usage;

#[derive(Debug, Args)]
pub(super) struct BModeBench {
    /// Probe: c5-2, l12-5, l11-5v or p4-2.
    #[arg(long, value_name = "PROBE", default_value = "c5-2")]
    probe: String,
    /// Lines of sight.
    #[arg(long, value_name = "N", default_value_t = 256)]
    lines: usize,
    /// Samples of each line.
    #[arg(long, value_name = "N", default_value_t = 512)]
    samples: usize,
    /// Width and height of the picture [pixels]; 0: beam space alone.
    #[arg(long, value_name = "N", default_value_t = 512)]
    size: usize,
    /// Where.
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: DeviceWord,
    /// Threads; 0: one for each core. Frames do not depend on it.
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// Number of frames, of which the median counts.
    #[arg(long, value_name = "N", default_value_t = 60)]
    frames: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DeviceWord {
    /// The processor.
    Cpu,
}

impl BModeBench {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        anyhow::ensure!(self.frames > 0, "--frames is 0, but must be 1 or more");
        let DeviceWord::Cpu = self.device;
        let transducer = transducer::by_name(&self.probe).ok_or_else(|| {
            anyhow::anyhow!(
                "--probe is {}, but must be one of `insonate image --help`",
                self.probe
            )
        })?;
        let settings = Settings {
            n_lines: self.lines,
            n_samples: self.samples,
            ..Settings::of(&transducer)
        };
        let mut b_mode = BMode::new(&transducer, &settings).map_err(Usage::new)?;
        let converter = match self.size {
            0 => None,
            size => Some(b_mode.scan_converter(size).map_err(Usage::new)?),
        };
        let adult = Adult::new(&Physique::default(), 0)?;
        let mut picture = Vec::new();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()?;
        let mut times = Vec::new();
        for frame in 0..self.frames {
            // Along the body over liver, ribs and gallbladder.
            let site = [-0.09, -0.05 + 0.1 * frame as f64 / self.frames as f64];
            let pose = adult.probe_pose(site, std::f64::consts::FRAC_PI_2, 0.013)?;
            let pressed = Indentation::new(
                Rigid::default(),
                &adult,
                &transducer,
                &pose,
                Indentation::DECAY,
            )?;
            let view = View::new(&adult, &pressed, &pose)?;
            let start = Instant::now();
            pool.install(|| {
                let seen = b_mode.frame(&view, frame as u64);
                if let Some(converter) = &converter {
                    converter.picture(seen, &mut picture);
                }
            });
            times.push(1e3 * start.elapsed().as_secs_f64());
        }
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let ms = median(times);
        let figures = json!({
            "frames_per_second": 1e3 / ms,
            "ms_per_frame": ms,
            "least_ms_per_frame": least,
            "threads": pool.current_num_threads(),
        });
        print_figures(&figures, self.json)
    }
}
