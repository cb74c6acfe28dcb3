//! Training of a policy from a data set.

use std::ops::ControlFlow;
use std::path::Path;

use insonate_datasets::{Dataset, EpisodeKind, ReadOptions};
use insonate_envs::{EnvError, EnvFactory, EnvSpec};
use insonate_rl::imitation::{self, EpochLosses, Imitation, ImitationConfig, Samples};
use toml::Table;

use crate::LearningError;
use crate::patients::identity;
use crate::task_settings::resolve_env;

/// Every tenth demonstration is used for validation, or the last of fewer than ten.
const VALID_EVERY: usize = 10;

/// A data set together with the environments of its task.
#[derive(Debug)]
pub struct ImitationData {
    /// Makes the environments of the demonstrations.
    pub factory: EnvFactory,
    /// Number of demonstrations.
    pub n_demonstrations: usize,
    /// Number of steps of all demonstrations.
    pub n_steps: usize,
    /// Settings of the recording.
    recorded: Table,
    spec: EnvSpec,
    observations: Vec<f32>,
    actions: Vec<f32>,
    n_training: usize,
}

impl ImitationData {
    /// Reads a data set, without episodes that are kept as failures, and checks that it fits the task. The environments have the settings of the recording, with `overrides`.
    ///
    /// # Errors
    /// [`insonate_datasets::DatasetError`]; [`EnvError::Config`] if the task, the observations or the actions differ.
    pub fn read(path: &Path, task: &str, overrides: &Table) -> Result<Self, LearningError> {
        let mut dataset = insonate_datasets::read(path, ReadOptions::default())?;
        let demonstrations = &mut dataset.demonstrations;
        demonstrations.retain(|episode| episode.kind != EpisodeKind::Failure);
        if dataset.demonstrations.is_empty() {
            return Err(misfit("has no episode but failures".to_owned()).into());
        }
        let info = &dataset.info;
        if !info.task.is_empty() && info.task != task {
            return Err(misfit(format!("is of {}, not of {task}", info.task)).into());
        }
        let base = info.settings.parse::<Table>();
        let base = base.map_err(LearningError::settings("the data set"))?;
        let factory = resolve_env(task, &base, overrides)?;
        let spec = factory.make()?.spec().clone();
        check_names(&dataset, &spec)?;
        let mut lesson = Self {
            factory,
            n_demonstrations: dataset.demonstrations.len(),
            n_steps: 0,
            recorded: base,
            spec,
            observations: Vec::new(),
            actions: Vec::new(),
            n_training: 0,
        };
        lesson.take(&dataset);
        Ok(lesson)
    }

    /// Takes the samples, with the ones for validation at the end.
    fn take(&mut self, dataset: &Dataset) {
        let n_obs = self.spec.observation_space.len();
        for is_valid in [false, true] {
            for (index, demonstration) in dataset.demonstrations.iter().enumerate() {
                if is_for_validation(index, dataset.demonstrations.len()) == is_valid {
                    let n = demonstration.len();
                    self.n_steps += n;
                    self.observations
                        .extend_from_slice(&demonstration.observations[..n * n_obs]);
                    self.actions.extend_from_slice(&demonstration.actions);
                }
            }
            if !is_valid {
                self.n_training = self.n_steps;
            }
        }
    }
}

/// Whether a demonstration is used for validation. A single one is used for training.
fn is_for_validation(index: usize, n_demonstrations: usize) -> bool {
    let every = VALID_EVERY.min(n_demonstrations);
    every > 1 && index % every == every - 1
}

/// Trains on a data set. `observer` sees each epoch and may interrupt.
///
/// # Errors
/// The errors of [`imitation::imitate`].
pub fn imitate(
    lesson: &ImitationData,
    config: &ImitationConfig,
    observer: &mut dyn FnMut(&EpochLosses) -> ControlFlow<()>,
) -> Result<Imitation, LearningError> {
    let samples = Samples {
        observations: &lesson.observations,
        actions: &lesson.actions,
        n_training: lesson.n_training,
    };
    let identity = identity(&lesson.factory, &lesson.recorded, None)?;
    let learnt = imitation::imitate(&lesson.spec, identity, samples, config, observer)?;
    Ok(learnt)
}

/// Fails if the observations or actions of the data set differ from the task's. Files of other programs have no names to compare.
fn check_names(dataset: &Dataset, spec: &EnvSpec) -> Result<(), EnvError> {
    let info = &dataset.info;
    let parts = [
        (
            "observation",
            &info.observation_names,
            &spec.observation_space.names,
        ),
        ("action", &info.action_names, &spec.action_space.names),
    ];
    for (what, found, expected) in parts {
        if found.len() != expected.len() {
            let problem = format!(
                "has {} entries of the {what}, but the task has {} with these settings",
                found.len(),
                expected.len()
            );
            return Err(misfit(problem));
        }
        let mut pairs = found.iter().zip(expected);
        if let Some((found, expected)) = pairs.find(|(found, expected)| found != expected)
            && !info.task.is_empty()
        {
            let problem = format!("has the {what} {found:?} where the task has {expected:?}");
            return Err(misfit(problem));
        }
    }
    Ok(())
}

fn misfit(problem: String) -> EnvError {
    EnvError::Config {
        field: "data".to_owned(),
        problem,
    }
}
