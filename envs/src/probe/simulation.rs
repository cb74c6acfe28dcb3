//! One control step of a task with a probe: action, torques, physics, measurement.

use std::collections::VecDeque;
use std::sync::Arc;

use insonate_sim::verdict::{Judge, RunWatch, Verdict, VerdictLimits};
use insonate_sim::{CompiledScene, Divergence, Physics};
use rand::{RngCore as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::imaging::Imaging;
use super::observation::observe;
use super::wrench_measurement::WrenchMeasurement;
use super::{ObservationSettings, ProbeTask, ProbeTaskSettings, SceneSet, SceneState};
use crate::actions::ActionMode;
use crate::camera::Camera;
use crate::environment::{Environment, EpisodeEnd, Simulation, StepFailure};
use crate::frame_stack::FrameStack;
use crate::randomization::EpisodeParameters;
use crate::ultrasound::TorsoScene;
use crate::{
    BatchSeat, EndReason, Env, EnvError, EnvSpec, NamedValues as _, ObservationGroup, ResetOptions,
};

/// The environment of a task with a probe.
pub type ProbeEnvironment<T> = Environment<ProbeSimulation<T>>;

/// A task with a probe and its state.
pub struct ProbeSimulation<T> {
    observed: ObservationSettings,
    n_substeps: usize,
    /// Whether the controller of the action mode reads the sensor, with its noise.
    has_noisy_feedback: bool,
    control_timestep: f64,
    scenes: Arc<SceneSet>,
    task: T,
    state: SceneState,
    mode: Box<dyn ActionMode>,
    measured: WrenchMeasurement,
    limits: VerdictLimits,
    watch: RunWatch,
    camera: Option<Camera>,
    imaging: Option<Imaging>,
    episode: EpisodeParameters,
    rng: ChaCha8Rng,
    /// The requested action, and the action that is applied.
    requested: Vec<f32>,
    acting: Vec<f32>,
    /// Actions delayed by latency, oldest first.
    pending: VecDeque<Vec<f32>>,
    /// Completed physics steps of this control step, and whether the next one is announced.
    n_done: usize,
    is_announced: bool,
}

impl<T: ProbeTask> ProbeEnvironment<T> {
    /// Creates an environment of a task. It must be reset before its first step.
    ///
    /// # Errors
    /// Those of [`SceneState::new`], [`ActionSettings::make`](crate::actions::ActionSettings::make) and [`Camera::new`].
    pub fn new<S>(
        id: &str,
        settings: &ProbeTaskSettings<S>,
        scenes: Arc<SceneSet>,
        task: T,
    ) -> Result<Self, EnvError> {
        let mut state = SceneState::new(scenes.first().clone())?;
        if settings.observation.pressure {
            if state.physics.has_torso_on_gpu() {
                return Err(EnvError::Config {
                    field: "observation.pressure".to_owned(),
                    problem: "needs scene.device = \"cpu\": a torso on a GPU does not say where it pushes"
                        .to_owned(),
                });
            }
            state.measure_pressure();
        }
        let mode = settings.action.make(&state)?;
        let action_space = mode.space();
        let n_actions = action_space.len();
        let mut observation_space = settings.observation.space(&state, n_actions);
        observation_space.extend(task.observation_space());
        let mut observation_groups = vec![ObservationGroup::state(observation_space.len())];
        let camera_settings = &settings.observation.camera;
        let camera = camera_settings
            .is_on()
            .then(|| Camera::new(camera_settings, scenes.render_thread()?, &state))
            .transpose()?;
        observation_space.extend(camera_settings.space()?);
        observation_groups.extend(camera_settings.group()?);
        let ultrasound_settings = &settings.observation.ultrasound;
        let imaging = Imaging::new(ultrasound_settings, &scenes, &mut state)?;
        observation_space.extend(ultrasound_settings.space()?);
        observation_groups.extend(ultrasound_settings.groups()?);
        let spec = EnvSpec {
            id: id.to_owned(),
            reward_terms: task.term_names(),
            costs: task.cost_names(),
            metrics: task.metric_names(),
            parameters: scenes.active().names(),
            max_episode_steps: Some(settings.max_episode_steps()),
            control_timestep: settings.time.control_timestep,
            n_substeps: settings.n_substeps()?,
            observation_space,
            observation_groups,
            action_space,
        };
        let simulation = ProbeSimulation {
            observed: settings.observation.clone(),
            n_substeps: spec.n_substeps,
            has_noisy_feedback: settings.action.reads_sensor(),
            control_timestep: spec.control_timestep,
            limits: settings.verdict,
            watch: RunWatch::new(&state.physics)?,
            scenes,
            task,
            state,
            mode,
            measured: WrenchMeasurement::default(),
            camera,
            imaging,
            episode: EpisodeParameters::default(),
            rng: ChaCha8Rng::seed_from_u64(0),
            requested: vec![0.0; n_actions],
            acting: vec![0.0; n_actions],
            pending: VecDeque::new(),
            n_done: 0,
            is_announced: false,
        };
        Ok(Self::of(spec, simulation))
    }

    /// The environment, with observations stacked according to the settings.
    pub fn boxed(self) -> Box<dyn Env>
    where
        T: 'static,
    {
        match self.simulation().observed.n_stack {
            1 => Box::new(self),
            n => Box::new(FrameStack::new(self, n)),
        }
    }
}

impl<T: ProbeTask> ProbeSimulation<T> {
    fn measure(&mut self) {
        let (state, episode) = (&self.state, &self.episode);
        self.measured
            .measure(state, episode, self.control_timestep, &mut self.rng);
    }

    /// First half of a physics step: goal, torso's motion, torques.
    fn begin_substep(&mut self) {
        // (time) => goal, torso's motion
        self.state.move_patient(&self.episode);
        self.task.before_substep(&mut self.state);
        // (goal, action, state) => torques
        self.mode.control(&mut self.state);
    }

    /// Second half of a physics step.
    fn end_substep(&mut self) -> Result<(), Divergence> {
        // (torques) => state
        self.state.physics.step()?;
        self.is_announced = false;
        // (state) => pose and wrench of the probe
        self.state.read_probe();
        self.state.sense_force();
        self.watch.see(&self.state.physics);
        self.measured.accumulate(&self.state);
        self.task.after_substep(&self.state);
        self.n_done += 1;
        if self.task.stops() {
            self.n_done = self.n_substeps;
        }
        Ok(())
    }

    /// Writes the state for a batch task.
    fn record(&mut self) {
        if let Some(seat) = self.task.batch() {
            seat.row
                .record(&self.state, &self.measured, &self.requested);
        }
    }

    fn take_pictures(&mut self) -> Result<(), EnvError> {
        if let Some(camera) = &mut self.camera {
            camera.shoot(&self.state)?;
        }
        match &mut self.imaging {
            Some(imaging) => imaging.take_frame(self.task.imaging(), &self.state),
            None => Ok(()),
        }
    }
}

impl<T: ProbeTask> Simulation for ProbeSimulation<T> {
    fn draw(&mut self, options: &ResetOptions, rng: &mut ChaCha8Rng) -> Result<Vec<f64>, EnvError> {
        let (ranges, active) = (self.scenes.randomization(), self.scenes.active());
        let (episode, listed) = EpisodeParameters::draw(ranges, active, options, rng)?;
        self.episode = episode;
        Ok(listed)
    }

    fn reset(&mut self, parameters: &[f64], rng: ChaCha8Rng) -> Result<(), EnvError> {
        self.prepare(parameters, rng)?;
        self.start()
    }

    fn batch(&mut self) -> Option<&mut BatchSeat> {
        self.task.batch()
    }

    fn prepare(&mut self, parameters: &[f64], mut rng: ChaCha8Rng) -> Result<(), EnvError> {
        self.scenes.prepare(&mut self.state, &self.episode)?;
        if let Some(imaging) = &mut self.imaging {
            imaging.reset(&self.scenes, &mut self.state, &self.episode)?;
        }
        self.requested.fill(0.0);
        if let Some(seat) = self.task.batch() {
            seat.row.seed = rng.next_u64();
            seat.row.parameters = parameters.to_vec();
            self.state.read_probe();
            self.state.start_sensor(&self.episode);
            self.measured.reset();
            self.record();
        }
        self.rng = rng;
        Ok(())
    }

    fn start(&mut self) -> Result<(), EnvError> {
        let (state, rng) = (&mut self.state, &mut self.rng);
        self.task.reset(state, &self.episode, rng)?;
        self.state.check_start()?;
        if let (Some(imaging), Some(task)) = (&mut self.imaging, self.task.imaging()) {
            imaging.take_references(task, &self.scenes, &mut self.state, &self.episode)?;
        }
        self.watch.restart();
        self.state.start_sensor(&self.episode);
        if self.has_noisy_feedback {
            let (n, rng) = (self.n_substeps, &mut self.rng);
            self.state.sensor.add_noise(&self.episode, n, rng);
        }
        self.mode.reset(&self.state);
        self.measured.reset();
        self.measured.accumulate(&self.state);
        self.measure();
        self.pending.clear();
        let neutral = vec![0.0; self.acting.len()];
        self.pending
            .extend((0..self.episode.latency).map(|_| neutral.clone()));
        self.acting.fill(0.0);
        self.take_pictures()?;
        self.record();
        Ok(())
    }

    fn set_action(&mut self, action: &[f32]) {
        (self.n_done, self.is_announced) = (0, false);
        self.requested.copy_from_slice(action);
        self.acting.copy_from_slice(action);
        if let Some(mut oldest) = self.pending.pop_front() {
            self.acting.copy_from_slice(&oldest);
            oldest.copy_from_slice(action);
            self.pending.push_back(oldest);
        }
        self.mode.set_action(&self.state, &self.acting);
    }

    fn advance(&mut self) -> Result<(), StepFailure> {
        while self.n_done < self.n_substeps {
            if !self.is_announced {
                self.begin_substep();
            }
            self.end_substep()?;
        }
        self.measure();
        self.take_pictures()?;
        self.record();
        Ok(())
    }

    fn reward(&mut self, terms: &mut [f64]) {
        let reward = self.task.reward(&self.state, &self.requested);
        reward.write(terms);
    }

    fn cost(&mut self, costs: &mut [f64]) {
        self.task.costs().write(costs);
    }

    fn end(&self) -> Option<EpisodeEnd> {
        self.task.end(&self.state)
    }

    fn observe(&self, observation: &mut [f32]) {
        let (observed, measured) = (&self.observed, &self.measured);
        let rest = observe(observed, &self.state, measured, &self.acting, observation);
        let pixels = self.camera.as_ref().map_or(&[][..], Camera::pixels);
        let readings = self.imaging.as_ref().map_or(&[][..], Imaging::values);
        let (rest, last) = rest.split_at_mut(rest.len() - readings.len());
        last.copy_from_slice(readings);
        let (own, picture) = rest.split_at_mut(rest.len() - pixels.len());
        picture.copy_from_slice(pixels);
        self.task.observe(&self.state, own);
    }

    fn metrics(&self, metrics: &mut [f64]) {
        self.task.metrics().write(metrics);
    }

    fn verdict(&self, end: &EndReason) -> Option<Verdict> {
        let failure = match (end, self.task.end(&self.state)) {
            (EndReason::Diverged(what), _) => Some(what.clone()),
            (_, Some(EpisodeEnd::Terminated(reason))) => Some(reason.into_owned()),
            _ => None,
        };
        let judge = Judge::new(&self.limits);
        // If a failure ended the episode, it is the reason. Metrics of a partial episode would only repeat it.
        let judge = match failure {
            Some(reason) => judge.reason(reason),
            None => self.task.judge(judge),
        };
        Some(judge.arm(&self.watch, "episode").verdict())
    }

    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        self.task
            .scripted_action(&self.state, &self.measured, action)
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        Some((&self.state.model.compiled, &self.state.physics))
    }

    fn has_parts(&self) -> bool {
        self.state.physics.has_torso_on_gpu()
    }

    fn advance_part(&mut self) -> bool {
        // The state that has diverged stays announced, so that `advance` reports it.
        if self.is_announced && self.end_substep().is_err() {
            return false;
        }
        let is_left = self.n_done < self.n_substeps;
        if is_left {
            self.begin_substep();
            self.state.physics.announce_step();
            self.is_announced = true;
        }
        is_left
    }

    fn torso(&self) -> Option<TorsoScene<'_>> {
        Some(TorsoScene {
            scene: &self.state.model.scene,
            physics: &self.state.physics,
            world_from_rest: self.state.torso.world_from_rest,
            patient: self.state.patient.as_ref(),
            made: self.scenes.made(self.episode.organs),
        })
    }
}
