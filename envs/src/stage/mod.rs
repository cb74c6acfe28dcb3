//! A scene in which a probe is moved: state, goal, and what is felt in each physics step.

mod bank;
mod goal;
mod path;
mod record;
mod setup;
mod studio;

use std::sync::Arc;

use insonate_sim::placement::{ProbePlacement, SkinPoint};
use insonate_sim::readings::ProbeContact;
use insonate_sim::{Physics, Pose, Twist};
use nalgebra::{UnitQuaternion, Vector3};

pub use bank::Bank;
pub use goal::Goal;
pub use path::Path;
pub use record::{ContactRecord, Tolerance};
pub use setup::{Nominal, SceneSettings, Setup, describe, shape, soften};
pub use studio::Studio;

use crate::EnvError;
use crate::randomization::Episode;

/// One environment's state with all that tasks and actions read.
#[derive(Debug)]
pub struct Stage {
    /// What the state belongs to.
    pub setup: Arc<Setup>,
    /// The state.
    pub physics: Physics,
    /// The arm and the probe's face.
    pub placement: ProbePlacement,
    contact: ProbeContact,
    /// Where the torso stands now against where it was compiled.
    pub frame: Frame,
    /// The same when the patient does not move.
    rest: Frame,
    /// What the probe should do now.
    pub goal: Goal,
    /// What was felt in the last physics step.
    pub felt: Felt,
}

/// A prescribed motion of the torso.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// From the torso as compiled to the torso now, in world.
    pub world_from_rest: Pose,
    /// Velocity of that frame, in world.
    pub twist: Twist,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            world_from_rest: Pose {
                position: Vector3::zeros(),
                rotation: UnitQuaternion::identity(),
            },
            twist: Twist::default(),
        }
    }
}

/// Pose, motion and forces of the probe after a physics step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Felt {
    /// Pose of the face.
    pub world_from_probe: Pose,
    /// Velocity of the face, in world.
    pub twist: Twist,
    /// Force of the surroundings on the probe in world [N], without noise.
    pub force: Vector3<f64>,
    /// Torque of the surroundings on the probe about the sensor in world [N·m], without noise.
    pub torque: Vector3<f64>,
    /// Force that the probe presses with along the goal's axis [N].
    pub normal_force: f64,
    /// Whether the probe touches anything.
    pub in_contact: bool,
}

impl Default for Felt {
    fn default() -> Self {
        Self {
            world_from_probe: Frame::default().world_from_rest,
            twist: Twist::default(),
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
            normal_force: 0.0,
            in_contact: false,
        }
    }
}

impl Stage {
    /// A state of a setup, the robot at home.
    ///
    /// # Errors
    /// [`EnvError::Sim`] where the scene has no arm or no probe.
    pub fn new(setup: Arc<Setup>) -> Result<Self, EnvError> {
        let physics = Physics::from_scene(&setup.compiled)?;
        let placement = ProbePlacement::new(&physics)?;
        let home = placement.probe.world_from_probe(&physics);
        Ok(Self {
            contact: ProbeContact::new(physics.model())?,
            frame: Frame::default(),
            rest: Frame::default(),
            goal: Goal::at(home),
            felt: Felt::default(),
            setup,
            physics,
            placement,
        })
    }

    /// Puts everything back to the keyframe `home`, the torso to where it was compiled.
    pub fn reset(&mut self) {
        self.physics.reset();
        (self.frame, self.rest) = (Frame::default(), Frame::default());
        self.goal = Goal::at(self.placement.probe.world_from_probe(&self.physics));
        self.felt = Felt::default();
    }

    /// The skin now above a point `(x, y)` [m] given where the torso was compiled; none beside it.
    pub fn skin(&self, x: f64, y: f64) -> Option<SkinPoint> {
        let rest = self.setup.skin.above(x, y)?;
        let Pose { position, rotation } = self.frame.world_from_rest;
        Some(SkinPoint {
            position: rotation * rest.position + position,
            normal: rotation * rest.normal,
        })
    }

    /// The probe's pose on the skin, `lift` [m] above it, turned about its axis as at home.
    pub fn pose_on(&self, point: &SkinPoint, lift: f64) -> Pose {
        self.placement.pose_on(point, lift, None)
    }

    /// Where the episode starts: the goal's pose, shifted by the episode's start, and lifted by the present breath.
    pub fn start(&self, episode: &Episode) -> Pose {
        let [x, y] = episode.start_offset;
        let lift = episode.start_height + self.breath()[0];
        let Pose { position, rotation } = self.goal.world_from_probe;
        Pose {
            position: position + rotation * Vector3::new(x, y, -lift),
            rotation,
        }
    }

    /// Puts the robot at rest where the episode starts.
    ///
    /// # Errors
    /// As [`Stage::place`].
    pub fn place_above(&mut self, episode: &Episode) -> Result<(), EnvError> {
        self.place(&self.start(episode))
    }

    /// Puts the robot at rest with the probe at a pose, and sets the force sensor's zero there.
    ///
    /// # Errors
    /// [`EnvError::Sim`] where the arm does not reach.
    pub fn place(&mut self, pose: &Pose) -> Result<(), EnvError> {
        self.placement.place(&mut self.physics, pose)?;
        self.feel();
        Ok(())
    }

    /// Reads what the last physics step did to the probe.
    pub fn feel(&mut self) {
        let wrench = self
            .physics
            .force_torque()
            .map(insonate_sim::readings::ForceTorque::wrench_in_world)
            .unwrap_or_default();
        let world_from_probe = self.placement.probe.world_from_probe(&self.physics);
        self.felt = Felt {
            world_from_probe,
            twist: self.placement.probe.twist_in_world(&self.physics),
            force: wrench.force,
            torque: wrench.torque,
            normal_force: -wrench.force.dot(&self.goal.world_from_probe.z_axis()),
            in_contact: self.contact.in_contact(&self.physics),
        };
    }
}
