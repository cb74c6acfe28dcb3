//! Following a recording: the probe repeats a recorded indentation over time on a torso, and every step is sampled.
//!
//! If the recording begins in contact, the probe first moves to its start and settles. This part is not returned.

use insonate_models::Scene;
use insonate_sim::Pose;
use insonate_sim::controllers::{Controller as _, OscPose, OscPoseConfig, OscTarget};
use insonate_sim::placement::SkinPoint;
use insonate_sim::verdict::RunWatch;

use super::probe_scene::ProbeScene;
use super::progress::report;
use super::{ExperimentError, Pictures, Progress};

/// Stiffness of the position control per unit of task inertia [1/s²]. It is high so that the probe follows the recorded motion.
const STIFFNESS: f64 = 6000.0;
/// Integral gain for the depth error [1/s].
const DEPTH_CORRECTION: f64 = 6.0;
/// Height of the probe above the skin at the start [m].
const CLEARANCE: f64 = 0.003;
/// Speed of the approach [m/s].
const APPROACH_SPEED: f64 = 0.02;
/// Time at rest at the first recorded indentation, if it is in contact [s].
const SETTLING: f64 = 0.6;

/// A profile that starts below this depth [m] and above this speed [m/s] comes from the air.
const ARRIVING: [f64; 2] = [0.002, 0.002];
/// Maximum time between samples for which their velocities are used [s].
const GAP: f64 = 0.05;

/// A recorded indentation, shape `[n]` each. The time increases.
#[derive(Clone, Copy, Debug)]
pub struct IndentationProfile<'a> {
    /// Time [s].
    pub time: &'a [f64],
    /// Indentation [m]; positive into the tissue, zero at first contact.
    pub indentation: &'a [f64],
    /// Velocity of the indentation [m/s].
    pub velocity: &'a [f64],
}

impl IndentationProfile<'_> {
    /// Indentation [m] and velocity [m/s] at a time within the profile: a cubic through the neighbouring samples, or a line across a gap.
    fn at(&self, time: f64) -> (f64, f64) {
        let next = self
            .time
            .partition_point(|&t| t <= time)
            .clamp(1, self.time.len() - 1);
        let (i, j) = (next - 1, next);
        let h = self.time[j] - self.time[i];
        let s = ((time - self.time[i]) / h).clamp(0.0, 1.0);
        let (r0, r1) = (self.indentation[i], self.indentation[j]);
        if h > GAP {
            return (r0 + s * (r1 - r0), (r1 - r0) / h);
        }
        let (v0, v1) = (self.velocity[i] * h, self.velocity[j] * h);
        let (s2, s3) = (s * s, s * s * s);
        let position = (2.0 * s3 - 3.0 * s2 + 1.0) * r0
            + (s3 - 2.0 * s2 + s) * v0
            + (3.0 * s2 - 2.0 * s3) * r1
            + (s3 - s2) * v1;
        let velocity = (1.0 - s) * self.velocity[i] + s * self.velocity[j];
        (position, velocity)
    }
}

/// Response of the probe while it follows a profile, shape `[n]` each, one entry per physics step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndentationResponse {
    /// Time of the recording [s].
    pub time: Vec<f64>,
    /// Indentation [m]; zero at the probe's first contact with the skin.
    pub indentation: Vec<f64>,
    /// Velocity of the indentation [m/s].
    pub velocity: Vec<f64>,
    /// Force of the probe on the tissue along the inward normal [N].
    pub force: Vec<f64>,
    /// Depth of the first contact below the resting skin [m].
    pub contact_depth: f64,
    /// Root mean square difference between the simulated and the recorded indentation [m].
    pub tracking_rmse: f64,
}

/// Repeats a recorded indentation at a site in the torso frame [m].
///
/// # Errors
/// If the scene cannot run, the site cannot be reached, the probe does not touch, the simulation diverges, or the caller interrupts
/// ([`super::Interrupted`]): an incomplete press cannot be compared.
pub fn follow(
    scene: &Scene,
    site: [f64; 2],
    profile: &IndentationProfile<'_>,
    progress: Progress<'_>,
) -> Result<IndentationResponse, ExperimentError> {
    let (Some(&first), Some(&last)) = (profile.time.first(), profile.time.last()) else {
        return Err(ExperimentError::ShortProfile { n_samples: 0 });
    };
    if profile.time.len() < 2 {
        return Err(ExperimentError::ShortProfile { n_samples: 1 });
    }
    let mut follower = Follower::new(scene, site, CLEARANCE)?;
    follower.approach(progress)?;
    follower.settle(profile)?;
    let n_steps = ((last - first) / follower.dt).floor() as usize;
    let mut response = IndentationResponse {
        contact_depth: follower.zero,
        ..IndentationResponse::default()
    };
    let mut sum = 0.0;
    for step in 0..n_steps {
        // The state after a step belongs to the end of the step.
        let time = first + (step + 1) as f64 * follower.dt;
        let (wanted, speed) = profile.at(time);
        follower.step(wanted, speed)?;
        report(progress, (step + 1) as f64 / n_steps as f64)?;
        let (indentation, velocity, force) = follower.measure();
        sum += (indentation - wanted).powi(2);
        response.time.push(time);
        response.indentation.push(indentation);
        response.velocity.push(velocity);
        response.force.push(force);
    }
    response.tracking_rmse = (sum / n_steps.max(1) as f64).sqrt();
    Ok(response)
}

/// A probe that follows an indentation along the normal at one site.
pub(super) struct Follower<'a> {
    probe_scene: ProbeScene<'a>,
    skin: SkinPoint,
    controller: OscPose,
    /// Duration of a physics step [s].
    pub(super) dt: f64,
    correction: f64,
    /// Depth below the resting skin at indentation 0 [m].
    zero: f64,
    watch: RunWatch,
}

impl<'a> Follower<'a> {
    /// Places the probe `clearance` above the skin at a site in the torso frame [m]. Indentations are relative to the resting skin.
    pub(super) fn new(
        scene: &'a Scene,
        site: [f64; 2],
        clearance: f64,
    ) -> Result<Self, ExperimentError> {
        let mut probe_scene = ProbeScene::new(scene)?;
        let skin = probe_scene.skin(site[0], site[1])?;
        probe_scene.place(&probe_scene.placement.pose_on(&skin, clearance, None))?;
        let config = OscPoseConfig {
            stiffness: [STIFFNESS; 6],
            ..OscPoseConfig::default()
        };
        let controller = OscPose::new(&probe_scene.physics, config)?;
        let dt = probe_scene.physics.timestep();
        Ok(Self {
            watch: RunWatch::new(&probe_scene.physics)?,
            probe_scene,
            skin,
            controller,
            dt,
            correction: 0.0,
            zero: 0.0,
        })
    }

    /// Places the probe `clearance` above its first contact with the torso [m]. Indentations are relative to the first contact.
    pub(super) fn above_contact(
        scene: &'a Scene,
        site: [f64; 2],
        clearance: f64,
        progress: Progress<'_>,
    ) -> Result<Self, ExperimentError> {
        let mut scout = Self::new(scene, site, clearance)?;
        scout.approach(progress)?;
        let mut follower = Self::new(scene, site, clearance - scout.zero)?;
        follower.zero = scout.zero;
        Ok(follower)
    }

    /// Depth below the resting skin at indentation 0 [m].
    pub(super) fn zero(&self) -> f64 {
        self.zero
    }

    /// Depth of the face below the resting skin [m].
    fn depth(&self) -> f64 {
        let pose = self
            .probe_scene
            .placement
            .probe
            .world_from_probe(&self.probe_scene.physics);
        -(pose.position - self.skin.position).dot(&self.skin.normal)
    }

    /// Indentation [m], its velocity [m/s] and the force along the inward normal [N].
    pub(super) fn measure(&self) -> (f64, f64, f64) {
        let physics = &self.probe_scene.physics;
        let twist = self.probe_scene.placement.probe.twist_in_world(physics);
        let wrench = physics
            .force_torque()
            .map(insonate_sim::readings::ForceTorque::wrench_in_world);
        let inward = -self.skin.normal;
        (
            self.depth() - self.zero,
            twist.linear.dot(&inward),
            -wrench.unwrap_or_default().force.dot(&inward),
        )
    }

    /// Position [m] and velocity [m/s] of the face centre and force of the probe on the tissue [N], in the world.
    pub(super) fn reading(&self) -> ([f64; 3], [f64; 3], [f64; 3]) {
        let physics = &self.probe_scene.physics;
        let wrench = physics
            .force_torque()
            .map(insonate_sim::readings::ForceTorque::wrench_in_world);
        (
            self.probe_scene
                .placement
                .probe
                .world_from_probe(physics)
                .position
                .into(),
            self.probe_scene
                .placement
                .probe
                .twist_in_world(physics)
                .linear
                .into(),
            (-wrench.unwrap_or_default().force).into(),
        )
    }

    /// Point of the resting skin under the probe [m] and the outward normal there, in the world.
    pub(super) fn surface(&self) -> ([f64; 3], [f64; 3]) {
        (self.skin.position.into(), self.skin.normal.into())
    }

    /// Whether the probe is in contact.
    pub(super) fn in_contact(&self) -> bool {
        self.probe_scene.in_contact()
    }

    /// Takes pictures of the current state.
    pub(super) fn picture(&self, pictures: &mut Pictures) {
        pictures.take(&self.probe_scene.compiled, &self.probe_scene.physics);
    }

    /// Takes one physics step towards an indentation that moves at `speed`.
    pub(super) fn step(&mut self, indentation: f64, speed: f64) -> Result<(), ExperimentError> {
        let wanted = self.zero + indentation;
        let error = wanted - self.depth();
        self.correction = (self.correction + DEPTH_CORRECTION * self.dt * error).clamp(-0.02, 0.02);
        // The control damps velocity. Aiming ahead by 2 ζ / ω compensates this for a steady motion.
        let ahead = 2.0 * speed / STIFFNESS.sqrt();
        let goal = self.pose(wanted + self.correction + ahead);
        self.controller
            .set_target(&self.probe_scene.physics, OscTarget::Pose(goal));
        self.controller.control(&mut self.probe_scene.physics);
        self.probe_scene.physics.step()?;
        self.watch.see(&self.probe_scene.physics);
        Ok(())
    }

    /// Limits of the arm that were reached so far, and its contacts.
    pub(super) fn watch(&self) -> &RunWatch {
        &self.watch
    }

    fn pose(&self, depth: f64) -> Pose {
        self.probe_scene.placement.pose_on(&self.skin, -depth, None)
    }

    /// Lowers the probe to the skin. The indentation is zero at the first contact.
    fn approach(&mut self, progress: Progress<'_>) -> Result<(), ExperimentError> {
        let mut wanted = self.depth();
        while !self.probe_scene.in_contact() {
            wanted += APPROACH_SPEED * self.dt;
            if wanted >= 0.03 {
                return Err(ExperimentError::Missed);
            }
            self.step(wanted, APPROACH_SPEED)?;
            report(progress, 0.0)?;
        }
        self.zero = self.depth();
        Ok(())
    }

    /// Moves to the start of the profile and rests there for a while.
    fn settle(&mut self, profile: &IndentationProfile<'_>) -> Result<(), ExperimentError> {
        let (start, speed) = (profile.indentation[0], profile.velocity[0]);
        // Start with the profile's first velocity if it comes from above, otherwise from rest.
        let arrives = start < ARRIVING[0] && speed > ARRIVING[1];
        let from = if arrives {
            start.min(0.0) - ARRIVING[0]
        } else {
            start
        };
        let mut now = self.depth() - self.zero;
        while (now - from).abs() > 1e-12 {
            let step = APPROACH_SPEED * self.dt;
            let change = (from - now).clamp(-step, step);
            now += change;
            self.step(now, change / self.dt)?;
        }
        let n_still = (SETTLING / self.dt) as usize;
        for _ in 0..n_still {
            self.step(from, 0.0)?;
        }
        if arrives {
            while now + speed * self.dt < start {
                now += speed * self.dt;
                self.step(now, speed)?;
            }
        }
        Ok(())
    }
}
