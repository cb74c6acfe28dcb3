//! A running scene: steps, readings by name, and controllers.

use std::sync::{Mutex, MutexGuard, TryLockError};

use insonate_sim::controllers::{
    Controller as _, HybridConfig, HybridForce, HybridTarget, OscPose, OscPoseConfig, OscTarget,
};
use insonate_sim::placement::ProbePlacement;
use insonate_sim::readings::QUANTITIES;
use insonate_sim::{CompiledScene, Pose, Readings, Twist};
use nalgebra::Vector3;
use numpy::{PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::arrays::whole;
use crate::error::{OrderError, Raised, Result, SimulationError, value_error};
use crate::geometry::{rotation, wxyz};
use crate::scene::Scene;

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
    physics: insonate_sim::Physics,
    readings: Readings,
    placement: ProbePlacement,
    control: Control,
}

/// A running scene.
#[pyclass(frozen, module = "insonate")]
pub(crate) struct Physics {
    scene: Py<Scene>,
    state: Mutex<State>,
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
        let state = py.detach(|| {
            let compiled = CompiledScene::compile(&description.to_mjcf()?)?;
            let physics = insonate_sim::Physics::from_scene(&compiled)?;
            Ok::<_, Raised>(State {
                readings: Readings::new(&physics)?,
                placement: ProbePlacement::new(&physics)?,
                physics,
                control: Control::User,
            })
        });
        let state = Mutex::new(state?);
        Ok(Self { scene, state })
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
        let (given, ctrl) = (torques.as_array(), state.physics.ctrl_mut());
        if given.len() != ctrl.len() || given.iter().any(|torque| !torque.is_finite()) {
            let n = ctrl.len();
            return Err(value_error(format!("ctrl needs {n} finite torques")));
        }
        ctrl.iter_mut()
            .zip(given)
            .for_each(|(to, from)| *to = *from);
        state.control = Control::User;
        Ok(())
    }

    /// Resets to the home pose at time 0.
    fn reset(&self) -> Result<()> {
        let mut state = self.lock()?;
        state.physics.reset();
        state.control = Control::User;
        Ok(())
    }

    /// Runs `n` steps; the controller acts before each.
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python<'_>, n: i64) -> Result<()> {
        let n = whole("n", n, 0)?;
        let mut state = self.lock()?;
        let state: &mut State = &mut state;
        let mut left = n;
        while left > 0 {
            let steps = left.min(STEPS_PER_LOOK);
            py.detach(|| (0..steps).try_for_each(|_| state.step()))
                .map_err(|divergence| SimulationError::new_err(divergence.to_string()))?;
            left -= steps;
            py.check_signals()?;
        }
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
        let pose = pose(position, quaternion)?;
        let mut state = self.lock()?;
        let State {
            physics, placement, ..
        } = &mut *state;
        placement.place(physics, &pose)?;
        state.control = Control::User;
        Ok(())
    }

    /// Holds the probe at a pose (operational-space control).
    #[pyo3(signature = (position, quaternion, stiffness=None))]
    fn control_pose(
        &self,
        position: [f64; 3],
        quaternion: [f64; 4],
        stiffness: Option<f64>,
    ) -> Result<()> {
        let target = OscTarget::Pose(pose(position, quaternion)?);
        let mut config = OscPoseConfig::default();
        if let Some(stiffness) = stiffness {
            if !(1.0..=1e5).contains(&stiffness) {
                return Err(value_error(format!(
                    "stiffness is {stiffness}; it must be between 1 and 100000 1/s²"
                )));
            }
            config.stiffness = [stiffness; 6];
        }
        let mut state = self.lock()?;
        let State {
            physics, control, ..
        } = &mut *state;
        match control {
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

    /// Presses with a force [N] along the probe's axis, and holds the pose in the other directions (hybrid motion-force
    /// control).
    fn control_force(&self, position: [f64; 3], quaternion: [f64; 4], force: f64) -> Result<()> {
        if !(0.0..=100.0).contains(&force) {
            return Err(value_error(format!(
                "force is {force}; it must be between 0 and 100 N"
            )));
        }
        let target = HybridTarget {
            world_from_probe: pose(position, quaternion)?,
            twist: Twist::default(),
            force,
        };
        let mut state = self.lock()?;
        let State {
            physics, control, ..
        } = &mut *state;
        match control {
            Control::Force(controller) => controller.set_target(physics, target),
            other => {
                let mut controller = HybridForce::new(physics, HybridConfig::default())?;
                controller.set_target(physics, target);
                *other = Control::Force(controller);
            }
        }
        Ok(())
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

impl State {
    fn step(&mut self) -> std::result::Result<(), insonate_sim::Divergence> {
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
