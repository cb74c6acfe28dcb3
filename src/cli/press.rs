//! `insonate press`.

mod sites;

use std::path::PathBuf;

use clap::Args;
use insonate::experiments::{self, force_indentation_plot, pressure_plot, stress_plot, time_plot};
use insonate::models::ModelError;

use super::device_arg::TorsoDeviceArg;
use super::outcome::{RunOutputArgs, point};
use super::scene_args::SceneArgs;
use super::verdict_args::VerdictArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate press --depth 0.03 --speed 0.02 --output output/press
  insonate press --torso composite --site 0.02,-0.05 --json
  insonate press --robot ur5e --probe l12-5 --torso flex --no-pictures
  insonate press --sites 5 --noise thesis --seed 1 --output output/palpation")]
pub(crate) struct Press {
    #[command(flatten)]
    scene: SceneArgs,
    #[command(flatten)]
    device: TorsoDeviceArg,
    /// Site of the press in the torso's frame [m] [default: the middle; with --seed a random site].
    #[arg(long, value_name = "X,Y", value_parser = point, allow_hyphen_values = true)]
    site: Option<[f64; 2]>,
    /// Depth below the skin at rest [m] [default: 0.03; with --sites 0.01].
    #[arg(long, value_name = "M")]
    depth: Option<f64>,
    /// Speed of the probe in and out [m/s].
    #[arg(long, value_name = "M_S", default_value_t = 0.02)]
    speed: f64,
    /// Time at the depth [s].
    #[arg(long, value_name = "S", default_value_t = 0.5)]
    hold: f64,
    /// Force at which the probe retracts before it reaches the depth [N].
    #[arg(long, value_name = "N", default_value_t = 80.0)]
    max_force: f64,
    /// Folder for log, scene, plots and pictures.
    #[arg(long, short, value_name = "DIR", default_value = "output/press")]
    output: PathBuf,
    #[command(flatten)]
    outcome: RunOutputArgs,
    #[command(flatten)]
    verdict: VerdictArgs,
    #[command(flatten)]
    recording: sites::SitesArgs,
}

impl Press {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let scene = self.scene.build_on(self.device.device())?;
        if let Some(count) = self.recording.sites {
            if self.outcome.mcap {
                let problem = "--mcap logs one press, not the recordings of --sites".to_owned();
                return Err(super::Usage::new(ModelError::Conflict(problem)).into());
            }
            return self.recording.run(self, &scene, count);
        }
        let random = || {
            self.outcome
                .seed
                .map(|seed| experiments::random_site(seed, 0, &scene))
        };
        let usual = experiments::Press::default();
        let press = experiments::Press {
            site: self.site.or_else(random).unwrap_or([0.0, 0.0]),
            depth: self.depth.unwrap_or(usual.depth),
            speed: self.speed,
            hold: self.hold,
            max_force: self.max_force,
            limits: self.verdict.limits()?,
            ..usual
        };
        press.check().map_err(super::Usage::new)?;
        let run = self
            .outcome
            .start(&scene, &self.output, "press", "pressing")?;
        let (mut pictures, mut progress) = run.observers();
        let (record, summary) = experiments::press(&scene, &press, &mut pictures, &mut progress)?;
        if let Some(stress) = &record.stress {
            run.write("stress.vtk", &stress.stress.to_vtk())?;
        }
        let name = scene.name();
        run.finish(&record, &summary, &pictures, || {
            let samples = record.samples.iter();
            let curve = samples.map(|sample| (sample.indentation, sample.force[2]));
            let curves = [(name.clone(), curve.collect())];
            let mut plots = vec![
                (
                    "plot.svg",
                    time_plot(&record, &format!("press, {name}"), None, None)?,
                ),
                (
                    "force_indentation.svg",
                    force_indentation_plot(&curves, "force over indentation")?,
                ),
            ];
            if let Some(map) = &record.greatest_pressure {
                plots.push(("pressure.svg", pressure_plot(map)?));
            }
            if let Some(stress) = &record.stress {
                plots.push(("stress.svg", stress_plot(stress)?));
            }
            Ok(plots)
        })
    }
}
