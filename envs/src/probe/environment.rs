//! One environment of a task: the step that ties action, physics, observation, reward and end together.

use std::collections::VecDeque;
use std::sync::Arc;

use insonate_sim::{CompiledScene, Physics};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::actions::{ActionMode, ActionSettings};
use crate::camera::Camera;
use crate::probe::observation::{WrenchMeasurement, observe};
use crate::probe::{
    EpisodeEnd, ObservationSettings, ProbeTask, SceneSet, SceneSettings, SceneState,
};
use crate::randomization::{EpisodeParameters, RandomizationSettings};
use crate::settings::check_range;
use crate::wrappers::FrameStack;
use crate::{EndReason, Env, EnvError, EnvSpec, ResetOptions, Step};

/// Settings of a task with a probe: what all have, and its own, `S`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeTaskSettings<S> {
    /// Time.
    pub time: TimeSettings,
    /// What stands in the scene.
    pub scene: SceneSettings,
    /// How actions act.
    pub action: ActionSettings,
    /// What is observed.
    pub observation: ObservationSettings,
    /// What differs between episodes.
    pub randomization: RandomizationSettings,
    /// The task's own.
    pub task: S,
}

/// Length of a step and of an episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeSettings {
    /// Length of a control step [s]; a multiple of the physics step.
    pub control_timestep: f64,
    /// Time after which an episode is truncated [s].
    pub limit: f64,
}

impl Default for TimeSettings {
    fn default() -> Self {
        Self {
            control_timestep: 0.02,
            limit: 4.0,
        }
    }
}

impl<S> ProbeTaskSettings<S> {
    /// Physics steps in a control step.
    ///
    /// # Errors
    /// [`EnvError::Config`] where the control step is no multiple of the physics step.
    pub fn n_substeps(&self) -> Result<usize, EnvError> {
        let ratio = self.time.control_timestep / self.scene.physics_timestep;
        let whole = ratio.round();
        if whole < 1.0 || (ratio - whole).abs() > 1e-6 * whole {
            return Err(EnvError::Config {
                field: "time.control_timestep".to_owned(),
                problem: format!(
                    "is {} s, but must be a multiple of scene.physics_timestep = {} s",
                    self.time.control_timestep, self.scene.physics_timestep
                ),
            });
        }
        Ok(whole as usize)
    }

    /// Control steps after which an episode is truncated.
    pub fn max_episode_steps(&self) -> usize {
        ((self.time.limit / self.time.control_timestep).round() as usize).max(1)
    }

    /// Fails for settings that cannot be.
    ///
    /// # Errors
    /// [`EnvError::Config`], [`EnvError::Unknown`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_range(
            "time.control_timestep",
            self.time.control_timestep,
            1e-4,
            1.0,
        )?;
        check_range("time.limit", self.time.limit, 0.02, 600.0)?;
        self.scene.check()?;
        self.action.check()?;
        self.observation.check()?;
        self.randomization.check()?;
        self.n_substeps().map(|_| ())
    }
}

/// A task with its state.
pub struct ProbeEnvironment<T> {
    spec: EnvSpec,
    observed: ObservationSettings,
    scenes: Arc<SceneSet>,
    task: T,
    state: SceneState,
    action: Box<dyn ActionMode>,
    measured: WrenchMeasurement,
    camera: Option<Camera>,
    episode: EpisodeParameters,
    parameters: Vec<f64>,
    rng: ChaCha8Rng,
    /// Actions on their way, the oldest first.
    pending: VecDeque<Vec<f32>>,
    acting: Vec<f32>,
    terms: Vec<f64>,
    n_steps: usize,
    is_running: bool,
    end: Option<EndReason>,
}

impl<T> std::fmt::Debug for ProbeEnvironment<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProbeEnvironment")
            .field("spec", &self.spec)
            .field("episode", &self.episode)
            .field("n_steps", &self.n_steps)
            .finish_non_exhaustive()
    }
}

impl<T: ProbeTask> ProbeEnvironment<T> {
    /// An environment of a task; it must be reset before its first step.
    ///
    /// # Errors
    /// As [`SceneState::new`], [`ActionSettings::make`] and [`Camera::new`].
    pub fn new<S>(
        id: &str,
        settings: &ProbeTaskSettings<S>,
        scenes: Arc<SceneSet>,
        task: T,
    ) -> Result<Self, EnvError> {
        let state = SceneState::new(scenes.first().clone())?;
        let action = settings.action.make(&state)?;
        let action_space = action.space();
        let mut observation_space = settings.observation.space(&state, action_space.len());
        observation_space.extend(task.observation_space());
        let seen = &settings.observation.camera;
        let camera = seen
            .is_on()
            .then(|| Camera::new(seen, scenes.render_thread()?, &state))
            .transpose()?;
        observation_space.extend(seen.space()?);
        let spec = EnvSpec {
            id: id.to_owned(),
            reward_terms: task.reward_terms(),
            metrics: task.metrics(),
            parameters: scenes.active().names(),
            max_episode_steps: Some(settings.max_episode_steps()),
            control_timestep: settings.time.control_timestep,
            n_substeps: settings.n_substeps()?,
            observation_space,
            action_space,
        };
        Ok(Self {
            acting: vec![0.0; spec.action_space.len()],
            terms: vec![0.0; spec.reward_terms.len()],
            parameters: vec![f64::NAN; spec.parameters.len()],
            measured: WrenchMeasurement::default(),
            camera,
            episode: EpisodeParameters::default(),
            rng: ChaCha8Rng::seed_from_u64(0),
            pending: VecDeque::new(),
            n_steps: 0,
            is_running: false,
            end: None,
            spec,
            observed: settings.observation.clone(),
            scenes,
            task,
            state,
            action,
        })
    }

    /// The environment as others see it, its observations stacked as the settings say.
    pub fn boxed(self) -> Box<dyn Env>
    where
        T: 'static,
    {
        match self.observed.n_stack {
            1 => Box::new(self),
            n => Box::new(FrameStack::new(self, n)),
        }
    }

    /// Advances by a control step; the divergence ends the episode.
    fn advance(&mut self) -> Result<(), insonate_sim::Divergence> {
        for _ in 0..self.spec.n_substeps {
            // (time) => goal, torso's motion
            self.state.move_patient(&self.episode);
            self.task.before_substep(&mut self.state);
            // (goal, action, state) => torques
            self.action.control(&mut self.state);
            // (torques) => state
            self.state.physics.step()?;
            // (state) => the probe's state
            self.state.read_probe();
            self.measured.accumulate(&self.state);
            self.task.after_substep(&self.state);
        }
        Ok(())
    }

    fn write_observation(&self, observation: &mut [f32]) {
        let rest = observe(
            &self.observed,
            &self.state,
            &self.measured,
            &self.acting,
            observation,
        );
        let pixels = self.camera.as_ref().map_or(&[][..], Camera::pixels);
        let (rest, picture) = rest.split_at_mut(rest.len() - pixels.len());
        picture.copy_from_slice(pixels);
        self.task.observe(&self.state, rest);
    }

    fn look(&mut self) -> Result<(), EnvError> {
        match &mut self.camera {
            Some(camera) => camera.shoot(&self.state),
            None => Ok(()),
        }
    }

    /// Takes a new action and gives the one that acts now.
    fn delay(&mut self, action: &[f32]) {
        if self.episode.latency == 0 {
            self.acting.copy_from_slice(action);
            return;
        }
        let mut slot = self.pending.pop_front().unwrap_or_default();
        self.acting.copy_from_slice(&slot);
        slot.copy_from_slice(action);
        self.pending.push_back(slot);
    }

    fn finish(&mut self, divergence: &insonate_sim::Divergence) -> Step {
        self.task.diverged(divergence);
        self.terms.fill(0.0);
        self.end = Some(EndReason::Diverged(divergence.to_string()));
        self.is_running = false;
        Step {
            reward: 0.0,
            terminated: true,
            truncated: false,
        }
    }
}

impl<T: ProbeTask> Env for ProbeEnvironment<T> {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        check_length(observation, &self.spec)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (episode, parameters) = EpisodeParameters::draw(
            self.scenes.randomization(),
            self.scenes.active(),
            options,
            &mut rng,
        )?;
        self.is_running = false;
        self.scenes.prepare(&mut self.state, &episode)?;
        self.task.reset(&mut self.state, &episode, &mut rng)?;
        self.action.reset(&self.state);
        self.measured.reset();
        self.measured.accumulate(&self.state);
        self.measured
            .measure(&self.state, &episode, self.spec.control_timestep, &mut rng);
        self.pending.clear();
        let n_actions = self.spec.action_space.len();
        self.pending
            .extend((0..episode.latency).map(|_| vec![0.0; n_actions]));
        self.acting.fill(0.0);
        self.terms.fill(0.0);
        (self.episode, self.parameters, self.rng) = (episode, parameters, rng);
        (self.n_steps, self.end) = (0, None);
        self.look()?;
        self.is_running = true;
        self.write_observation(observation);
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        if !self.is_running {
            return Err(EnvError::Order(
                "a step needs a running episode: call reset first",
            ));
        }
        check_length(observation, &self.spec)?;
        self.spec.action_space.check("action", action)?;
        self.delay(action);
        let acting = std::mem::take(&mut self.acting);
        self.action.set_action(&self.state, &acting);
        self.acting = acting;
        // What is observed should the simulation diverge.
        self.write_observation(observation);
        if let Err(divergence) = self.advance() {
            return Ok(self.finish(&divergence));
        }
        self.measured.measure(
            &self.state,
            &self.episode,
            self.spec.control_timestep,
            &mut self.rng,
        );
        self.n_steps += 1;
        self.task.reward(&self.state, action, &mut self.terms);
        self.look()?;
        self.write_observation(observation);
        let end = self.task.end(&self.state);
        let step = Step {
            reward: self.terms.iter().sum(),
            terminated: matches!(end, Some(EpisodeEnd::Terminated(_))),
            truncated: !matches!(end, Some(EpisodeEnd::Terminated(_)))
                && (end.is_some() || Some(self.n_steps) >= self.spec.max_episode_steps),
        };
        self.end = match end {
            Some(EpisodeEnd::Terminated(reason)) => Some(EndReason::Task(reason)),
            _ if step.truncated => Some(EndReason::TimeLimit),
            _ => None,
        };
        self.is_running = !step.is_over();
        Ok(step)
    }

    fn reward_terms(&self) -> &[f64] {
        &self.terms
    }

    fn metrics(&self, metrics: &mut [f64]) {
        self.task.write_metrics(metrics);
    }

    fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    fn end_reason(&self) -> Option<EndReason> {
        self.end.clone()
    }

    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        self.task.scripted_action(&self.state, action)
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        Some((&self.state.model.compiled, &self.state.physics))
    }
}

fn check_length(observation: &[f32], spec: &EnvSpec) -> Result<(), EnvError> {
    if observation.len() == spec.observation_space.len() {
        return Ok(());
    }
    Err(EnvError::Length {
        what: "observation",
        expected: spec.observation_space.len(),
        found: observation.len(),
    })
}
