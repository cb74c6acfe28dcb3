//! Motion of the probe over the skin at a controlled force, as a sonographer searches for a view.
//!
//! Actions are velocities of an offset from the task's goal. The probe follows the skin's normal. The zero action holds the pose.

use insonate_settings::check_ranges;
use insonate_sim::controllers::{Controller as _, HybridConfig, HybridForce, HybridTarget};
use insonate_sim::{Pose, Twist};
use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::mode::ActionMode;
use super::{ActionSettings, control_force};
use crate::probe::SceneState;
use crate::{BoxSpace, EnvError};

/// Names of the entries: along and across the array, rotations about the probe's z, x and y axes, and force.
const AXES: [&str; 6] = ["x", "y", "yaw", "fan", "rock", "force"];

/// Settings of the mode `hybrid_motion`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HybridMotionSettings {
    /// Entries of an action, a subset of `x y yaw fan rock force`: motion along and across the array, rotations about the
    /// probe's z, x and y axes, change of the desired force.
    pub axes: Vec<String>,
    /// Speed over the skin at a full-scale action [m/s].
    pub speed_scale: f64,
    /// Angular speed at a full-scale action [rad/s].
    pub turn_scale: f64,
    /// Change of the desired force at a full-scale action [N].
    pub force_scale: f64,
    /// Limit of `fan` and `rock` [rad].
    pub max_tilt: f64,
}

impl Default for HybridMotionSettings {
    fn default() -> Self {
        Self {
            axes: AXES[..5].iter().map(|axis| (*axis).to_owned()).collect(),
            speed_scale: 0.03,
            turn_scale: 0.5,
            force_scale: 4.0,
            max_tilt: 0.6,
        }
    }
}

impl HybridMotionSettings {
    pub(super) fn check(&self) -> Result<(), EnvError> {
        let axes = &self.axes;
        let twice = (0..axes.len()).any(|i| axes[..i].contains(&axes[i]));
        let known = axes.iter().all(|axis| AXES.contains(&axis.as_str()));
        if axes.is_empty() || twice || !known {
            return Err(EnvError::Config {
                field: "action.hybrid_motion.axes".to_owned(),
                problem: format!(
                    "is {axes:?}; it must be a subset of {} without duplicates",
                    AXES.join(", ")
                ),
            });
        }
        Ok(check_ranges(
            "action.hybrid_motion.",
            [
                ("speed_scale", self.speed_scale, [0.0, 0.2], "m/s"),
                ("turn_scale", self.turn_scale, [0.0, 3.0], "rad/s"),
                ("force_scale", self.force_scale, [0.0, 40.0], "N"),
                ("max_tilt", self.max_tilt, [0.0, 1.2], "rad"),
            ],
        )?)
    }

    /// Writes the action for velocities [m/s, rad/s] and a change of force [N], in the order of `AXES`, clipped to the limits.
    pub fn action_of(&self, wanted: [f64; 6], action: &mut [f32]) {
        let scales = self.scales();
        for (axis, share) in self.axes.iter().zip(action) {
            let place = AXES.iter().position(|known| known == axis);
            let wanted = place.map_or(0.0, |place| wanted[place] / scales[place].max(1e-9));
            *share = wanted.clamp(-1.0, 1.0) as f32;
        }
    }

    fn scales(&self) -> [f64; 6] {
        let (speed, turn) = (self.speed_scale, self.turn_scale);
        [speed, speed, turn, turn, turn, self.force_scale]
    }
}

/// The mode `hybrid_motion`.
#[derive(Debug)]
pub struct HybridMotionAction {
    controller: HybridForce,
    reads_sensor: bool,
    settings: HybridMotionSettings,
    /// Requested velocities and change of force, in the order of [`AXES`].
    requested: [f64; 6],
    /// Offset from the goal's position, in the frame of the torso at rest, seen from above [m].
    offset: [f64; 2],
    /// Yaw, fan and rock [rad].
    turns: [f64; 3],
}

impl HybridMotionAction {
    /// # Errors
    /// [`EnvError::Sim`] if the scene has no arm, no probe or no force sensor.
    pub fn new(state: &SceneState, all: &ActionSettings) -> Result<Self, EnvError> {
        let settings = &all.hybrid_motion;
        Ok(Self {
            controller: HybridForce::new(&state.physics, HybridConfig::default())?,
            reads_sensor: all.reads_sensor(),
            settings: settings.clone(),
            requested: [0.0; 6],
            offset: [0.0; 2],
            turns: [0.0; 3],
        })
    }

    /// Moves the offset for a physics step; it stays where there is no skin. Returns the rates of yaw, fan and rock [rad/s].
    fn integrate(&mut self, state: &SceneState, velocity: &Vector3<f64>) -> [f64; 3] {
        let dt = state.physics.timestep();
        let at_rest = state.torso.world_from_rest.rotation.inverse() * velocity;
        let next = [
            self.offset[0] + dt * at_rest.x,
            self.offset[1] + dt * at_rest.y,
        ];
        if skin_pose(state, next).is_some() {
            self.offset = next;
        }
        let most = [
            std::f64::consts::PI,
            self.settings.max_tilt,
            self.settings.max_tilt,
        ];
        std::array::from_fn(|axis| {
            let before = self.turns[axis];
            let next = before + dt * self.requested[2 + axis];
            self.turns[axis] = next.clamp(-most[axis], most[axis]);
            (self.turns[axis] - before) / dt
        })
    }
}

/// The pose perpendicular to the skin at an offset from the goal, with the goal's rotation about the normal. `None` outside the skin.
fn skin_pose(state: &SceneState, [x, y]: [f64; 2]) -> Option<Pose> {
    let goal = &state.goal.world_from_probe;
    let Pose { position, rotation } = state.torso.world_from_rest;
    let place = rotation.inverse() * (goal.position - position);
    let point = state.skin(place.x + x, place.y + y)?;
    let lateral = goal.rotation * Vector3::x();
    Some(Pose::with_z_axis(point.position, -point.normal, lateral))
}

impl ActionMode for HybridMotionAction {
    fn space(&self) -> BoxSpace {
        let mut space = BoxSpace::default();
        for axis in &self.settings.axes {
            space.push(format!("{axis} [1]"), -1.0, 1.0);
        }
        space
    }

    fn reset(&mut self, state: &SceneState) {
        self.controller.reset(&state.physics);
        (self.requested, self.offset, self.turns) = ([0.0; 6], [0.0; 2], [0.0; 3]);
    }

    fn set_action(&mut self, _state: &SceneState, action: &[f32]) {
        let scales = self.settings.scales();
        self.requested = [0.0; 6];
        for (axis, share) in self.settings.axes.iter().zip(action) {
            if let Some(place) = AXES.iter().position(|known| known == axis) {
                self.requested[place] = f64::from(*share) * scales[place];
            }
        }
    }

    fn control(&mut self, state: &mut SceneState) {
        let goal = state.goal;
        let [x, y, .., force] = self.requested;
        let mut target = goal.world_from_probe;
        let mut velocity = Vector3::zeros();
        let poses = skin_pose(state, [0.0; 2]).zip(skin_pose(state, self.offset));
        if let Some((start, here)) = poses {
            let about = |axis, angle| UnitQuaternion::from_axis_angle(&axis, angle);
            // Tilt of the goal relative to its skin, then the rotations.
            let lean = start.rotation.inverse() * goal.world_from_probe.rotation;
            let [yaw, fan, rock] = self.turns;
            target = Pose {
                position: here.position,
                rotation: here.rotation
                    * lean
                    * about(Vector3::z_axis(), yaw)
                    * about(Vector3::x_axis(), fan)
                    * about(Vector3::y_axis(), rock),
            };
            // Axes of the probe, projected onto the skin's tangent plane.
            let axis = here.z_axis();
            let along = target.rotation * Vector3::new(x, y, 0.0);
            velocity = along - axis * axis.dot(&along);
        }
        let [yaw, fan, rock] = self.integrate(state, &velocity);
        self.controller.set_target(
            &state.physics,
            HybridTarget {
                world_from_probe: target,
                twist: Twist {
                    linear: goal.twist.linear + velocity,
                    angular: goal.twist.angular + target.rotation * Vector3::new(fan, rock, yaw),
                },
                force: (goal.force + force).max(0.0),
            },
        );
        control_force(&mut self.controller, state, self.reads_sensor);
    }
}
