//! State of one environment: physics, goal, and the measurements of the probe in the last physics step.

use std::sync::Arc;

use insonate_sim::placement::{ProbePlacement, SkinPoint};
use insonate_sim::readings::{
    ArmContact, FacePressure, ForceTorque, ProbeContact, torso_from_probe,
};
use insonate_sim::verdict::{SkinAtRest, StartCheck};
use insonate_sim::{Physics, Pose, Twist};
use nalgebra::{Isometry3, Vector3};

use super::{ForceSensor, Goal, SceneModel, TorsoFrame};
use crate::EnvError;
use crate::randomization::EpisodeParameters;
use crate::ultrasound::Patient;

/// Maximum depth of the start in the torso [m]. Ultrasound tasks start tilted close above a curved skin, so a rim of the face
/// may be inside.
const PRESS_TOLERANCE: f64 = 0.02;

/// State of one environment, read by tasks and action modes.
#[derive(Debug)]
pub struct SceneState {
    /// The scene of the state.
    pub model: Arc<SceneModel>,
    /// The physics state.
    pub physics: Physics,
    /// The arm and the probe's face.
    pub placement: ProbePlacement,
    contact: ProbeContact,
    arm_contact: ArmContact,
    face: FacePressure,
    start_check: StartCheck,
    /// Whether the pressure on the face is measured.
    has_pressure: bool,
    /// Current pose of the torso relative to the compiled pose.
    pub torso: TorsoFrame,
    /// Pose of the torso without the patient's motion.
    torso_at_rest: TorsoFrame,
    /// The current goal.
    pub goal: Goal,
    /// The probe in the last physics step.
    pub probe: ProbeState,
    /// What the force sensor reports of it.
    pub sensor: ForceSensor,
    /// The patient's internal anatomy, if ultrasound is observed.
    pub patient: Option<Arc<Patient>>,
}

/// Pose, motion and forces of the probe after a physics step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeState {
    /// Pose of the face.
    pub world_from_probe: Pose,
    /// Velocity of the face, in world.
    pub twist: Twist,
    /// Force of the surroundings on the probe in world [N], without noise.
    pub force: Vector3<f64>,
    /// Torque of the surroundings on the probe about the sensor in world [N·m], without noise.
    pub torque: Vector3<f64>,
    /// Pressing force of the probe along the goal's axis [N].
    pub normal_force: f64,
    /// Whether the probe touches another body.
    pub in_contact: bool,
}

impl Default for ProbeState {
    fn default() -> Self {
        Self {
            world_from_probe: TorsoFrame::default().world_from_rest,
            twist: Twist::default(),
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
            normal_force: 0.0,
            in_contact: false,
        }
    }
}

impl SceneState {
    /// Creates a state of a model with the robot at home.
    ///
    /// # Errors
    /// [`EnvError::Sim`] if the scene has no arm or no probe.
    pub fn new(model: Arc<SceneModel>) -> Result<Self, EnvError> {
        let physics = Physics::from_scene(&model.compiled)?;
        let placement = ProbePlacement::new(&physics)?;
        let home = placement.probe.world_from_probe(&physics);
        Ok(Self {
            contact: ProbeContact::new(physics.model())?,
            arm_contact: ArmContact::new(physics.model(), &placement.probe),
            face: FacePressure::new(&physics)?,
            start_check: StartCheck::new(physics.model())?.with_press(PRESS_TOLERANCE),
            has_pressure: false,
            torso: TorsoFrame::default(),
            torso_at_rest: TorsoFrame::default(),
            goal: Goal::at(home),
            probe: ProbeState::default(),
            sensor: ForceSensor::default(),
            patient: None,
            model,
            physics,
            placement,
        })
    }

    /// Resets to the keyframe `home` and the torso to its compiled pose.
    pub fn reset(&mut self) {
        self.physics.reset();
        (self.torso, self.torso_at_rest) = (TorsoFrame::default(), TorsoFrame::default());
        self.goal = Goal::at(self.placement.probe.world_from_probe(&self.physics));
        self.probe = ProbeState::default();
    }

    /// Replaces the scene.
    pub(super) fn replace_scene(&mut self, model: Arc<SceneModel>) -> Result<(), EnvError> {
        self.physics = Physics::from_scene(&model.compiled)?;
        self.physics.record_contact_points(self.has_pressure);
        self.model = model;
        Ok(())
    }

    /// Measures the pressure on the face from now on.
    pub(super) fn measure_pressure(&mut self) {
        self.has_pressure = true;
        self.physics.record_contact_points(true);
    }

    /// Numbers of elements of the face along the array and across it.
    pub fn pressure_shape(&self) -> [usize; 2] {
        self.face.shape()
    }

    /// Pressure on the elements of the face in the last physics step [Pa], row by row; zeros where it is not measured.
    pub fn pressures(&self) -> Vec<f64> {
        let map = self.face.read(&self.physics);
        let [n_x, n_y] = self.face.shape();
        map.map_or_else(|| vec![0.0; n_x * n_y], |map| map.pressures)
    }

    /// The current skin point for a point `(x, y)` [m] on the torso as compiled. `None` outside the skin.
    pub fn skin(&self, x: f64, y: f64) -> Option<SkinPoint> {
        let rest = self.model.skin.above(x, y)?;
        let Pose { position, rotation } = self.torso.world_from_rest;
        Some(SkinPoint {
            position: rotation * rest.position + position,
            normal: rotation * rest.normal,
        })
    }

    /// The probe's pose `lift` [m] above the skin, with the rotation about its axis as at home.
    pub fn pose_on(&self, point: &SkinPoint, lift: f64) -> Pose {
        self.placement.pose_on(point, lift, None)
    }

    /// Start pose of the episode: the goal's pose, shifted by the episode's start offset and lifted by the current breath.
    pub fn start(&self, episode: &EpisodeParameters) -> Pose {
        let [x, y] = episode.start_offset;
        let lift = episode.start_height + self.breath()[0];
        let Pose { position, rotation } = self.goal.world_from_probe;
        Pose {
            position: position + rotation * Vector3::new(x, y, -lift),
            rotation,
        }
    }

    /// Places the robot at rest at the start pose.
    ///
    /// # Errors
    /// Those of [`SceneState::place`].
    pub fn place_above(&mut self, episode: &EpisodeParameters) -> Result<(), EnvError> {
        self.place(&self.start(episode))
    }

    /// As [`SceneState::place_above`], in a posture from which the arm can move directly to another pose.
    ///
    /// # Errors
    /// [`EnvError::Sim`] if the pose is out of reach.
    pub fn place_with_reachable_path(
        &mut self,
        episode: &EpisodeParameters,
        end: &Pose,
    ) -> Result<(), EnvError> {
        let start = self.start(episode);
        let halfway = Pose {
            position: start.position.lerp(&end.position, 0.5),
            rotation: start.rotation.slerp(&end.rotation, 0.5),
        };
        let path = [start, halfway, *end];
        self.placement.place_with_path(&mut self.physics, &path)?;
        self.read_probe();
        Ok(())
    }

    /// Places the robot at rest with the probe at a pose, and zeroes the force sensor there.
    ///
    /// # Errors
    /// [`EnvError::Sim`] if the pose is out of reach.
    pub fn place(&mut self, pose: &Pose) -> Result<(), EnvError> {
        self.placement.place(&mut self.physics, pose)?;
        self.read_probe();
        Ok(())
    }

    /// Checks that the robot at its start overlaps no other body.
    ///
    /// # Errors
    /// [`EnvError::Start`] with both geoms and the depth of each overlap.
    pub(crate) fn check_start(&mut self) -> Result<(), EnvError> {
        let Pose { position, rotation } = self.in_world(&Isometry3::identity());
        let torso = self.model.scene.torso.as_ref();
        let skin = torso.map(|torso| SkinAtRest {
            mesh: &torso.surface,
            tree: &self.model.skin_tree,
            world_from_skin: Isometry3::from_parts(position.into(), rotation),
        });
        Ok(self.start_check.check(&mut self.physics, skin.as_ref())?)
    }

    /// Reads pose and forces of the probe after a physics step.
    pub fn read_probe(&mut self) {
        let wrench = self
            .physics
            .force_torque()
            .map(ForceTorque::wrench_in_world)
            .unwrap_or_default();
        let world_from_probe = self.placement.probe.world_from_probe(&self.physics);
        self.probe = ProbeState {
            world_from_probe,
            twist: self.placement.probe.twist_in_world(&self.physics),
            force: wrench.force,
            torque: wrench.torque,
            normal_force: -wrench.force.dot(&self.goal.world_from_probe.z_axis()),
            in_contact: self.contact.in_contact(&self.physics),
        };
    }

    /// Starts the force sensor of an episode at the probe's current wrench.
    pub(super) fn start_sensor(&mut self, episode: &EpisodeParameters) {
        let timestep = self.physics.timestep();
        self.sensor.reset(episode, &self.probe, timestep);
    }

    /// Passes the probe's current wrench to the force sensor.
    pub(super) fn sense_force(&mut self) {
        let timestep = self.physics.timestep();
        self.sensor.add(&self.probe, timestep);
    }

    /// Reason for a robot to stop, other than forces.
    pub fn obstruction(&self) -> Option<&'static str> {
        if self.placement.arm.joint_limit_margin(&self.physics) < 0.0 {
            return Some("a joint at its limit");
        }
        let touches = self.arm_contact.touches(&self.physics);
        touches.then_some("the arm touches something")
    }

    /// Sets the torso's pose at rest.
    pub(super) fn place_torso(&mut self, frame: &TorsoFrame) {
        self.torso_at_rest = *frame;
        self.set_frame(*frame);
    }

    fn set_frame(&mut self, frame: TorsoFrame) {
        if frame == self.torso {
            return;
        }
        self.torso = frame;
        if let Some(shell) = self.physics.shell_mut() {
            shell.set_frame(&frame.world_from_rest, &frame.twist);
        }
    }

    /// Moves the torso with the patient: a sine about its pose at rest.
    pub fn move_patient(&mut self, episode: &EpisodeParameters) {
        let [x, y] = episode.patient_amplitude;
        if x == 0.0 && y == 0.0 {
            return;
        }
        let rate = std::f64::consts::TAU * episode.patient_rate;
        let phase = rate * self.physics.time() + episode.patient_phase;
        // The motion starts at the pose at rest.
        let amplitude = Vector3::new(x, y, 0.0);
        let shift = amplitude * (phase.sin() - episode.patient_phase.sin());
        let mut frame = self.torso_at_rest;
        frame.world_from_rest.position += shift;
        frame.twist.linear = amplitude * (rate * phase.cos());
        self.set_frame(frame);
    }

    /// Rise of the chest [m] and its rate [m/s]. Zero without breathing, or for torsos that MuJoCo steps.
    pub fn breath(&self) -> [f64; 2] {
        self.physics.breath().unwrap_or_default()
    }

    /// Offset from the goal to the probe's face [m], in world.
    pub fn offset(&self) -> Vector3<f64> {
        self.probe.world_from_probe.position - self.goal.world_from_probe.position
    }

    /// Component of that offset perpendicular to the goal's axis [m].
    pub fn offset_across(&self) -> Vector3<f64> {
        let axis = self.goal.world_from_probe.z_axis();
        let offset = self.offset();
        offset - axis * offset.dot(&axis)
    }

    /// Angle between the axes of probe and goal [rad].
    pub fn tilt(&self) -> f64 {
        let axis = self.goal.world_from_probe.z_axis();
        self.probe.world_from_probe.z_axis().angle(&axis)
    }

    /// Pressing force of the probe along its own axis [N].
    pub fn axial_force(&self) -> f64 {
        -self.probe.force.dot(&self.probe.world_from_probe.z_axis())
    }

    /// The probe's pose in the frame of the torso at rest, in which organs are described.
    pub fn torso_from_probe(&self) -> Isometry3<f64> {
        self.in_torso(&self.probe.world_from_probe)
    }

    /// Current world pose of a pose in that frame.
    pub fn in_world(&self, torso_from_probe: &Isometry3<f64>) -> Pose {
        let origin = Vector3::from(self.model.scene.torso_position);
        let Pose { position, rotation } = self.torso.world_from_rest;
        Pose {
            position: rotation * (torso_from_probe.translation.vector + origin) + position,
            rotation: rotation * torso_from_probe.rotation,
        }
    }

    /// Pose of the probe in that frame.
    pub fn in_torso(&self, world_from_probe: &Pose) -> Isometry3<f64> {
        let origin = self.model.scene.torso_position;
        torso_from_probe(world_from_probe, origin, &self.torso.world_from_rest)
    }
}
