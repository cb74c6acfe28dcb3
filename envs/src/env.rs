//! The contract of an environment: Gymnasium's `reset` and `step`, with buffers that the caller owns.

use std::borrow::Cow;
use std::collections::BTreeMap;

use insonate_sim::verdict::Verdict;
use insonate_sim::{CompiledScene, Physics};

use crate::{BoxSpace, EnvError};

/// Spaces, names and times of an environment; constant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EnvSpec {
    /// The task's name, such as `probe-sweep`.
    pub id: String,
    /// What [`Env::reset`] and [`Env::step`] write.
    pub observation_space: BoxSpace,
    /// What [`Env::step`] takes.
    pub action_space: BoxSpace,
    /// Names of the weighted terms whose sum is the reward.
    pub reward_terms: Vec<&'static str>,
    /// Names of what a step costs beside the reward, which training may limit ([`Env::costs`]).
    pub costs: Vec<&'static str>,
    /// Names of what [`Env::metrics`] measures over an episode; `success` (0 or 1) comes first where the task has one.
    pub metrics: Vec<&'static str>,
    /// Names of the episode's random parameters with their units, as [`Env::parameters`] gives them.
    pub parameters: Vec<String>,
    /// Steps after which an episode is truncated; none: never.
    pub max_episode_steps: Option<usize>,
    /// Simulated time of one step [s].
    pub control_timestep: f64,
    /// Physics steps of the scene in one step; 0: MuJoCo steps nothing, though it may draw.
    pub n_substeps: usize,
}

/// Outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Step {
    /// Sum of the weighted reward terms.
    pub reward: f64,
    /// The task ended, by success or failure: the next state has no value.
    pub terminated: bool,
    /// The episode was cut by its time limit: the next state keeps its value.
    pub truncated: bool,
}

impl Step {
    /// Whether the episode is over.
    pub fn is_over(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// Why an episode ended.
#[derive(Debug, Clone, PartialEq)]
pub enum EndReason {
    /// The time limit: truncated.
    TimeLimit,
    /// The end of the task's own schedule, such as `path complete`: truncated.
    Schedule(&'static str),
    /// The task's own end, in words with the limit that was passed, such as `contact lost for 0.25 s`: terminated.
    Task(Cow<'static, str>),
    /// The simulation diverged; where and when: terminated.
    Diverged(String),
}

impl EndReason {
    /// As text.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::TimeLimit => "time limit".into(),
            Self::Schedule(reason) => (*reason).into(),
            Self::Task(reason) => reason.as_ref().into(),
            Self::Diverged(what) => what.into(),
        }
    }
}

/// Gymnasium's `options` of a reset.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResetOptions {
    /// Random parameters to fix, by their names in [`EnvSpec::parameters`] without the unit; the others stay random.
    pub parameters: BTreeMap<String, f64>,
}

/// One environment.
///
/// An episode is a pure function of the seed and options of [`Env::reset`] and of the actions since: nothing of an
/// earlier episode may affect it.
pub trait Env: Send {
    /// What this environment is.
    fn spec(&self) -> &EnvSpec;

    /// Starts an episode and writes its first observation, shape `[n_obs]`.
    ///
    /// # Errors
    /// [`EnvError::Length`]; [`EnvError::Unknown`] and [`EnvError::Config`] for options; what the task needs and cannot have.
    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError>;

    /// Does an action, shape `[n_actions]`, for one control step, and writes the observation after it.
    ///
    /// A simulation that diverges terminates the episode with the last finite observation, a finite reward, and
    /// [`EndReason::Diverged`].
    ///
    /// # Errors
    /// [`EnvError::Length`], [`EnvError::NotFinite`], [`EnvError::OutOfBounds`] for a bad action, which changes nothing;
    /// [`EnvError::Order`] before the first reset or after the end of an episode.
    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError>;

    /// The weighted reward terms of the last step, in the order of [`EnvSpec::reward_terms`]; their sum is its reward.
    fn reward_terms(&self) -> &[f64];

    /// What the last step cost, in the order of [`EnvSpec::costs`]; never negative, and no part of the reward.
    fn costs(&self) -> &[f64] {
        &[]
    }

    /// Writes what was measured over the episode so far, in the order of [`EnvSpec::metrics`]; NaN: not yet known.
    fn metrics(&self, metrics: &mut [f64]);

    /// The episode's random parameters, in the order of [`EnvSpec::parameters`].
    fn parameters(&self) -> &[f64];

    /// Why the episode ended; none while it runs.
    fn end_reason(&self) -> Option<EndReason>;

    /// Whether the episode that is over is a result, with reasons in words; none while it runs, and for a task that judges nothing.
    fn verdict(&self) -> Option<Verdict> {
        None
    }

    /// Writes the action of the task's own scripted policy for the present state; `false`: the task has none.
    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        action.fill(0.0);
        false
    }

    /// Force between a tool and what it touches [N], true and the mean over the last step, where no probe measures it; none: there is no
    /// such tool.
    fn tool_force(&self) -> Option<f64> {
        None
    }

    /// The scene and its state, to draw and to read; none for an environment without a scene.
    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        None
    }

    /// This environment as one of a group that advances together; none for one that advances alone.
    fn lockstep(&mut self) -> Option<&mut dyn Lockstep> {
        None
    }
}

/// An environment that advances with others of its group at once, such as one whose tissue lies in a lane of their vectors.
///
/// [`Env::step`] is `begin` and `finish`; `advance_group` between them advances all that have begun, so that `finish`
/// finds its part done. The numbers are the same either way.
pub trait Lockstep {
    /// The group's number, equal for environments that advance together.
    fn group(&self) -> usize;

    /// The part of a step before time passes: takes the action.
    ///
    /// # Errors
    /// As [`Env::step`] for the action.
    fn begin(&mut self, action: &[f32], observation: &mut [f32]) -> Result<(), EnvError>;

    /// Advances all environments of the group that have begun.
    fn advance_group(&mut self);

    /// The part of a step after time has passed: reward, end, observation.
    ///
    /// # Errors
    /// As [`Env::step`].
    fn finish(&mut self, observation: &mut [f32]) -> Result<Step, EnvError>;
}

impl<E: Env + ?Sized> Env for Box<E> {
    fn spec(&self) -> &EnvSpec {
        (**self).spec()
    }

    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        (**self).reset(seed, options, observation)
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        (**self).step(action, observation)
    }

    fn reward_terms(&self) -> &[f64] {
        (**self).reward_terms()
    }

    fn costs(&self) -> &[f64] {
        (**self).costs()
    }

    fn metrics(&self, metrics: &mut [f64]) {
        (**self).metrics(metrics);
    }

    fn parameters(&self) -> &[f64] {
        (**self).parameters()
    }

    fn end_reason(&self) -> Option<EndReason> {
        (**self).end_reason()
    }

    fn verdict(&self) -> Option<Verdict> {
        (**self).verdict()
    }

    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        (**self).scripted_action(action)
    }

    fn tool_force(&self) -> Option<f64> {
        (**self).tool_force()
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        (**self).scene()
    }

    fn lockstep(&mut self) -> Option<&mut dyn Lockstep> {
        (**self).lockstep()
    }
}
