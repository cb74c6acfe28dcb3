//! Training of a policy from a data set.

use std::ops::ControlFlow;
use std::path::Path;

use insonate_datasets::{Dataset, EpisodeKind, ReadOptions};
use insonate_envs::{EnvError, EnvFactory, EnvSpec};
use insonate_rl::imitation::{
    self, EpochLosses, Imitation, ImitationConfig, Samples, VisitedEpisode,
};
use toml::Table;

use crate::LearningError;
use crate::patients::identity as identity_of;
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
    /// Number of steps of all samples.
    pub n_steps: usize,
    /// Settings of the recording.
    recorded: Table,
    spec: EnvSpec,
    /// For training, and for validation.
    parts: [Part; 2],
    /// Whether states that a policy visited in these environments are among the samples.
    has_visits: bool,
}

/// Samples of whole episodes.
#[derive(Debug, Default)]
struct Part {
    /// Shape `[n, n_obs]`.
    observations: Vec<f32>,
    /// Shape `[n, n_actions]`.
    actions: Vec<f32>,
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
            parts: Default::default(),
            has_visits: false,
        };
        let demonstrations = &dataset.demonstrations;
        for (index, demonstration) in demonstrations.iter().enumerate() {
            let is_valid = is_for_validation(index, demonstrations.len());
            lesson.take(
                is_valid,
                &demonstration.observations,
                &demonstration.actions,
            );
        }
        Ok(lesson)
    }

    /// Specification of the environments.
    pub(super) fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    /// Adds the labelled states of a policy's episodes.
    pub(super) fn add(&mut self, episodes: &[VisitedEpisode]) {
        self.has_visits = true;
        for (index, episode) in episodes.iter().enumerate() {
            let is_valid = is_for_validation(index, episodes.len());
            self.take(is_valid, &episode.observations, &episode.labels);
        }
    }

    /// Takes the samples of an episode. Observations may have one row more than actions.
    fn take(&mut self, is_valid: bool, observations: &[f32], actions: &[f32]) {
        let n = actions.len() / self.spec.action_space.len();
        let n_obs = self.spec.observation_space.len();
        self.n_steps += n;
        let part = &mut self.parts[usize::from(is_valid)];
        part.observations
            .extend_from_slice(&observations[..n * n_obs]);
        part.actions.extend_from_slice(actions);
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
    let [training, validation] = &lesson.parts;
    let samples = Samples {
        observations: &[&training.observations[..], &validation.observations].concat(),
        actions: &[&training.actions[..], &validation.actions].concat(),
        n_training: training.actions.len() / lesson.spec.action_space.len(),
    };
    let mut identity = identity_of(&lesson.factory, &lesson.recorded, None)?;
    if lesson.has_visits {
        let visited = &lesson.factory.settings;
        identity = identity_of(&lesson.factory, visited, Some(&identity))?;
    }
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
