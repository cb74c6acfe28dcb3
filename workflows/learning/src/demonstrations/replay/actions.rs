//! Repeats the actions of an own recording in the environment of its task.

use std::ops::ControlFlow;

use insonate_datasets::{EpisodeKind, Recording};
use insonate_envs::{Autoreset, EnvError, ResetOptions, VecConfig, VecEnv};
use insonate_experiments::{Interrupted, ProbeState};
use insonate_sim::Pose;
use nalgebra::Vector3;
use toml::Table;

use super::super::signals::SceneSignals;
use crate::LearningError;
use crate::task_settings::resolve_env;

/// Columns of actions in the task's own mode, in the order in which they are looked for.
const ACTIONS: [&str; 3] = ["annotation.task_action", "actions", "action"];

/// Signals that a recording can hold, by the ends of their columns' names.
const SIGNALS: [(&str, usize); 4] = [
    ("probe_wrench", 0),
    ("meta.force_torque", 0),
    ("probe_pose", 2),
    ("joint_position", 3),
];

/// A repeated episode.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RepeatedEpisode {
    /// State of the probe before each step, shape `[n]`.
    pub(super) states: Vec<ProbeState>,
    /// Columns of the recording that have other bits.
    pub(super) different: Vec<String>,
    /// Columns that were compared bit by bit.
    pub(super) compared: Vec<String>,
}

/// Resets the environment by the seed of the episode and takes its actions.
///
/// # Errors
/// [`EnvError::Config`] for a data set of another program, a task without a probe, a recovery, or actions that had noise; errors of the
/// environment.
pub(super) fn repeat_actions(
    recording: &Recording,
    options: &ResetOptions,
    observer: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<RepeatedEpisode, LearningError> {
    let own = recording.own.as_ref();
    let own = own.ok_or_else(|| refused("the data set is not of insonate: use poses"))?;
    if own.kind == EpisodeKind::Recovery {
        return Err(refused(
            "a recovery begins after a disturbance, which it does not hold: use poses",
        )
        .into());
    }
    if own.info.action_noise > 0.0 {
        let noise = own.info.action_noise;
        let problem = format!(
            "the executed actions had noise of {noise}, which the recorded ones lack: use poses"
        );
        return Err(refused(&problem).into());
    }
    let actions = ACTIONS.iter().find_map(|name| recording.column(name));
    let actions = actions.ok_or_else(|| refused("the data set has no actions"))?;
    let base = own.info.settings.parse::<Table>();
    let base = base.map_err(LearningError::settings("the data set"))?;
    let factory = resolve_env(&own.info.task, &base, &Table::new())?;
    let config = VecConfig {
        autoreset: Autoreset::Disabled,
        n_threads: 1,
    };
    let mut env = VecEnv::new(factory.make_many(1)?, config)?;
    let n_actions = env.spec().action_space.len();
    if actions.width() != n_actions {
        let (name, found) = (&actions.name, actions.width());
        let problem =
            format!("{name} has {found} numbers in a row, and the task {n_actions} actions");
        return Err(refused(&problem).into());
    }
    env.reset_env(0, own.seed, options)?;
    let mut signals = SceneSignals::of(env.env(0));
    if signals.infos().is_empty() {
        return Err(refused("the task has no probe on an arm").into());
    }
    signals.begin(env.env(0))?;
    let mut found = vec![Vec::new(); signals.infos().len()];
    let n_rows = recording.n_rows;
    for (row, action) in actions.rows().enumerate() {
        signals.take(env.env(0), &mut found);
        let action: Vec<f32> = action.iter().map(|&number| number as f32).collect();
        if !env.step(&action)?.ended.is_empty() {
            break;
        }
        if observer((row + 1) as f64 / n_rows as f64).is_break() {
            return Err(Interrupted.into());
        }
    }
    Ok(compare(recording, &found))
}

fn compare(recording: &Recording, found: &[Vec<f32>]) -> RepeatedEpisode {
    let (mut compared, mut different) = (Vec::new(), Vec::new());
    for column in &recording.columns {
        let known = SIGNALS.iter().find(|(end, _)| column.name.ends_with(end));
        let Some((_, signal)) = known else { continue };
        compared.push(column.name.clone());
        let recorded = column
            .values
            .iter()
            .map(|&number| (number as f32).to_bits());
        if !recorded.eq(found[*signal].iter().map(|number| number.to_bits())) {
            different.push(column.name.clone());
        }
    }
    let rows = found[0].chunks_exact(6).zip(found[2].chunks_exact(7));
    let states = rows.map(|(wrench, pose)| {
        let vector = |at: usize| Vector3::from([0, 1, 2].map(|axis| f64::from(wrench[at + axis])));
        let pose: Vec<f64> = pose.iter().map(|&number| f64::from(number)).collect();
        ProbeState {
            world_from_probe: Pose::from_quat(
                [pose[0], pose[1], pose[2]],
                [pose[3], pose[4], pose[5], pose[6]],
            ),
            force: vector(0),
            torque: vector(3),
        }
    });
    RepeatedEpisode {
        states: states.collect(),
        different,
        compared,
    }
}

fn refused(problem: &str) -> EnvError {
    EnvError::Config {
        field: "by".to_owned(),
        problem: problem.to_owned(),
    }
}
