//! `insonate replay`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use insonate::datasets::{EpisodeKind, Recording, read_recording};
use insonate::demonstrations::{
    ColumnMap, Quantity, RecordedFrame, Replay as Replayed, replay_actions, replay_plot,
    replay_poses,
};
use insonate::envs::EnvError;
use serde_json::json;

use super::episode_args::FixArgs;
use super::interrupt::Interrupt;
use super::output_folder::OverwriteArg;
use super::print;
use super::progress_bar::named_bar;
use super::run_record;
use super::scene_args::SceneArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate replay output/sweep-demos --episode 3 --output output/replay
  insonate replay output/open-h --episode 0 --by poses --torso fast --shape adult
  insonate replay output/lab --episode 0 --columns pose-rpy=action,wrench=observation.meta.force_torque --pose-frame base \\
      --force-frame tool --sign pressing-positive --robot ur5e --torso elastic

Reads LeRobot folders (v3.0, and v2.1 as Open-H's) and robomimic files. By actions, insonate's own recording is repeated in its task from its
seed; the result is `identical` if every recorded pose, joint and force has the same bits. By poses, the probe of a scene follows the recorded
poses. What columns of other programs mean is not guessed: parts that meta/modality.json names are columns action.NAME and state.NAME.

Writes log.csv, replay.png and summary.json with root mean square errors (m, rad, N, N m), and what was not compared.
Exit status 1 if a replay by actions is not identical; the files are written.")]
pub(crate) struct ReplayCommand {
    /// Data set: a LeRobot folder or a robomimic file.
    dataset: PathBuf,
    /// Episode, counted from 0.
    #[arg(long, value_name = "N")]
    episode: usize,
    /// What is repeated [default: actions for insonate's own recordings, otherwise poses].
    #[arg(long)]
    by: Option<By>,
    /// Columns of another program, with the keys pose-rpy (m, rad), pose-wxyz, pose-xyzw (m, quaternion), wrench (N, N m) and force (N).
    #[arg(long, value_name = "KEY=COLUMN,…", value_delimiter = ',', value_parser = mapped)]
    columns: Vec<(String, Quantity)>,
    /// Frame of the mapped poses: the scene's world, or the robot's base, whose axes are those of the world.
    #[arg(long)]
    pose_frame: Option<PoseFrame>,
    /// Frame of the mapped force: the robot's base or the probe.
    #[arg(long, value_name = "base|tool")]
    force_frame: Option<ForceFrame>,
    /// Sense of the mapped force: pressing-positive for the force of the probe on the tissue, pressing-negative for that on the probe.
    #[arg(long, value_name = "SENSE")]
    sign: Option<Sense>,
    /// Rows per second of a data set without times [Hz].
    #[arg(long, value_name = "HZ")]
    rate: Option<f64>,
    #[command(flatten)]
    fixed: FixArgs,
    /// Folder for log, plot and summary.
    #[arg(long, short, value_name = "DIR", default_value = "output/replay")]
    output: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    scene: SceneArgs,
}

/// What is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// The actions of insonate's own recording, in its task.
    Actions,
    /// The poses, in a scene.
    Poses,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PoseFrame {
    World,
    Base,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ForceFrame {
    Base,
    Tool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sense {
    PressingPositive,
    PressingNegative,
}

impl ReplayCommand {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let recording = read_recording(&self.dataset, self.episode)?;
        let by = self.by.unwrap_or_else(|| usual(&recording));
        self.check(by)?;
        let scene = match by {
            By::Poses => Some(self.scene.build()?),
            By::Actions => None,
        };
        let folder = self.overwrite.folder(&self.output, "replay")?;
        let interrupt = Interrupt::listen()?;
        let bar = named_bar("replaying")?;
        let mut progress = |share: f64| {
            bar.set_position((1000.0 * share) as u64);
            interrupt.flow()
        };
        let replayed = if let Some(scene) = &scene {
            replay_poses(scene, &recording, &self.column_map(), &mut progress)
        } else {
            let options = self.fixed.options()?;
            replay_actions(&recording, &options, &mut progress)
        };
        bar.finish_and_clear();
        let replayed = replayed?;
        folder.write("log.csv", replayed.to_csv().as_bytes())?;
        let mut summary = replayed.to_json();
        summary["dataset"] = json!(self.dataset);
        summary["episode"] = json!(self.episode);
        summary["scene"] = json!(
            scene
                .as_ref()
                .map(|scene| scene.to_mjcf().map(|it| it.model().to_owned()))
                .transpose()?
        );
        let text = serde_json::to_string_pretty(&summary)?;
        folder.write("summary.json", format!("{text}\n").as_bytes())?;
        let title = format!("episode {} by {}", self.episode, replayed.by);
        let [_, (name, picture)] = replay_plot(&title, &replayed)?.files();
        folder.write(&name, &picture)?;
        if self.json {
            print(&text)?;
        } else {
            print(&self.text(&replayed))?;
        }
        // A replay that differs is an error, but its files are complete.
        run_record::complete();
        anyhow::ensure!(
            replayed.is_identical() != Some(false),
            "the replay differs from the recording in {} ({} of {} rows were repeated); the files were written",
            replayed.different_bits.join(", "),
            replayed.rows.len(),
            replayed.n_recorded
        );
        Ok(())
    }

    /// Refuses options that the way of repeating does not use.
    fn check(&self, by: By) -> Result<(), EnvError> {
        let given = self.scene.given();
        let of_poses = [
            ("--columns", !self.columns.is_empty()),
            ("--pose-frame", self.pose_frame.is_some()),
            ("--force-frame", self.force_frame.is_some()),
            ("--sign", self.sign.is_some()),
            ("--rate", self.rate.is_some()),
        ];
        let of_poses = super::given(&of_poses).into_iter();
        let of_poses = of_poses.chain(given.patient).chain(given.scene);
        let unused = match by {
            By::Actions => of_poses.collect(),
            By::Poses => super::given(&[("--fix", !self.fixed.fix.is_empty())]),
        };
        match unused.first() {
            None => Ok(()),
            Some(option) => Err(EnvError::Config {
                field: "by".to_owned(),
                problem: format!(
                    "{option} has no effect on a replay by {}: remove it or choose another --by",
                    match by {
                        By::Actions => "actions, which has the scene of its task",
                        By::Poses => "poses",
                    }
                ),
            }),
        }
    }

    fn column_map(&self) -> ColumnMap {
        ColumnMap {
            columns: self.columns.clone(),
            pose_frame: self.pose_frame.map(|frame| match frame {
                PoseFrame::World => RecordedFrame::World,
                PoseFrame::Base => RecordedFrame::Base,
            }),
            force_frame: self.force_frame.map(|frame| match frame {
                ForceFrame::Base => RecordedFrame::Base,
                ForceFrame::Tool => RecordedFrame::Tool,
            }),
            force_presses: self.sign.map(|sense| sense == Sense::PressingPositive),
            rate: self.rate,
        }
    }

    fn text(&self, replayed: &Replayed) -> String {
        let mut lines = vec![format!(
            "{} of {} rows by {}",
            replayed.rows.len(),
            replayed.n_recorded,
            replayed.by
        )];
        let errors = [
            ("position", replayed.position_error(), 1e3, "mm"),
            ("rotation", replayed.rotation_error(), 1e3, "mrad"),
            ("force", replayed.force_error(), 1.0, "N"),
        ];
        for (name, error, scale, unit) in errors {
            if let Some([rms, max]) = error {
                let (rms, max) = (scale * rms, scale * max);
                lines.push(format!(
                    "{name:<9} {rms:.4} {unit} rms, {max:.4} {unit} at most"
                ));
            }
        }
        if let Some(is_identical) = replayed.is_identical() {
            let word = if is_identical {
                "all bits are equal"
            } else {
                "bits differ"
            };
            lines.push(format!("{word}: {}", replayed.compared_bits.join(", ")));
        }
        let missing = replayed.missing.iter();
        lines.extend(missing.map(|what| format!("not compared: {what}")));
        lines.push(format!("files: {}", self.output.display()));
        lines.join("\n")
    }
}

/// Own recordings are repeated by their actions if these give the same episode.
fn usual(recording: &Recording) -> By {
    match &recording.own {
        Some(own) if own.kind != EpisodeKind::Recovery && own.info.action_noise == 0.0 => {
            By::Actions
        }
        _ => By::Poses,
    }
}

fn mapped(text: &str) -> Result<(String, Quantity), String> {
    let known = Quantity::ALL.map(|(name, ..)| name).join(", ");
    let (key, column) = text
        .split_once('=')
        .ok_or_else(|| format!("write KEY=COLUMN with a key out of {known}"))?;
    let found = Quantity::ALL.iter().find(|(name, ..)| *name == key);
    let (_, quantity, _) = found.ok_or_else(|| format!("{key:?} is not one of {known}"))?;
    Ok((column.to_owned(), *quantity))
}
