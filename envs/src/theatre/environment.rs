//! An environment made of a procedure.

use std::sync::Arc;

use insonate_sim::{CompiledScene, Physics};
use insonate_tissue::TissueError;
use nalgebra::Vector3;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::operation::Operation;
use super::organ::Theatre;
use super::picture::Easel;
use crate::parameters::{self, Parameter};
use crate::{BoxSpace, EndReason, Env, EnvError, EnvSpec, ResetOptions, Step};

/// What a procedure says of itself.
#[derive(Debug, Clone)]
pub struct Description {
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

/// What to do in an operation.
pub trait Procedure: Send {
    /// What it says of itself; the same for life.
    fn describe(&self) -> Description;

    /// Begins an episode with these random numbers.
    ///
    /// # Errors
    /// [`EnvError::Config`] for numbers that cannot be.
    fn begin(&mut self, operation: &mut Operation, values: &[f64]) -> Result<(), EnvError>;

    /// Does the action: a way to go [m], and what else there is.
    ///
    /// # Errors
    /// As [`Operation::go`].
    fn act(
        &mut self,
        operation: &mut Operation,
        way: Vector3<f64>,
        other: &[f32],
    ) -> Result<(), TissueError>;

    /// Writes the weighted reward terms of the step just done; the end that it brought, in words.
    fn judge(&mut self, operation: &Operation, terms: &mut [f64]) -> Option<&'static str>;

    /// Writes what is seen.
    fn observe(&self, operation: &Operation, observation: &mut [f32]);

    /// Writes what is measured; `return_` is the sum of rewards so far.
    fn write_metrics(&self, operation: &Operation, return_: f64, metrics: &mut [f64]);

    /// The scripted policy: a way to go [m], with what else there is.
    fn script(&self, operation: &Operation, other: &mut [f32]) -> Vector3<f64>;

    /// Places to mark in pictures [m].
    fn marks(&self, operation: &Operation) -> [Option<Vector3<f64>>; 2];
}

/// An environment of a procedure.
pub struct TissueEnvironment<P> {
    spec: EnvSpec,
    procedure: P,
    operation: Operation,
    known: Vec<Parameter>,
    values: Vec<f64>,
    terms: Vec<f64>,
    return_: f64,
    n_steps: usize,
    is_ready: bool,
    end: Option<EndReason>,
    easel: Easel,
}

impl<P: Procedure> TissueEnvironment<P> {
    /// An environment; it must be reset before its first step.
    ///
    /// # Errors
    /// [`EnvError::Tissue`] for an instrument that cannot be.
    pub fn new(theatre: Arc<Theatre>, procedure: P) -> Result<Self, EnvError> {
        let Description {
            id,
            mut observation_space,
            other_actions,
            reward_terms,
            mut metrics,
            parameters: known,
        } = procedure.describe();
        if theatre.observes_force {
            observation_space.push("force [N]", 0.0, f32::INFINITY);
        }
        metrics.push("peak_force_n");
        let unit = theatre.instrument.step;
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
            max_episode_steps: Some(theatre.time.max_steps),
            control_timestep: theatre.time.control_timestep,
            // MuJoCo draws, and steps nothing.
            n_substeps: 0,
            reward_terms,
        };
        let above = Vector3::from(theatre.instrument.workspace_high);
        Ok(Self {
            procedure,
            operation: Operation::new(theatre, above)?,
            values: vec![f64::NAN; known.len()],
            known,
            terms: vec![0.0; spec.reward_terms.len()],
            return_: 0.0,
            n_steps: 0,
            is_ready: false,
            end: None,
            easel: Easel::default(),
            spec,
        })
    }

    /// Organ and instrument.
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    fn observe(&self, observation: &mut [f32]) {
        self.procedure.observe(&self.operation, observation);
        if self.operation.theatre().observes_force
            && let Some(last) = observation.last_mut()
        {
            *last = self.operation.force() as f32;
        }
    }
}

impl<P: Procedure> Env for TissueEnvironment<P> {
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
        self.procedure.begin(&mut self.operation, &values)?;
        self.values = values;
        self.terms.fill(0.0);
        (self.return_, self.n_steps) = (0.0, 0);
        self.is_ready = true;
        self.end = None;
        self.easel.turn();
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
        let step = self.operation.theatre().instrument.step;
        let way = Vector3::from_fn(|axis, _| f64::from(moves[axis]) * step);
        self.n_steps += 1;
        self.easel.turn();
        // (action) => organ, instrument
        let mut terminated = true;
        match self.procedure.act(&mut self.operation, way, other) {
            Err(error @ TissueError::Diverged { .. }) => {
                self.terms.fill(0.0);
                self.end = Some(EndReason::Diverged(error.to_string()));
            }
            Err(error) => return Err(error.into()),
            Ok(()) => {
                // (organ, instrument) => reward, end
                let end = self.procedure.judge(&self.operation, &mut self.terms);
                terminated = end.is_some();
                self.end = end.map(EndReason::Task);
            }
        }
        let truncated = !terminated && self.n_steps >= self.operation.theatre().time.max_steps;
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
        self.procedure
            .write_metrics(&self.operation, self.return_, &mut metrics[..n_own]);
        metrics[n_own] = self.operation.peak_force();
    }

    fn parameters(&self) -> &[f64] {
        &self.values
    }

    fn end_reason(&self) -> Option<EndReason> {
        self.end.clone()
    }

    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        let (moves, other) = action.split_at_mut(3);
        let way = self.procedure.script(&self.operation, other)
            / self.operation.theatre().instrument.step;
        // As far as the longest axis goes, so that the way stays straight.
        let way = way / way.amax().max(1.0);
        for (axis, value) in moves.iter_mut().enumerate() {
            *value = way[axis].clamp(-1.0, 1.0) as f32;
        }
        true
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        let marks = self.procedure.marks(&self.operation);
        let physics = self.easel.show(&self.operation, &marks)?;
        Some((&self.operation.theatre().scene, physics))
    }
}
