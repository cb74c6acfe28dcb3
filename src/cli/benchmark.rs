//! `insonate benchmark`: tasks × algorithms × seeds, compared with scripts.

use std::path::PathBuf;

use clap::Args;
use indicatif::ProgressBar;
use insonate::benchmark::{
    AddedPolicy, BenchmarkEvent, BenchmarkPlan, Problem, Shard, Suite, benchmark,
};
use insonate::envs::EnvError;
use insonate::experiments::ExperimentError;
use insonate::files::Claim;
use insonate::learning::LearningError;
use insonate::report::{benchmark_files, benchmark_text};

use super::interrupt::Interrupt;
use super::meter::TrainingProgress;
use super::output_folder::claimed;
use super::progress_bar::bar;
use super::{Usage, print};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate benchmark
  insonate benchmark --suite full --output output/full
  insonate benchmark --task reacher --task probe-sweep --seeds 1,2,3
  insonate benchmark --add mine=output/sweep --json
  insonate benchmark --suite my-suite.toml --resume
  insonate benchmark --suite full --shard 1/4 --output output/first      # on the first of four machines
  insonate benchmark --suite full --resume --join output/second,output/third,output/fourth --output output/first

A suite is a list of problems: a task with settings, the policies that need no training, and the algorithms that learn it.
suite.toml in the folder is the whole suite; a copy of it with changes is a suite of your own.
All policies of a problem act in the same episodes, which no training uses.
The folder holds benchmark.html (open it in a browser), benchmark.json, pieces/ with the values of each episode, and trainings/.
After Ctrl-C or a kill, the same command with --resume goes on. Apart from its times, a result is the same each time.")]
pub(crate) struct Benchmark {
    /// Suite: quick, full, or a TOML file.
    #[arg(long, value_name = "NAME|FILE", default_value = "quick")]
    suite: String,
    /// Only the problems of this task; may be repeated.
    #[arg(long, value_name = "TASK", action = clap::ArgAction::Append)]
    task: Vec<String>,
    /// Seeds of each training [default: the suite's].
    #[arg(long, value_name = "N,N,…", value_delimiter = ',')]
    seeds: Vec<u64>,
    /// Number of episodes of each policy [default: the suite's].
    #[arg(long, value_name = "N")]
    episodes: Option<usize>,
    /// A policy file or training folder that competes in the problems of its task; may be repeated.
    #[arg(long, value_name = "NAME=POLICY", value_parser = added_policy, action = clap::ArgAction::Append)]
    add: Vec<AddedPolicy>,
    /// Run part K of N, to spread the benchmark over machines.
    #[arg(long, value_name = "K/N", value_parser = shard)]
    shard: Option<Shard>,
    /// Folders of other parts, whose finished pieces are taken.
    #[arg(long, value_name = "DIR,…", value_delimiter = ',')]
    join: Vec<PathBuf>,
    /// Number of threads; 0 uses one per core. Results do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Continue the benchmark in the folder.
    #[arg(long, conflicts_with = "overwrite")]
    resume: bool,
    /// Remove the benchmark of the folder, or what another command wrote there.
    #[arg(long)]
    overwrite: bool,
    /// Folder for the report, the pieces and the trainings.
    #[arg(long, short, value_name = "DIR", default_value = "output/benchmark")]
    output: PathBuf,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl Benchmark {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let plan = self.plan()?;
        plan.check()?;
        let folder = claimed(&self.output, self.claim())?;
        let interrupt = Interrupt::listen()?;
        let mut display = Display::default();
        let result = benchmark(&plan, &folder, &mut |event| {
            display.show(event);
            interrupt.flow()
        });
        display.finish();
        let result = match result {
            Err(LearningError::Experiment(ExperimentError::Interrupted(_))) => {
                let output = self.output.display();
                let saved = format!(
                    "finished pieces are saved; go on with the same command and --resume, in {output}"
                );
                return Err(interrupt.error(saved).into());
            }
            other => other?,
        };
        for (name, content) in benchmark_files(&result)? {
            folder.write(&name, &content)?;
        }
        if self.json {
            return print(&serde_json::to_string_pretty(&result)?);
        }
        let page = folder.path().join("benchmark.html");
        print(&format!(
            "{}\n\nreport: {}",
            benchmark_text(&result),
            page.display()
        ))
    }

    /// A benchmark goes on with its own files, or refuses them.
    fn claim(&self) -> Claim<'static> {
        if self.overwrite {
            return Claim::by("benchmark").overwriting(true);
        }
        Claim::resuming("benchmark")
    }

    fn plan(&self) -> anyhow::Result<BenchmarkPlan> {
        let mut suite = Suite::by_name(&self.suite).map_err(Usage::new)?;
        if let Some(unknown) = self.unknown_task(&suite) {
            return Err(Usage::new(unknown).into());
        }
        if !self.task.is_empty() {
            let is_chosen = |problem: &Problem| self.task.contains(&problem.task);
            suite.problems.retain(is_chosen);
        }
        if !self.seeds.is_empty() {
            suite.seeds.clone_from(&self.seeds);
        }
        if let Some(episodes) = self.episodes {
            suite.episodes = episodes;
            for problem in &mut suite.problems {
                problem.episodes = None;
            }
        }
        Ok(BenchmarkPlan {
            suite,
            policies: self.add.clone(),
            shard: self.shard.unwrap_or_default(),
            others: self.join.clone(),
            n_threads: self.threads,
            resume: self.resume,
            commit: option_env!("INSONATE_COMMIT").map(str::to_owned),
        })
    }

    fn unknown_task(&self, suite: &Suite) -> Option<EnvError> {
        let known: Vec<&str> = suite
            .problems
            .iter()
            .map(|problem| problem.task.as_str())
            .collect();
        let unknown = self
            .task
            .iter()
            .find(|task| !known.contains(&task.as_str()))?;
        Some(EnvError::unknown("task of the suite", unknown, &known))
    }
}

/// A line for each piece, with the meter of its training.
#[derive(Default)]
struct Display {
    meter: Option<TrainingProgress>,
    bar: Option<ProgressBar>,
}

impl Display {
    fn show(&mut self, event: &BenchmarkEvent<'_>) {
        match event {
            BenchmarkEvent::Piece(piece, index, n, steps) => {
                self.finish();
                eprintln!("{} of {n}: {}", index + 1, piece.name());
                self.meter = steps.and_then(|steps| TrainingProgress::new(steps).ok());
                self.bar = None;
            }
            BenchmarkEvent::Training(event) => {
                if let Some(meter) = &mut self.meter {
                    meter.show(event);
                }
            }
            BenchmarkEvent::Evaluating(share) => {
                if let Some(meter) = self.meter.take() {
                    meter.finish();
                }
                if self.bar.is_none() {
                    self.bar = bar(1000, "evaluating [{bar:40}] {percent:>3} %  {elapsed}").ok();
                }
                if let Some(bar) = &self.bar {
                    bar.set_position((1000.0 * share) as u64);
                }
            }
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if let Some(meter) = &self.meter {
            meter.finish();
        }
    }
}

/// `NAME=POLICY`.
fn added_policy(text: &str) -> Result<AddedPolicy, String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok(AddedPolicy {
            name: name.to_owned(),
            path: path.to_owned(),
        }),
        _ => Err("a name and a policy, such as mine=output/sweep".to_owned()),
    }
}

/// `K/N` with K from 1 to N.
fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(index, count)| {
        Some((index.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    });
    match numbers {
        Some((index, count)) if (1..=count).contains(&index) => Ok(Shard {
            index: index - 1,
            count,
        }),
        _ => Err("a part and the number of parts, such as 1/4".to_owned()),
    }
}
