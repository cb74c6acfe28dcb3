//! An environment made of a task.

use std::sync::Arc;

use insonate_sim::{CompiledScene, Physics};
use insonate_tissue::TissueError;
use nalgebra::Vector3;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::model::SurgeryModel;
use super::state::SurgeryState;
use super::view::SurgeryView;
use crate::parameters::{self, Parameter};
use crate::{BoxSpace, EndReason, Env, EnvError, EnvSpec, ResetOptions, Step};

/// What a task says of itself.
#[derive(Debug, Clone)]
pub struct SurgeryTaskSpec {
    /// The task's name.
    pub id: &'static str,
    /// What is seen, without the force.
    pub observation_space: BoxSpace,
    /// What is done besides moving.
    pub other_actions: BoxSpace,
    /// Names of the weighted reward terms.
    pub reward_terms: Vec<&'static str>,
    /// Names of what is measured, `success` first, without `peak_force_n`, which all have as the last.
    pub metrics: Vec<&'static str>,
    /// Random numbers of an episode.
    pub parameters: Vec<Parameter>,
}

/// What to do in an state.
pub trait SurgeryTask: Send {
    /// What it says of itself; the same for life.
    fn describe(&self) -> SurgeryTaskSpec;

    /// Begins an episode with these random numbers.
    ///
    /// # Errors
    /// [`EnvError::Config`] for numbers that cannot be.
    fn reset(&mut self, state: &mut SurgeryState, values: &[f64]) -> Result<(), EnvError>;

    /// Does the action: a way to go [m], and what else there is.
    ///
    /// # Errors
    /// As [`SurgeryState::go`].
    fn act(
        &mut self,
        state: &mut SurgeryState,
        way: Vector3<f64>,
        other: &[f32],
    ) -> Result<(), TissueError>;

    /// Writes the weighted reward terms of the step just done; the end that it brought, in words.
    fn judge(&mut self, state: &SurgeryState, terms: &mut [f64]) -> Option<&'static str>;

    /// Writes what is seen.
    fn observe(&self, state: &SurgeryState, observation: &mut [f32]);

    /// Writes what is measured; `return_` is the sum of rewards so far.
    fn write_metrics(&self, state: &SurgeryState, return_: f64, metrics: &mut [f64]);

    /// The scripted policy: a way to go [m], with what else there is.
    fn script(&self, state: &SurgeryState, other: &mut [f32]) -> Vector3<f64>;

    /// Places to mark in pictures [m].
    fn marks(&self, state: &SurgeryState) -> [Option<Vector3<f64>>; 2];
}

/// An environment of a task.
pub struct SurgeryEnvironment<P> {
    spec: EnvSpec,
    task: P,
    state: SurgeryState,
    known: Vec<Parameter>,
    values: Vec<f64>,
    terms: Vec<f64>,
    return_: f64,
    n_steps: usize,
    is_ready: bool,
    end: Option<EndReason>,
    view: SurgeryView,
}

impl<P: SurgeryTask> SurgeryEnvironment<P> {
    /// An environment; it must be reset before its first step.
    ///
    /// # Errors
    /// [`EnvError::Tissue`] for an instrument that cannot be.
    pub fn new(model: Arc<SurgeryModel>, task: P) -> Result<Self, EnvError> {
        let SurgeryTaskSpec {
            id,
            mut observation_space,
            other_actions,
            reward_terms,
            mut metrics,
            parameters: known,
        } = task.describe();
        if model.observes_force {
            observation_space.push("force [N]", 0.0, f32::INFINITY);
        }
        metrics.push("peak_force_n");
        let unit = model.instrument.step;
        let mut action_space = BoxSpace::default();
        for axis in ["x", "y", "z"] {
            action_space.push(format!("move_{axis} [{unit} m]"), -1.0, 1.0);
        }
        action_space.extend(other_actions);
        let spec = EnvSpec {
            id: id.to_owned(),
            observation_space,
            action_space,
            metrics,
            parameters: parameters::names(&known),
            max_episode_steps: Some(model.time.max_steps),
            control_timestep: model.time.control_timestep,
            // MuJoCo draws, and steps nothing.
            n_substeps: 0,
            reward_terms,
        };
        let above = Vector3::from(model.instrument.workspace_high);
        Ok(Self {
            task,
            state: SurgeryState::new(model, above)?,
            values: vec![f64::NAN; known.len()],
            known,
            terms: vec![0.0; spec.reward_terms.len()],
            return_: 0.0,
            n_steps: 0,
            is_ready: false,
            end: None,
            view: SurgeryView::default(),
            spec,
        })
    }

    /// Organ and instrument.
    pub fn state(&self) -> &SurgeryState {
        &self.state
    }

    fn observe(&self, observation: &mut [f32]) {
        self.task.observe(&self.state, observation);
        if self.state.model().observes_force
            && let Some(last) = observation.last_mut()
        {
            *last = self.state.force() as f32;
        }
    }
}

impl<P: SurgeryTask> Env for SurgeryEnvironment<P> {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        let n_obs = self.spec.observation_space.len();
        EnvError::check_length("observation", observation.len(), n_obs)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let drawn = self.known.iter().map(|parameter| parameter.draw(&mut rng));
        let mut values: Vec<f64> = drawn.collect();
        parameters::fix(&self.known, options, &mut values)?;
        self.task.reset(&mut self.state, &values)?;
        self.values = values;
        self.terms.fill(0.0);
        (self.return_, self.n_steps) = (0.0, 0);
        self.is_ready = true;
        self.end = None;
        self.view.invalidate();
        self.observe(observation);
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        if !self.is_ready || self.end.is_some() {
            return Err(EnvError::Order(
                "reset must come before the first step and after the end of an episode",
            ));
        }
        let n_obs = self.spec.observation_space.len();
        EnvError::check_length("observation", observation.len(), n_obs)?;
        self.spec.action_space.check("action", action)?;
        let (moves, other) = action.split_at(3);
        let step = self.state.model().instrument.step;
        let way = Vector3::from_fn(|axis, _| f64::from(moves[axis]) * step);
        self.n_steps += 1;
        self.view.invalidate();
        // (action) => organ, instrument
        let mut terminated = true;
        match self.task.act(&mut self.state, way, other) {
            Err(error @ TissueError::Diverged { .. }) => {
                self.terms.fill(0.0);
                self.end = Some(EndReason::Diverged(error.to_string()));
            }
            Err(error) => return Err(error.into()),
            Ok(()) => {
                // (organ, instrument) => reward, end
                let end = self.task.judge(&self.state, &mut self.terms);
                terminated = end.is_some();
                self.end = end.map(EndReason::Task);
            }
        }
        let truncated = !terminated && self.n_steps >= self.state.model().time.max_steps;
        if truncated {
            self.end = Some(EndReason::TimeLimit);
        }
        let reward = self.terms.iter().sum();
        self.return_ += reward;
        self.observe(observation);
        Ok(Step {
            reward,
            terminated,
            truncated,
        })
    }

    fn reward_terms(&self) -> &[f64] {
        &self.terms
    }

    fn metrics(&self, metrics: &mut [f64]) {
        let n_own = self.spec.metrics.len() - 1;
        self.task
            .write_metrics(&self.state, self.return_, &mut metrics[..n_own]);
        metrics[n_own] = self.state.peak_force();
    }

    fn parameters(&self) -> &[f64] {
        &self.values
    }

    fn end_reason(&self) -> Option<EndReason> {
        self.end.clone()
    }

    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        let (moves, other) = action.split_at_mut(3);
        let way = self.task.script(&self.state, other) / self.state.model().instrument.step;
        // As far as the longest axis goes, so that the way stays straight.
        let way = way / way.amax().max(1.0);
        for (axis, value) in moves.iter_mut().enumerate() {
            *value = way[axis].clamp(-1.0, 1.0) as f32;
        }
        true
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        let marks = self.task.marks(&self.state);
        let physics = self.view.physics(&self.state, &marks)?;
        Some((&self.state.model().scene, physics))
    }
}
