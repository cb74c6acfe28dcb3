//! Steps and resets in stages, between which a task computes goals, rewards and observations for all environments of a vector at once.
//!
//! An ordinary task computes them environment by environment, on the threads of the vector. A [`BatchTask`] is called once per step, on the
//! thread that steps the vector, so that a call may be expensive, such as that of an interpreter.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{EnvError, ResetOptions, Step};

/// Formulas of a task for all environments of a vector.
///
/// Every call gets one row per environment, always in the same order. A call is about the rows with [`BatchRow::is_active`]: the others hold
/// an earlier state, and their answers are ignored.
pub trait BatchTask: Send {
    /// Chooses the goals of the active environments, whose episodes begin: writes [`BatchRow::goal`]. The robot is at home, and the torso is
    /// that of the episode.
    ///
    /// # Errors
    /// [`EnvError::Task`]. All environments of the vector must then be reset.
    fn reset(&mut self, rows: &mut [&mut BatchRow]) -> Result<(), EnvError>;

    /// Judges the step of the active environments: writes all other answers.
    ///
    /// # Errors
    /// Those of [`BatchTask::reset`].
    fn step(&mut self, rows: &mut [&mut BatchRow]) -> Result<(), EnvError>;

    /// Writes [`BatchRow::observation`] of the active environments, which have just been placed at their start.
    ///
    /// # Errors
    /// Those of [`BatchTask::reset`].
    fn observe(&mut self, rows: &mut [&mut BatchRow]) -> Result<(), EnvError>;

    /// Writes [`BatchRow::script`], the action of the task's scripted policy, for the active environments.
    /// Returns `false` if the task has no scripted policy.
    ///
    /// An error is returned by the next call of another method.
    fn script(&mut self, _rows: &mut [&mut BatchRow]) -> bool {
        false
    }
}

/// A batch task that its environments share.
pub type SharedBatchTask = Arc<Mutex<Box<dyn BatchTask>>>;

/// What a batch task reads of one environment, and its answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchRow {
    /// Whether the call is about this environment.
    pub is_active: bool,
    /// Seed of the episode's random numbers that belong to the task.
    pub seed: u64,
    /// State of the environment; the task's layout names its entries.
    pub state: Vec<f64>,
    /// Random parameters of the episode, in the order of [`EnvSpec::parameters`](crate::EnvSpec::parameters).
    pub parameters: Vec<f64>,
    /// Requested action of the last step, shape `[n_actions]`. Zeros after a reset.
    pub action: Vec<f32>,
    /// Goal of the episode.
    pub goal: BatchGoal,
    /// The task's own entries of the observation.
    pub observation: Vec<f32>,
    /// Weighted reward terms of the step.
    pub terms: Vec<f64>,
    /// Costs of the step.
    pub costs: Vec<f64>,
    /// Metrics after `success`.
    pub metrics: Vec<f64>,
    /// Action of the task's scripted policy, shape `[n_actions]`.
    pub script: Vec<f32>,
    /// Whether the task is fulfilled now.
    pub is_success: bool,
    /// Whether the episode ends now.
    pub is_terminated: bool,
    /// The pressing force since the last record of the state.
    pub(crate) press: Press,
}

/// A pressing force over the physics steps of a control step [N].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Press {
    sum: f64,
    n: usize,
    /// Maximum; `None` without a step.
    pub(crate) most: Option<f64>,
}

impl Press {
    /// Adds a physics step.
    pub(crate) fn add(&mut self, force: f64) {
        self.sum += force;
        self.n += 1;
        self.most = Some(self.most.map_or(force, |most| most.max(force)));
    }

    /// Mean, or `now` without a step.
    pub(crate) fn mean(&self, now: f64) -> f64 {
        if self.n == 0 {
            now
        } else {
            self.sum / self.n as f64
        }
    }
}

/// Goal of the probe in an episode. Forces act along its axis [N].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BatchGoal {
    /// A place on the skin, which moves with the patient.
    OnSkin {
        /// Offset from the middle of the torso, seen from above, across and along the patient [m].
        place: [f64; 2],
        /// Velocity of the place over the torso [m/s].
        velocity: [f64; 2],
        /// Height over the skin [m]. Negative: inside.
        height: f64,
        /// Desired force.
        force: f64,
    },
    /// A pose at rest in the world.
    Fixed {
        /// Position [m].
        position: [f64; 3],
        /// Unit quaternion `[w, x, y, z]`.
        rotation: [f64; 4],
        /// Desired force.
        force: f64,
    },
}

impl Default for BatchGoal {
    fn default() -> Self {
        Self::OnSkin {
            place: [0.0; 2],
            velocity: [0.0; 2],
            height: 0.0,
            force: 0.0,
        }
    }
}

/// The place of an environment in a batch task.
pub struct BatchSeat {
    /// The task.
    pub task: SharedBatchTask,
    /// Number of environments that share it.
    pub n_rows: usize,
    /// Data of this environment.
    pub row: BatchRow,
}

impl std::fmt::Debug for BatchSeat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchSeat")
            .field("n_rows", &self.n_rows)
            .field("row", &self.row)
            .finish_non_exhaustive()
    }
}

/// An environment of a batch task.
///
/// A reset is `prepare`, [`BatchTask::reset`], `start`, [`BatchTask::observe`], `finish_reset`.
/// A step is `advance`, [`BatchTask::step`], `finish_step`.
pub trait Staged {
    /// Its place in the task.
    fn seat(&mut self) -> &mut BatchSeat;

    /// Draws the random parameters of an episode and prepares the scene.
    ///
    /// # Errors
    /// Those of [`Env::reset`](crate::Env::reset).
    fn prepare(&mut self, seed: u64, options: &ResetOptions) -> Result<(), EnvError>;

    /// Places the robot at the start for the chosen goal.
    ///
    /// # Errors
    /// Those of [`Env::reset`](crate::Env::reset).
    fn start(&mut self) -> Result<(), EnvError>;

    /// Writes the first observation.
    ///
    /// # Errors
    /// [`EnvError::Length`].
    fn finish_reset(&mut self, observation: &mut [f32]) -> Result<(), EnvError>;

    /// Applies an action for one control step. `observation` gets that before the step, which stays if the simulation diverges.
    ///
    /// # Errors
    /// Those of [`Env::step`](crate::Env::step).
    fn advance(&mut self, action: &[f32], observation: &mut [f32]) -> Result<(), EnvError>;

    /// Reward, end and observation of the step.
    ///
    /// # Errors
    /// [`EnvError::Length`].
    fn finish_step(&mut self, observation: &mut [f32]) -> Result<Step, EnvError>;
}

/// The calls of a batch task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Reset,
    Step,
    Observe,
}

/// Calls a batch task with the rows of all its environments.
pub(crate) fn consult(seats: &mut [&mut BatchSeat], stage: Stage) -> Result<(), EnvError> {
    let Some(task) = seats.first().map(|seat| seat.task.clone()) else {
        return Ok(());
    };
    let mut rows: Vec<&mut BatchRow> = seats.iter_mut().map(|seat| &mut seat.row).collect();
    let mut task = lock(&task);
    match stage {
        Stage::Reset => task.reset(&mut rows),
        Stage::Step => task.step(&mut rows),
        Stage::Observe => task.observe(&mut rows),
    }
}

/// Asks a batch task for the actions of its scripted policy in all environments that have begun.
/// Returns `false` if the task has no scripted policy.
pub(crate) fn consult_script(seats: &mut [&mut BatchSeat]) -> bool {
    let Some(task) = seats.first().map(|seat| seat.task.clone()) else {
        return false;
    };
    let active: Vec<bool> = seats.iter().map(|seat| seat.row.is_active).collect();
    let mut rows: Vec<&mut BatchRow> = seats.iter_mut().map(|seat| &mut seat.row).collect();
    for row in &mut rows {
        row.is_active = !row.state.is_empty();
    }
    let has_script = lock(&task).script(&mut rows);
    for (row, was_active) in rows.iter_mut().zip(active) {
        row.is_active = was_active;
    }
    has_script
}

/// A reset of an environment that has the task for itself.
pub(crate) fn reset_alone(
    env: &mut dyn Staged,
    seed: u64,
    options: &ResetOptions,
    observation: &mut [f32],
) -> Result<(), EnvError> {
    check_alone(env)?;
    env.prepare(seed, options)?;
    consult(&mut [env.seat()], Stage::Reset)?;
    env.start()?;
    consult(&mut [env.seat()], Stage::Observe)?;
    env.finish_reset(observation)
}

/// A step of an environment that has the task for itself.
pub(crate) fn step_alone(
    env: &mut dyn Staged,
    action: &[f32],
    observation: &mut [f32],
) -> Result<Step, EnvError> {
    check_alone(env)?;
    env.advance(action, observation)?;
    if env.seat().row.is_active {
        consult(&mut [env.seat()], Stage::Step)?;
    }
    env.finish_step(observation)
}

fn check_alone(env: &mut dyn Staged) -> Result<(), EnvError> {
    if env.seat().n_rows == 1 {
        return Ok(());
    }
    Err(EnvError::Order(
        "the environment shares its task with others: they step together in a vector",
    ))
}

/// Locks a task. After a panic it is asked again: every episode begins with a call of its `reset`.
fn lock(task: &SharedBatchTask) -> MutexGuard<'_, Box<dyn BatchTask>> {
    task.lock().unwrap_or_else(PoisonError::into_inner)
}
