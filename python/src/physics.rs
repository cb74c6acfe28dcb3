//! A running scene: steps, readings by name, and controllers.

use std::sync::{Mutex, MutexGuard, TryLockError};

use insonate_sim::controllers::{
    Controller as _, HybridConfig, HybridForce, HybridTarget, OscPose, OscPoseConfig, OscTarget,
};
use insonate_sim::placement::ProbePlacement;
use insonate_sim::readings::{
    DeformedTorso, ForceTorque, QUANTITIES, TissuePoints, torso_from_probe,
};
use insonate_sim::{CompiledScene, Divergence, Pose, Readings, Twist};
use nalgebra::{Isometry3, Vector3};
use numpy::{PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde::{Deserialize, Serialize};

use crate::arrays::whole;
use crate::error::{OrderError, Raised, Result, SimulationError, value_error};
use crate::geometry::{rotation, wxyz};
use crate::journal::{Command, Journal};
use crate::scene::{Scene, SceneArguments};
use crate::state;

/// Steps between checks for Ctrl-C.
const STEPS_PER_LOOK: usize = 100;

/// Position [m] and quaternion wxyz.
type PoseTuple = ([f64; 3], [f64; 4]);

/// Source of the motor torques before each step.
#[derive(Default)]
enum Control {
    /// The user, through `ctrl`.
    #[default]
    User,
    Pose(OscPose),
    Force(HybridForce),
}

struct State {
    journal: Journal,
    physics: insonate_sim::Physics,
    readings: Readings,
    placement: ProbePlacement,
    control: Control,
}

/// A running scene.
#[pyclass(frozen, module = "insonate")]
pub(crate) struct Physics {
    scene: Py<Scene>,
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
        let (compiled, state) = py.detach(|| {
            let compiled = CompiledScene::compile(&description.to_mjcf()?)?;
            let state = State::new(&compiled)?;
            Ok::<_, Raised>((compiled, state))
        })?;
        Ok(Self {
            scene,
            compiled,
            state: Mutex::new(state),
        })
    }

    /// The state as bytes.
    fn save<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let state = self.lock()?;
        let saved = Saved {
            scene: self.scene.get().arguments.clone(),
            commands: state.commands()?.to_vec(),
            fingerprint: state.fingerprint(),
        };
        Ok(PyBytes::new(py, &state::write(KIND, &saved)?))
    }

    /// Replays the commands of a state.
    fn restore(&self, py: Python<'_>, state: &[u8]) -> Result<()> {
        let saved: Saved = state::read(KIND, state)?;
        if saved.scene != self.scene.get().arguments {
            return Err(value_error(format!(
                "the state is of another scene: {:?}, but this is {:?}",
                saved.scene,
                self.scene.get().arguments
            )));
        }
        let replayed = self.replayed(py, &saved.commands)?;
        if replayed.fingerprint() != saved.fingerprint {
            return Err(SimulationError::new_err(
                "the state: the physics differs from it after its replay; it is of another machine or version of insonate",
            )
            .into());
        }
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

    /// Motor torques [N·m].
    #[getter]
    fn ctrl<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, self.lock()?.physics.ctrl()))
    }

    /// Sets the motor torques [N·m], and disables the controller.
    #[setter]
    fn set_ctrl(&self, torques: PyReadonlyArray1<'_, f64>) -> Result<()> {
        let mut state = self.lock()?;
        let given = torques.as_array();
        let n = state.physics.ctrl().len();
        if given.len() != n || given.iter().any(|torque| !torque.is_finite()) {
            return Err(value_error(format!("ctrl needs {n} finite torques")));
        }
        state.apply(Command::Torques(given.to_vec()))
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
        pose(position, quaternion)?;
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
        pose(position, quaternion)?;
        if let Some(stiffness) = stiffness
            && !(1.0..=1e5).contains(&stiffness)
        {
            return Err(value_error(format!(
                "stiffness is {stiffness}; it must be between 1 and 100000 1/s²"
            )));
        }
        let command = Command::Pose(position, quaternion, stiffness);
        self.lock()?.apply(command)
    }

    /// Presses with a force [N] along the probe's axis, and holds the pose in the other directions (hybrid motion-force
    /// control).
    fn control_force(&self, position: [f64; 3], quaternion: [f64; 4], force: f64) -> Result<()> {
        if !(0.0..=100.0).contains(&force) {
            return Err(value_error(format!(
                "force is {force}; it must be between 0 and 100 N"
            )));
        }
        pose(position, quaternion)?;
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
        let mut state = py.detach(|| State::new(&self.compiled))?;
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

impl State {
    fn new(compiled: &CompiledScene) -> Result<Self> {
        let mut physics = insonate_sim::Physics::from_scene(compiled)?;
        // `read` may ask for the pressure on the face after any step.
        physics.record_contact_points(true);
        Ok(Self {
            journal: Journal::default(),
            readings: Readings::new(&physics)?,
            placement: ProbePlacement::new(&physics)?,
            physics,
            control: Control::User,
        })
    }

    /// The commands since the last reset.
    fn commands(&self) -> Result<&[Command]> {
        let commands = self.journal.commands();
        commands.ok_or_else(|| OrderError::new_err(Journal::problem()).into())
    }

    /// Bits of time, qpos and qvel.
    fn fingerprint(&self) -> Vec<u64> {
        let physics = &self.physics;
        std::iter::once(&physics.time())
            .chain(physics.qpos())
            .chain(physics.qvel())
            .map(|number| number.to_bits())
            .collect()
    }

    fn steps(&mut self, n: usize) -> std::result::Result<(), Divergence> {
        (0..n).try_for_each(|_| {
            self.journal.note(Command::Steps(1));
            self.step()
        })
    }

    /// Notes a command and carries it out; its numbers were checked.
    fn apply(&mut self, command: Command) -> Result<()> {
        if let Command::Steps(n) = command {
            return self
                .steps(n as usize)
                .map_err(|divergence| SimulationError::new_err(divergence.to_string()).into());
        }
        self.journal.note(command.clone());
        match command {
            Command::Steps(_) => {}
            Command::Reset => self.reset(),
            Command::Torques(torques) => {
                let n = self.physics.ctrl().len();
                if torques.len() != n {
                    return Err(value_error(format!("ctrl needs {n} finite torques")));
                }
                self.physics.ctrl_mut().copy_from_slice(&torques);
                self.control = Control::User;
            }
            Command::Place(position, quaternion) => {
                let pose = pose(position, quaternion)?;
                self.placement.place(&mut self.physics, &pose)?;
                self.control = Control::User;
            }
            Command::Pose(position, quaternion, stiffness) => {
                self.control_pose(&pose(position, quaternion)?, stiffness)?;
            }
            Command::Force(position, quaternion, force) => {
                self.control_force(pose(position, quaternion)?, force)?;
            }
        }
        Ok(())
    }

    /// The home pose at time 0, as in a new state: with the zero of a new force sensor.
    fn reset(&mut self) {
        let new = ForceTorque::new(self.physics.model());
        if let (Some(sensor), Ok(new)) = (self.physics.force_torque_mut(), new) {
            *sensor = new;
        }
        self.physics.reset();
        self.control = Control::User;
    }

    fn control_pose(&mut self, pose: &Pose, stiffness: Option<f64>) -> Result<()> {
        let target = OscTarget::Pose(*pose);
        let mut config = OscPoseConfig::default();
        if let Some(stiffness) = stiffness {
            config.stiffness = [stiffness; 6];
        }
        let physics = &self.physics;
        match &mut self.control {
            Control::Pose(controller) if controller.config == config => {
                controller.set_target(physics, target);
            }
            other => {
                let mut controller = OscPose::new(physics, config)?;
                controller.set_target(physics, target);
                *other = Control::Pose(controller);
            }
        }
        Ok(())
    }

    fn control_force(&mut self, world_from_probe: Pose, force: f64) -> Result<()> {
        let target = HybridTarget {
            world_from_probe,
            twist: Twist::default(),
            force,
        };
        let physics = &self.physics;
        match &mut self.control {
            Control::Force(controller) => controller.set_target(physics, target),
            other => {
                let mut controller = HybridForce::new(physics, HybridConfig::default())?;
                controller.set_target(physics, target);
                *other = Control::Force(controller);
            }
        }
        Ok(())
    }

    fn step(&mut self) -> std::result::Result<(), Divergence> {
        match &mut self.control {
            Control::User => {}
            Control::Pose(controller) => controller.control(&mut self.physics),
            Control::Force(controller) => controller.control(&mut self.physics),
        }
        self.physics.step()
    }
}

fn pose(position: [f64; 3], quaternion: [f64; 4]) -> Result<Pose> {
    if !position.iter().all(|x| x.is_finite()) {
        return Err(value_error("a position is finite [m]"));
    }
    Ok(Pose {
        position: Vector3::from(position),
        rotation: rotation(quaternion)?,
    })
}
