//! `insonate scan`.

use std::path::PathBuf;

use clap::Args;
use insonate::experiments::{self, OrganPlan, pressure_plot, time_plot, window_plot};
use insonate::models::{ModelError, Scene};

use super::Usage;
use super::device_arg::TorsoDeviceArg;
use super::outcome::{RunOutputArgs, point};
use super::patient_args::Person;
use super::persistence_arg::PersistenceArg;
use super::scanner_args::ScannerArgs;
use super::scene_args::SceneArgs;
use super::verdict_args::VerdictArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate scan --robot panda --patient adult --output output/scan
  insonate scan --patient adult --patient-sex female --patient-height 1.7 --patient-mass 80 --breathing-rate 0.25
  insonate scan --robot ur5e --torso flex --force 8 --speed 0.02
  insonate scan --from 0.02,-0.08 --to -0.02,0.08 --json
  insonate scan --seed 7 --breathing-rate 0.25
  insonate scan --patient adult --from -0.06,-0.08 --to -0.06,0.04 --b-mode --output output/sweep
  insonate scan --patient output/patient --organ liver --b-mode --output output/liver")]
pub(crate) struct Scan {
    #[command(flatten)]
    scene: SceneArgs,
    #[command(flatten)]
    device: TorsoDeviceArg,
    /// Start of the path in the torso's frame [m]; with --seed alone, random.
    #[arg(long, value_name = "X,Y", value_parser = point, allow_hyphen_values = true)]
    from: Option<[f64; 2]>,
    /// End of the path in the torso's frame [m]; with --seed alone, random.
    #[arg(long, value_name = "X,Y", value_parser = point, allow_hyphen_values = true)]
    to: Option<[f64; 2]>,
    /// Organ of a made patient (--patient DIR) to scan: the path is planned where the probe sees it between bones and gas, and windows.png and windows.csv show where.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["from", "to"])]
    organ: Option<String>,
    /// Target force along the probe's axis [N].
    #[arg(long, value_name = "N", default_value_t = 5.0)]
    force: f64,
    /// Speed along the path [m/s].
    #[arg(long, value_name = "M_S", default_value_t = 0.04)]
    speed: f64,
    /// Maximum contact force of any part of the robot; the experiment ends above it [N].
    #[arg(long, value_name = "N", default_value_t = 80.0)]
    max_force: f64,
    /// Also film the B-mode image next to a camera's picture, and compound it: b_mode.gif and b_mode.nrrd, a volume for 3D Slicer
    /// and similar programs; the frames are also written as b_mode.seq.mha, with the probe's poses, and b_mode.dcm (DICOM). Needs --patient; --seed also draws the organs of the adult.
    #[arg(long)]
    b_mode: bool,
    #[command(flatten)]
    scanner: ScannerArgs,
    #[command(flatten)]
    persistence: PersistenceArg,
    /// Folder for log, scene, plots and pictures.
    #[arg(long, short, value_name = "DIR", default_value = "output/scan")]
    output: PathBuf,
    #[command(flatten)]
    outcome: RunOutputArgs,
    #[command(flatten)]
    verdict: VerdictArgs,
}

impl Scan {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        self.scanner.check_b_mode(self.b_mode)?;
        let person = self.scene.person()?;
        let scene = self.scene.with(&person, self.device.device())?;
        let default = experiments::Scan::default();
        let random = |index| {
            self.outcome
                .seed
                .map(|seed| experiments::random_site(seed, index, &scene))
        };
        let scan = experiments::Scan {
            from: self.from.or_else(|| random(0)).unwrap_or(default.from),
            to: self.to.or_else(|| random(1)).unwrap_or(default.to),
            force: self.force,
            speed: self.speed,
            max_force: self.max_force,
            limits: self.verdict.limits()?,
            ..default
        };
        let plan = self.plan(&person, &scene)?;
        let scan = plan.as_ref().map_or(scan.clone(), |plan| scan.along(plan));
        scan.check().map_err(Usage::new)?;
        let run = self
            .outcome
            .start(&scene, &self.output, "scan", "scanning")?;
        if let Some(plan) = &plan {
            run.write("windows.png", &window_plot(plan)?.png)?;
            run.write("windows.csv", plan.map.csv().as_bytes())?;
        }
        let (mut pictures, mut progress) = run.observers();
        pictures.b_mode = self
            .b_mode
            .then(|| {
                let persistence = self.persistence.share();
                self.outcome
                    .b_mode(&scene, &person, &self.scanner, persistence)
            })
            .transpose()?;
        let (record, mut summary) = experiments::scan(&scene, &scan, &mut pictures, &mut progress)?;
        summary.organ = plan.as_ref().map(OrganPlan::figures);
        let title = format!("scan, {}", scene.name());
        run.finish(&record, &summary, &pictures, || {
            let plot = time_plot(&record, &title, Some(self.force), Some(self.speed))?;
            let mut plots = vec![("plot.svg", plot)];
            if let Some(map) = &record.greatest_pressure {
                plots.push(("pressure.svg", pressure_plot(map)?));
            }
            Ok(plots)
        })
    }

    /// The plan for --organ.
    fn plan(&self, person: &Person, scene: &Scene) -> anyhow::Result<Option<OrganPlan>> {
        let Some(organ) = &self.organ else {
            return Ok(None);
        };
        let Person::Own(own) = person else {
            let problem = "--organ needs the folder of a made patient: --patient DIR".to_owned();
            return Err(Usage::new(ModelError::Conflict(problem)).into());
        };
        let probe = &scene.probe;
        let plan = OrganPlan::new(own, organ, probe, self.speed).map_err(Usage::new)?;
        Ok(Some(plan))
    }
}
