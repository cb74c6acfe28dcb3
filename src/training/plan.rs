//! Plan of a training: settings, folder, and whether it starts or resumes.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use toml::{Table, Value};

use super::folder::{self, CONFIG};
use super::overrides::{first_difference, overlay};
use super::settings::{algorithm_table, resolve_algorithm, resolve_env};
use super::{EvaluationSettings, Overrides, TrainingSettings};
use crate::envs::{EnvError, settings, tasks};
use crate::rl::run::CHECKPOINT;
use crate::rl::{AlgorithmKind, CheckpointInfo, Policy, RunOptions};

/// Iterations in which only the critic learns, before the policy changes.
const CRITIC_WARMUP: i64 = 5;

/// How a training starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartMode {
    /// Start; a folder that contains an earlier training is refused.
    New,
    /// Start, and remove the files of an earlier training.
    Overwrite,
    /// Resume from the checkpoint.
    Resume,
}

/// A checked plan of a training.
#[derive(Debug)]
pub struct Plan {
    /// Output folder.
    pub folder: PathBuf,
    /// All settings.
    pub settings: TrainingSettings,
    /// How the training starts.
    pub start: StartMode,
    /// Number of threads; 0 uses one per core. It does not affect the results.
    pub n_threads: usize,
    /// Checkpoints and logs.
    pub run: RunOptions,
    /// Policy from which a new training starts.
    pub from: Option<Policy>,
}

impl Plan {
    /// Makes a plan for a folder. `task` may be omitted if the overrides or the checkpoint name it.
    ///
    /// # Errors
    /// [`EnvError::Config`] for invalid settings, or for ones that differ from the checkpoint's;
    /// an error if the folder contains another training or the checkpoint cannot be read.
    pub fn new(
        task: Option<&str>,
        overrides: &Overrides,
        folder: &Path,
        start: StartMode,
    ) -> anyhow::Result<Self> {
        let task = task.or(overrides.task.as_deref());
        let settings = match start {
            StartMode::Resume => resumed(task, overrides, folder)?,
            StartMode::New | StartMode::Overwrite => {
                let task = task.ok_or_else(|| EnvError::Config {
                    field: "task".to_owned(),
                    problem: "is missing: give it, or a --config that names it".to_owned(),
                })?;
                let settings = TrainingSettings::resolve(task, overrides)?;
                if start == StartMode::New {
                    refuse_earlier(folder)?;
                }
                settings
            }
        };
        Ok(Self {
            folder: folder.to_owned(),
            settings,
            start,
            n_threads: 0,
            run: RunOptions::default(),
            from: None,
        })
    }

    /// Makes a plan for a training that starts from a policy: its task, settings and network, with overrides. The critic is trained first.
    ///
    /// # Errors
    /// The errors of [`Plan::new`].
    pub fn beginning_with(
        policy: Policy,
        task: Option<&str>,
        overrides: &Overrides,
        folder: &Path,
        start: StartMode,
    ) -> anyhow::Result<Self> {
        let own = &policy.identity.task;
        if let Some(task) = task.filter(|task| task != own) {
            return Err(EnvError::Config {
                field: "task".to_owned(),
                problem: format!("is {task}, but the policy's is {own}"),
            }
            .into());
        }
        if overrides
            .algorithm
            .is_some_and(|kind| kind != AlgorithmKind::Ppo)
        {
            return Err(begins_nothing("only PPO can begin with a policy").into());
        }
        if policy.is_squashed() {
            return Err(begins_nothing("is a policy of SAC, which PPO cannot begin with").into());
        }
        let settings = policy.identity.settings.parse();
        let mut all = Overrides {
            env: settings.context("the policy has settings that cannot be read")?,
            ..Overrides::default()
        };
        let (sizes, activation) = policy.network();
        let sizes = sizes.into_iter().map(|width| Value::Integer(width as i64));
        let network = [
            ("hidden_sizes", Value::Array(sizes.collect())),
            ("activation", Value::try_from(activation)?),
            ("norm_obs", policy.is_normalized().into()),
            ("critic_warmup", Value::Integer(CRITIC_WARMUP)),
        ];
        all.ppo
            .extend(network.map(|(name, value)| (name.to_owned(), value)));
        overlay(&mut all.env, &overrides.env);
        overlay(&mut all.ppo, &overrides.ppo);
        all.sac.clone_from(&overrides.sac);
        all.learning.clone_from(&overrides.learning);
        all.evaluation.clone_from(&overrides.evaluation);
        let mut plan = Self::new(Some(own.as_str()), &all, folder, start)?;
        plan.from = Some(policy);
        Ok(plan)
    }

    /// Number of training steps done in a folder.
    ///
    /// # Errors
    /// If the checkpoint cannot be read.
    pub fn steps_done(folder: &Path) -> anyhow::Result<u64> {
        Ok(CheckpointInfo::load(&folder.join(CHECKPOINT))?.global_step)
    }

    /// Whether a folder contains a training that can be resumed.
    pub fn can_resume(folder: &Path) -> bool {
        folder::has_checkpoint(folder)
    }
}

fn refuse_earlier(folder: &Path) -> anyhow::Result<()> {
    if let Some(file) = folder::earlier(folder)?.first() {
        anyhow::bail!(
            "{} already exists from another training: --resume it, --overwrite it, or choose another --output",
            file.display()
        );
    }
    Ok(())
}

/// Settings of the checkpoint. Overrides must agree with them.
fn resumed(
    task: Option<&str>,
    overrides: &Overrides,
    folder: &Path,
) -> anyhow::Result<TrainingSettings> {
    let path = folder.join(CHECKPOINT);
    let info = CheckpointInfo::load(&path)?;
    let own = &info.identity.task;
    if let Some(task) = task.filter(|task| task != own) {
        return Err(differs("task", task, own).into());
    }
    let base: Table = info
        .identity
        .settings
        .parse()
        .map_err(|error: toml::de::Error| anyhow::anyhow!("{error}"))
        .with_context(|| format!("{} has settings that cannot be read", path.display()))?;
    let factory = resolve_env(own, &base, &overrides.env)?;
    // Settings that the checkpoint does not have yet, or under an earlier name.
    let base = settings::complete((tasks::by_name(own)?.defaults)(), &base)?;
    if let Some((name, here, there)) = first_difference(&factory.settings, &base) {
        return Err(differs(&format!("env.{name}"), &here, &there).into());
    }
    let kind = info.config.kind();
    if let Some(other) = overrides.algorithm.filter(|other| *other != kind) {
        return Err(differs("algorithm", other.name(), kind.name()).into());
    }
    let algorithm = resolve_algorithm(info.config.clone(), overrides)?;
    let [here, mut there] = [&algorithm, &info.config].map(algorithm_table);
    // A training may be extended, so `total_timesteps` may differ.
    let n_steps = algorithm.total_timesteps() as i64;
    there.insert("total_timesteps".to_owned(), Value::Integer(n_steps));
    if let Some((name, here, there)) = first_difference(&here, &there) {
        return Err(differs(&format!("{kind}.{name}"), &here, &there).into());
    }
    Ok(TrainingSettings {
        factory,
        algorithm,
        evaluation: evaluation(overrides, folder)?,
    })
}

/// Current evaluation settings, with overrides.
fn evaluation(overrides: &Overrides, folder: &Path) -> anyhow::Result<EvaluationSettings> {
    let config = folder.join(CONFIG);
    let mut all = if config.exists() {
        Overrides::read(&config)?.evaluation
    } else {
        Table::new()
    };
    overlay(&mut all, &overrides.evaluation);
    let evaluation: EvaluationSettings = settings::parse(&EvaluationSettings::default(), &all)?;
    evaluation.check()?;
    Ok(evaluation)
}

fn begins_nothing(problem: &str) -> EnvError {
    EnvError::Config {
        field: "from".to_owned(),
        problem: problem.to_owned(),
    }
}

fn differs(field: &str, here: &str, there: &str) -> EnvError {
    EnvError::Config {
        field: field.to_owned(),
        problem: format!(
            "is {here}, but {there} in the checkpoint: --resume keeps the settings of the training; omit it, or choose another \
             --output"
        ),
    }
}
