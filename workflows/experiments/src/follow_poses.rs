//! Following recorded poses: the probe moves through them in time, and its pose and force are read at each.
//!
//! The probe starts 2 cm behind the first pose, moves to it along its axis, and rests there for a moment. This part is not returned.

use insonate_models::Scene;
use insonate_settings::check_range;
use insonate_sim::controllers::{Controller as _, OscPose, OscPoseConfig, OscTarget};
use insonate_sim::readings::ForceTorque;
use insonate_sim::{Physics, Pose};
use nalgebra::{UnitQuaternion, Vector3};

use super::probe_scene::ProbeScene;
use super::progress::report;
use super::{ExperimentError, Progress};

/// Stiffness of the position control per unit of task inertia [1/s²].
const STIFFNESS: f64 = 6000.0;
/// Integral gain for the error of the position [1/s].
const CORRECTION: f64 = 6.0;
/// Limit of the integral [m].
const MAX_CORRECTION: f64 = 0.02;
/// Distance behind the first pose at the start [m], the time of the way to it, and the time at rest there [s].
const CLEARANCE: f64 = 0.02;
const APPROACH: f64 = 0.6;
const SETTLING: f64 = 0.6;
/// Maximum number of poses for which the posture of the arm is chosen.
const MAX_CHOSEN: usize = 40;
/// Limits of a recording: time between rows [s], speed [m/s], turn rate [rad/s], duration [s].
const MAX_GAP: f64 = 0.5;
const MAX_SPEED: f64 = 1.0;
const MAX_TURN: f64 = 6.0;
const MAX_DURATION: f64 = 3600.0;

/// State of the probe at a recorded time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbeState {
    /// Pose of the face.
    pub world_from_probe: Pose,
    /// Force of the probe on the tissue, in the probe's frame [N].
    pub force: Vector3<f64>,
    /// Torque of the probe on the tissue about the middle of the face, in the probe's frame [N·m].
    pub torque: Vector3<f64>,
}

/// Checks that a probe can follow poses, shape `[n]`, at times [s], shape `[n]`.
///
/// # Errors
/// [`ExperimentError::ShortProfile`]; [`insonate_settings::SettingError`] with the row of a time, speed or turn rate out of range.
pub fn check_poses(time: &[f64], poses: &[Pose]) -> Result<(), ExperimentError> {
    let n_samples = time.len().min(poses.len());
    if n_samples < 2 {
        return Err(ExperimentError::ShortProfile { n_samples });
    }
    let duration = time[n_samples - 1] - time[0];
    check_range(
        "duration of the recording",
        duration,
        [0.0, MAX_DURATION],
        "s",
    )?;
    for row in 1..n_samples {
        let [from, to] = [poses[row - 1], poses[row]];
        let gap = time[row] - time[row - 1];
        let name = |what: &str| format!("{what} of row {row}");
        check_range(
            &name("time after the row before"),
            gap,
            [1e-6, MAX_GAP],
            "s",
        )?;
        let speed = (to.position - from.position).norm() / gap;
        check_range(&name("speed"), speed, [0.0, MAX_SPEED], "m/s")?;
        let turn = from.rotation.angle_to(&to.rotation) / gap;
        check_range(&name("turn rate"), turn, [0.0, MAX_TURN], "rad/s")?;
    }
    Ok(())
}

/// Moves the probe of a scene through poses in the world, shape `[n]`, at times [s], shape `[n]`. Returns its state at each time.
///
/// # Errors
/// Those of [`check_poses`]; if the scene cannot run, a pose cannot be reached, the simulation diverges, or the caller interrupts
/// ([`super::Interrupted`]).
pub fn follow_poses(
    scene: &Scene,
    time: &[f64],
    poses: &[Pose],
    progress: Progress<'_>,
) -> Result<Vec<ProbeState>, ExperimentError> {
    check_poses(time, poses)?;
    let mut follower = PoseFollower::new(scene, poses)?;
    let first = poses[0];
    let behind = behind(&first);
    let dt = follower.probe_scene.physics.timestep();
    let n_approach = (APPROACH / dt).round() as usize;
    for step in 1..=n_approach {
        let share = step as f64 / n_approach as f64;
        // At rest at both ends.
        let share = share * share * (3.0 - 2.0 * share);
        follower.step(&between(&behind, &first, share), &Velocity::default())?;
    }
    for _ in 0..(SETTLING / dt) as usize {
        follower.step(&first, &Velocity::default())?;
    }
    let mut states = vec![follower.state()];
    let (start, end) = (time[0], time[time.len() - 1]);
    let mut now = start;
    for row in 1..poses.len().min(time.len()) {
        let ([t0, t1], [from, to]) = ([time[row - 1], time[row]], [poses[row - 1], poses[row]]);
        let velocity = Velocity::between(&from, &to, t1 - t0);
        // Steps do not divide the time between rows.
        while now + 0.5 * dt < t1 {
            now += dt;
            let share = ((now - t0) / (t1 - t0)).clamp(0.0, 1.0);
            follower.step(&between(&from, &to, share), &velocity)?;
        }
        states.push(follower.state());
        report(progress, (t1 - start) / (end - start))?;
    }
    Ok(states)
}

/// The pose at the start of the approach.
fn behind(first: &Pose) -> Pose {
    Pose {
        position: first.position - first.z_axis() * CLEARANCE,
        ..*first
    }
}

/// A pose between two, on a line and by a turn about one axis.
fn between(from: &Pose, to: &Pose, share: f64) -> Pose {
    let turn = (from.rotation.inverse() * to.rotation).scaled_axis();
    Pose {
        position: from.position.lerp(&to.position, share),
        rotation: from.rotation * UnitQuaternion::from_scaled_axis(turn * share),
    }
}

/// Velocity [m/s] and turn rate [rad/s] of the wanted pose, in the world.
#[derive(Default)]
struct Velocity {
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

impl Velocity {
    fn between(from: &Pose, to: &Pose, time: f64) -> Self {
        Self {
            linear: (to.position - from.position) / time,
            angular: (to.rotation * from.rotation.inverse()).scaled_axis() / time,
        }
    }
}

/// A probe that follows poses.
struct PoseFollower<'a> {
    probe_scene: ProbeScene<'a>,
    controller: OscPose,
    correction: Vector3<f64>,
}

impl<'a> PoseFollower<'a> {
    fn new(scene: &'a Scene, poses: &[Pose]) -> Result<Self, ExperimentError> {
        let mut probe_scene = ProbeScene::new(scene)?;
        let every = poses.len().div_ceil(MAX_CHOSEN);
        let chosen = poses.iter().step_by(every).copied();
        let path: Vec<Pose> = std::iter::once(behind(&poses[0])).chain(chosen).collect();
        probe_scene.place_on_path(&path)?;
        let config = OscPoseConfig {
            stiffness: [STIFFNESS; 6],
            ..OscPoseConfig::default()
        };
        Ok(Self {
            controller: OscPose::new(&probe_scene.physics, config)?,
            probe_scene,
            correction: Vector3::zeros(),
        })
    }

    /// Takes one physics step towards a pose that moves.
    fn step(&mut self, wanted: &Pose, velocity: &Velocity) -> Result<(), ExperimentError> {
        let physics = &mut self.probe_scene.physics;
        let now = self.probe_scene.placement.probe.world_from_probe(physics);
        let error = wanted.position - now.position;
        self.correction += CORRECTION * physics.timestep() * error;
        self.correction = self.correction.cap_magnitude(MAX_CORRECTION);
        // The control damps velocity. Aiming ahead by 2 ζ / ω compensates this for a steady motion.
        let ahead = 2.0 / STIFFNESS.sqrt();
        let goal = Pose {
            position: wanted.position + self.correction + velocity.linear * ahead,
            rotation: UnitQuaternion::from_scaled_axis(velocity.angular * ahead) * wanted.rotation,
        };
        self.controller.set_target(physics, OscTarget::Pose(goal));
        self.controller.control(physics);
        physics.step()?;
        Ok(())
    }

    fn state(&self) -> ProbeState {
        let physics: &Physics = &self.probe_scene.physics;
        let on_probe = physics.force_torque().map(ForceTorque::wrench_in_sensor);
        let on_probe = on_probe.unwrap_or_default();
        ProbeState {
            world_from_probe: self.probe_scene.placement.probe.world_from_probe(physics),
            force: -on_probe.force,
            torque: -on_probe.torque,
        }
    }
}
