//! One control step of surgery on tissue: action, organ and instrument, force.

use std::sync::Arc;

use insonate_sim::{CompiledScene, Physics};
use insonate_tissue::TissueError;
use nalgebra::Vector3;
use rand_chacha::ChaCha8Rng;

use super::model::SurgeryModel;
use super::state::SurgeryState;
use super::task::{SurgeryTask, SurgeryTaskSpec};
use super::view::SurgeryView;
use super::worlds::Worlds;
use crate::environment::{Environment, EpisodeEnd, Simulation, StepFailure};
use crate::parameters::{self, Parameter};
use crate::{BoxSpace, EnvError, EnvSpec, ResetOptions};

/// The environment of a task of surgery.
pub type SurgeryEnvironment<T> = Environment<SurgerySimulation<T>>;

/// A task of surgery and the state that it changes.
pub struct SurgerySimulation<T> {
    task: T,
    state: SurgeryState,
    parameters: Vec<Parameter>,
    /// Whether the step could begin.
    begun: Result<(), TissueError>,
    view: SurgeryView,
}

impl<T: SurgeryTask> SurgeryEnvironment<T> {
    /// Environments that advance together where they can, in groups of sixteen; they must be reset before their first steps.
    ///
    /// # Errors
    /// [`EnvError::Tissue`] for an invalid instrument.
    pub fn many(model: &Arc<SurgeryModel>, task: &T, n_envs: usize) -> Result<Vec<Self>, EnvError>
    where
        T: Clone,
    {
        let mut envs = Vec::with_capacity(n_envs);
        while envs.len() < n_envs {
            let n_worlds = Worlds::MAX.min(n_envs - envs.len());
            let worlds = Arc::new(Worlds::new(&model.organ, n_worlds)?);
            for index in 0..n_worlds {
                envs.push(Self::in_world(
                    model.clone(),
                    worlds.clone(),
                    index,
                    task.clone(),
                )?);
            }
        }
        Ok(envs)
    }

    fn in_world(
        model: Arc<SurgeryModel>,
        worlds: Arc<Worlds>,
        index: usize,
        task: T,
    ) -> Result<Self, EnvError> {
        let SurgeryTaskSpec {
            id,
            mut observation_space,
            other_actions,
            reward_terms,
            mut metrics,
            parameters,
        } = task.describe(&model);
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
            parameters: parameters::names(&parameters),
            max_episode_steps: Some(model.time.max_steps),
            control_timestep: model.time.control_timestep,
            // MuJoCo draws, and steps nothing.
            n_substeps: 0,
            reward_terms,
        };
        let above = Vector3::from(model.instrument.workspace_high);
        let simulation = SurgerySimulation {
            task,
            state: SurgeryState::new(model, worlds, index, above)?,
            parameters,
            begun: Ok(()),
            view: SurgeryView::default(),
        };
        Ok(Self::of(spec, simulation))
    }
}

impl<T: SurgeryTask> SurgerySimulation<T> {
    /// Largest displacement along an axis in a step [m].
    fn step_length(&self) -> f64 {
        self.state.model().instrument.step
    }
}

impl<T: SurgeryTask> Simulation for SurgerySimulation<T> {
    fn draw(&mut self, options: &ResetOptions, rng: &mut ChaCha8Rng) -> Result<Vec<f64>, EnvError> {
        parameters::draw(&self.parameters, options, rng)
    }

    fn reset(&mut self, parameters: &[f64], _rng: ChaCha8Rng) -> Result<(), EnvError> {
        self.view.invalidate();
        self.task.reset(&mut self.state, parameters)
    }

    fn set_action(&mut self, action: &[f32]) {
        let step = self.step_length();
        let (moves, other) = action.split_at(3);
        let displacement = Vector3::from_fn(|axis, _| f64::from(moves[axis]) * step);
        let openness = self.task.openness(&self.state, other);
        self.begun = self.state.begin_step(displacement, openness);
    }

    fn group(&self) -> Option<usize> {
        Some(self.state.group())
    }

    fn advance_group(&mut self) {
        self.state.advance_group();
    }

    fn advance(&mut self) -> Result<(), StepFailure> {
        self.view.invalidate();
        std::mem::replace(&mut self.begun, Ok(()))?;
        Ok(self.state.finish_step()?)
    }

    fn reward(&mut self, terms: &mut [f64]) {
        self.task.reward(&self.state, terms);
    }

    fn end(&self) -> Option<EpisodeEnd> {
        self.task.end().map(EpisodeEnd::Terminated)
    }

    fn observe(&self, observation: &mut [f32]) {
        self.task.observe(&self.state, observation);
        if self.state.model().observes_force
            && let Some(last) = observation.last_mut()
        {
            *last = self.state.force() as f32;
        }
    }

    fn metrics(&self, metrics: &mut [f64]) {
        if let Some((peak_force, own)) = metrics.split_last_mut() {
            self.task.write_metrics(&self.state, own);
            *peak_force = self.state.peak_force();
        }
    }

    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        let (moves, other) = action.split_at_mut(3);
        let displacement = self.task.scripted_action(&self.state, other) / self.step_length();
        // As far as the longest axis goes, so that the path stays straight.
        let displacement = displacement / displacement.amax().max(1.0);
        for (axis, value) in moves.iter_mut().enumerate() {
            *value = displacement[axis].clamp(-1.0, 1.0) as f32;
        }
        true
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        let marks = self.task.marks(&self.state);
        let physics = self.view.physics(&self.state, &marks)?;
        Some((&self.state.model().scene, physics))
    }
}
