//! The interface of an environment: Gymnasium's `reset` and `step`, with buffers that the caller owns.

use std::borrow::Cow;
use std::collections::BTreeMap;

use insonate_sim::verdict::Verdict;
use insonate_sim::{CompiledScene, Physics};

use crate::ultrasound::TorsoScene;
use crate::{BoxSpace, EnvError, ObservationGroup, Staged};

/// Spaces, names and times of an environment. It is constant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EnvSpec {
    /// The task's name, such as `probe-sweep`.
    pub id: String,
    /// Space of the observations of [`Env::reset`] and [`Env::step`].
    pub observation_space: BoxSpace,
    /// Groups of the observation's entries, from the first entry to the last. Empty: one group `state`.
    pub observation_groups: Vec<ObservationGroup>,
    /// Space of the actions of [`Env::step`].
    pub action_space: BoxSpace,
    /// Names of the weighted terms whose sum is the reward.
    pub reward_terms: Vec<&'static str>,
    /// Names of the costs of a step. They are not part of the reward; training can limit them ([`Env::costs`]).
    pub costs: Vec<&'static str>,
    /// Names of the episode's metrics ([`Env::metrics`]). `success` (0 or 1) comes first if the task has it.
    pub metrics: Vec<&'static str>,
    /// Names with units of the episode's random parameters ([`Env::parameters`]).
    pub parameters: Vec<String>,
    /// Number of steps after which an episode is truncated. `None`: never.
    pub max_episode_steps: Option<usize>,
    /// Simulated time of one step [s].
    pub control_timestep: f64,
    /// Physics steps of the scene per step. 0: MuJoCo does not step, though it may render.
    pub n_substeps: usize,
}

/// Outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Step {
    /// Sum of the weighted reward terms.
    pub reward: f64,
    /// The task ended, by success or failure. The next state has no value.
    pub terminated: bool,
    /// The time limit truncated the episode. The next state has a value.
    pub truncated: bool,
}

impl Step {
    /// Whether the episode is over.
    pub fn is_over(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// Reason for the end of an episode.
#[derive(Debug, Clone, PartialEq)]
pub enum EndReason {
    /// The time limit (truncated).
    TimeLimit,
    /// The end of the task's schedule, such as `path complete` (truncated).
    Schedule(&'static str),
    /// An end condition of the task, with the limit, such as `contact lost for 0.25 s` (terminated).
    Task(Cow<'static, str>),
    /// The simulation diverged, with the location and time (terminated).
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
    /// Random parameters to fix, by their names in [`EnvSpec::parameters`] without the unit. The others stay random.
    pub parameters: BTreeMap<String, f64>,
}

/// An environment.
///
/// An episode is a pure function of the seed and options of [`Env::reset`] and of the actions since. Earlier episodes must not affect
/// it.
pub trait Env: Send {
    /// Constant description of the environment.
    fn spec(&self) -> &EnvSpec;

    /// Starts an episode and writes its first observation, shape `[n_obs]`.
    ///
    /// # Errors
    /// [`EnvError::Length`]; [`EnvError::Unknown`] and [`EnvError::Config`] for options; errors of the task.
    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError>;

    /// Applies an action, shape `[n_actions]`, for one control step, and writes the next observation.
    ///
    /// If the simulation diverges, the episode terminates with the last finite observation, a finite reward, and
    /// [`EndReason::Diverged`].
    ///
    /// # Errors
    /// [`EnvError::Length`], [`EnvError::NotFinite`], [`EnvError::OutOfBounds`] for an invalid action, which has no effect;
    /// [`EnvError::Order`] before the first reset or after the end of an episode.
    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError>;

    /// The weighted reward terms of the last step, in the order of [`EnvSpec::reward_terms`]. Their sum is the reward.
    fn reward_terms(&self) -> &[f64];

    /// The costs of the last step, in the order of [`EnvSpec::costs`]. They are nonnegative and not part of the reward.
    fn costs(&self) -> &[f64] {
        &[]
    }

    /// Writes the metrics of the episode so far, in the order of [`EnvSpec::metrics`]. NaN: not yet known.
    fn metrics(&self, metrics: &mut [f64]);

    /// The episode's random parameters, in the order of [`EnvSpec::parameters`].
    fn parameters(&self) -> &[f64];

    /// Reason for the end of the episode. `None` while it runs.
    fn end_reason(&self) -> Option<EndReason>;

    /// Verdict on the finished episode, with reasons. `None` while it runs, or if the task does not judge episodes.
    fn verdict(&self) -> Option<Verdict> {
        None
    }

    /// Writes the action of the task's scripted policy for the current state. Returns `false` if the task has none.
    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        action.fill(0.0);
        false
    }

    /// Contact force of a tool [N]: the true mean over the last step, for tools without a probe's sensor. `None` if there is no such
    /// tool.
    fn tool_force(&self) -> Option<f64> {
        None
    }

    /// The scene and its state, for rendering and reading. `None` for an environment without a scene.
    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        None
    }

    /// The scene with its torso, for a scanner outside of the simulation. `None` for an environment without a probe.
    fn torso(&self) -> Option<TorsoScene<'_>> {
        None
    }

    /// This environment as part of a group that advances together. `None` if it advances alone.
    fn lockstep(&mut self) -> Option<&mut dyn Lockstep> {
        None
    }

    /// This environment as one of a batch task. `None` if its task computes for each environment by itself.
    fn staged(&mut self) -> Option<&mut dyn Staged> {
        None
    }
}

/// An environment that advances with others at once: with those of its group, for example because its tissue is one lane of their SIMD vectors, or
/// part by part with all that have their torsos on one GPU.
///
/// [`Env::step`] is `begin` followed by `finish`. A call of `advance_group` in between advances all environments of the group that have begun;
/// calls of `advance_part` advance this one. `finish` advances as far as they have not. The numbers are the same in all cases.
pub trait Lockstep {
    /// Group number. Environments with the same number advance together.
    fn group(&mut self) -> usize;

    /// First part of a step: sets the action.
    ///
    /// # Errors
    /// Those of [`Env::step`] for the action.
    fn begin(&mut self, action: &[f32], observation: &mut [f32]) -> Result<(), EnvError>;

    /// Advances all environments of the group that have begun a step.
    fn advance_group(&mut self);

    /// Whether the step has parts between which a device makes the announced steps of many environments.
    fn has_parts(&mut self) -> bool;

    /// Advances until a device must make a step, and announces it. Returns `false` once all of this step is done.
    ///
    /// Call it for all environments before it is called again for the first of them: then the device has all of their steps.
    fn advance_part(&mut self) -> bool;

    /// Last part of a step: reward, end, observation.
    ///
    /// # Errors
    /// Those of [`Env::step`].
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

    fn torso(&self) -> Option<TorsoScene<'_>> {
        (**self).torso()
    }

    fn lockstep(&mut self) -> Option<&mut dyn Lockstep> {
        (**self).lockstep()
    }

    fn staged(&mut self) -> Option<&mut dyn Staged> {
        (**self).staged()
    }
}
