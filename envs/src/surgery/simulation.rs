//! One control step of surgery on tissue: action, organ and instrument, force.

use std::sync::Arc;

use insonate_sim::{CompiledScene, Physics};
use insonate_tissue::TissueError;
use nalgebra::Vector3;
use rand_chacha::ChaCha8Rng;

use super::model::SurgeryModel;
use super::settings::SurgeryRobot;
use super::state::SurgeryState;
use super::task::{SurgeryTask, SurgeryTaskSpec};
use super::view::SurgeryView;
use super::worlds::Worlds;
use crate::environment::{Environment, EpisodeEnd, Simulation, StepFailure};
use crate::parameters::{self, Parameter};
use crate::{BoxSpace, EnvError, EnvSpec, NamedValues as _, ResetOptions};

/// The environment of a surgery task.
pub type SurgeryEnvironment<T> = Environment<SurgerySimulation<T>>;

/// Observed quantities of an arm.
const ARM_ENTRIES: [&str; 6] = [
    "yaw [rad]",
    "pitch [rad]",
    "insertion [m]",
    "yaw_torque [N m]",
    "pitch_torque [N m]",
    "insertion_force [N]",
];

/// A surgery task and its state.
pub struct SurgerySimulation<T> {
    task: T,
    state: SurgeryState,
    parameters: Vec<Parameter>,
    /// Error of the start of the step, if any.
    begun: Result<(), TissueError>,
    view: SurgeryView,
}

impl<T: SurgeryTask> SurgeryEnvironment<T> {
    /// Creates environments that advance together in groups of up to sixteen. They must be reset before their first steps.
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
            parameters,
        } = task.describe(&model);
        if model.observation.force {
            let force = BoxSpace::default().with("force [N]", 0.0, f32::INFINITY);
            observation_space.extend(force.filtered("mean over the control step"));
        }
        if model.observation.joints {
            for name in ARM_ENTRIES {
                observation_space.push(name, f32::NEG_INFINITY, f32::INFINITY);
            }
        }
        let mut metrics = T::Metrics::names();
        metrics.push("peak_force_n");
        if model.robot == SurgeryRobot::Psm {
            metrics.push("peak_torque_share");
        }
        let unit = model.instrument.step;
        let mut action_space = BoxSpace::default();
        for axis in ["x", "y", "z"] {
            action_space.push(format!("move_{axis} [{unit} m]"), -1.0, 1.0);
        }
        let mut action_space = action_space.in_frame("world");
        action_space.extend(other_actions);
        let spec = EnvSpec {
            id: id.to_owned(),
            observation_space,
            action_space,
            metrics,
            parameters: parameters::names(&parameters),
            max_episode_steps: Some(model.time.max_steps),
            control_timestep: model.time.control_timestep,
            // MuJoCo only renders.
            n_substeps: 0,
            reward_terms: T::Terms::names(),
            costs: Vec::new(),
            observation_groups: Vec::new(),
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
    /// Maximum displacement along an axis per step [m].
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
        self.task.reward(&self.state).write(terms);
    }

    fn end(&self) -> Option<EpisodeEnd> {
        self.task.end()
    }

    fn observe(&self, observation: &mut [f32]) {
        self.task.observe(&self.state, observation);
        let seen = &self.state.model().observation;
        let force = seen.force.then(|| self.state.force());
        let arm = self.state.arm().filter(|_| seen.joints);
        let arm = arm.map(|arm| [arm.joints(), arm.torques()]);
        let others: Vec<f64> = force
            .into_iter()
            .chain(arm.iter().flatten().flatten().copied())
            .collect();
        let first = observation.len() - others.len();
        for (to, from) in observation[first..].iter_mut().zip(others) {
            *to = from as f32;
        }
    }

    fn metrics(&self, metrics: &mut [f64]) {
        let arm = self.state.arm();
        let (own, shared) = metrics.split_at_mut(T::Metrics::LEN);
        self.task.metrics(&self.state).write(own);
        shared[0] = self.state.peak_force();
        if let Some(arm) = arm {
            shared[1] = arm.peak_torque_share();
        }
    }

    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        let (moves, other) = action.split_at_mut(3);
        let displacement = self.task.scripted_action(&self.state, other) / self.step_length();
        // Scaled to the limit of the largest component, so that the path stays straight.
        let displacement = displacement / displacement.amax().max(1.0);
        for (axis, value) in moves.iter_mut().enumerate() {
            *value = displacement[axis].clamp(-1.0, 1.0) as f32;
        }
        true
    }

    fn tool_force(&self) -> Option<f64> {
        Some(self.state.force())
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        let marks = self.task.marks(&self.state);
        let physics = self.view.physics(&self.state, &marks)?;
        Some((&self.state.model().scene, physics))
    }
}
