//! Vectorised environments of a task; the base of `insonate.Env` and `insonate.VectorEnv`.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, TryLockError};

use insonate_envs::vector::EnvSnapshot;
use insonate_envs::{Autoreset, Env, EnvSpec, ResetOptions, Start, VecConfig, VecEnv, tasks};
use insonate_sim::render::{RenderConfig, ThreadRenderer};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use serde::{Deserialize, Serialize};

use crate::arrays::{copy_actions, whole};
use crate::error::{ClosedError, OrderError, Raised, Result, SimulationError, value_error};
use crate::info::InfoNames;
use crate::process::Process;
use crate::watch::Watch;
use crate::{cameras, settings, state};

/// Observation, reward, whether it terminated, whether it was truncated, and `info`.
type StepResult<'py> = (
    Bound<'py, PyArray1<f32>>,
    f64,
    bool,
    bool,
    Bound<'py, PyDict>,
);

/// Environments of one task, stepped on threads of their own.
#[pyclass(frozen, subclass, module = "insonate._insonate")]
pub(crate) struct Environments {
    process: Process,
    spec: EnvSpec,
    settings: toml::Table,
    names: InfoNames,
    n_envs: usize,
    /// `None` after `close`.
    state: Mutex<Option<State>>,
}

/// Name of the environments' states.
const KIND: &str = "environments";

/// What a state of the environments holds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    task: String,
    /// TOML.
    settings: String,
    has_seed: bool,
    environments: Vec<EnvSnapshot>,
}

/// Mutable state of the environments.
struct State {
    env: VecEnv,
    /// Shape `[n_envs, n_actions]`.
    actions: Vec<f32>,
    renderer: Option<ThreadRenderer>,
}

impl Drop for Environments {
    fn drop(&mut self) {
        // After a fork the threads exist only in the parent process, so waiting for them would
        // block.
        if !self.process.is_current()
            && let Ok(state) = self.state.get_mut()
        {
            std::mem::forget(state.take());
        }
    }
}

impl Environments {
    /// Locks the state for one caller at a time.
    fn lock(&self) -> Result<Locked<'_>> {
        self.process.check()?;
        match self.state.try_lock() {
            Ok(guard) if guard.is_some() => Ok(Locked(guard)),
            Ok(_) => Err(ClosedError::new_err("the environment was closed").into()),
            Err(TryLockError::WouldBlock) => Err(OrderError::new_err(
                "another thread is using the environment: use one thread at a time, or one environment per thread",
            )
            .into()),
            Err(TryLockError::Poisoned(_)) => {
                Err(OrderError::new_err("the environment failed: make a new one").into())
            }
        }
    }

    /// Specification of the environments, and all settings.
    pub(crate) fn description(&self) -> (&EnvSpec, &toml::Table) {
        (&self.spec, &self.settings)
    }

    /// Reads the first environment, without the interpreter's lock.
    pub(crate) fn with<T: Send, E: Into<Raised> + Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&dyn Env) -> std::result::Result<T, E> + Send,
    ) -> Result<T> {
        let mut locked = self.lock()?;
        let env = &mut locked.state().env;
        py.detach(move || read(env.env(0))).map_err(Into::into)
    }

    /// Whether a state is of these environments.
    fn check(&self, saved: &Saved) -> Result<()> {
        let (task, n_envs) = (&self.spec.id, self.n_envs);
        if saved.task != *task {
            return Err(value_error(format!(
                "the state is of the task {}, but the environments are of {task}",
                saved.task
            )));
        }
        let n_saved = saved.environments.len();
        if n_saved != n_envs {
            return Err(value_error(format!(
                "the state is of {n_saved} environments, but there are {n_envs}"
            )));
        }
        let settings = saved.settings.parse::<toml::Table>();
        let settings = settings
            .map_err(|error| value_error(format!("the state is corrupt: {}", error.message())))?;
        match settings::difference("", &settings, &self.settings) {
            Some(name) => Err(value_error(format!(
                "the state is of environments with another value of the setting {name}"
            ))),
            None => Ok(()),
        }
    }

    fn rows<'py>(&self, py: Python<'py>, numbers: &[f32]) -> Result<Bound<'py, PyArray2<f32>>> {
        let n_columns = numbers.len() / self.n_envs;
        Ok(PyArray1::from_slice(py, numbers).reshape([self.n_envs, n_columns])?)
    }
}

/// The locked state of open environments.
struct Locked<'a>(MutexGuard<'a, Option<State>>);

impl Locked<'_> {
    fn state(&mut self) -> &mut State {
        self.0.as_mut().expect("`lock` found it open")
    }
}

#[pymethods]
impl Environments {
    #[new]
    #[pyo3(signature = (task, n_envs, settings, autoreset, n_threads, max_episode_steps=None))]
    fn new(
        py: Python<'_>,
        task: &str,
        n_envs: i64,
        settings: &Bound<'_, PyDict>,
        autoreset: &str,
        n_threads: i64,
        max_episode_steps: Option<i64>,
    ) -> Result<Self> {
        let n_envs = whole("num_envs", n_envs, 1)?;
        let n_threads = whole("n_threads", n_threads, 0)?;
        let autoreset = match autoreset {
            "next_step" => Autoreset::NextStep,
            "same_step" => Autoreset::SameStep,
            "disabled" => Autoreset::Disabled,
            other => {
                return Err(value_error(format!(
                    "autoreset_mode is {other:?}; it must be next_step, same_step or disabled"
                )));
            }
        };
        let kind = tasks::by_name(task)?;
        let mut given = settings::table(settings)?;
        if let Some(n_steps) = max_episode_steps {
            let n_steps = whole("max_episode_steps", n_steps, 1)?;
            let complete = kind.factory(&given)?.settings;
            settings::limit_steps(&mut given, &complete, n_steps)?;
        }
        let made = py.detach(|| {
            let factory = kind.factory(&given)?;
            let config = VecConfig {
                autoreset,
                n_threads,
            };
            VecEnv::new(factory.make_many(n_envs)?, config).map(|env| (env, factory.settings))
        });
        let (env, settings) = made?;
        let spec = env.spec().clone();
        Ok(Self {
            process: Process::current(),
            settings,
            names: InfoNames::new(&spec),
            n_envs,
            state: Mutex::new(Some(State {
                actions: vec![0.0; n_envs * spec.action_space.len()],
                env,
                renderer: None,
            })),
            spec,
        })
    }

    /// Name of the task.
    #[getter]
    fn task(&self) -> &str {
        &self.spec.id
    }

    /// All settings with their values.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        settings::table_to_python(py, &self.settings)
    }

    /// Names and bounds of an observation.
    #[getter]
    fn observation_bounds<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>> {
        bounds(py, &self.spec.observation_space)
    }

    /// Names and bounds of an action.
    #[getter]
    fn action_bounds<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>> {
        bounds(py, &self.spec.action_space)
    }

    /// Names of the observation's entries, with units.
    #[getter]
    fn observation_names(&self) -> Vec<String> {
        self.spec.observation_space.names.clone()
    }

    /// Groups of the observation's entries, from the first to the last: name, shape, unit, kind and age in the stack.
    #[getter]
    fn observation_groups(&self) -> Vec<(String, Vec<usize>, String, &'static str, usize)> {
        let groups = self.spec.observation_groups.iter();
        groups
            .map(|group| {
                let (name, shape) = (group.name.clone(), group.shape.clone());
                (
                    name,
                    shape,
                    group.unit.clone(),
                    group.kind.name(),
                    group.age,
                )
            })
            .collect()
    }

    /// Names of the action's entries, with units.
    #[getter]
    fn action_names(&self) -> Vec<String> {
        self.spec.action_space.names.clone()
    }

    /// Simulated time of one step [s].
    #[getter]
    fn control_timestep(&self) -> f64 {
        self.spec.control_timestep
    }

    /// Number of steps after which an episode is truncated.
    #[getter]
    fn max_episode_steps(&self) -> Option<usize> {
        self.spec.max_episode_steps
    }

    /// Names of the randomised parameters, with units.
    #[getter]
    fn parameter_names(&self) -> Vec<String> {
        self.spec.parameters.clone()
    }

    /// Number of threads that step.
    #[getter]
    fn n_threads(&self) -> Result<usize> {
        Ok(self.lock()?.state().env.n_threads())
    }

    /// Whether the environments are closed.
    #[getter]
    fn is_closed(&self) -> bool {
        self.state.try_lock().is_ok_and(|state| state.is_none())
    }

    /// Resets all environments, or those where `mask` is true. One seed per environment; `None` takes the next seed of
    /// its stream.
    #[pyo3(signature = (seeds, parameters, mask=None))]
    fn begin<'py>(
        &self,
        py: Python<'py>,
        seeds: Vec<Option<u64>>,
        parameters: BTreeMap<String, f64>,
        mask: Option<Vec<bool>>,
    ) -> Result<Bound<'py, PyArray2<f32>>> {
        let mut locked = self.lock()?;
        let State { env, .. } = locked.state();
        if mask.as_ref().is_some_and(|mask| mask.len() != self.n_envs) {
            let n_envs = self.n_envs;
            return Err(value_error(format!("reset_mask needs shape ({n_envs},)")));
        }
        let starts: Vec<Start> = seeds
            .into_iter()
            .enumerate()
            .map(|(env_idx, seed)| match &mask {
                Some(mask) if !mask[env_idx] => Start::Stay,
                _ => Start::Reset(seed),
            })
            .collect();
        let options = ResetOptions { parameters };
        py.detach(|| env.reset_each(&starts, &options).map(|_| ()))?;
        self.rows(py, &env.batch().observations)
    }

    /// Starts a given episode in one environment without advancing its stream of seeds.
    fn begin_episode<'py>(
        &self,
        py: Python<'py>,
        env_idx: usize,
        episode_seed: u64,
        parameters: BTreeMap<String, f64>,
    ) -> Result<Bound<'py, PyArray2<f32>>> {
        let mut locked = self.lock()?;
        let env = &mut locked.state().env;
        let options = ResetOptions { parameters };
        py.detach(|| env.reset_env(env_idx, episode_seed, &options))?;
        self.rows(py, &env.batch().observations)
    }

    /// The state as bytes; `has_seed` says whether the next reset goes on with the streams of seeds.
    fn snapshot<'py>(&self, py: Python<'py>, has_seed: bool) -> Result<Bound<'py, PyBytes>> {
        let mut locked = self.lock()?;
        let saved = Saved {
            task: self.spec.id.clone(),
            settings: self.settings.to_string(),
            has_seed,
            environments: locked.state().env.snapshot(),
        };
        let bytes = py.detach(|| state::write(KIND, &saved))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Replays the episodes of a state. Returns `has_seed` and all observations, shape `[n_envs, n_obs]`.
    fn resume<'py>(
        &self,
        py: Python<'py>,
        state: &[u8],
    ) -> Result<(bool, Bound<'py, PyArray2<f32>>)> {
        let saved: Saved = state::read(KIND, state)?;
        self.check(&saved)?;
        let mut locked = self.lock()?;
        let env = &mut locked.state().env;
        py.detach(|| {
            let before = env.snapshot();
            let mut watch = Watch::new(None);
            let mut stop = || watch.look(0.0, String::new).is_break();
            let restored = env.restore_interruptible(&saved.environments, &mut stop);
            if let Some(raised) = watch.into_raised() {
                return Err(raised.into());
            }
            if !matches!(restored, Ok(Some(0))) {
                // What was restored before it failed is taken back; its error is the one to report.
                let _ = env.restore(&before);
            }
            match restored?.unwrap_or_default() {
                0 => Ok::<_, Raised>(()),
                n => Err(SimulationError::new_err(format!(
                    "the state: {n} environments differ from it after their replay; it is of another machine or version of insonate"
                ))
                .into()),
            }
        })?;
        let rows = self.rows(py, &locked.state().env.batch().observations)?;
        Ok((saved.has_seed, rows))
    }

    /// Steps all environments.
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyTuple>> {
        let mut locked = self.lock()?;
        let state = locked.state();
        let shape = [self.n_envs, self.spec.action_space.len()];
        let space = &self.spec.action_space;
        copy_actions("actions", actions, &shape, space, &mut state.actions)?;
        let State { env, actions, .. } = state;
        py.detach(|| env.step(actions).map(|_| ()))?;
        let batch = env.batch();
        let infos = if batch.ended.is_empty() {
            PyDict::new(py)
        } else if env.config().autoreset == Autoreset::SameStep {
            final_infos(py, &self.names, env)?
        } else {
            self.names.vector(py, &batch.ended, self.n_envs)?
        };
        if let Some(cost) = self.names.cost(batch) {
            let known = vec![true; self.n_envs];
            infos.set_item("cost", PyArray1::from_vec(py, cost))?;
            infos.set_item("_cost", PyArray1::from_vec(py, known))?;
        }
        let rewards = PyArray1::from_iter(py, batch.rewards.iter().map(|r| f64::from(*r)));
        Ok(PyTuple::new(
            py,
            [
                self.rows(py, &batch.observations)?.into_any(),
                rewards.into_any(),
                PyArray1::from_slice(py, &batch.terminated).into_any(),
                PyArray1::from_slice(py, &batch.truncated).into_any(),
                infos.into_any(),
            ],
        )?)
    }

    /// Steps a single environment.
    fn step_alone<'py>(
        &self,
        py: Python<'py>,
        action: &Bound<'py, PyAny>,
    ) -> Result<StepResult<'py>> {
        let mut locked = self.lock()?;
        let state = locked.state();
        let space = &self.spec.action_space;
        copy_actions("action", action, &[space.len()], space, &mut state.actions)?;
        let State { env, actions, .. } = state;
        py.detach(|| env.step(actions).map(|_| ())).map_err(alone)?;
        let batch = env.batch();
        let info = match batch.ended.first() {
            Some(ended) => self.names.single(py, ended)?,
            None => PyDict::new(py),
        };
        if let Some(cost) = self.names.cost(batch) {
            info.set_item("cost", cost[0])?;
        }
        Ok((
            PyArray1::from_slice(py, &batch.observations),
            f64::from(batch.rewards[0]),
            batch.terminated[0],
            batch.truncated[0],
            info,
        ))
    }

    /// Weighted reward terms of the last step, by name.
    #[getter]
    fn reward_terms<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let mut locked = self.lock()?;
        let terms = &locked.state().env.batch().reward_terms;
        let n_terms = self.spec.reward_terms.len();
        let dict = PyDict::new(py);
        for (column, name) in self.spec.reward_terms.iter().enumerate() {
            let values = terms.iter().skip(column).step_by(n_terms).copied();
            dict.set_item(name, PyArray1::from_iter(py, values))?;
        }
        Ok(dict)
    }

    /// Randomised parameters of the current episodes, by name without unit.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let mut locked = self.lock()?;
        let env = &locked.state().env;
        let dict = PyDict::new(py);
        for (column, name) in self.names.parameters().iter().enumerate() {
            // There are no parameters before the first reset.
            let value = |env_idx| env.env(env_idx).parameters().get(column).copied();
            let values = (0..self.n_envs).map(|env_idx| value(env_idx).unwrap_or(f64::NAN));
            dict.set_item(name, PyArray1::from_iter(py, values))?;
        }
        Ok(dict)
    }

    /// Action of the task's scripted policy for each environment; `None` if the task has no scripted policy.
    fn scripted_action<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, PyArray2<f32>>>> {
        let mut locked = self.lock()?;
        let state = locked.state();
        if !state.env.scripted_actions(&mut state.actions) {
            return Ok(None);
        }
        Ok(Some(self.rows(py, &state.actions)?))
    }

    /// Whether there is a scene with a camera to render.
    #[getter]
    fn is_drawable(&self) -> Result<bool> {
        let mut locked = self.lock()?;
        let scene = locked.state().env.env(0).scene();
        Ok(scene.is_some_and(|(scene, _)| cameras::has_camera(scene)))
    }

    /// Renders one environment, `uint8` of shape `[height, width, 3]`; `None` without a scene.
    fn draw<'py>(
        &self,
        py: Python<'py>,
        env_idx: usize,
        camera: Option<&str>,
        width: i64,
        height: i64,
    ) -> Result<Option<Bound<'py, PyArray3<u8>>>> {
        let mut locked = self.lock()?;
        let State { env, renderer, .. } = locked.state();
        if env_idx >= self.n_envs {
            let n_envs = self.n_envs;
            return Err(value_error(format!(
                "there is no env {env_idx}: there are {n_envs}"
            )));
        }
        let config = RenderConfig {
            width: cameras::side("width", width)?,
            height: cameras::side("height", height)?,
            ..RenderConfig::default()
        };
        let image = py.detach(move || {
            let Some((scene, physics)) = env.env(env_idx).scene() else {
                return Ok(None);
            };
            let renderer = match renderer {
                Some(renderer) => renderer,
                none => none.insert(ThreadRenderer::start()?),
            };
            let camera = camera.unwrap_or_else(|| cameras::preferred(scene));
            renderer.render(scene, physics, camera, config).map(Some)
        })?;
        let Some(image) = image else {
            return Ok(None);
        };
        let shape = [image.height as usize, image.width as usize, 3];
        Ok(Some(PyArray1::from_vec(py, image.rgb).reshape(shape)?))
    }

    /// Stops the threads. Every later call except `close` raises `ClosedError`.
    fn shut(&self, py: Python<'_>) -> Result<()> {
        match self.state.try_lock() {
            Ok(mut state) => {
                let state = state.take();
                if self.process.is_current() {
                    py.detach(|| drop(state));
                } else {
                    std::mem::forget(state);
                }
                Ok(())
            }
            Err(_) => Err(OrderError::new_err("another thread is using the environment").into()),
        }
    }
}

/// The error without the index of the only environment.
fn alone(error: insonate_envs::EnvError) -> insonate_envs::EnvError {
    match error {
        insonate_envs::EnvError::At { source, .. } => *source,
        other => other,
    }
}

/// `final_obs` and `final_info` of the episodes that ended in a step with autoreset.
fn final_infos<'py>(
    py: Python<'py>,
    names: &InfoNames,
    env: &VecEnv,
) -> Result<Bound<'py, PyDict>> {
    let (batch, n_envs) = (env.batch(), env.n_envs());
    let n_obs = env.spec().observation_space.len();
    let mut rows = batch.final_observations.clone();
    for (row, has_final) in rows.chunks_exact_mut(n_obs).zip(&batch.has_final) {
        if !has_final {
            row.fill(0.0);
        }
    }
    let final_obs = PyArray1::from_vec(py, rows).reshape([n_envs, n_obs])?;
    let mask = PyArray1::from_slice(py, &batch.has_final);
    let infos = PyDict::new(py);
    infos.set_item("final_obs", final_obs)?;
    infos.set_item("_final_obs", &mask)?;
    infos.set_item("final_info", names.vector(py, &batch.ended, n_envs)?)?;
    infos.set_item("_final_info", mask)?;
    Ok(infos)
}

fn bounds<'py>(py: Python<'py>, space: &insonate_envs::BoxSpace) -> Result<Bound<'py, PyTuple>> {
    Ok((
        space.names.clone(),
        PyArray1::from_slice(py, &space.low),
        PyArray1::from_slice(py, &space.high),
    )
        .into_pyobject(py)?)
}
