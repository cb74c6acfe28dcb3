//! Copies of one scene that step on several threads.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use insonate_sim::CompiledScene;
use numpy::{PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::journal::Command;
use super::running::State;
use super::{STEPS_PER_LOOK, Saved};
use crate::arrays::whole;
use crate::error::{OrderError, Raised, Result, SimulationError, value_error};
use crate::scene::{Scene, SceneArguments};

/// Copies of one scene.
#[pyclass(frozen, module = "insonate")]
pub(crate) struct PhysicsBatch {
    scene: Py<Scene>,
    arguments: Arc<SceneArguments>,
    compiled: CompiledScene,
    states: Mutex<Vec<State>>,
    threads: ThreadPool,
}

#[pymethods]
impl PhysicsBatch {
    #[new]
    #[pyo3(signature = (scene, n, *, n_threads=0))]
    fn new(py: Python<'_>, scene: Py<Scene>, n: i64, n_threads: i64) -> Result<Self> {
        let n = whole("n", n, 1)?;
        let threads = ThreadPoolBuilder::new()
            // 0: one for each core. More threads than copies have nothing to do.
            .num_threads(whole("n_threads", n_threads, 0)?.min(n))
            .build()
            .map_err(|error| SimulationError::new_err(format!("n_threads: {error}")))?;
        let description = &scene.get().scene;
        let arguments = Arc::new(scene.get().arguments.clone());
        let (compiled, states) = py.detach(|| {
            let compiled = CompiledScene::compile(&description.to_mjcf()?)?;
            let states = threads.install(|| {
                let indices = (0..n).into_par_iter();
                indices
                    .map(|_| State::new(&compiled, &arguments))
                    .collect::<Result<Vec<_>>>()
            })?;
            Ok::<_, Raised>((compiled, states))
        })?;
        Ok(Self {
            scene,
            arguments,
            compiled,
            states: Mutex::new(states),
            threads,
        })
    }

    fn __len__(&self) -> Result<usize> {
        Ok(self.lock()?.len())
    }

    /// Each state as bytes.
    fn save<'py>(&self, py: Python<'py>) -> Result<Vec<Bound<'py, PyBytes>>> {
        let states = self.lock()?;
        let bytes = |state| {
            Ok(PyBytes::new(
                py,
                &Saved::of(&self.arguments, state)?.to_bytes()?,
            ))
        };
        states.iter().map(bytes).collect()
    }

    /// Replays the commands of one state for all, or of one for each.
    fn restore(&self, py: Python<'_>, states: &Bound<'_, PyAny>) -> Result<()> {
        let one = |bytes: &[u8]| Saved::from_bytes(&self.arguments, bytes);
        let saved: Vec<Saved> = if let Ok(state) = states.cast::<PyBytes>() {
            vec![one(state.as_bytes())?]
        } else {
            let each: Vec<Vec<u8>> = states.extract()?;
            each.iter().map(|bytes| one(bytes)).collect::<Result<_>>()?
        };
        let mut current = self.lock()?;
        let n = current.len();
        if saved.len() != 1 && saved.len() != n {
            return Err(value_error(format!(
                "{} states were given; give one for all, or {n}",
                saved.len()
            )));
        }
        let replayed = py.detach(|| {
            self.threads.install(|| {
                let indices = (0..n).into_par_iter();
                let of_all = saved.len() == 1;
                indices
                    .map(|index| {
                        let saved = &saved[if of_all { 0 } else { index }];
                        let state = self.replayed(&saved.commands)?;
                        saved.compare(&state)?;
                        Ok(state)
                    })
                    .collect::<Result<Vec<_>>>()
            })
        })?;
        *current = replayed;
        Ok(())
    }

    /// Simulated time of each [s].
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f64>>> {
        let states = self.lock()?;
        let times = states.iter().map(|state| state.physics.time()).collect();
        Ok(PyArray1::from_vec(py, times))
    }

    /// Length of a step [s].
    #[getter]
    fn timestep(&self) -> Result<f64> {
        Ok(self.lock()?[0].physics.timestep())
    }

    /// Generalised positions of each.
    #[getter]
    fn qpos<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        self.table(py, |state| Ok(state.physics.qpos().to_vec()))
    }

    /// Sets the generalised positions of each.
    #[setter]
    fn set_qpos(&self, py: Python<'_>, positions: &Bound<'_, PyAny>) -> Result<()> {
        let rows = self.vectors(py, "qpos", positions, |physics| physics.qpos().len())?;
        self.apply(py, rows, Command::Positions)
    }

    /// Generalised velocities of each.
    #[getter]
    fn qvel<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        self.table(py, |state| Ok(state.physics.qvel().to_vec()))
    }

    /// Sets the generalised velocities of each.
    #[setter]
    fn set_qvel(&self, py: Python<'_>, velocities: &Bound<'_, PyAny>) -> Result<()> {
        let rows = self.vectors(py, "qvel", velocities, |physics| physics.qvel().len())?;
        self.apply(py, rows, Command::Velocities)
    }

    /// Motor torques of each [N·m].
    #[getter]
    fn ctrl<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        self.table(py, |state| Ok(state.physics.ctrl().to_vec()))
    }

    /// Sets the motor torques [N·m], and disables the controllers.
    #[setter]
    fn set_ctrl(&self, py: Python<'_>, torques: &Bound<'_, PyAny>) -> Result<()> {
        let rows = self.vectors(py, "ctrl", torques, |physics| physics.ctrl().len())?;
        self.apply(py, rows, Command::Torques)
    }

    /// Gives the torsos another stiffness [N/m] and damping [N·s/m].
    fn set_softness(
        &self,
        py: Python<'_>,
        stiffness: &Bound<'_, PyAny>,
        damping: &Bound<'_, PyAny>,
    ) -> Result<()> {
        let stiffness = self.numbers(py, "stiffness", stiffness)?;
        let damping = self.numbers(py, "damping", damping)?;
        let both = stiffness.into_iter().zip(damping).collect();
        self.apply(py, both, |(stiffness, damping)| {
            Command::Softness(stiffness, damping)
        })
    }

    /// Resets to the home pose at time 0.
    fn reset(&self, py: Python<'_>) -> Result<()> {
        let all = vec![(); self.lock()?.len()];
        self.apply(py, all, |()| Command::Reset)
    }

    /// Runs `n` steps of each; the controllers act before each step.
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python<'_>, n: i64) -> Result<()> {
        let mut left = whole("n", n, 0)?;
        let all = self.lock()?.len();
        while left > 0 {
            let some = left.min(STEPS_PER_LOOK);
            self.apply(py, vec![some as u64; all], Command::Steps)?;
            left -= some;
            py.check_signals()?;
        }
        Ok(())
    }

    /// Values of a quantity, a row for each.
    fn read<'py>(&self, py: Python<'py>, name: &str) -> Result<Bound<'py, PyArray2<f64>>> {
        self.table(py, |state| Ok(state.readings.read(&state.physics, name)?))
    }

    /// Places the arms at rest with the probe's faces at poses, and zeroes the force sensors.
    fn place(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        quaternion: &Bound<'_, PyAny>,
    ) -> Result<()> {
        let poses = self.poses(py, position, quaternion)?;
        self.apply(py, poses, |(position, quaternion)| {
            Command::Place(position, quaternion)
        })
    }

    /// Holds the probes at poses (operational-space control).
    #[pyo3(signature = (position, quaternion, stiffness=None))]
    fn control_pose(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        quaternion: &Bound<'_, PyAny>,
        stiffness: Option<f64>,
    ) -> Result<()> {
        let poses = self.poses(py, position, quaternion)?;
        self.apply(py, poses, |(position, quaternion)| {
            Command::Pose(position, quaternion, stiffness)
        })
    }

    /// Presses with forces [N] along the probes' axes, and holds the pose in the other directions.
    fn control_force(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        quaternion: &Bound<'_, PyAny>,
        force: &Bound<'_, PyAny>,
    ) -> Result<()> {
        let forces = self.numbers(py, "force", force)?;
        let poses = self.poses(py, position, quaternion)?;
        let all = poses.into_iter().zip(forces).collect();
        self.apply(py, all, |((position, quaternion), force)| {
            Command::Force(position, quaternion, force)
        })
    }

    fn __repr__(&self) -> String {
        let name = self.scene.get().scene.name();
        match self.lock() {
            Ok(states) => format!("PhysicsBatch({name}, n={})", states.len()),
            Err(_) => format!("PhysicsBatch({name}, in use)"),
        }
    }
}

/// Position [m] and quaternion wxyz.
type PoseNumbers = ([f64; 3], [f64; 4]);

impl PhysicsBatch {
    fn lock(&self) -> Result<MutexGuard<'_, Vec<State>>> {
        self.states.try_lock().map_err(|error| {
            let problem = match error {
                TryLockError::WouldBlock => "another thread is using the physics",
                TryLockError::Poisoned(_) => "the physics failed: make a new one",
            };
            OrderError::new_err(problem).into()
        })
    }

    /// A new state after these commands.
    fn replayed(&self, commands: &[Command]) -> Result<State> {
        let mut state = State::new(&self.compiled, &self.arguments)?;
        for command in commands {
            // What failed fails here as it did then.
            let _ = state.apply(command.clone());
        }
        Ok(state)
    }

    /// Carries out a command for each, on all threads.
    ///
    /// # Errors
    /// That of the first that has one; the others have carried out their commands.
    fn apply<T: Send>(
        &self,
        py: Python<'_>,
        each: Vec<T>,
        command: impl Fn(T) -> Command + Sync,
    ) -> Result<()> {
        let mut states = self.lock()?;
        let states: &mut Vec<State> = &mut states;
        let found: Vec<Result<()>> = py.detach(|| {
            self.threads.install(|| {
                let jobs = states.par_iter_mut().zip(each);
                jobs.map(|(state, given)| state.apply(command(given)))
                    .collect()
            })
        });
        for (index, result) in found.into_iter().enumerate() {
            result.map_err(|raised| raised.within(py, &format!("physics {index} of the batch")))?;
        }
        Ok(())
    }

    /// One number for all, or one for each.
    fn numbers(&self, py: Python<'_>, what: &str, given: &Bound<'_, PyAny>) -> Result<Vec<f64>> {
        let n = self.lock()?.len();
        broadcast(py, what, given, vec![n])
    }

    /// One row for all, or one for each, shape `[n, N]`.
    fn rows<const N: usize>(
        &self,
        py: Python<'_>,
        what: &str,
        given: &Bound<'_, PyAny>,
    ) -> Result<Vec<[f64; N]>> {
        let n = self.lock()?.len();
        Ok(broadcast(py, what, given, vec![n, N])?
            .as_chunks()
            .0
            .to_vec())
    }

    /// One vector of MuJoCo's for all, or one for each.
    fn vectors(
        &self,
        py: Python<'_>,
        what: &str,
        given: &Bound<'_, PyAny>,
        width: impl Fn(&insonate_sim::Physics) -> usize,
    ) -> Result<Vec<Vec<f64>>> {
        let (n, width) = {
            let states = self.lock()?;
            (states.len(), width(&states[0].physics))
        };
        let all = broadcast(py, what, given, vec![n, width])?;
        Ok((0..n)
            .map(|row| all[row * width..(row + 1) * width].to_vec())
            .collect())
    }

    fn poses(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        quaternion: &Bound<'_, PyAny>,
    ) -> Result<Vec<PoseNumbers>> {
        let positions = self.rows(py, "position", position)?;
        let quaternions = self.rows(py, "quaternion", quaternion)?;
        Ok(positions.into_iter().zip(quaternions).collect())
    }

    /// A table with a row for each.
    fn table<'py>(
        &self,
        py: Python<'py>,
        row: impl Fn(&State) -> Result<Vec<f64>>,
    ) -> Result<Bound<'py, PyArray2<f64>>> {
        let states = self.lock()?;
        let rows: Vec<Vec<f64>> = states.iter().map(row).collect::<Result<_>>()?;
        let shape = [rows.len(), rows[0].len()];
        Ok(PyArray1::from_vec(py, rows.concat()).reshape(shape)?)
    }
}

/// Numbers of this shape, to which numpy broadcasts what was given, in row-major order.
fn broadcast(
    py: Python<'_>,
    what: &str,
    given: &Bound<'_, PyAny>,
    shape: Vec<usize>,
) -> Result<Vec<f64>> {
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (given, "float64"))?;
    let full = numpy
        .call_method1("broadcast_to", (&array, &shape))
        .map_err(|_| {
            let found = array
                .getattr("shape")
                .map_or_else(|_| String::new(), |shape| shape.to_string());
            value_error(format!(
                "{what} has shape {found}; it must have shape {shape:?}, or {:?} for all",
                &shape[1..]
            ))
        })?;
    let flat = full.call_method0("ravel")?;
    let flat: PyReadonlyArray1<'_, f64> = flat.extract()?;
    Ok(flat.as_array().to_vec())
}
