//! What is about to be trained, and in which folder: begun anew, or gone on with.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use toml::{Table, Value};

use super::folder::{self, CONFIG};
use super::given::{first_difference, overlay};
use super::settings::{resolve_env, resolve_ppo};
use super::{EvaluationSettings, Given, TrainingSettings};
use crate::envs::{EnvError, settings};
use crate::rl::run::CHECKPOINT;
use crate::rl::{CheckpointInfo, RunOptions};

/// What to do with a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Begin; a folder with an earlier training is refused.
    New,
    /// Begin, and remove the files of an earlier training.
    Overwrite,
    /// Go on from the checkpoint.
    Resume,
}

/// A training, checked, before its first step.
#[derive(Debug)]
pub struct Plan {
    /// Where its files go.
    pub folder: PathBuf,
    /// Every setting.
    pub settings: TrainingSettings,
    /// How it begins.
    pub start: Start,
    /// Threads that step and learn; 0: one for each core. Results do not depend on it.
    pub n_threads: usize,
    /// How the folder is kept.
    pub run: RunOptions,
}

impl Plan {
    /// A plan for a folder. `task` may be left out where the given settings or the checkpoint say it.
    ///
    /// # Errors
    /// [`EnvError::Config`] for settings that cannot be, and when going on for those that differ from the checkpoint's;
    /// for a folder that holds another training; for a checkpoint that cannot be read.
    pub fn new(
        task: Option<&str>,
        given: &Given,
        folder: &Path,
        start: Start,
    ) -> anyhow::Result<Self> {
        let task = task.or(given.task.as_deref());
        let settings = match start {
            Start::Resume => resumed(task, given, folder)?,
            Start::New | Start::Overwrite => {
                let task = task.ok_or_else(|| EnvError::Config {
                    field: "task".to_owned(),
                    problem: "is missing: name it, or give a --config that does".to_owned(),
                })?;
                let settings = TrainingSettings::resolve(task, given)?;
                if start == Start::New {
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
        })
    }

    /// Whether a folder has a training that can be gone on with.
    pub fn can_resume(folder: &Path) -> bool {
        folder::has_checkpoint(folder)
    }
}

fn refuse_earlier(folder: &Path) -> anyhow::Result<()> {
    if let Some(file) = folder::earlier(folder)?.first() {
        anyhow::bail!(
            "{} is there already, from another training: go on with it by --resume, choose another --output, or --overwrite it",
            file.display()
        );
    }
    Ok(())
}

/// Settings as the checkpoint has them; the given ones must be the same.
fn resumed(task: Option<&str>, given: &Given, folder: &Path) -> anyhow::Result<TrainingSettings> {
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
    let factory = resolve_env(own, &base, &given.env)?;
    if let Some((name, here, there)) = first_difference(&factory.settings, &base) {
        return Err(differs(&format!("env.{name}"), &here, &there).into());
    }
    let ppo = resolve_ppo(info.config.clone(), &given.ppo)?;
    let [here, mut there] = [&ppo, &info.config].map(settings::table);
    // A training may be made longer.
    let n_steps = ppo.total_timesteps as i64;
    there.insert("total_timesteps".to_owned(), Value::Integer(n_steps));
    if let Some((name, here, there)) = first_difference(&here, &there) {
        return Err(differs(&format!("ppo.{name}"), &here, &there).into());
    }
    Ok(TrainingSettings {
        factory,
        ppo,
        evaluation: evaluation(given, folder)?,
    })
}

/// How it was evaluated so far, and what is given over it.
fn evaluation(given: &Given, folder: &Path) -> anyhow::Result<EvaluationSettings> {
    let config = folder.join(CONFIG);
    let mut all = if config.exists() {
        Given::read(&config)?.evaluation
    } else {
        Table::new()
    };
    overlay(&mut all, &given.evaluation);
    let evaluation: EvaluationSettings = settings::parse(&EvaluationSettings::default(), &all)?;
    evaluation.check()?;
    Ok(evaluation)
}

fn differs(field: &str, here: &str, there: &str) -> EnvError {
    EnvError::Config {
        field: field.to_owned(),
        problem: format!(
            "is {here}, but {there} in the checkpoint: --resume goes on with what the training began with; leave it out, or train \
             into another --output"
        ),
    }
}
