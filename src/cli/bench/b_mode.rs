//! `insonate bench b-mode`.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Args;
use insonate::experiments::{Backend, Device};
use insonate::models::patients::Physique;
use insonate::ultrasound::deformation::{Indentation, Rigid};
use insonate::ultrasound::phantom::Adult;
use insonate::ultrasound::transducer::{self, Transducer};
use insonate::ultrasound::{BMode, Settings, View};
use nalgebra::Isometry3;
use serde_json::{Value, json};

use super::{median, print_figures};
use crate::cli::Usage;
use crate::cli::device_arg::DeviceArg;

#[derive(Debug, Args)]
pub(super) struct BModeBench {
    /// Probe.
    #[arg(long, value_name = "PROBE", default_value = "c5-2", value_parser = transducer::names())]
    probe: String,
    /// Number of scanlines.
    #[arg(long, value_name = "N", default_value_t = 256)]
    lines: usize,
    /// Number of samples per scanline.
    #[arg(long, value_name = "N", default_value_t = 512)]
    samples: usize,
    /// Width and height of the picture [pixels]; 0: beam space alone.
    #[arg(long, value_name = "N", default_value_t = 512)]
    size: usize,
    /// Minimum number of scatterers per resolution cell; fewer are faster, but the speckle is less fully developed (docs/trust/b-mode.md).
    #[arg(long, value_name = "N", default_value_t = 5.0)]
    scatterers: f64,
    /// Device; auto uses a hardware GPU if there is one, else the CPU.
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: DeviceArg,
    /// Number of frames per batch; a GPU computes a batch in parallel.
    #[arg(long, value_name = "N", default_value_t = 1)]
    batch: usize,
    /// Number of threads; 0 uses one per core. Frames do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Minimum number of frames; the median over batches is reported.
    #[arg(long, value_name = "N", default_value_t = 60)]
    frames: usize,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

/// What makes frames.
enum Scanner {
    Cpu(Box<OnCpu>),
    #[cfg(feature = "gpu")]
    Gpu(Box<insonate::ultrasound::GpuBMode>),
}

struct OnCpu {
    b_mode: BMode,
    converter: Option<insonate::ultrasound::b_mode::ScanConverter>,
    picture: Vec<u8>,
}

/// An adult with organs, pressed along a way over liver, ribs and gallbladder.
struct Sweep {
    adult: Adult,
    transducer: Transducer,
}

impl BModeBench {
    /// Batches of frames on a GPU.
    pub(super) fn on_gpu(batch: usize, size: usize, frames: usize) -> Self {
        Self {
            probe: "c5-2".to_owned(),
            lines: size.min(256),
            samples: size,
            size,
            scatterers: 5.0,
            device: DeviceArg::Gpu,
            batch,
            threads: 0,
            frames,
            json: true,
        }
    }

    pub(super) fn run(&self) -> anyhow::Result<()> {
        print_figures(&self.measure()?, self.json)
    }

    pub(super) fn measure(&self) -> anyhow::Result<Value> {
        for (name, value) in [("--frames", self.frames), ("--batch", self.batch)] {
            anyhow::ensure!(value > 0, "{name} is 0; it must be at least 1");
        }
        let sweep = Sweep {
            adult: Adult::new(&Physique::default(), 0)?,
            transducer: transducer::by_name(&self.probe).context("the names are checked")?,
        };
        let backend = Device::from(self.device).open()?;
        let device = backend.name();
        let mut scanner = self.scanner(&backend, &sweep.transducer)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()?;
        let n_batches = self.frames.div_ceil(self.batch);
        let (mut times, mut geometry) = (Vec::new(), Vec::new());
        // Before the first one counts, a GPU's buffers have grown.
        for batch in 0..=n_batches {
            let first = batch.saturating_sub(1) * self.batch;
            let sights = (first..first + self.batch)
                .map(|frame| sweep.pressed_view(frame as f64 / (n_batches * self.batch) as f64))
                .collect::<anyhow::Result<Vec<_>>>()?;
            let views: Vec<(View, u64)> = sights
                .iter()
                .zip(first as u64..)
                .map(|((pressed, pose), frame)| {
                    Ok((View::new(&sweep.adult, pressed, pose)?, frame))
                })
                .collect::<anyhow::Result<_>>()?;
            let start = Instant::now();
            let on_cpu = pool.install(|| scanner.make(&views))?;
            if batch > 0 {
                let per_frame = |time: Duration| 1e3 * time.as_secs_f64() / self.batch as f64;
                times.push(per_frame(start.elapsed()));
                geometry.extend(on_cpu.map(per_frame));
            }
        }
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let ms = median(times);
        let mut figures = json!({
            "frames_per_second": 1e3 / ms,
            "ms_per_frame": ms,
            "least_ms_per_frame": least,
            "threads": pool.current_num_threads(),
            "batch": self.batch,
            "device": device,
        });
        if !geometry.is_empty() {
            figures["geometry_ms_per_frame"] = median(geometry).into();
        }
        Ok(figures)
    }

    fn scanner(&self, backend: &Backend, transducer: &Transducer) -> anyhow::Result<Scanner> {
        let settings = Settings {
            n_lines: self.lines,
            n_samples: self.samples,
            scatterers_per_cell: self.scatterers,
            ..Settings::of(transducer)
        };
        let size = (self.size > 0).then_some(self.size);
        match backend {
            Backend::Cpu => {
                let b_mode = BMode::new(transducer, &settings).map_err(Usage::new)?;
                let converter = size.map(|size| b_mode.scan_converter(size));
                Ok(Scanner::Cpu(Box::new(OnCpu {
                    converter: converter.transpose().map_err(Usage::new)?,
                    b_mode,
                    picture: Vec::new(),
                })))
            }
            #[cfg(feature = "gpu")]
            Backend::Gpu(gpu) => {
                let batch = self.batch;
                let b_mode =
                    insonate::ultrasound::GpuBMode::new(gpu, transducer, &settings, batch, size);
                Ok(Scanner::Gpu(Box::new(b_mode.map_err(Usage::new)?)))
            }
        }
    }
}

impl Scanner {
    /// Makes a frame of each view; returns what the processor's part took where that is not all.
    #[cfg_attr(
        not(feature = "gpu"),
        expect(clippy::unnecessary_wraps, reason = "only a GPU can fail")
    )]
    fn make(&mut self, views: &[(View, u64)]) -> anyhow::Result<Option<Duration>> {
        match self {
            Self::Cpu(scanner) => {
                for (view, index) in views {
                    let seen = scanner.b_mode.frame(view, *index);
                    if let Some(converter) = &scanner.converter {
                        converter.picture(seen, &mut scanner.picture);
                    }
                }
                Ok(None)
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(b_mode) => {
                b_mode.frames(views)?;
                Ok(Some(b_mode.geometry_time()))
            }
        }
    }
}

impl Sweep {
    /// The tissue as it is pressed, and the probe's pose, a share of the way along the body.
    fn pressed_view(&self, share: f64) -> anyhow::Result<(Indentation<Rigid>, Isometry3<f64>)> {
        let site = [-0.09, -0.05 + 0.1 * share];
        let pose = self
            .adult
            .probe_pose(site, std::f64::consts::FRAC_PI_2, 0.013)?;
        let pressed = Indentation::new(
            Rigid::default(),
            &self.adult,
            &self.transducer,
            &pose,
            Indentation::DECAY,
        )?;
        Ok((pressed, pose))
    }
}
