//! The sequence of a step, the same for every task: checks, action, simulation, reward, end, observation.

use std::borrow::Cow;

use insonate_sim::verdict::Verdict;
use insonate_sim::{CompiledScene, Divergence, Physics};
use insonate_tissue::TissueError;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::staged::{reset_alone, step_alone};
use crate::ultrasound::TorsoScene;
use crate::{
    BatchSeat, EndReason, Env, EnvError, EnvSpec, Lockstep, ObservationGroup, ResetOptions, Staged,
    Step,
};

/// Reason why a simulation could not advance.
#[derive(Debug)]
pub enum StepFailure {
    /// The simulation diverged, with the location and time. The episode ends.
    Diverged(String),
    /// Any other error. The step returns it.
    Failed(EnvError),
}

impl From<Divergence> for StepFailure {
    fn from(divergence: Divergence) -> Self {
        Self::Diverged(divergence.to_string())
    }
}

impl From<TissueError> for StepFailure {
    fn from(error: TissueError) -> Self {
        match error {
            TissueError::Diverged { .. } => Self::Diverged(error.to_string()),
            other => Self::Failed(other.into()),
        }
    }
}

impl From<EnvError> for StepFailure {
    fn from(error: EnvError) -> Self {
        Self::Failed(error)
    }
}

/// End of an episode by an end condition of the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EpisodeEnd {
    /// Terminated by failure, with the exceeded limit. The next state has no value.
    Terminated(Cow<'static, str>),
    /// Terminated by success, with the goal. The next state has no value.
    Reached(&'static str),
    /// Truncated at the end of the task's schedule, with the completed part. The next state has a value.
    Truncated(&'static str),
}

/// The simulation of an [`Environment`]: a task with its state. Methods are called in the order of their declaration.
pub trait Simulation: Send {
    /// Draws the random parameters of the next episode and fixes those in `options`. On an error the current episode continues.
    ///
    /// # Errors
    /// [`EnvError::Unknown`] and [`EnvError::Config`] for options.
    fn draw(&mut self, options: &ResetOptions, rng: &mut ChaCha8Rng) -> Result<Vec<f64>, EnvError>;

    /// Starts the episode with the drawn parameters. `rng` is its generator until the next reset.
    ///
    /// # Errors
    /// Errors of the task.
    fn reset(&mut self, parameters: &[f64], rng: ChaCha8Rng) -> Result<(), EnvError>;

    /// The place in a batch task, which must be called between `prepare` and `start`. `None`: `reset` is called instead.
    fn batch(&mut self) -> Option<&mut BatchSeat> {
        None
    }

    /// First part of the reset of a simulation with a batch task, up to the choice of the goal.
    ///
    /// # Errors
    /// Errors of the task.
    fn prepare(&mut self, parameters: &[f64], rng: ChaCha8Rng) -> Result<(), EnvError> {
        self.reset(parameters, rng)
    }

    /// The rest of that reset.
    ///
    /// # Errors
    /// Errors of the task.
    fn start(&mut self) -> Result<(), EnvError> {
        Ok(())
    }

    /// Sets the action of the next step, shape `[n_actions]`. It has been validated.
    fn set_action(&mut self, action: &[f32]);

    /// Advances by one control step, unless `advance_group` has done so.
    ///
    /// # Errors
    /// [`StepFailure`]. The observation must stay finite.
    fn advance(&mut self) -> Result<(), StepFailure>;

    /// Writes the weighted reward terms of the step.
    fn reward(&mut self, terms: &mut [f64]);

    /// Writes the costs of the step, in the order of [`EnvSpec::costs`].
    fn cost(&mut self, costs: &mut [f64]) {
        costs.fill(0.0);
    }

    /// Whether and why the task ends the episode now.
    fn end(&self) -> Option<EpisodeEnd>;

    /// Writes the observation, shape `[n_obs]`.
    fn observe(&self, observation: &mut [f32]);

    /// See [`Env::metrics`].
    fn metrics(&self, metrics: &mut [f64]);

    /// See [`Env::verdict`]; `_end` is the reason for the end.
    fn verdict(&self, _end: &EndReason) -> Option<Verdict> {
        None
    }

    /// See [`Env::scripted_action`].
    fn scripted_action(&mut self, action: &mut [f32]) -> bool;

    /// See [`Env::tool_force`].
    fn tool_force(&self) -> Option<f64> {
        None
    }

    /// See [`Env::scene`].
    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        None
    }

    /// See [`Env::torso`].
    fn torso(&self) -> Option<TorsoScene<'_>> {
        None
    }

    /// See [`Lockstep::group`]. `None` for a simulation that advances alone.
    fn group(&self) -> Option<usize> {
        None
    }

    /// See [`Lockstep::advance_group`]. Called between `set_action` and `advance`.
    fn advance_group(&mut self) {}

    /// See [`Lockstep::has_parts`].
    fn has_parts(&self) -> bool {
        false
    }

    /// See [`Lockstep::advance_part`]. Called between `set_action` and `advance`, which does the rest.
    fn advance_part(&mut self) -> bool {
        false
    }
}

/// The environment of a simulation.
#[derive(Debug)]
pub struct Environment<S> {
    spec: EnvSpec,
    simulation: S,
    parameters: Vec<f64>,
    terms: Vec<f64>,
    costs: Vec<f64>,
    n_steps: usize,
    is_running: bool,
    /// Whether a step has begun that is not finished.
    is_begun: bool,
    end: Option<EndReason>,
    /// Divergence of a staged step that is not finished.
    diverged: Option<String>,
}

impl<S: Simulation> Environment<S> {
    /// Creates an environment. It must be reset before its first step.
    pub fn of(mut spec: EnvSpec, simulation: S) -> Self {
        if spec.observation_groups.is_empty() {
            spec.observation_groups = vec![ObservationGroup::state(spec.observation_space.len())];
        }
        Self {
            parameters: vec![f64::NAN; spec.parameters.len()],
            terms: vec![0.0; spec.reward_terms.len()],
            costs: vec![0.0; spec.costs.len()],
            n_steps: 0,
            is_running: false,
            is_begun: false,
            end: None,
            diverged: None,
            spec,
            simulation,
        }
    }

    /// The simulation.
    pub fn simulation(&self) -> &S {
        &self.simulation
    }

    fn check_observation_range(&self, observation: &[f32]) -> Result<(), EnvError> {
        let n_obs = self.spec.observation_space.len();
        EnvError::check_length("observation", observation.len(), n_obs)
    }

    /// Reward, end and observation after the simulation has advanced.
    fn judge(&mut self, observation: &mut [f32]) -> Step {
        self.n_steps += 1;
        // (state, action) => reward, costs, observation, end
        self.simulation.reward(&mut self.terms);
        self.simulation.cost(&mut self.costs);
        self.simulation.observe(observation);
        let end = self.simulation.end();
        let limit = self.spec.max_episode_steps;
        let is_late = limit.is_some_and(|limit| self.n_steps >= limit);
        self.end = match end {
            Some(EpisodeEnd::Terminated(reason)) => Some(EndReason::Task(reason)),
            Some(EpisodeEnd::Reached(what)) => Some(EndReason::Task(what.into())),
            Some(EpisodeEnd::Truncated(reason)) => Some(EndReason::Schedule(reason)),
            None => is_late.then_some(EndReason::TimeLimit),
        };
        self.is_running = self.end.is_none();
        Step {
            reward: self.terms.iter().sum(),
            terminated: matches!(self.end, Some(EndReason::Task(_))),
            truncated: matches!(
                self.end,
                Some(EndReason::TimeLimit | EndReason::Schedule(_))
            ),
        }
    }

    /// Begins the episode of a simulation that has been reset.
    fn open(&mut self, observation: &mut [f32]) {
        self.terms.fill(0.0);
        self.costs.fill(0.0);
        (self.n_steps, self.end, self.diverged) = (0, None, None);
        (self.is_running, self.is_begun) = (true, false);
        self.simulation.observe(observation);
    }

    /// Ends the episode after the simulation has diverged.
    fn diverge(&mut self, what: String) -> Step {
        self.terms.fill(0.0);
        self.costs.fill(0.0);
        self.end = Some(EndReason::Diverged(what));
        self.is_running = false;
        Step {
            reward: 0.0,
            terminated: true,
            truncated: false,
        }
    }
}

impl<S: Simulation> Env for Environment<S> {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        self.check_observation_range(observation)?;
        if self.simulation.batch().is_some() {
            return reset_alone(self, seed, options, observation);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let parameters = self.simulation.draw(options, &mut rng)?;
        self.is_running = false;
        self.simulation.reset(&parameters, rng)?;
        self.parameters = parameters;
        self.open(observation);
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        if self.simulation.batch().is_some() {
            return step_alone(self, action, observation);
        }
        self.begin(action, observation)?;
        self.finish(observation)
    }

    fn reward_terms(&self) -> &[f64] {
        &self.terms
    }

    fn costs(&self) -> &[f64] {
        &self.costs
    }

    fn metrics(&self, metrics: &mut [f64]) {
        self.simulation.metrics(metrics);
    }

    fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    fn end_reason(&self) -> Option<EndReason> {
        self.end.clone()
    }

    fn verdict(&self) -> Option<Verdict> {
        self.simulation.verdict(self.end.as_ref()?)
    }

    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        self.simulation.scripted_action(action)
    }

    fn tool_force(&self) -> Option<f64> {
        self.simulation.tool_force()
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        self.simulation.scene()
    }

    fn torso(&self) -> Option<TorsoScene<'_>> {
        self.simulation.torso()
    }

    fn lockstep(&mut self) -> Option<&mut dyn Lockstep> {
        let is_alone = self.simulation.group().is_none() && !self.simulation.has_parts();
        (!is_alone).then_some(self)
    }

    fn staged(&mut self) -> Option<&mut dyn Staged> {
        self.simulation.batch()?;
        Some(self)
    }
}

impl<S: Simulation> Lockstep for Environment<S> {
    fn group(&mut self) -> usize {
        let alone = std::ptr::from_ref(&*self).addr();
        self.simulation.group().unwrap_or(alone)
    }

    fn begin(&mut self, action: &[f32], observation: &mut [f32]) -> Result<(), EnvError> {
        if !self.is_running {
            return Err(EnvError::Order(
                "reset must come before the first step and after the end of an episode",
            ));
        }
        self.check_observation_range(observation)?;
        self.spec.action_space.check("action", action)?;
        self.simulation.set_action(action);
        // The observation if the simulation diverges.
        self.simulation.observe(observation);
        self.is_begun = true;
        Ok(())
    }

    fn advance_group(&mut self) {
        self.simulation.advance_group();
    }

    fn has_parts(&mut self) -> bool {
        self.simulation.has_parts()
    }

    fn advance_part(&mut self) -> bool {
        self.simulation.advance_part()
    }

    fn finish(&mut self, observation: &mut [f32]) -> Result<Step, EnvError> {
        self.is_begun = false;
        // (state, action) => state
        match self.simulation.advance() {
            Ok(()) => Ok(self.judge(observation)),
            Err(StepFailure::Diverged(what)) => Ok(self.diverge(what)),
            Err(StepFailure::Failed(error)) => Err(error),
        }
    }
}

impl<S: Simulation> Staged for Environment<S> {
    fn seat(&mut self) -> &mut BatchSeat {
        let seat = self.simulation.batch();
        seat.expect("`staged` found the seat")
    }

    fn prepare(&mut self, seed: u64, options: &ResetOptions) -> Result<(), EnvError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let parameters = self.simulation.draw(options, &mut rng)?;
        self.is_running = false;
        self.simulation.prepare(&parameters, rng)?;
        self.parameters = parameters;
        self.seat().row.is_active = true;
        Ok(())
    }

    fn start(&mut self) -> Result<(), EnvError> {
        self.simulation.start()
    }

    fn finish_reset(&mut self, observation: &mut [f32]) -> Result<(), EnvError> {
        self.check_observation_range(observation)?;
        self.open(observation);
        Ok(())
    }

    fn advance(&mut self, action: &[f32], observation: &mut [f32]) -> Result<(), EnvError> {
        if !self.is_begun {
            self.begin(action, observation)?;
        }
        self.is_begun = false;
        // Only a finished step can be followed by another one.
        self.is_running = false;
        self.diverged = match self.simulation.advance() {
            Ok(()) => None,
            Err(StepFailure::Diverged(what)) => Some(what),
            Err(StepFailure::Failed(error)) => return Err(error),
        };
        let is_active = self.diverged.is_none();
        self.seat().row.is_active = is_active;
        Ok(())
    }

    fn finish_step(&mut self, observation: &mut [f32]) -> Result<Step, EnvError> {
        self.check_observation_range(observation)?;
        Ok(match self.diverged.take() {
            Some(what) => self.diverge(what),
            None => self.judge(observation),
        })
    }
}
