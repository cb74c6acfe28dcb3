//! `insonate train`.

use std::path::{Path, PathBuf};

use clap::Args;
use insonate::envs::EnvError;
use insonate::evaluation::{patient_rows, policy_path};
use insonate::files::{Claim, OutputFolder};
use insonate::report::learning_curve;
use insonate::rl::{AlgorithmKind, Policy, RunOptions};
use insonate::training::{
    Overrides, Plan, StartMode, StopReason, TrainingResult, TrainingSummary, summarize_seeds, train,
};
use toml::Value;

use super::episode_args::warn;
use super::interrupt::Interrupt;
use super::meter::TrainingProgress;
use super::output_folder::claimed;
use super::settings_args::SettingsArgs;
use super::{Usage, print};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate train probe-sweep --seed 1 --output output/sweep
  insonate train probe-sweep --set env.randomization.breathing=true --set ppo.learning_rate=1e-4
  insonate train probe-sweep --algorithm sac --set sac.batch_size=128 --output output/sac
  insonate train reacher --seeds 1,2,3 --steps 300000 --output output/reacher
  insonate train probe-sweep --until-success 0.95 --evaluate-episodes 50
  insonate train --resume --output output/sweep
  insonate train probe-sweep --from-policy output/imitate --output output/better
  insonate train probe-sweep --cost-limit 0.8 --output output/gentle

After Ctrl-C or a kill, --resume continues the training bit-identically.
TensorBoard shows the folder: tensorboard --logdir output/sweep")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(crate) struct Train {
    /// Task, one of `insonate list`; may be omitted with --resume or if --config names it.
    task: Option<String>,
    /// Algorithm: ppo, or sac, which needs fewer steps but more time per step [default: ppo].
    #[arg(long, value_enum, value_name = "NAME")]
    algorithm: Option<AlgorithmArg>,
    /// Seed of weights, exploration, minibatches and episodes [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Several seeds, one after the other, each in a folder of its own in --output, such as seed-1.
    #[arg(
        long,
        value_name = "N,N,…",
        value_delimiter = ',',
        conflicts_with = "seed"
    )]
    seeds: Vec<u64>,
    /// Number of training steps over all environments [default: depends on the task].
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Folder for settings, checkpoint, policy, logs, learning curve and summary.
    #[arg(long, short, value_name = "DIR", default_value = "output/train")]
    output: PathBuf,
    /// Resume from the checkpoint in --output; without one, start.
    #[arg(long)]
    resume: bool,
    /// Start from this policy, such as one from `insonate imitate`: its task, settings and network.
    #[arg(
        long = "from-policy",
        alias = "from",
        value_name = "POLICY",
        conflicts_with = "resume"
    )]
    from: Option<PathBuf>,
    /// Remove the files of an earlier training in --output, or what another command wrote there.
    #[arg(long, conflicts_with = "resume")]
    overwrite: bool,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Names of the folders in --patients that are not trained on; the evaluation at the end has all patients, by name.
    #[arg(long, value_name = "NAME", num_args = 1.., help_heading = "Settings")]
    hold_out: Vec<String>,
    /// Upper limit of the mean cost of an episode (PPO-Lagrangian). In the probe tasks the cost is the sum of three fractions of limits:
    /// contact speed, force above the target and rise of the force [default: none].
    #[arg(long, value_name = "COST")]
    cost_limit: Option<f64>,
    /// Number of environments that step in parallel [default: depends on the task].
    #[arg(long, value_name = "N")]
    envs: Option<usize>,
    /// Number of threads; 0 uses one per core. Results do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Stop at the first evaluation with at least this success rate [0 to 1].
    #[arg(long, value_name = "RATE")]
    until_success: Option<f64>,
    /// Training steps between evaluations [default: a tenth of all].
    #[arg(long, value_name = "N")]
    evaluate_every: Option<usize>,
    /// Number of episodes of an evaluation [default: 50].
    #[arg(long, value_name = "N")]
    evaluate_episodes: Option<usize>,
    /// Iterations between checkpoints.
    #[arg(long, value_name = "N", default_value_t = 10)]
    checkpoint_every: usize,
    /// Do not write TensorBoard events.
    #[arg(long)]
    no_tensorboard: bool,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

/// The algorithms as an option.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum AlgorithmArg {
    Ppo,
    Sac,
}

impl AlgorithmArg {
    pub(super) const fn kind(self) -> AlgorithmKind {
        match self {
            Self::Ppo => AlgorithmKind::Ppo,
            Self::Sac => AlgorithmKind::Sac,
        }
    }
}

/// A seed that is named more than once.
fn repeated(seeds: &[u64]) -> Option<u64> {
    let earlier = |i: &usize| seeds[..*i].contains(&seeds[*i]);
    (0..seeds.len()).find(earlier).map(|i| seeds[i])
}

impl Train {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let interrupt = Interrupt::listen()?;
        if self.seeds.is_empty() {
            let result = self.train(self.seed, &self.output, &interrupt)?;
            self.print_summary(&result.summary)?;
            return check(&result.summary, &self.output, &interrupt);
        }
        if let Some(seed) = repeated(&self.seeds) {
            return Err(Usage::new(EnvError::Config {
                field: "seeds".to_owned(),
                problem: format!("names {seed} twice"),
            })
            .into());
        }
        let summaries = claimed(&self.output, self.claim())?;
        let mut all: Vec<TrainingResult> = Vec::new();
        for &seed in &self.seeds {
            let folder = summaries.folder(&format!("seed-{seed}"))?;
            let result = self.train(Some(seed), &folder, &interrupt)?;
            check(&result.summary, &folder, &interrupt)?;
            all.push(result);
        }
        self.print_seeds(all, &summaries)
    }

    fn train(
        &self,
        seed: Option<u64>,
        folder: &Path,
        interrupt: &Interrupt,
    ) -> anyhow::Result<TrainingResult> {
        // Not held: the training takes it when its settings have proved to fit.
        drop(claimed(folder, self.claim())?);
        let plan = self.plan(seed, folder)?;
        if self.seeds.first().is_none_or(|first| seed == Some(*first)) {
            warn(std::iter::once(&plan.settings.factory));
        }
        let mut meter = TrainingProgress::new(plan.settings.algorithm.total_timesteps())?;
        let result = train(&plan, &|| interrupt.is_interrupted(), &mut |event| {
            meter.show(&event);
        });
        meter.finish();
        Ok(result?)
    }

    /// A training goes on with its own files, or refuses them itself.
    const fn claim(&self) -> Claim<'static> {
        Claim::resuming("train").overwriting(self.overwrite)
    }

    fn plan(&self, seed: Option<u64>, folder: &Path) -> anyhow::Result<Plan> {
        let mut overrides = self.settings.overrides()?;
        self.add_options(seed, &mut overrides);
        let mut start = match (self.resume, self.overwrite) {
            (true, _) => StartMode::Resume,
            (_, true) => StartMode::Overwrite,
            _ => StartMode::New,
        };
        let task = self.task.as_deref();
        if start == StartMode::Resume && !Plan::can_resume(folder) && task.is_some() {
            eprintln!(
                "note: {} has no checkpoint yet: training starts from scratch",
                folder.display()
            );
            start = StartMode::Overwrite;
        }
        if !self.hold_out.is_empty() {
            overrides.hold_out(&self.hold_out, start)?;
        }
        let mut plan = match &self.from {
            Some(path) => {
                let policy = Policy::load(&policy_path(&path.to_string_lossy())?)?;
                Plan::beginning_with(policy, task, &overrides, folder, start)?
            }
            None => Plan::new(task, &overrides, folder, start)?,
        };
        if start == StartMode::Resume {
            let (done, wanted) = (
                Plan::steps_done(folder)?,
                plan.settings.algorithm.total_timesteps(),
            );
            if (wanted as u64) < done {
                eprintln!(
                    "note: {} has done {done} steps, so --steps {wanted} adds no steps",
                    folder.display()
                );
            }
        }
        plan.n_threads = self.threads;
        plan.run = RunOptions {
            checkpoint_every: self.checkpoint_every.max(1),
            tensorboard: !self.no_tensorboard,
        };
        Ok(plan)
    }

    /// Options override `--set`.
    fn add_options(&self, seed: Option<u64>, overrides: &mut Overrides) {
        let algorithm = self.algorithm.map(AlgorithmArg::kind);
        overrides.algorithm = algorithm.or(overrides.algorithm);
        let whole = |value: usize| Value::Integer(value as i64);
        let seed = seed.map(|seed| Value::Integer(seed as i64));
        let options = [
            ("seed", seed),
            ("total_timesteps", self.steps.map(whole)),
            ("n_envs", self.envs.map(whole)),
            ("cost_limit", self.cost_limit.map(Value::Float)),
        ];
        for (name, value) in options {
            overrides
                .learning
                .extend(value.map(|value| (name.to_owned(), value)));
        }
        let options = [
            ("success", self.until_success.map(Value::Float)),
            ("stop", self.until_success.map(|_| Value::Boolean(true))),
            ("every", self.evaluate_every.map(whole)),
            ("episodes", self.evaluate_episodes.map(whole)),
        ];
        for (name, value) in options {
            overrides
                .evaluation
                .extend(value.map(|value| (name.to_owned(), value)));
        }
    }

    fn print_summary(&self, summary: &TrainingSummary) -> anyhow::Result<()> {
        if self.json {
            return print(&serde_json::to_string_pretty(summary)?);
        }
        let mut lines = summary_lines(summary);
        let folder = self.output.display();
        let files = [
            ("policy.safetensors", "last"),
            ("best_policy.safetensors", "best evaluation"),
        ];
        // Those that the training came to write.
        let files = files.map(|(name, what)| (self.output.join(name), what));
        let files = files.iter().filter(|(path, _)| path.is_file());
        let files: Vec<String> = files
            .map(|(path, what)| format!("{} ({what})", path.display()))
            .collect();
        if !files.is_empty() {
            lines.push(format!("\npolicy: {}", files.join(", ")));
            lines.push(format!("next:   insonate evaluate {folder}"));
        }
        print(&lines.join("\n"))
    }

    fn print_seeds(&self, all: Vec<TrainingResult>, folder: &OutputFolder) -> anyhow::Result<()> {
        let (runs, histories): (Vec<_>, Vec<_>) = all
            .into_iter()
            .map(|one| (one.summary, one.history))
            .unzip();
        let summary = summarize_seeds(runs);
        let json = serde_json::to_string_pretty(&summary)?;
        folder.write("summary.json", format!("{json}\n").as_bytes())?;
        let title = format!("{}, {} seeds", summary.task, histories.len());
        for (name, content) in learning_curve("learning_curve", &title, &histories)?.files() {
            folder.write(&name, &content)?;
        }
        if self.json {
            return print(&json);
        }
        let mut lines = Vec::new();
        for run in &summary.runs {
            lines.push(format!("seed {}", run.seed));
            lines.extend(summary_lines(run));
        }
        lines.push(format!(
            "solved with {} of {} seeds; summary and learning curve: {}",
            summary.n_solved,
            summary.seeds.len(),
            self.output.display()
        ));
        print(&lines.join("\n"))
    }
}

/// A summary as text.
fn summary_lines(summary: &TrainingSummary) -> Vec<String> {
    let mut lines = vec![format!(
        "{:<12} {} steps in {:.1} s ({:.0} steps/s), evaluations {:.1} s",
        "trained",
        summary.global_step,
        summary.train_s,
        summary.frames_per_second,
        summary.evaluation_s
    )];
    for (name, score) in [("last", &summary.last), ("best", &summary.best)] {
        if let Some(score) = score {
            let success = score
                .success_rate
                .map(|rate| format!(", success {rate:.2}"));
            let force = score
                .force_mae_n
                .map(|mae| format!(", force error {mae:.3} N"));
            let cost = score.cost.map(|cost| format!(", cost {cost:.3}"));
            lines.push(format!(
                "{name:<12} return {:.2}{}{}{} (step {}, {} episodes)",
                score.return_mean,
                success.unwrap_or_default(),
                force.unwrap_or_default(),
                cost.unwrap_or_default(),
                score.global_step,
                score.n_episodes
            ));
        }
    }
    if let Some(solved) = &summary.solved {
        lines.push(format!(
            "{:<12} success ≥ {} after {} steps, {:.1} s",
            "solved", solved.success_target, solved.global_step, solved.wall_s
        ));
    }
    lines.extend(patient_rows(&summary.patients));
    lines
}

/// An interrupted training exits with the signal's status.
fn check(summary: &TrainingSummary, folder: &Path, interrupt: &Interrupt) -> anyhow::Result<()> {
    if summary.stop_reason != StopReason::Interrupted {
        return Ok(());
    }
    let saved = format!(
        "all finished iterations are saved; continue with insonate train --resume --output {}",
        folder.display()
    );
    Err(interrupt.error(saved).into())
}
