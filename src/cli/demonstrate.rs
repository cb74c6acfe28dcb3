//! `insonate demonstrate`.

use std::path::PathBuf;

use clap::Args;
use insonate::datasets::{CameraInfo, DatasetWriter, EpisodeKind, Format};
use insonate::demonstrations::{
    Demonstrator, RecordPlan, Recorded, Shortfall, dataset_info, record, recorded_json,
};
use insonate::envs::{Env, EnvError, EnvSpec};
use insonate::evaluation::NamedPolicy;
use insonate::experiments::EpisodeCamera;
use insonate::files::Claim;
use insonate::models::ModelError;
use insonate::models::torsos::Shape;
use serde_json::Value;

use super::b_mode_args::BModeArgs;
use super::episode_args::EpisodeSettings;
use super::interrupt::Interrupt;
use super::output_folder::{OverwriteArg, claimed};
use super::progress_bar::bar;
use super::run_record;
use super::variety_args::VarietyArgs;
use super::{Usage, print};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate demonstrate probe-sweep --expert scripted --episodes 100 --format lerobot --output output/sweep-demos
  insonate demonstrate probe-sweep --expert policy data/policies/probe-sweep/policy.safetensors --episodes 50 \\
      --format robomimic --output output/sweep.hdf5
  insonate demonstrate probe-sweep --cameras close,probe/camera --camera-size 160x120 --output output/seen
  insonate demonstrate image-quality --b-mode --size 224 --format robomimic --output output/seen.hdf5
  insonate demonstrate probe-press --set env.scene.shape=adult --b-mode --size 480 --format open-h --output output/open-h
  insonate demonstrate cube-push --action-noise 0.2 --successes-only --output output/cube-demos
  insonate demonstrate cube-push --recovery 20 --keep-failures --vary-instruction --output output/cube-kinds
  cargo run --release --features viewer -- demonstrate cube-push --expert keyboard --episodes 10 --output output/mine

Tasks with a probe on a flange also record probe_wrench (force [N] and torque [N m] of the probe on the tissue, in its frame), flange_wrench
(the same at the flange), probe_pose (m, quaternion wxyz) and joint_position, without noise.

On probe-sweep the scripted expert acts in the mode wrench by the measured force; on probe-press, probe-reach and table-slide it is
the hybrid force controller, whose action is always zero.

By keyboard (--features viewer) and gamepad (--features gamepad), for entries of the action that end in
  x, y, z      D A, W S, R F    left stick, triggers
  rx, ry, rz   X Z, T G, C V    cross, right stick
up and down; other entries take I K, O L, U J, Y H, N B, E Q, P M in their order, or the sticks that are left. F presses where z is a push.
Keys go gently, with Shift all the way. Motions stop when let go; forces, stiffnesses, depths and gains stay, and Space takes them back.
Enter (A) begins an episode and keeps it at its end, Backspace (B) discards it, Tab (Y) changes the camera, Escape (Start) ends;
X is the gamepad's Space. What each key does in a task is printed at the start.

Exit status 1 if a scripted demonstration in the data set fails its verdict, also one that is kept as a failure, and if 20 attempts per
episode give fewer episodes than wanted; the data set is written all the same. An episode that ends with an error is dropped and named.

Next: insonate imitate TASK --data PATH.")]
pub(crate) struct Demonstrate {
    /// Task, one of `insonate list`.
    task: String,
    /// Expert: scripted, `policy PATH` for a policy file or training folder, or a person at the keyboard or a gamepad.
    #[arg(long, value_name = "EXPERT", num_args = 1..=2, default_value = "scripted")]
    expert: Vec<String>,
    /// Number of episodes in the data set.
    #[arg(long, value_name = "N", default_value_t = 50)]
    episodes: usize,
    /// Seed of the first episode; the others follow.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Format: lerobot (v3.0, a folder), robomimic (one HDF5 file) or open-h (LeRobot v2.1, a folder with videos by the program ffmpeg).
    #[arg(long, default_value = "lerobot", value_parser = format)]
    format: Format,
    /// Folder or file to write; an existing data set is replaced.
    #[arg(long, short, value_name = "PATH")]
    output: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArg,
    #[command(flatten)]
    variety: VarietyArgs,
    /// Standard deviation of noise on the executed but not on the recorded actions, in half ranges of the action; the data then shows recoveries.
    #[arg(
        long = "action-noise",
        alias = "noise",
        value_name = "SHARE",
        default_value_t = 0.0
    )]
    noise: f64,
    /// Cameras to record, such as close, side or probe/camera.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    cameras: Vec<String>,
    /// Size of the pictures [pixels].
    #[arg(long, value_name = "WxH", default_value = "128x96", value_parser = super::outcome::picture_size)]
    camera_size: (u32, u32),
    /// Record the B-mode image at each step, as the camera `ultrasound`. Needs a task with scene.shape=adult or scene.patients.
    #[arg(long)]
    b_mode: bool,
    #[command(flatten)]
    picture: BModeArgs,
    /// Size of the window for a human operator [pixels].
    #[arg(long, value_name = "WxH", default_value = "640x480", value_parser = super::outcome::picture_size)]
    window_size: (u32, u32),
    #[command(flatten)]
    episode: EpisodeSettings,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl Demonstrate {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        self.picture.check(self.b_mode)?;
        let plan = self.plan()?;
        let expert = self.expert()?;
        let env = expert.factory.make()?;
        for camera in &self.cameras {
            EpisodeCamera::check(camera, &*env)?;
        }
        if self.b_mode {
            check_organs(&*env)?;
        }
        let spec = env.spec().clone();
        let info = dataset_info(&expert, &*env, &plan);
        drop(env);
        let mut demonstrator = self.demonstrator(&expert, &spec)?;
        if self.format.is_folder() {
            let claim = Claim::resuming("demonstrate").overwriting(self.overwrite.overwrite);
            // Not held: the data set takes it.
            drop(claimed(&self.output, claim)?);
        }
        let mut writer = DatasetWriter::create(&self.output, self.format, info)?;
        let interrupt = Interrupt::listen()?;
        let template = "recording [{bar:40}] {pos}/{len} episodes  {elapsed} (left {eta})";
        let bar = bar(plan.n_total(), template)?;
        let recorded = record(
            &expert,
            &mut *demonstrator,
            &plan,
            &mut writer,
            &mut |n_done| {
                bar.set_position(n_done.min(plan.n_total()) as u64);
                interrupt.flow()
            },
        );
        bar.finish_and_clear();
        let recorded = recorded?;
        if recorded.n_kept == 0 {
            anyhow::ensure!(interrupt.is_interrupted(), "no episode was kept");
            return Err(interrupt.error("no episode was finished").into());
        }
        writer.finish()?;
        // Demonstrations that fail their verdict are an error, but the data set is complete.
        run_record::complete();
        let summary = recorded_json(
            &recorded,
            &expert,
            &spec,
            &plan,
            (self.format, &self.output),
        );
        if self.json {
            print(&serde_json::to_string_pretty(&summary)?)?;
        } else {
            print(&self.text(&recorded, &summary))?;
        }
        if interrupt.is_interrupted() {
            let (n, path) = (recorded.n_kept, self.output.display());
            return Err(interrupt
                .error(format!("saved {n} episodes in {path}"))
                .into());
        }
        if !recorded.missing.is_empty() {
            let missing: Vec<String> = recorded.missing.iter().map(shortfall).collect();
            anyhow::bail!("{}; the data set was written", missing.join("; "));
        }
        let n_failed = recorded.failed.len();
        anyhow::ensure!(
            n_failed == 0 || expert.name != "scripted",
            "{n_failed} of {} scripted demonstrations failed their verdict; the data set was written",
            recorded.n_kept
        );
        Ok(())
    }

    fn plan(&self) -> anyhow::Result<RecordPlan> {
        let (width, height) = self.camera_size;
        let cameras = self.cameras.iter().map(|name| CameraInfo {
            name: name.clone(),
            width,
            height,
        });
        let mut plan = RecordPlan {
            n_episodes: self.episodes,
            seed: self.seed,
            options: self.episode.options()?,
            noise: self.noise,
            cameras: cameras.collect(),
            ultrasound: self
                .b_mode
                .then(|| self.picture.settings(self.seed))
                .transpose()?,
            ..RecordPlan::default()
        };
        self.variety.apply(&mut plan);
        plan.check()?;
        Ok(plan)
    }

    fn expert(&self) -> anyhow::Result<NamedPolicy> {
        if let (Some(person), Some(option)) = (self.person(), self.variety.repeating()) {
            let problem = format!(
                "{option} needs an expert that repeats an episode, which {person} does not"
            );
            return Err(invalid(&problem));
        }
        let words: Vec<&str> = self.expert.iter().map(String::as_str).collect();
        let name = match words[..] {
            ["policy", path] => path,
            ["policy"] => return Err(invalid("policy needs a path: --expert policy PATH")),
            // What the person does decides, and not this policy.
            [name] if PEOPLE.contains(&name) => "zero",
            [name] => name,
            _ => {
                let given = self.expert.join(" ");
                return Err(invalid(&format!(
                    "{given:?} is neither scripted, keyboard, gamepad nor policy PATH"
                )));
            }
        };
        let overrides = self.episode.overrides()?;
        if name == "scripted" {
            return Ok(NamedPolicy::demonstrating_script(&self.task, &overrides)?);
        }
        let mut policies = NamedPolicy::load_all(&[name.to_owned()], Some(&self.task), &overrides)?;
        let mut expert = policies.remove(0);
        if let Some(person) = self.person() {
            person.clone_into(&mut expert.name);
        }
        Ok(expert)
    }

    /// What a person acts by.
    fn person(&self) -> Option<&str> {
        match &self.expert[..] {
            [name] => PEOPLE.contains(&name.as_str()).then_some(name),
            _ => None,
        }
    }

    fn demonstrator(
        &self,
        expert: &NamedPolicy,
        spec: &EnvSpec,
    ) -> anyhow::Result<Box<dyn Demonstrator>> {
        match self.person() {
            Some(person) => self.operator(person, spec),
            None => Ok(Box::new(expert.agent())),
        }
    }

    #[cfg(feature = "viewer")]
    fn operator(&self, person: &str, spec: &EnvSpec) -> anyhow::Result<Box<dyn Demonstrator>> {
        use insonate::demonstrations::teleoperation::{Operator, OperatorPlan};
        use insonate::sim::render::RenderConfig;
        let (width, height) = self.window_size;
        let camera = self.cameras.first().map_or("close", String::as_str);
        let plan = OperatorPlan {
            with_gamepad: person == GAMEPAD,
            camera: camera.to_owned(),
            picture: RenderConfig::fast(width, height),
        };
        let operator = Operator::new(spec, plan)?;
        eprintln!("{}", operator.describe(spec));
        Ok(Box::new(operator))
    }

    #[cfg(not(feature = "viewer"))]
    #[expect(clippy::unused_self, reason = "the form with the feature")]
    fn operator(&self, person: &str, _: &EnvSpec) -> anyhow::Result<Box<dyn Demonstrator>> {
        let feature = if person == GAMEPAD { GAMEPAD } else { "viewer" };
        Err(invalid(&format!(
            "{person} needs a window, but this insonate was built without windows: \
             `cargo run --release --features {feature} -- demonstrate …`"
        )))
    }

    fn text(&self, recorded: &Recorded, summary: &Value) -> String {
        let mut lines = vec![format!(
            "{} episodes{}, {} steps, {:.1} MB in {}",
            recorded.n_kept,
            kinds(recorded),
            recorded.n_steps,
            summary["bytes"].as_f64().unwrap_or(0.0) / 1e6,
            self.output.display()
        )];
        if let Some(rate) = summary["success_rate"].as_f64() {
            lines.push(format!(
                "success of the expert: {:.1} % of {} episodes",
                100.0 * rate,
                recorded.episodes.len()
            ));
        }
        if recorded.is_judged() {
            lines.push(format!(
                "verdict: {} of {} failed",
                recorded.failed.len(),
                recorded.n_kept
            ));
        }
        let failed = recorded.failed.iter();
        lines
            .extend(failed.map(|(seed, reasons)| format!("  seed {seed}: {}", reasons.join("; "))));
        let dropped = recorded.dropped.iter();
        lines.extend(dropped.map(|(seed, error)| format!("dropped: seed {seed}: {error}")));
        // Videos of LeRobot v2.1 are not read.
        if self.format != Format::OpenH {
            lines.push(format!(
                "next: insonate imitate {} --data {}",
                self.task,
                self.output.display()
            ));
        }
        lines.join("\n")
    }
}

/// How many of the episodes are no ordinary ones.
fn kinds(recorded: &Recorded) -> String {
    match [recorded.n_recoveries, recorded.n_failures] {
        [0, 0] => String::new(),
        [recoveries, failures] => format!(" ({recoveries} recoveries, {failures} failures)"),
    }
}

/// What is missing in a data set.
fn shortfall(missing: &Shortfall) -> String {
    let name = match missing.kind {
        EpisodeKind::Ordinary => "episodes",
        EpisodeKind::Recovery => "recoveries",
        EpisodeKind::Failure => "failures",
    };
    format!(
        "only {} of {} {name} were recorded in {} attempts, as the others failed",
        missing.n_kept, missing.n_wanted, missing.n_tried
    )
}

/// Refuses a scene that ultrasound cannot image.
fn check_organs(env: &dyn Env) -> anyhow::Result<()> {
    let scene = env.torso().map(|torso| torso.scene);
    let torso = scene.and_then(|scene| scene.torso.as_ref());
    if torso.is_some_and(|torso| torso.config.shape == Shape::Adult) {
        return Ok(());
    }
    let problem = "--b-mode needs a task on a torso with scene.shape=adult: others have no organs";
    Err(Usage::new(ModelError::Conflict(problem.to_owned())).into())
}

/// A person's ways to act.
const PEOPLE: [&str; 2] = ["keyboard", GAMEPAD];
const GAMEPAD: &str = "gamepad";

fn format(name: &str) -> Result<Format, String> {
    let found = Format::ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, format)| *format).ok_or_else(|| {
        let known = Format::ALL.map(|(known, _)| known);
        format!("choose one of {}", known.join(", "))
    })
}

fn invalid(problem: &str) -> anyhow::Error {
    EnvError::Config {
        field: "expert".to_owned(),
        problem: problem.to_owned(),
    }
    .into()
}
