//! `insonate study`: from recorded presses to a policy, with the error of each step.

use std::path::PathBuf;

use clap::Args;
use indicatif::ProgressBar;
use insonate::envs::tasks;
use insonate::experiments::ExperimentError;
use insonate::files::Claim;
use insonate::learning::LearningError;
use insonate::models::torsos::{self, Shape, Softness};
use insonate::report::{study_files, study_text};
use insonate::study::{StudyEvent, StudyPlan, StudyStart, study};
use toml::{Table, Value};

use super::calibrate::{LogReader, logs_help};
use super::interrupt::Interrupt;
use super::meter::TrainingProgress;
use super::number_list;
use super::output_folder::claimed;
use super::patient_args::{Patient, check_folder, patient};
use super::print;
use super::progress_bar::bar;
use super::robot_args::RobotArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate study press.csv
  insonate study site1.csv site2.csv --held-out site3.csv --output output/patient
  insonate study data/palpation-sim/centre.csv --held-out data/palpation-sim/upper_left.csv --truth 1301.08,15.665
  insonate study press.csv --robot-file arm.xml --flange tool0
  insonate study press.csv --patient output/patient
  insonate study press.csv --resume

Steps: calibrate the logs; fit all kinds of torso to them; train a policy on the fitted torso and one on the thesis';
evaluate both and the task's script at other softness, breathing, places, logs and torsos.
The folder holds study.html (open it in a browser), study.json, the plots as SVG and PNG, and the policies.")]
pub(crate) struct Study {
    #[arg(required = true, value_name = "LOG", help = logs_help())]
    logs: Vec<PathBuf>,
    #[command(flatten)]
    reader: LogReader,
    /// Log for validation that is not used for fitting; may be repeated.
    #[arg(long, value_name = "LOG", action = clap::ArgAction::Append)]
    held_out: Vec<PathBuf>,
    /// True stiffness [N/m] and damping [N·s/m] of the logs, if known.
    #[arg(long, value_name = "K,C", value_parser = softness)]
    truth: Option<Softness>,
    /// Kind of torso to fit in addition to `fast`; may be repeated [default: all].
    #[arg(long, value_name = "TORSO", action = clap::ArgAction::Append, value_parser = torsos::ALL.iter().map(|kind| kind.name).collect::<Vec<_>>())]
    torso: Vec<String>,
    /// Task to learn.
    #[arg(long, value_name = "TASK", default_value = "probe-sweep", value_parser = studied_tasks())]
    task: String,
    /// Number of steps of each training.
    #[arg(long, value_name = "N", default_value_t = 400_000)]
    steps: usize,
    /// Seed of each training.
    #[arg(long, value_name = "N", default_value_t = 1)]
    train_seed: u64,
    /// Number of episodes of each policy in each condition.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    episodes: u32,
    /// Number of threads; 0 uses one per core. Results do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Continue the study in the folder: fitted torsos and trained policies are kept.
    #[arg(long, conflicts_with = "overwrite")]
    resume: bool,
    /// Remove the study of the folder, or what another command wrote there.
    #[arg(long)]
    overwrite: bool,
    /// Folder for the report and the policies.
    #[arg(long, short, value_name = "DIR", default_value = "output/study")]
    output: PathBuf,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    robot: RobotArgs,
    /// Patient whose trunk is the torso of all steps: `adult`, or the folder of a patient that insonate patient make wrote.
    #[arg(long, value_parser = patient)]
    patient: Option<Patient>,
}

/// Seed of the first episode of a condition, far from those of training.
const SEED: u64 = 2_000_000;

impl Study {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let plan = self.plan()?;
        plan.check()?;
        let folder = claimed(&self.output, self.claim())?;
        let interrupt = Interrupt::listen()?;
        let mut display = Display::new()?;
        let result = study(&plan, &folder, &mut |event| {
            display.show(event);
            interrupt.flow()
        });
        display.finish();
        let result = match result {
            Err(LearningError::Experiment(ExperimentError::Interrupted(_))) => {
                let output = self.output.display();
                let saved = format!(
                    "fitted torsos and finished iterations are saved; go on with the same command and --resume, in {output}"
                );
                return Err(interrupt.error(saved).into());
            }
            other => other?,
        };
        for (name, content) in study_files(&result)? {
            folder.write(&name, &content)?;
        }
        if self.json {
            return print(&serde_json::to_string_pretty(&result)?);
        }
        print(&format!(
            "{}\n\nreport: {}",
            study_text(&result),
            folder.path().join("study.html").display()
        ))
    }

    /// A study goes on with its own files, refuses them, or removes them.
    fn claim(&self) -> Claim<'static> {
        if self.overwrite {
            return Claim::by("study").overwriting(true);
        }
        Claim::resuming("study")
    }

    /// The patient as settings of a scene.
    fn patient(&self) -> anyhow::Result<Table> {
        let (name, value) = match &self.patient {
            None => return Ok(Table::new()),
            Some(Patient::Adult) => ("shape", Value::from(Shape::Adult.name())),
            Some(Patient::Folder(folder)) => {
                check_folder(folder)?;
                let folder = folder.display().to_string();
                ("patients", Value::from(vec![folder]))
            }
        };
        Ok(Table::from_iter([(name.to_owned(), value)]))
    }

    fn plan(&self) -> anyhow::Result<StudyPlan> {
        let all: Vec<PathBuf> = self.logs.iter().chain(&self.held_out).cloned().collect();
        self.reader.check(&all)?;
        let options = self.reader.fit_options()?;
        let sites = self.reader.calibrate(&self.logs, None, &mut |_| {})?;
        let held_out = match self.held_out.as_slice() {
            [] => None,
            logs => Some(self.reader.calibrate(logs, None, &mut |_| {})?),
        };
        Ok(StudyPlan {
            robot: self.robot.settings()?,
            patient: self.patient()?,
            task: self.task.clone(),
            sites,
            held_out,
            options,
            truth: self.truth,
            torsos: match self.torso.as_slice() {
                [] => torsos::ALL
                    .iter()
                    .map(|kind| kind.name.to_owned())
                    .collect(),
                chosen => chosen.to_vec(),
            },
            total_timesteps: self.steps,
            train_seed: self.train_seed,
            n_episodes: self.episodes as usize,
            seed: SEED,
            n_threads: self.threads,
            start: match (self.resume, self.overwrite) {
                (true, _) => StudyStart::Resume,
                (_, true) => StudyStart::Overwrite,
                _ => StudyStart::New,
            },
        })
    }
}

/// A bar for each step, and the meter of a training.
struct Display {
    bar: ProgressBar,
    meter: Option<TrainingProgress>,
}

impl Display {
    fn new() -> anyhow::Result<Self> {
        let bar = bar(1000, "{msg:>24} [{bar:40}] {percent:>3} %  {elapsed}")?;
        Ok(Self { bar, meter: None })
    }

    fn show(&mut self, event: &StudyEvent<'_>) {
        let step = |name: String, share: f64| {
            self.bar.set_message(name);
            self.bar.set_position((1000.0 * share) as u64);
        };
        match event {
            StudyEvent::Torso(torso, share) => step(format!("fitting {torso}"), *share),
            StudyEvent::Policy(name, steps) => {
                step(format!("training {name}"), 0.0);
                if let Some(meter) = &self.meter {
                    meter.finish();
                }
                eprintln!("training the policy {name}");
                self.meter = TrainingProgress::new(*steps).ok();
            }
            StudyEvent::Training(event) => {
                if let Some(meter) = &mut self.meter {
                    meter.show(event);
                }
            }
            StudyEvent::Evaluating(condition, share) => {
                if let Some(meter) = self.meter.take() {
                    meter.finish();
                }
                step(format!("evaluating {condition}"), *share);
            }
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
        if let Some(meter) = &self.meter {
            meter.finish();
        }
    }
}

/// Names of the tasks that a study can learn.
fn studied_tasks() -> Vec<&'static str> {
    let studied = tasks::all().into_iter().filter(|kind| kind.is_studied);
    studied.map(|kind| kind.name).collect()
}

/// `K,C`, both above 0.
fn softness(text: &str) -> Result<Softness, String> {
    match number_list::finite(text) {
        Some([stiffness, damping]) if stiffness > 0.0 && damping > 0.0 => {
            Ok(Softness { stiffness, damping })
        }
        _ => Err("two numbers above 0 in N/m and N·s/m, such as 1324.17,17.59".to_owned()),
    }
}
