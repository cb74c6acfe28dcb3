//! Plan of a training: settings, folder, and whether it starts or resumes.

use std::path::{Path, PathBuf};

use insonate_envs::{EnvError, patient_name, settings, tasks};
use insonate_rl::run::CHECKPOINT;
use insonate_rl::{AlgorithmKind, CheckpointInfo, Policy, RunOptions};
use toml::{Table, Value};

use super::folder::{self, CONFIG};
use super::overrides::first_difference;
use super::settings::{algorithm_table, resolve_algorithm, with_held_out};
use super::{EvaluationSettings, Overrides, StartMode, TrainingSettings};
use crate::LearningError;
use crate::patients::{check_unseen, held_out_stay, trained_on};
use crate::task_settings::{resolve_env, within};

/// Iterations in which only the critic learns, before the policy changes.
const CRITIC_WARMUP: i64 = 5;

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
    /// [`EnvError::Config`] for invalid settings; [`LearningError::Differs`] for ones that differ from the checkpoint's;
    /// an error if the folder contains another training or the checkpoint cannot be read.
    pub fn new(
        task: Option<&str>,
        overrides: &Overrides,
        folder: &Path,
        start: StartMode,
    ) -> Result<Self, LearningError> {
        let task = task.or(overrides.task.as_deref());
        let settings = match start {
            StartMode::Resume => resumed(task, overrides, folder)?,
            StartMode::New | StartMode::Overwrite => {
                let task = task.ok_or(LearningError::NoTask)?;
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
    ///
    /// # Panics
    /// Never: an activation is a word.
    pub fn beginning_with(
        policy: Policy,
        task: Option<&str>,
        overrides: &Overrides,
        folder: &Path,
        start: StartMode,
    ) -> Result<Self, LearningError> {
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
            return Err(not_a_start("only PPO can begin with a policy").into());
        }
        if policy.is_squashed() {
            return Err(not_a_start("is a policy of SAC, which PPO cannot begin with").into());
        }
        let settings = policy.identity.settings.parse();
        let mut all = Overrides {
            env: settings.map_err(LearningError::settings("the policy"))?,
            ..Overrides::default()
        };
        let (sizes, activation) = policy.network();
        let sizes = sizes.into_iter().map(|width| Value::Integer(width as i64));
        let network = [
            ("hidden_sizes", Value::Array(sizes.collect())),
            (
                "activation",
                Value::try_from(activation).expect("an activation is a word"),
            ),
            ("norm_obs", policy.is_normalized().into()),
            ("critic_warmup", Value::Integer(CRITIC_WARMUP)),
        ];
        all.ppo
            .extend(network.map(|(name, value)| (name.to_owned(), value)));
        let over = tasks::by_name(own)?.expand(&overrides.env);
        settings::overlay(&mut all.env, &over.map_err(|error| within("env", error))?);
        settings::overlay(&mut all.ppo, &overrides.ppo);
        all.sac.clone_from(&overrides.sac);
        all.learning.clone_from(&overrides.learning);
        all.evaluation.clone_from(&overrides.evaluation);
        let mut plan = Self::new(Some(own.as_str()), &all, folder, start)?;
        let held_out = &plan.settings.evaluation.held_out;
        check_unseen(&trained_on(&policy.identity)?, held_out)?;
        plan.from = Some(policy);
        Ok(plan)
    }

    /// Number of training steps done in a folder.
    ///
    /// # Errors
    /// If the checkpoint cannot be read.
    pub fn steps_done(folder: &Path) -> Result<u64, LearningError> {
        Ok(CheckpointInfo::load(&folder.join(CHECKPOINT))?.global_step)
    }

    /// Whether a folder contains a training that can be resumed.
    pub fn can_resume(folder: &Path) -> bool {
        folder::has_checkpoint(folder)
    }
}

fn refuse_earlier(folder: &Path) -> Result<(), LearningError> {
    if let Some(file) = folder::earlier(folder)?.first() {
        return Err(LearningError::Exists {
            path: file.clone(),
            what: "training",
        });
    }
    Ok(())
}

/// Settings of the checkpoint. Overrides must agree with them.
fn resumed(
    task: Option<&str>,
    overrides: &Overrides,
    folder: &Path,
) -> Result<TrainingSettings, LearningError> {
    let path = folder.join(CHECKPOINT);
    let info = CheckpointInfo::load(&path)?;
    let own = &info.identity.task;
    if let Some(task) = task.filter(|task| task != own) {
        return Err(differs("task", task, own));
    }
    let base: Table = info
        .identity
        .settings
        .parse()
        .map_err(LearningError::settings(path.display().to_string()))?;
    let factory = resolve_env(own, &base, &overrides.env)?;
    // Settings that the checkpoint does not have yet, or under an earlier name.
    let base = settings::complete((tasks::by_name(own)?.defaults)(), &base)?;
    if let Some((name, here, there)) = first_difference(&factory.settings, &base) {
        return Err(differs(&format!("env.{name}"), &here, &there));
    }
    let kind = info.config.kind();
    if let Some(other) = overrides.algorithm.filter(|other| *other != kind) {
        return Err(differs("algorithm", other.name(), kind.name()));
    }
    let algorithm = resolve_algorithm(info.config.clone(), overrides)?;
    let [here, mut there] = [&algorithm, &info.config].map(algorithm_table);
    // A training may be extended, so `total_timesteps` may differ.
    let n_steps = algorithm.total_timesteps() as i64;
    there.insert("total_timesteps".to_owned(), Value::Integer(n_steps));
    if let Some((name, here, there)) = first_difference(&here, &there) {
        return Err(differs(&format!("{kind}.{name}"), &here, &there));
    }
    let evaluation = evaluation(overrides, folder)?;
    Ok(TrainingSettings {
        with_held_out: with_held_out(tasks::by_name(own)?, &factory, &evaluation)?,
        factory,
        algorithm,
        evaluation,
    })
}

/// Current evaluation settings, with overrides.
fn evaluation(overrides: &Overrides, folder: &Path) -> Result<EvaluationSettings, LearningError> {
    let config = folder.join(CONFIG);
    let mut all = if config.exists() {
        Overrides::read(&config)?.evaluation
    } else {
        Table::new()
    };
    let names = |evaluation: &EvaluationSettings| -> Vec<String> {
        let folders = evaluation.held_out.iter();
        folders.map(|folder| patient_name(folder)).collect()
    };
    let before = names(&EvaluationSettings::of(&all)?);
    settings::overlay(&mut all, &overrides.evaluation);
    let evaluation = EvaluationSettings::of(&all)?;
    if names(&evaluation) != before {
        return Err(held_out_stay("evaluation.held_out").into());
    }
    Ok(evaluation)
}

fn not_a_start(problem: &str) -> EnvError {
    EnvError::Config {
        field: "from".to_owned(),
        problem: problem.to_owned(),
    }
}

fn differs(field: &str, here: &str, there: &str) -> LearningError {
    LearningError::Differs {
        field: field.to_owned(),
        here: here.to_owned(),
        there: there.to_owned(),
    }
}
