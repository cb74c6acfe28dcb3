//! `insonate evaluate`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use insonate::envs::EnvError;
use insonate::evaluation::{
    self, Contestant, EvaluationResult, Schedule, difference, difference_json, difference_table,
    episodes_csv, pooled_json, result_json, result_table,
};
use insonate::files;
use serde_json::{Value, json};

use super::episode_args::EpisodeArgs;
use super::print;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate evaluate data/policies/probe-sweep/policy.safetensors
  insonate evaluate output/sweep scripted --episodes 100 --set randomization.breathing=true
  insonate evaluate random --task reacher --episodes 50 --json
  insonate evaluate output/sweep/seed-*/policy.safetensors --episodes 100 --json
  insonate evaluate output/sweep --fix torso.stiffness=800 --csv episodes.csv

A policy file is evaluated with the task settings that it was trained with; --config and --set go over them.
zero, random and scripted take the settings of the first policy file, or the task's defaults without one.
Episode e has the seed S + e, whatever the number of environments and threads.")]
pub(crate) struct Evaluate {
    /// Policy file or training folder, zero, random or scripted; several are compared on the same episodes.
    #[arg(value_name = "POLICY")]
    policies: Vec<String>,
    /// The same, as an option.
    #[arg(long = "policy", value_name = "POLICY", action = clap::ArgAction::Append)]
    policy: Vec<String>,
    /// Number of episodes, for each seed.
    #[arg(long, value_name = "N", default_value_t = 100)]
    episodes: usize,
    /// Seed of the first episode; the others follow.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Several seeds, each with its own episodes.
    #[arg(
        long,
        value_name = "S,S,…",
        value_delimiter = ',',
        conflicts_with = "seed"
    )]
    seeds: Vec<u64>,
    #[command(flatten)]
    episode: EpisodeArgs,
    /// Environments that step together.
    #[arg(long, value_name = "N", default_value_t = 8)]
    envs: usize,
    /// Threads; 0: one for each core.
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// Write one row for each episode: seed, return, length, end, metrics, sums of reward terms, random parameters.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Evaluate {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let names: Vec<String> = self.policies.iter().chain(&self.policy).cloned().collect();
        if names.is_empty() {
            return Err(wrong(
                "policy",
                "is missing: name a file, zero, random or scripted",
            ));
        }
        let schedule = self.schedule()?;
        let given = self.episode.settings.given_env()?;
        let task = self.episode.task.as_deref().or(given.task.as_deref());
        let contestants = Contestant::find_all(&names, task, &given.env)?;
        let mut results = Vec::new();
        for contestant in &contestants {
            results.push(run(contestant, &schedule)?);
        }
        if let Some(path) = &self.csv {
            files::write(path, &episodes_csv(&results)?)?;
        }
        if self.json {
            let all = in_json(&contestants, &results, &schedule.seeds);
            return print(&serde_json::to_string_pretty(&all)?);
        }
        print(&in_words(&results))
    }

    fn schedule(&self) -> anyhow::Result<Schedule> {
        if self.episodes == 0 {
            return Err(wrong("episodes", "0 is not allowed: at least 1"));
        }
        let seeds = if self.seeds.is_empty() {
            vec![self.seed]
        } else {
            self.seeds.clone()
        };
        let mut sorted = seeds.clone();
        sorted.sort_unstable();
        let n_episodes = self.episodes as u64;
        let mut neighbours = sorted.iter().zip(sorted.iter().skip(1));
        if let Some((a, b)) = neighbours.find(|(a, b)| *b - *a < n_episodes) {
            let problem = format!(
                "{a} and {b} would share episodes, for episode e has the seed S + e: choose seeds at least {n_episodes} apart"
            );
            return Err(wrong("seeds", &problem));
        }
        Ok(Schedule {
            seeds,
            n_episodes: self.episodes,
            options: self.episode.options()?,
            n_envs: self.envs,
            n_threads: self.threads,
        })
    }
}

fn wrong(field: &str, problem: &str) -> anyhow::Error {
    EnvError::Config {
        field: field.to_owned(),
        problem: problem.to_owned(),
    }
    .into()
}

/// Runs the episodes with a bar on a terminal.
fn run(contestant: &Contestant, schedule: &Schedule) -> anyhow::Result<EvaluationResult> {
    let n = schedule.seeds.len() * schedule.n_episodes;
    let bar = ProgressBar::new(n as u64);
    let style = "{msg} [{bar:40}] {pos}/{len} episodes  {elapsed} (left {eta})";
    bar.set_style(ProgressStyle::with_template(style)?.progress_chars("=> "));
    bar.set_message(contestant.name.clone());
    let result = evaluation::evaluate(contestant, schedule, &mut |n_done| {
        bar.set_position(n_done as u64);
    });
    bar.finish_and_clear();
    result.with_context(|| format!("policy {}", contestant.name))
}

/// One policy: its figures; several: all of them, their differences from the last one, and the mean over policy files.
fn in_json(contestants: &[Contestant], results: &[EvaluationResult], seeds: &[u64]) -> Value {
    let all: Vec<Value> = results
        .iter()
        .map(|result| Value::Object(result_json(result, seeds)))
        .collect();
    let (Some(against), true) = (results.last(), results.len() > 1) else {
        return all.into_iter().next().unwrap_or_default();
    };
    let others = &results[..results.len() - 1];
    let paired: Vec<Value> = others
        .iter()
        .map(|result| difference_json(&difference(result, against)))
        .collect();
    let files = files(contestants, results);
    let pooled = (files.len() > 1).then(|| pooled_json(&files));
    json!({ "policies": all, "paired": paired, "pooled": pooled })
}

fn files<'a>(
    contestants: &[Contestant],
    results: &'a [EvaluationResult],
) -> Vec<&'a EvaluationResult> {
    let both = contestants.iter().zip(results);
    both.filter(|(contestant, _)| contestant.policy.is_some())
        .map(|(_, result)| result)
        .collect()
}

fn in_words(results: &[EvaluationResult]) -> String {
    let mut parts: Vec<String> = results.iter().map(result_table).collect();
    if let Some((against, others)) = results.split_last() {
        for result in others {
            parts.push(match difference(result, against) {
                Ok(difference) => difference_table(&difference),
                Err(problem) => {
                    format!(
                        "{} and {} had other episodes: {problem}",
                        result.name, against.name
                    )
                }
            });
        }
    }
    let steps: usize = results
        .iter()
        .flat_map(|result| &result.episodes)
        .map(|e| e.length)
        .sum();
    let seconds: f64 = results.iter().map(|result| result.seconds).sum();
    parts.push(format!("{steps} steps in {seconds:.1} s"));
    parts.join("\n\n")
}
