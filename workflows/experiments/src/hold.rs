//! Holding: the probe rests at a site with a steady force, long enough for an image of the tissue below it.

use std::f64::consts::PI;
use std::time::Duration;

use insonate_models::{ModelError, Scene};
use insonate_settings::check_range;
use insonate_sim::controllers::{Controller as _, HybridConfig, HybridForce, HybridTarget};
use insonate_sim::placement::SkinPoint;
use insonate_sim::readings::{DeformedTorso, TORSO_PREFIX, TissuePoints, torso_from_probe};
use insonate_sim::verdict::{ForceFigures, Judge, RunWatch, Verdict, VerdictLimits};
use insonate_sim::{Pose, Twist, VisibleSurface, visible_surfaces};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::base_search;
use super::depth_limit::DepthLimit;
use super::guard::Guard;
use super::probe_scene::ProbeScene;
use super::progress::report;
use super::ranges;
use super::{ExperimentError, Pictures, Progress, Sample};

/// Settings of a hold: site, rotation and force.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// Site in the torso frame [m].
    pub site: [f64; 2],
    /// Rotation of the array about the probe's axis, from the patient's left [rad].
    pub rotation: f64,
    /// Force along the probe's axis [N].
    pub force: f64,
    /// Duration of the contact [s].
    pub seconds: f64,
    /// Maximum force between any part of the robot and what it touches [N]; holding ends above it.
    pub max_force: f64,
    /// Limits of the verdict.
    pub limits: VerdictLimits,
}

impl Hold {
    /// Checks that the settings are valid.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] with the name of the field.
    pub fn check(&self) -> Result<(), ModelError> {
        check_range("force", self.force, ranges::FORCE, "N")?;
        check_range("max_force", self.max_force, ranges::MAX_FORCE, "N")?;
        Ok(check_range("seconds", self.seconds, [0.1, 60.0], "s")?)
    }
}

/// A probe at rest on a torso, in the torso frame.
#[derive(Clone, Debug)]
pub struct Held {
    /// Pose of the face: +x is along the array, +z into the body.
    pub torso_from_probe: Isometry3<f64>,
    /// Whether the limits were kept over the last quarter of the time, and the reasons if not.
    pub verdict: Verdict,
    /// Mean force along the probe's axis over the last quarter of the time [N].
    pub force: f64,
    /// Mean absolute error of the force [N].
    pub force_mae: f64,
    /// Maximum force at any time [N].
    pub peak_force: f64,
    /// Depth of the face below the resting skin [m].
    pub indentation: f64,
    /// Indentation up to which the forces of the torso's kind hold [m].
    pub depth_limit: Option<f64>,
    /// What to know about the result although it may have passed, such as an indentation beyond that limit.
    pub warnings: Vec<String>,
    /// The deformed torso.
    pub torso: DeformedTorso,
    /// Surfaces of robot, probe and table, in the torso frame [m].
    pub surfaces: Vec<VisibleSurface>,
}

/// Height of the probe above the skin at the start [m].
const CLEARANCE: f64 = 0.01;
/// Maximum duration of the approach [s].
const LONGEST_APPROACH: f64 = 6.0;

/// Lowers the probe onto the site and holds it. Pictures are taken at the end.
///
/// # Errors
/// If the scene cannot run, the site cannot be reached, the robot starts in collision, no contact is found, the simulation diverges,
/// or the caller interrupts ([`super::Interrupted`]).
pub fn hold(
    scene: &Scene,
    hold: &Hold,
    pictures: &mut Pictures,
    progress: Progress<'_>,
) -> Result<Held, ExperimentError> {
    hold_once(scene, hold, pictures, progress).map_err(|error| {
        let ends = |probe_scene: &ProbeScene<'_>| {
            let skin = probe_scene.skin(hold.site[0], hold.site[1])?;
            let goal = goal(probe_scene, &skin, hold.rotation);
            Ok(vec![above(&goal, &skin), goal])
        };
        base_search::advise(error, scene, ends, |moved| {
            let held = hold_once(moved, hold, &mut Pictures::none(), progress);
            held.is_ok_and(|held| held.verdict.is_passed())
        })
    })
}

/// Pose of the probe at the start.
fn above(goal: &Pose, skin: &SkinPoint) -> Pose {
    Pose {
        position: goal.position + skin.normal * CLEARANCE,
        ..*goal
    }
}

fn hold_once(
    scene: &Scene,
    hold: &Hold,
    pictures: &mut Pictures,
    progress: Progress<'_>,
) -> Result<Held, ExperimentError> {
    hold.check()?;
    let mut probe_scene = ProbeScene::new(scene)?;
    let points = TissuePoints::at_rest(&probe_scene.physics, &Pose::default()).ok_or(
        ExperimentError::NoTorso {
            purpose: "to look into",
        },
    )?;
    let skin = probe_scene.skin(hold.site[0], hold.site[1])?;
    let goal = goal(&probe_scene, &skin, hold.rotation);
    probe_scene.place(&above(&goal, &skin))?;
    let mut controller = HybridForce::new(&probe_scene.physics, HybridConfig::default())?;
    let mut touched = None;
    let mut watch = RunWatch::new(&probe_scene.physics)?;
    let guard = Guard::new(hold.max_force, hold.limits.real_time);
    let mut readings = HoldReadings::default();
    loop {
        let time = probe_scene.physics.time();
        if touched.is_none() && probe_scene.in_contact() {
            touched = Some(time);
        }
        let share = touched.map_or(0.0, |touched| (time - touched) / hold.seconds);
        report(progress, share)?;
        if share >= 1.0 {
            break;
        }
        if touched.is_none() && time > LONGEST_APPROACH {
            return Err(ExperimentError::NoContact {
                seconds: LONGEST_APPROACH,
                site: hold.site,
            });
        }
        let target = HybridTarget {
            world_from_probe: goal,
            twist: Twist::default(),
            force: hold.force,
        };
        controller.set_target(&probe_scene.physics, target);
        controller.control(&mut probe_scene.physics);
        probe_scene.physics.step()?;
        watch.see(&probe_scene.physics);
        let sample = probe_scene.sample(0, &goal, &skin, None);
        readings.take(&sample, hold.force, share > 0.75);
        guard.check(&sample, &watch, Duration::ZERO)?;
    }
    pictures.take(&probe_scene.compiled, &probe_scene.physics);
    let physics = &probe_scene.physics;
    let pose = probe_scene.placement.probe.world_from_probe(physics);
    let (origin, unmoved) = (probe_scene.torso_position(), Pose::default());
    let facing = Pose {
        rotation: pose.rotation * turn_back(&pose, &skin, hold.rotation),
        ..pose
    };
    let limit = DepthLimit::of(scene);
    let mut surfaces = visible_surfaces(&probe_scene.compiled, physics, TORSO_PREFIX)?;
    for surface in &mut surfaces {
        let mesh = std::mem::take(&mut surface.mesh);
        surface.mesh = mesh.map(|[x, y, z]| [x - origin[0], y - origin[1], z - origin[2]]);
    }
    Ok(Held {
        verdict: readings.verdict(hold, &watch),
        force: readings.mean(readings.force),
        force_mae: readings.mean(readings.error),
        peak_force: readings.peak,
        depth_limit: limit.depth(),
        warnings: limit.warning(readings.deepest).into_iter().collect(),
        torso_from_probe: torso_from_probe(&facing, origin, &unmoved),
        indentation: -(pose.position - skin.position).dot(&skin.normal),
        torso: DeformedTorso::new(&points, physics, origin, &unmoved),
        surfaces,
    })
}

/// Readings while the probe is held. Sums cover the last quarter of the time.
#[derive(Debug, Default)]
struct HoldReadings {
    n: usize,
    n_in_contact: usize,
    force: f64,
    error: f64,
    worst: f64,
    tilt: f64,
    /// Maximum force over the whole time.
    peak: f64,
    /// Maximum indentation over the whole time [m].
    deepest: f64,
}

impl HoldReadings {
    fn take(&mut self, sample: &Sample, wanted: f64, is_settled: bool) {
        let force = sample.force[2];
        self.peak = self.peak.max(force);
        self.deepest = self.deepest.max(sample.indentation);
        if is_settled {
            let error = (force - wanted).abs();
            self.n += 1;
            self.n_in_contact += usize::from(sample.in_contact);
            self.force += force;
            self.error += error;
            self.worst = self.worst.max(error);
            self.tilt = self.tilt.max(sample.tilt);
        }
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.n as f64
    }

    fn verdict(&self, hold: &Hold, watch: &RunWatch) -> Verdict {
        let force = ForceFigures {
            asked: hold.force,
            mean: self.mean(self.force),
            mae: self.mean(self.error),
            worst: self.worst,
            peak: self.peak,
        };
        Judge::new(&hold.limits)
            .force(force)
            .contact(self.n_in_contact as f64 / self.n as f64)
            .tilt(self.tilt.to_degrees())
            .arm(watch, "press")
            .verdict()
    }
}

/// Direction of the array on the skin, in the world. With rotation 0, the torso is upright in the image.
fn lateral(skin: &SkinPoint, rotation: f64) -> Vector3<f64> {
    let inward = nalgebra::Unit::new_normalize(-skin.normal);
    let left = Vector3::x();
    let across = left - inward.into_inner() * left.dot(&inward);
    let across = across.try_normalize(1e-3).unwrap_or_else(Vector3::y);
    UnitQuaternion::from_axis_angle(&inward, rotation) * across
}

/// Pose on the skin with the wanted rotation or half a turn more, whichever is nearer for the arm.
fn goal(probe_scene: &ProbeScene<'_>, skin: &SkinPoint, rotation: f64) -> Pose {
    let path = lateral(skin, rotation).cross(&skin.normal);
    probe_scene.placement.pose_on(skin, 0.0, Some(path))
}

/// Half a turn if the arm is rotated by half a turn: the array is symmetric, but the image must not be mirrored.
fn turn_back(pose: &Pose, skin: &SkinPoint, rotation: f64) -> UnitQuaternion<f64> {
    let is_turned = (pose.rotation * Vector3::x()).dot(&lateral(skin, rotation)) < 0.0;
    let angle = if is_turned { PI } else { 0.0 };
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle)
}
