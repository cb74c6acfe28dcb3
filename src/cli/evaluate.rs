//! `insonate evaluate`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use insonate::envs::EnvError;
use insonate::evaluation::{
    self, EvaluationPlan, EvaluationResult, NamedPolicy, episodes_csv, paired_difference,
    paired_difference_table, rank_correlation, rank_table, result_table, results_json,
};
use insonate::files;

use super::episode_args::EpisodeArgs;
use super::interrupt::Interrupt;
use super::print;
use super::progress_bar::bar;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate evaluate data/policies/probe-sweep/policy.safetensors
  insonate evaluate output/sweep scripted --episodes 100 --set randomization.breathing=true
  insonate evaluate random --task reacher --episodes 50 --json
  insonate evaluate output/sweep/seed-*/policy.safetensors --episodes 100 --json
  insonate evaluate output/short output/sweep random scripted --json   # do return and success rank them alike?
  insonate evaluate output/sweep --fix torso.stiffness=800 --csv episodes.csv

A training folder stands for policy.safetensors in it, the last policy of the training; best_policy.safetensors next to it is the best one.
A policy file is evaluated with the task settings of its training; --config and --set override them.
zero, random and scripted take the settings of the first policy file, or the task's defaults without one.
Episode e has the seed S + e, for any number of environments and threads.")]
pub(crate) struct Evaluate {
    /// Policy: a policy file, a training folder, zero, random or scripted; several are compared on the same episodes.
    #[arg(value_name = "POLICY")]
    policies: Vec<String>,
    /// Policy, as an option instead of an argument.
    #[arg(long = "policy", value_name = "POLICY", action = clap::ArgAction::Append)]
    policy: Vec<String>,
    /// Number of episodes for each seed.
    #[arg(long, value_name = "N", default_value_t = 100)]
    episodes: usize,
    /// Seed of the first episode; the others follow.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Several seeds, each with its own episodes.
    #[arg(
        long,
        value_name = "N,N,…",
        value_delimiter = ',',
        conflicts_with = "seed"
    )]
    seeds: Vec<u64>,
    #[command(flatten)]
    episode: EpisodeArgs,
    /// Number of environments that step in parallel.
    #[arg(long, value_name = "N", default_value_t = 8)]
    envs: usize,
    /// Number of threads; 0 uses one per core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Write one row per episode: seed, return, length, end, verdict, reasons, metrics, sums of reward terms, random parameters.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Exit with status 1 if an episode fails its verdict; without this option, failed episodes are only reported.
    #[arg(long)]
    strict: bool,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl Evaluate {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let names: Vec<String> = self.policies.iter().chain(&self.policy).cloned().collect();
        if names.is_empty() {
            let problem =
                "is missing; it must be a policy file, a training folder, zero, random or scripted";
            return Err(invalid("policy", problem));
        }
        let plan = self.plan()?;
        let policies = self.episode.policies(&names)?;
        let mut results = Vec::new();
        let interrupt = Interrupt::listen()?;
        for policy in &policies {
            results.push(run(policy, &plan, &interrupt)?);
            if interrupt.is_interrupted() {
                break;
            }
        }
        // One that was interrupted at once has nothing to tell.
        results.retain(|result| !result.episodes.is_empty());
        let n_episodes: usize = results.iter().map(|result| result.episodes.len()).sum();
        if n_episodes == 0 {
            return Err(interrupt.error("no episode was finished").into());
        }
        if let Some(path) = &self.csv {
            files::write(path, &episodes_csv(&results)?)?;
        }
        if self.json {
            let mut all = results_json(&policies, &results, &plan.seeds);
            if interrupt.is_interrupted() {
                all["interrupted"] = true.into();
            }
            print(&serde_json::to_string_pretty(&all)?)?;
        } else {
            print(&to_text(&results))?;
        }
        if interrupt.is_interrupted() {
            let saved = match &self.csv {
                Some(path) => format!("saved {n_episodes} episodes in {}", path.display()),
                None => format!("the figures cover {n_episodes} episodes"),
            };
            return Err(interrupt.error(saved).into());
        }
        let failed = results.iter().filter_map(EvaluationResult::failed_verdicts);
        let n_failed: usize = failed.map(|failed| failed.len()).sum();
        anyhow::ensure!(
            !self.strict || n_failed == 0,
            "{n_failed} of {n_episodes} episodes failed their verdict"
        );
        Ok(())
    }

    fn plan(&self) -> anyhow::Result<EvaluationPlan> {
        let seeds = if self.seeds.is_empty() {
            vec![self.seed]
        } else {
            self.seeds.clone()
        };
        let plan = EvaluationPlan {
            seeds,
            n_episodes: self.episodes,
            options: self.episode.options()?,
            n_envs: self.envs,
            n_threads: self.threads,
        };
        plan.check()?;
        Ok(plan)
    }
}

fn invalid(field: &str, problem: &str) -> anyhow::Error {
    EnvError::Config {
        field: field.to_owned(),
        problem: problem.to_owned(),
    }
    .into()
}

/// Runs the episodes with a bar on a terminal.
fn run(
    policy: &NamedPolicy,
    plan: &EvaluationPlan,
    interrupt: &Interrupt,
) -> anyhow::Result<EvaluationResult> {
    let n = plan.seeds.len() * plan.n_episodes;
    let template = "{msg} [{bar:40}] {pos}/{len} episodes  {elapsed} (left {eta})";
    let bar = bar(n, template)?;
    bar.set_message(policy.name.clone());
    let result = evaluation::evaluate(policy, plan, &mut |n_done| {
        bar.set_position(n_done as u64);
        interrupt.flow()
    });
    bar.finish_and_clear();
    result.with_context(|| format!("policy {}", policy.name))
}

fn to_text(results: &[EvaluationResult]) -> String {
    let mut parts: Vec<String> = results.iter().map(result_table).collect();
    if let Some((against, others)) = results.split_last() {
        for result in others {
            parts.push(match paired_difference(result, against) {
                Ok(difference) => paired_difference_table(&difference),
                Err(problem) => {
                    format!(
                        "{} and {} had different episodes: {problem}",
                        result.name, against.name
                    )
                }
            });
        }
    }
    parts.extend(rank_correlation(results).map(|ranks| rank_table(&ranks)));
    let steps: usize = results
        .iter()
        .flat_map(|result| &result.episodes)
        .map(|e| e.length)
        .sum();
    let seconds: f64 = results.iter().map(|result| result.seconds).sum();
    parts.push(format!("{steps} steps in {seconds:.1} s"));
    parts.join("\n\n")
}
