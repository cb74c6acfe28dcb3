//! The command line: one file for each command.

mod b_mode_args;
mod bench;
mod benchmark;
mod calibrate;
mod completions;
mod continuum;
mod curves;
mod demo;
mod demonstrate;
mod describe;
mod device_arg;
mod episode_args;
mod error_text;
mod evaluate;
mod export;
mod image;
mod imitate;
mod interrupt;
mod list;
mod meter;
mod needle;
mod number_list;
mod outcome;
mod output_folder;
mod patient;
mod patient_args;
mod persistence_arg;
mod press;
mod program;
mod progress_bar;
mod psm;
mod render;
mod replay;
mod rerun;
mod robot_args;
mod rollout;
mod run_record;
mod scan;
mod scanner_args;
mod scene;
mod scene_args;
mod scene_words;
mod serve;
mod serve_dvrk;
mod settings_args;
mod softness_args;
mod study;
mod tissue;
mod torso_args;
mod train;
mod variety_args;
mod verdict_args;
#[cfg(feature = "viewer")]
mod view;
mod word_hint;

use clap::{Parser, Subcommand};

pub use calibrate::{LogReader, RecordedPress};
pub use program::{main_with, run};

pub(crate) use interrupt::Interrupted;

/// Robotic ultrasound on MuJoCo: build scenes, press and scan soft torsos, read the force, learn to slide a probe.
#[derive(Debug, Parser)]
#[command(
    name = "insonate",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
#[command(after_help = "Examples:
  insonate demo
  insonate scan --robot panda --torso fast --output output/scan
  insonate press --depth 0.03 --speed 0.02 --json
  insonate calibrate press1.csv press2.csv --output output/calibrate
  insonate scene --softness output/calibrate/softness.toml --output scene.xml
  insonate scene --robot ur5e --torso flex --output scene.xml
  insonate render --camera side --output side.png
  insonate image --patient adult --site -0.09,-0.035 --output output/gallbladder
  insonate patient make segmentations/ --output output/patient
  insonate tissue retract --solver xpbd --output output/retract
  insonate psm track --trajectory spiral --output output/spiral
  insonate study press.csv --output output/study
  insonate train probe-sweep --seed 1 --output output/sweep
  insonate evaluate output/sweep scripted --episodes 100
  insonate benchmark --suite quick --output output/benchmark

A folder holds the files of one run: a command replaces what it wrote there before, and refuses what another one wrote, unless told to
--overwrite it. Files of your own stay. run.toml in it says how it was made, and insonate rerun DIR makes it again.

Exit status: 0 success, 1 error, 2 wrong usage, 130 stopped by Ctrl-C with what was measured saved.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Scan a patient and show film, force and ultrasound on one page: half a minute to see what insonate does.
    Demo(demo::Demo),
    /// List robots, probes, torsos, shapes, controllers, tissue models, tasks, action modes and the quantities that can be read.
    List(list::List),
    /// Write a scene as one standalone MJCF file.
    Scene(scene::SceneCommand),
    /// Render a scene to PNG: colour and metric depth.
    Render(render::Render),
    /// Show a scene in a window (needs `--features viewer`).
    View(ViewCommand),
    /// Make a patient of a segmentation, look at it, or write a synthetic segmentation.
    Patient(patient::PatientCommand),
    /// Simulate a B-mode image of a patient or a test block.
    Image(Box<image::ImageCommand>),
    /// Press the probe into the torso at a site and log the force.
    Press(press::Press),
    /// Slide the probe along a path over the torso at a steady force.
    Scan(scan::Scan),
    /// Estimate stiffness and damping of tissue from recorded presses.
    Calibrate(Box<calibrate::Calibrate>),
    /// Calibrate recorded presses, fit torsos, train policies, and report the error of each step.
    Study(Box<study::Study>),
    /// Train a policy on a task.
    Train(Box<train::Train>),
    /// Run episodes under a policy and report its figures with 95 % intervals.
    Evaluate(evaluate::Evaluate),
    /// Train and evaluate policies of many tasks with several seeds, and compare them with scripts.
    Benchmark(Box<benchmark::Benchmark>),
    /// Record episodes of an expert as a data set (LeRobot, Open-H, robomimic).
    Demonstrate(Box<demonstrate::Demonstrate>),
    /// Show a running scan or policy to 3D Slicer, which can steer the probe, or a PSM to the dVRK's software.
    Serve(Box<serve::Serve>),
    /// Replay a recorded episode in the simulation, and compare poses and forces.
    Replay(Box<replay::ReplayCommand>),
    /// Learn a policy from demonstrations.
    Imitate(imitate::Imitate),
    /// Run an episode under a policy: log, plots and a film.
    Rollout(rollout::RolloutCommand),
    /// Export a policy as an ONNX model for other programs.
    Export(export::Export),
    /// Draw the learning curves of several trainings.
    Curves(curves::Curves),
    /// Show a task: actions, observations, rewards, metrics, random parameters, settings.
    Describe(describe::Describe),
    /// Push, pull, tear, stretch, retract or press soft tissue, and record the force.
    Tissue(tissue::Tissue),
    /// Simulate the da Vinci PSM, follow motions with it, estimate forces, identify its dynamics from logs.
    Psm(psm::Psm),
    /// Measure the speed of environments, training and soft tissue.
    Bench(bench::Bench),
    /// Bend a continuum robot, push it into a lumen, or steer it through airways.
    Continuum(continuum::Continuum),
    /// Push a biopsy needle into layered tissue, and record force, target and tip.
    Needle(needle::NeedleCommand),
    /// Run the command of an output folder again, from its run.toml.
    Rerun(rerun::Rerun),
    /// Print the completion script of a shell.
    Completions(completions::Completions),
    /// Write manual pages.
    Man(completions::Man),
}

#[cfg(feature = "viewer")]
type ViewCommand = view::View;
#[cfg(not(feature = "viewer"))]
type ViewCommand = scene_args::SceneArgs;

impl Cli {
    /// Runs the command.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        interrupt::Interrupt::listen()?;
        match self.command {
            Command::Demo(command) => command.run(),
            Command::List(command) => command.run(),
            Command::Scene(command) => command.run(),
            Command::Render(command) => command.run(),
            #[cfg(feature = "viewer")]
            Command::View(command) => command.run(),
            #[cfg(not(feature = "viewer"))]
            Command::View(_) => anyhow::bail!(
                "this insonate was built without a viewer; run `cargo run --release --features viewer -- view`"
            ),
            Command::Patient(command) => command.run(),
            Command::Image(command) => command.run(),
            Command::Press(command) => command.run(),
            Command::Scan(command) => command.run(),
            Command::Calibrate(command) => command.run(),
            Command::Study(command) => command.run(),
            Command::Train(command) => command.run(),
            Command::Evaluate(command) => command.run(),
            Command::Benchmark(command) => command.run(),
            Command::Demonstrate(command) => command.run(),
            Command::Serve(command) => command.run(),
            Command::Replay(command) => command.run(),
            Command::Imitate(command) => command.run(),
            Command::Rollout(command) => command.run(),
            Command::Export(command) => command.run(),
            Command::Curves(command) => command.run(),
            Command::Describe(command) => command.run(),
            Command::Tissue(command) => command.run(),
            Command::Continuum(command) => command.run(),
            Command::Needle(command) => command.run(),
            Command::Psm(command) => command.run(),
            Command::Bench(command) => command.run(),
            Command::Rerun(command) => command.run(),
            Command::Completions(command) => command.run(),
            Command::Man(command) => command.run(),
        }
    }
}

/// Prints to standard output; a closed pipe is not an error.
fn print(text: &str) -> anyhow::Result<()> {
    use std::io::Write as _;
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// An error in how the command was called: exit status 2.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct Usage(#[from] Box<dyn std::error::Error + Send + Sync>);

impl Usage {
    pub(crate) fn new(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }
}

/// The names of the options that were given.
fn given(options: &[(&'static str, bool)]) -> Vec<&'static str> {
    let given = options.iter().filter(|(_, is_given)| *is_given);
    given.map(|(name, _)| *name).collect()
}
