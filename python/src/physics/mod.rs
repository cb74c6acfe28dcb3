//! Running scenes: steps, readings by name, and controllers.
//!
//! * [`Physics`]: one scene; [`PhysicsBatch`]: copies of a scene that step on several threads.
//! * [`running`]: the state of one scene; [`journal`]: what was done to it.

mod batch;
mod journal;
mod running;

pub(crate) use batch::PhysicsBatch;

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use insonate_sim::readings::{DeformedTorso, QUANTITIES, TissuePoints, torso_from_probe};
use insonate_sim::{CompiledScene, Divergence, Pose};
use nalgebra::Isometry3;
use numpy::{PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde::{Deserialize, Serialize};

use self::journal::Command;
use self::running::State;
use crate::arrays::whole;
use crate::error::{OrderError, Raised, Result, SimulationError, value_error};
use crate::geometry::wxyz;
use crate::scene::{Scene, SceneArguments};
use crate::state;

/// Steps between checks for Ctrl-C.
const STEPS_PER_LOOK: usize = 100;

/// Position [m] and quaternion wxyz.
type PoseTuple = ([f64; 3], [f64; 4]);

/// A running scene.
#[pyclass(frozen, module = "insonate")]
pub(crate) struct Physics {
    scene: Py<Scene>,
    arguments: Arc<SceneArguments>,
    compiled: CompiledScene,
    state: Mutex<State>,
}

/// Name of the states of a running scene.
const KIND: &str = "physics";

/// What a saved state holds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    scene: SceneArguments,
    commands: Vec<Command>,
    /// Bits of time, qpos and qvel after the commands.
    fingerprint: Vec<u64>,
}

impl Saved {
    fn of(scene: &SceneArguments, state: &State) -> Result<Self> {
        Ok(Self {
            scene: scene.clone(),
            commands: state.commands()?.to_vec(),
            fingerprint: state.fingerprint(),
        })
    }

    fn to_bytes(&self) -> Result<Vec<u8>> {
        state::write(KIND, self)
    }

    /// A saved state of this scene.
    fn from_bytes(scene: &SceneArguments, bytes: &[u8]) -> Result<Self> {
        let saved: Self = state::read(KIND, bytes)?;
        if saved.scene == *scene {
            return Ok(saved);
        }
        Err(value_error(format!(
            "the state is of another scene: {:?}, but this is {scene:?}",
            saved.scene
        )))
    }

    /// Fails if a state is not the saved one after its commands were repeated.
    fn compare(&self, replayed: &State) -> Result<()> {
        if replayed.fingerprint() == self.fingerprint {
            return Ok(());
        }
        Err(SimulationError::new_err(
            "the state: the physics differs from it after its replay; it is of another machine or version of insonate",
        )
        .into())
    }
}

impl Physics {
    fn lock(&self) -> Result<MutexGuard<'_, State>> {
        self.state.try_lock().map_err(|error| {
            let problem = match error {
                TryLockError::WouldBlock => "another thread is using the physics",
                TryLockError::Poisoned(_) => "the physics failed: make a new one",
            };
            OrderError::new_err(problem).into()
        })
    }
}

#[pymethods]
impl Physics {
    #[new]
    fn new(py: Python<'_>, scene: Py<Scene>) -> Result<Self> {
        let description = &scene.get().scene;
        let arguments = Arc::new(scene.get().arguments.clone());
        let (compiled, state) = py.detach(|| {
            let compiled = CompiledScene::compile(&description.to_mjcf()?)?;
            let state = State::new(&compiled, &arguments)?;
            Ok::<_, Raised>((compiled, state))
        })?;
        Ok(Self {
            scene,
            arguments,
            compiled,
            state: Mutex::new(state),
        })
    }

    /// The state as bytes.
    fn save<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let saved = Saved::of(&self.arguments, &*self.lock()?)?;
        Ok(PyBytes::new(py, &saved.to_bytes()?))
    }

    /// Replays the commands of a state.
    fn restore(&self, py: Python<'_>, state: &[u8]) -> Result<()> {
        let saved = Saved::from_bytes(&self.arguments, state)?;
        let replayed = self.replayed(py, &saved.commands)?;
        saved.compare(&replayed)?;
        *self.lock()? = replayed;
        Ok(())
    }

    /// The class, its argument and the state, for `pickle`.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<PickleState<'py>> {
        let physics = slf.get();
        let scene = physics.scene.clone_ref(slf.py());
        Ok((slf.get_type(), (scene,), physics.save(slf.py())?))
    }

    fn __setstate__(&self, py: Python<'_>, state: &[u8]) -> Result<()> {
        self.restore(py, state)
    }

    /// A copy that shares the compiled scene.
    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Result<Self> {
        let commands = self.lock()?.commands()?.to_vec();
        Ok(Self {
            state: Mutex::new(self.replayed(py, &commands)?),
            scene: self.scene.clone_ref(py),
            arguments: self.arguments.clone(),
            compiled: self.compiled.clone(),
        })
    }

    /// Simulated time [s].
    #[getter]
    fn time(&self) -> Result<f64> {
        Ok(self.lock()?.physics.time())
    }

    /// Length of a step [s].
    #[getter]
    fn timestep(&self) -> Result<f64> {
        Ok(self.lock()?.physics.timestep())
    }

    /// Generalised positions in MuJoCo's order.
    #[getter]
    fn qpos<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, self.lock()?.physics.qpos()))
    }

    /// Generalised velocities.
    #[getter]
    fn qvel<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, self.lock()?.physics.qvel()))
    }

    /// Sets the generalised positions.
    #[setter]
    fn set_qpos(&self, positions: PyReadonlyArray1<'_, f64>) -> Result<()> {
        self.lock()?
            .apply(Command::Positions(positions.as_array().to_vec()))
    }

    /// Sets the generalised velocities.
    #[setter]
    fn set_qvel(&self, velocities: PyReadonlyArray1<'_, f64>) -> Result<()> {
        self.lock()?
            .apply(Command::Velocities(velocities.as_array().to_vec()))
    }

    /// Gives the torso another stiffness [N/m] and damping [N·s/m].
    fn set_softness(&self, stiffness: f64, damping: f64) -> Result<()> {
        self.lock()?.apply(Command::Softness(stiffness, damping))
    }

    /// Motor torques [N·m].
    #[getter]
    fn ctrl<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, self.lock()?.physics.ctrl()))
    }

    /// Sets the motor torques [N·m], and disables the controller.
    #[setter]
    fn set_ctrl(&self, torques: PyReadonlyArray1<'_, f64>) -> Result<()> {
        self.lock()?
            .apply(Command::Torques(torques.as_array().to_vec()))
    }

    /// Resets to the home pose at time 0.
    fn reset(&self) -> Result<()> {
        self.lock()?.apply(Command::Reset)
    }

    /// Runs `n` steps; the controller acts before each.
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python<'_>, n: i64) -> Result<()> {
        let n = whole("n", n, 0)?;
        let mut state = self.lock()?;
        let state: &mut State = &mut state;
        run(py, n, |steps| state.steps(steps))?;
        Ok(())
    }

    /// Quantities that can be read, with unit, shape and description.
    #[staticmethod]
    fn quantities() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
        let all = QUANTITIES.iter();
        all.map(|q| (q.name, q.unit, q.shape, q.summary)).collect()
    }

    /// Value of a quantity in row-major order.
    fn read<'py>(&self, py: Python<'py>, name: &str) -> Result<Bound<'py, PyArray1<f64>>> {
        let state = self.lock()?;
        let values = state.readings.read(&state.physics, name)?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Pose of the probe's face at `lift` [m] above the skin at `(x, y)` [m] of the torso's frame, facing it.
    #[pyo3(signature = (x, y, lift=0.0))]
    fn pose_on_skin(&self, x: f64, y: f64, lift: f64) -> Result<PoseTuple> {
        let skin = self.scene.get().skin_point(x, y)?;
        let pose = self.lock()?.placement.pose_on(&skin, lift, None);
        Ok((pose.position.into(), wxyz(&pose.rotation)))
    }

    /// Places the arm at rest with the probe's face at a pose, and zeroes the force sensor.
    fn place(&self, position: [f64; 3], quaternion: [f64; 4]) -> Result<()> {
        self.lock()?.apply(Command::Place(position, quaternion))
    }

    /// Holds the probe at a pose (operational-space control).
    #[pyo3(signature = (position, quaternion, stiffness=None))]
    fn control_pose(
        &self,
        position: [f64; 3],
        quaternion: [f64; 4],
        stiffness: Option<f64>,
    ) -> Result<()> {
        let command = Command::Pose(position, quaternion, stiffness);
        self.lock()?.apply(command)
    }

    /// Presses with a force [N] along the probe's axis, and holds the pose in the other directions (hybrid motion-force
    /// control).
    fn control_force(&self, position: [f64; 3], quaternion: [f64; 4], force: f64) -> Result<()> {
        let command = Command::Force(position, quaternion, force);
        self.lock()?.apply(command)
    }

    /// Positions of the torso's particles in the world frame [m], shape `[n, 3]`; `None` without a
    /// torso.
    fn particles<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, PyArray2<f64>>>> {
        let state = self.lock()?;
        let Some(particles) = &state.readings.particles else {
            return Ok(None);
        };
        let positions = particles.positions(&state.physics);
        let n = positions.len();
        let flat = PyArray1::from_vec(py, positions.into_flattened());
        Ok(Some(flat.reshape([n, 3])?))
    }

    fn __repr__(&self) -> String {
        let name = self.scene.get().scene.name();
        match self.lock() {
            Ok(state) => format!("Physics({name}, time={:.3} s)", state.physics.time()),
            Err(_) => format!("Physics({name}, in use)"),
        }
    }
}

/// A class, its argument and a state.
type PickleState<'py> = (Bound<'py, PyType>, (Py<Scene>,), Bound<'py, PyBytes>);

impl Physics {
    /// The arguments of the scene.
    pub(crate) fn arguments(&self) -> &SceneArguments {
        &self.arguments
    }

    /// The tissue in the torso's frame, and the pose of the probe's face there.
    pub(crate) fn deformed_torso(&self, py: Python<'_>) -> Result<(DeformedTorso, Isometry3<f64>)> {
        let at_rest = py.detach(|| insonate_sim::Physics::from_scene(&self.compiled))?;
        let state = self.lock()?;
        let origin = self.scene.get().scene.torso_position;
        let unmoved = Pose::default();
        let points = TissuePoints::at_rest(&at_rest, &unmoved)
            .ok_or_else(|| value_error("the scene has no torso to look into"))?;
        let torso = DeformedTorso::new(&points, &state.physics, origin, &unmoved);
        let pose = state.placement.probe.world_from_probe(&state.physics);
        Ok((torso, torso_from_probe(&pose, origin, &unmoved)))
    }

    /// A new state after these commands. Looks for Ctrl-C.
    fn replayed(&self, py: Python<'_>, commands: &[Command]) -> Result<State> {
        let mut state = py.detach(|| State::new(&self.compiled, &self.arguments))?;
        for command in commands {
            match command {
                // The steps of a simulation that diverged fail here as they did then.
                Command::Steps(n) => run(py, *n as usize, |steps| {
                    let _ = state.steps(steps);
                    Ok(())
                })?,
                // So does a place out of reach.
                other => {
                    let _ = state.apply(other.clone());
                }
            }
        }
        Ok(state)
    }
}

/// Runs `n` steps without the interpreter's lock, with a look for Ctrl-C after some of them.
fn run(
    py: Python<'_>,
    n: usize,
    mut steps: impl FnMut(usize) -> std::result::Result<(), Divergence> + Send,
) -> Result<()> {
    let mut left = n;
    while left > 0 {
        let some = left.min(STEPS_PER_LOOK);
        py.detach(|| steps(some))
            .map_err(|divergence| SimulationError::new_err(divergence.to_string()))?;
        left -= some;
        py.check_signals()?;
    }
    Ok(())
}
