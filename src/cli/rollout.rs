//! `insonate rollout`.

use std::path::PathBuf;

use clap::Args;
use insonate::datasets::mcap::{Dialect, McapLog};
use insonate::evaluation::{NamedPolicy, Rollout, rollout, rollout_json};
use insonate::experiments::{EpisodeCamera, Playback};
use insonate::files::{Claim, OutputFolder};
use insonate::report::{film_with_strip, rollout_log, rollout_plot};
use insonate::sim::SimError;
use insonate::sim::render::{PACKAGES, RenderConfig};
use insonate::sim::verdict::Outcome;
use serde_json::Value;

use super::episode_args::EpisodeArgs;
use super::interrupt::Interrupt;
use super::output_folder::OverwriteArg;
use super::print;
use super::progress_bar::{Busy, bar};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate rollout data/policies/probe-sweep/policy.safetensors --output output/rollout
  insonate rollout scripted --task probe-sweep --set randomization.breathing=true --camera side
  insonate rollout scripted --task tissue-retract --camera close,endoscope
  insonate rollout output/sweep --seed 7 --episodes 3 --no-pictures --json

A training folder stands for policy.safetensors in it, the last policy of the training.
The episode of seed S is the first of `insonate evaluate --seed S`.
An episode of a task with a probe ends with a verdict and its reasons; limits are settings, such as --set verdict.covered=0.8.
The exit status is 1 if an episode of the scripted policy fails its verdict; episodes of other policies may fail.")]
pub(crate) struct RolloutCommand {
    /// Policy: a policy file, a training folder, zero, random or scripted.
    #[arg(value_name = "POLICY", required_unless_present = "policy_option")]
    policy: Option<String>,
    /// Policy, as an option instead of an argument.
    #[arg(
        long = "policy",
        id = "policy_option",
        value_name = "POLICY",
        conflicts_with = "policy"
    )]
    policy_option: Option<String>,
    /// Seed of the first episode; the others follow.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Number of episodes; several go into folders such as episode-0.
    #[arg(long, value_name = "N", default_value_t = 1)]
    episodes: u64,
    #[command(flatten)]
    episode: EpisodeArgs,
    /// Folder for log, plots, film, settings and summary.
    #[arg(long, short, value_name = "DIR", default_value = "output/rollout")]
    output: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Camera: close, front, side, top, probe/camera or endoscope; several, separated by commas, are shown side by side [default: close,
    /// or the camera of the scene].
    #[arg(long)]
    camera: Option<String>,
    /// Size of the film [pixels].
    #[arg(long, value_name = "WxH", default_value = "640x480", value_parser = super::outcome::picture_size)]
    picture_size: (u32, u32),
    /// Approximate frame rate of the film [Hz].
    #[arg(long, value_name = "HZ", default_value_t = 20)]
    frame_rate: u32,
    /// Factor by which the film is slower than real time [default: 1, or the power of two with which it lasts four seconds].
    #[arg(long, value_name = "TIMES", value_parser = clap::value_parser!(u64).range(1..=1000))]
    slow_motion: Option<u64>,
    /// Also write log.mcap, for Foxglove and PyPI's mcap, and ros2.mcap, with the messages of ROS 2.
    #[arg(long)]
    mcap: bool,
    /// Do not render pictures.
    #[arg(long)]
    no_pictures: bool,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl RolloutCommand {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        if self.mcap {
            McapLog::check_built()?;
        }
        let name: Vec<String> = self
            .policy
            .iter()
            .chain(&self.policy_option)
            .cloned()
            .collect();
        let policies = self.episode.policies(&name)?;
        let mut summaries = Vec::new();
        let interrupt = Interrupt::listen()?;
        self.check_camera(&policies)?;
        let output = self.overwrite.folder(&self.output, "rollout")?;
        'episodes: for policy in &policies {
            for seed in self.seed..self.seed + self.episodes.max(1) {
                summaries.push(match self.episodes {
                    0 | 1 => self.run_episode(policy, seed, &output, &interrupt)?,
                    _ => {
                        let within = output.folder(&format!("episode-{seed}"))?;
                        let folder = OutputFolder::create(within, Claim::by("rollout"))?;
                        self.run_episode(policy, seed, &folder, &interrupt)?
                    }
                });
                if interrupt.is_interrupted() {
                    break 'episodes;
                }
            }
        }
        let n_episodes = summaries.len();
        let failed = failed_script(&summaries);
        if self.json {
            let all = if summaries.len() == 1 {
                summaries.remove(0)
            } else {
                Value::Array(summaries)
            };
            print(&serde_json::to_string_pretty(&all)?)?;
        } else {
            let mut lines: Vec<String> = summaries.iter().map(summary_text).collect();
            if !interrupt.is_interrupted() {
                lines.push(format!("log, plots and film: {}", self.output.display()));
            }
            print(&lines.join("\n\n"))?;
        }
        if interrupt.is_interrupted() {
            return Err(interrupt.error(self.saved(n_episodes)).into());
        }
        match failed {
            0 => Ok(()),
            n => anyhow::bail!(
                "{n} of {n_episodes} scripted episodes failed their verdict; see reasons"
            ),
        }
    }

    /// Refuses a camera that a scene does not have, before an episode runs.
    fn check_camera(&self, policies: &[NamedPolicy]) -> anyhow::Result<()> {
        let Some(camera) = &self.camera else {
            return Ok(());
        };
        for policy in policies {
            let env = policy.factory.make()?;
            EpisodeCamera::check(camera, &*env)?;
        }
        Ok(())
    }

    /// What an interrupted command saved.
    fn saved(&self, n_episodes: usize) -> String {
        let folder = self.output.display();
        match self.episodes {
            0 | 1 => format!("saved log.csv and summary.json in {folder}"),
            _ => format!(
                "saved log.csv and summary.json of {n_episodes} episodes in folders of {folder}"
            ),
        }
    }

    fn run_episode(
        &self,
        policy: &NamedPolicy,
        seed: u64,
        folder: &OutputFolder,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Value> {
        let spec = policy.factory.make()?.spec().clone();
        let playback = Playback {
            control_timestep: spec.control_timestep,
            frame_rate: f64::from(self.frame_rate.clamp(1, 50)),
            slow_motion: self.slow_motion.map(|times| times as usize),
        };
        let (width, height) = self.picture_size;
        let config = RenderConfig {
            width,
            height,
            shadow_size: 2048,
            ..RenderConfig::default()
        };
        let still_at = spec.max_episode_steps.unwrap_or(0) / 2;
        let mut episode_camera =
            EpisodeCamera::new(config, self.camera.as_deref(), playback, still_at);
        let options = self.episode.options()?;
        let n_most = spec.max_episode_steps.unwrap_or(0);
        let bar = bar(n_most, "episode [{bar:40}] {pos}/{len} steps  {elapsed}")?;
        let rollout = rollout(policy, seed, &options, &mut |env| {
            if !self.no_pictures {
                episode_camera.see(env);
            }
            bar.inc(1);
            interrupt.flow()
        });
        bar.finish_and_clear();
        let rollout = rollout?;
        let summary = rollout_json(&rollout);
        folder.write("log.csv", &rollout.to_csv()?)?;
        let n_steps = rollout.steps.len();
        if self.mcap {
            let interval = playback.simulated_interval(n_steps);
            let frames = episode_camera.frames(n_steps);
            for (name, dialect) in Dialect::ALL {
                folder.write(name, &rollout_log(&rollout, &frames, interval, dialect)?)?;
            }
        }
        let json = serde_json::to_string_pretty(&summary)?;
        folder.write("summary.json", format!("{json}\n").as_bytes())?;
        interrupt.saved(format!(
            "saved log.csv and summary.json in {}",
            folder.path().display()
        ));
        if interrupt.is_interrupted() {
            return Ok(summary);
        }
        let busy = Busy::with("plots and film")?;
        for (name, content) in rollout_plot("plot", &rollout)?.files() {
            folder.write(&name, &content)?;
        }
        let mut settings = toml::Table::new();
        settings.insert("task".to_owned(), policy.factory.task.into());
        settings.insert("env".to_owned(), policy.factory.settings.clone().into());
        folder.write("config.toml", settings.to_string().as_bytes())?;
        write_pictures(folder, &episode_camera, &rollout, &playback, busy)?;
        Ok(summary)
    }
}

fn write_pictures(
    folder: &OutputFolder,
    episode_camera: &EpisodeCamera,
    rollout: &Rollout,
    playback: &Playback,
    busy: Busy,
) -> anyhow::Result<()> {
    if let Some(problem) = &episode_camera.problem {
        drop(busy);
        // An unknown camera is an error of the caller; a machine without EGL is not.
        if let SimError::UnknownName { .. } = problem {
            eprintln!("note: no film: {problem}");
        } else {
            eprintln!("note: no film: {problem} (Debian packages: {PACKAGES})");
        }
        return Ok(());
    }
    if !episode_camera.has_scene {
        drop(busy);
        eprintln!("note: no film: {} has no scene", rollout.spec.id);
        return Ok(());
    }
    if let Some(still) = &episode_camera.still {
        still.write_rgb(&folder.file("still.png")?)?;
    }
    let frames = episode_camera.frames(rollout.steps.len());
    if frames.is_empty() {
        return Ok(());
    }
    let film = film_with_strip(rollout, &frames, playback)?;
    Ok(folder.write("film.gif", &film.to_gif()?)?)
}

/// Episodes of the scripted policy that failed; of others it is no fault of the command that they do.
fn failed_script(summaries: &[Value]) -> usize {
    let scripted = summaries
        .iter()
        .filter(|summary| summary["policy"] == "scripted");
    scripted
        .filter(|summary| summary["verdict"] == Outcome::Failed.name())
        .count()
}

fn summary_text(summary: &Value) -> String {
    let mut lines = vec![format!(
        "{}: policy {}, seed {}: {} after {:.2} s",
        summary["task"].as_str().unwrap_or_default(),
        summary["policy"].as_str().unwrap_or_default(),
        summary["seed"],
        summary["end"].as_str().unwrap_or_default(),
        summary["seconds_simulated"].as_f64().unwrap_or_default()
    )];
    if let Some(file) = summary["policy_file"].as_str() {
        lines.push(format!("policy file: {file}"));
    }
    if let Some(verdict) = summary["verdict"].as_str() {
        lines.push(format!("{:<20} {verdict:>12}", "verdict"));
    }
    let reasons = summary["reasons"].as_array().into_iter().flatten();
    lines.extend(reasons.filter_map(|reason| Some(format!("  {}", reason.as_str()?))));
    let metrics = summary["metrics"].as_object().into_iter().flatten();
    let figures = std::iter::once(("return", &summary["return"]))
        .chain(metrics.map(|(name, value)| (name.as_str(), value)));
    lines.extend(figures.map(|(name, value)| {
        let shown = value
            .as_f64()
            .map_or("–".to_owned(), |value| format!("{value:.4}"));
        format!("{name:<20} {shown:>12}")
    }));
    lines.join("\n")
}
