//! Observation of a scene: joints, the goal's error, the measured wrench, the torso, the last action, and camera and ultrasound
//! readings.

use insonate_settings::check_range;
use insonate_sim::Pose;
use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::state::SceneState;
use super::wrench_measurement::{MEASURED, RATE, WrenchMeasurement, integral_filter, slow_filter};
use crate::camera::CameraSettings;
use crate::ultrasound::UltrasoundSettings;
use crate::{BoxSpace, EnvError};

/// Observed parts of the scene. Tasks add entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each group of entries is switched by itself"
)]
pub struct ObservationSettings {
    /// Joint positions [rad] and velocities [rad/s].
    pub joints: bool,
    /// Error of the probe's pose and twist against the goal, in the goal's frame.
    pub goal: bool,
    /// Measured force and torque at the probe, and filtered past forces.
    pub wrench: bool,
    /// True state of the torso: breathing and motion of the patient. No sensor measures it; for privileged policies.
    pub torso: bool,
    /// Pressure on the probe's face in elements of 5 mm, without noise ([`FacePressure`](insonate_sim::readings::FacePressure)).
    #[serde(default)]
    pub pressure: bool,
    /// The last action.
    pub previous_action: bool,
    /// Number of stacked observations, newest last.
    pub n_stack: usize,
    /// Camera image. Its pixels follow all other entries except ultrasound.
    pub camera: CameraSettings,
    /// Ultrasound of the patient. Its readings come last.
    #[serde(default)]
    pub ultrasound: UltrasoundSettings,
}

impl Default for ObservationSettings {
    fn default() -> Self {
        Self {
            joints: true,
            goal: true,
            wrench: true,
            torso: false,
            pressure: false,
            previous_action: true,
            n_stack: 1,
            camera: CameraSettings::default(),
            ultrasound: UltrasoundSettings::default(),
        }
    }
}

impl ObservationSettings {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_range(
            "observation.n_stack",
            self.n_stack as f64,
            [1.0, 64.0],
            "frames",
        )?;
        self.camera.check()?;
        self.ultrasound.check()
    }

    /// The entries before those of the task. `n_actions` is the length of an action.
    pub fn space(&self, state: &SceneState, n_actions: usize) -> BoxSpace {
        let mut space = BoxSpace::default();
        if self.joints {
            let n = state.placement.arm.n_joints();
            space.extend(numbered("joint_position", n, "rad"));
            space.extend(numbered("joint_velocity", n, "rad/s"));
        }
        if self.goal {
            space.extend(goal_space());
        }
        if self.wrench {
            space.extend(wrench_space());
        }
        if self.torso {
            space.extend(BoxSpace::unbounded(["breath [m]", "breath_rate [m/s]"]));
            let patient = along("patient_velocity", &["x", "y"], "m/s");
            space.extend(patient.in_frame("world"));
        }
        if self.pressure {
            // Row by row: along the array, then across it.
            let [n_x, n_y] = state.pressure_shape();
            let names = (0..n_x * n_y).map(|i| format!("pressure_{}_{} [Pa]", i / n_y, i % n_y));
            space.extend(BoxSpace::unbounded(names).in_frame("probe"));
        }
        if self.previous_action {
            space.extend(numbered("previous_action", n_actions, "1"));
        }
        space
    }
}

fn numbered(what: &str, n: usize, unit: &str) -> BoxSpace {
    BoxSpace::unbounded((0..n).map(|i| format!("{what}_{i} [{unit}]")))
}

fn along(what: &str, axes: &[&str], unit: &str) -> BoxSpace {
    BoxSpace::unbounded(axes.iter().map(|axis| format!("{what}_{axis} [{unit}]")))
}

/// The probe's error relative to the goal, and the goal's motion along its path.
fn goal_space() -> BoxSpace {
    let mut space = BoxSpace::default();
    for (what, unit) in [
        ("position_error", "m"),
        ("rotation_error", "rad"),
        ("velocity_error", "m/s"),
        ("angular_velocity_error", "rad/s"),
    ] {
        space.extend(along(what, &["x", "y", "z"], unit));
    }
    space.extend(along("path_velocity", &["x", "y"], "m/s"));
    space.in_frame("goal")
}

/// Readings of the force sensor, in the probe's frame.
fn wrench_space() -> BoxSpace {
    let mut space = along("force", &["x", "y", "z"], "N");
    space.extend(along("torque", &["x", "y", "z"], "N·m"));
    space.extend(BoxSpace::unbounded(["force_error [N]"]));
    let mut space = space.filtered(MEASURED);
    space.extend(BoxSpace::unbounded(["force_rate [N/s]"]).filtered(RATE));
    space.extend(BoxSpace::unbounded(["slow_force_error [N]"]).filtered(&slow_filter()));
    space.extend(BoxSpace::unbounded(["force_error_integral [N·s]"]).filtered(&integral_filter()));
    space.in_frame("probe")
}

/// Fills an observation from front to back.
struct Writer<'a> {
    rest: &'a mut [f32],
}

impl Writer<'_> {
    fn push(&mut self, value: f64) {
        let (first, rest) = std::mem::take(&mut self.rest)
            .split_first_mut()
            .expect("the space has as many entries as are written");
        *first = value as f32;
        self.rest = rest;
    }

    fn vector(&mut self, vector: &Vector3<f64>) {
        vector.iter().for_each(|&value| self.push(value));
    }
}

/// Writes the scene's entries. Returns the remaining part of the buffer for the task.
pub fn observe<'a>(
    settings: &ObservationSettings,
    state: &SceneState,
    measured: &WrenchMeasurement,
    previous_action: &[f32],
    observation: &'a mut [f32],
) -> &'a mut [f32] {
    let mut writer = Writer { rest: observation };
    if settings.joints {
        let (qpos, qvel) = (state.physics.qpos(), state.physics.qvel());
        for joint in &state.placement.arm.joints {
            writer.push(qpos[joint.qpos]);
        }
        for joint in &state.placement.arm.joints {
            writer.push(qvel[joint.dof]);
        }
    }
    if settings.goal {
        write_goal(&mut writer, state);
    }
    if settings.wrench {
        let [force, torque] = &measured.wrench;
        writer.vector(force);
        writer.vector(torque);
        writer.push(measured.force - state.goal.force);
        writer.push(measured.rate);
        writer.push(measured.slow);
        writer.push(measured.integral);
    }
    if settings.torso {
        let breath = state.breath();
        writer.push(breath[0]);
        writer.push(breath[1]);
        writer.push(state.torso.twist.linear.x);
        writer.push(state.torso.twist.linear.y);
    }
    if settings.pressure {
        for pressure in state.pressures() {
            writer.push(pressure);
        }
    }
    if settings.previous_action {
        for &share in previous_action {
            writer.push(f64::from(share));
        }
    }
    writer.rest
}

fn write_goal(writer: &mut Writer<'_>, state: &SceneState) {
    let (probe, goal) = (&state.probe, &state.goal);
    let Pose { position, rotation } = goal.world_from_probe;
    let to_goal = rotation.inverse();
    writer.vector(&(to_goal * (probe.world_from_probe.position - position)));
    let turn: UnitQuaternion<f64> = to_goal * probe.world_from_probe.rotation;
    writer.vector(&turn.scaled_axis());
    writer.vector(&(to_goal * (probe.twist.linear - goal.twist.linear)));
    writer.vector(&(to_goal * (probe.twist.angular - goal.twist.angular)));
    let path = to_goal * (goal.direction * goal.speed);
    writer.push(path.x);
    writer.push(path.y);
}
