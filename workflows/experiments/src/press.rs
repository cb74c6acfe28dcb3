//! Pressing: indent the torso at a site to a depth, hold, and retreat.

use insonate_models::Scene;
use insonate_settings::check_range;
use insonate_sim::controllers::{Controller as _, OscPose, OscPoseConfig, OscTarget};
use insonate_sim::verdict::{RunWatch, VerdictLimits};

use super::base_search;
use super::depth_limit::DepthLimit;
use super::guard::Guard;
use super::probe_scene::ProbeScene;
use super::ranges;
use super::summary::Goals;
use super::{ExperimentError, Pictures, Progress, Record, Sample, Summary};

/// Settings of a press: site, depth and speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Press {
    /// Site in the torso frame [m].
    pub site: [f64; 2],
    /// Depth below the resting skin [m].
    pub depth: f64,
    /// Speed of the press and of the retreat [m/s].
    pub speed: f64,
    /// Time at the depth [s].
    pub hold: f64,
    /// Height above the skin at the start [m].
    pub clearance: f64,
    /// Force at which the probe turns back before the depth is reached [N].
    pub max_force: f64,
    /// Limits of the verdict.
    pub limits: VerdictLimits,
}

impl Default for Press {
    fn default() -> Self {
        Self {
            site: [0.0, 0.0],
            depth: 0.03,
            speed: 0.02,
            hold: 0.5,
            clearance: 0.01,
            max_force: 80.0,
            limits: VerdictLimits::default(),
        }
    }
}

impl Press {
    /// Checks that the settings are valid.
    ///
    /// # Errors
    /// [`insonate_models::ModelError::OutOfRange`] with the name of the field.
    pub fn check(&self) -> Result<(), insonate_models::ModelError> {
        check_range("depth", self.depth, [0.0, ranges::MAX_DEPTH], "m")?;
        check_range("speed", self.speed, ranges::SPEED, "m/s")?;
        check_range("hold", self.hold, ranges::HOLD, "s")?;
        check_range("max_force", self.max_force, ranges::MAX_FORCE, "N")?;
        Ok(check_range(
            "clearance",
            self.clearance,
            ranges::CLEARANCE,
            "m",
        )?)
    }
}

const PHASES: [&str; 3] = ["press", "hold", "retreat"];

/// Stiffness of the position control per unit of task inertia [1/s²]. It is high so that the probe reaches the target depth.
const STIFFNESS: f64 = 6000.0;

/// Overshoot of the depth that does not count [m].
const OVERSHOOT: f64 = 0.001;

/// Integral gain for the depth error [1/s].
const DEPTH_CORRECTION: f64 = 6.0;

/// Runs a press. Pictures are taken at the deepest point.
///
/// # Errors
/// If the scene cannot run, the site cannot be reached, or the robot starts in collision.
pub fn press(
    scene: &Scene,
    press: &Press,
    pictures: &mut Pictures,
    progress: Progress<'_>,
) -> Result<(Record, Summary), ExperimentError> {
    press_once(scene, press, pictures, progress).map_err(|error| {
        let ends = |probe_scene: &ProbeScene<'_>| {
            let skin = probe_scene.skin(press.site[0], press.site[1])?;
            let depths = [-press.clearance, press.depth];
            Ok(depths
                .map(|depth| probe_scene.placement.pose_on(&skin, -depth, None))
                .to_vec())
        };
        base_search::advise(error, scene, ends, |moved| {
            let done = press_once(moved, press, &mut Pictures::none(), progress);
            done.is_ok_and(|(_, summary)| summary.verdict.is_passed())
        })
    })
}

fn press_once(
    scene: &Scene,
    press: &Press,
    pictures: &mut Pictures,
    progress: Progress<'_>,
) -> Result<(Record, Summary), ExperimentError> {
    press.check()?;
    let mut probe_scene = ProbeScene::new(scene)?;
    probe_scene.measure_pressure()?;
    let skin = probe_scene.skin(press.site[0], press.site[1])?;
    let pose_at = |probe_scene: &ProbeScene<'_>, depth: f64| {
        probe_scene.placement.pose_on(&skin, -depth, None)
    };
    let start = pose_at(&probe_scene, -press.clearance);
    probe_scene.place(&start)?;
    let config = OscPoseConfig {
        stiffness: [STIFFNESS; 6],
        ..OscPoseConfig::default()
    };
    let mut controller = OscPose::new(&probe_scene.physics, config)?;

    let dt = probe_scene.physics.timestep();
    let mut record = Record {
        phases: PHASES.to_vec(),
        ..Record::default()
    };
    let limit = DepthLimit::of(scene);
    let mut reference = DepthReference {
        depth: -press.clearance,
        limit,
        ..DepthReference::default()
    };
    let mut watch = RunWatch::new(&probe_scene.physics)?;
    // The probe turns back at its force limit; a force on another part of the robot ends the press.
    let guard = Guard::new(press.max_force, press.limits.real_time);
    let mut problems = Vec::new();
    let mut correction = 0.0;
    let mut interrupted = false;
    let start = std::time::Instant::now();
    let mut aside = std::time::Duration::ZERO;
    while reference.phase != Phase::Done {
        let depth = -(probe_scene
            .placement
            .probe
            .world_from_probe(&probe_scene.physics)
            .position
            - skin.position)
            .dot(&skin.normal);
        correction =
            (correction + DEPTH_CORRECTION * dt * (reference.depth - depth)).clamp(-0.02, 0.02);
        let goal = pose_at(&probe_scene, reference.depth + correction);
        controller.set_target(&probe_scene.physics, OscTarget::Pose(goal));
        controller.control(&mut probe_scene.physics);
        if let Err(divergence) = probe_scene.physics.step() {
            problems.push(divergence.to_string());
            break;
        }
        if reference.phase != Phase::Retreat {
            watch.see(&probe_scene.physics);
        }
        let wanted = pose_at(&probe_scene, reference.depth);
        let sample = probe_scene.sample(reference.phase as usize, &wanted, &skin, None);
        probe_scene.log(&mut record, sample);
        if let Err(limit) = guard.check_rest(sample.time, &watch, aside) {
            problems.push(limit.to_string());
            break;
        }
        let was = reference.phase;
        reference.advance(press, dt, &sample);
        if progress(reference.share(press)).is_break() {
            interrupted = true;
            break;
        }
        if was != Phase::Retreat && reference.phase == Phase::Retreat {
            let paused = std::time::Instant::now();
            pictures.take(&probe_scene.compiled, &probe_scene.physics);
            record.stress = probe_scene.stress()?;
            aside = paused.elapsed();
        }
    }
    let seconds = start.elapsed().saturating_sub(aside).as_secs_f64();
    if interrupted {
        problems.push("interrupted".to_owned());
    }
    problems.extend(reference.turned_back);
    let mut summary = summary_of(press, &record, &watch, &problems, seconds);
    summary.depth_limit_m = limit.depth();
    summary.interrupted = interrupted;
    record.greatest_pressure = probe_scene.greatest_pressure;
    Ok((record, summary))
}

/// Figures and verdict of a press that took some seconds.
fn summary_of(
    press: &Press,
    record: &Record,
    watch: &RunWatch,
    problems: &[String],
    seconds: f64,
) -> Summary {
    let goals = Goals {
        force: None,
        depth: Some(press.depth),
        speed: 0.0,
        path: None,
        work: &PHASES[..2],
        slide: &[],
    };
    let mut summary = Summary::of(record, &goals, seconds);
    // A press has a target depth and no target force. Its force errors compare the force sensor with the contact list.
    let errors = disagreement(record);
    [
        summary.force_mae_n,
        summary.force_rmse_n,
        summary.force_error_max_n,
    ] = errors;
    summary.judge(&press.limits, watch, "press", problems, &goals);
    summary
}

/// Phase of a press; the numbers are indices of [`PHASES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Press = 0,
    Hold = 1,
    Retreat = 2,
    Done = 3,
}

/// Target depth over time.
#[derive(Debug, Default)]
struct DepthReference {
    phase: Phase,
    /// Target depth [m].
    depth: f64,
    held: f64,
    limit: DepthLimit,
    /// Reason if the probe turned back before it reached the depth.
    turned_back: Option<String>,
}

impl DepthReference {
    /// Advances by one step. The probe turns back if the force or the depth is too large.
    fn advance(&mut self, press: &Press, dt: f64, sample: &Sample) {
        let is_pressing = matches!(self.phase, Phase::Press | Phase::Hold);
        if is_pressing && let Some(reason) = self.reason_to_turn_back(press, sample) {
            self.turned_back = Some(format!(
                "pressed {:.1} of {:.1} mm: {reason}, and the probe turned back",
                1e3 * sample.indentation,
                1e3 * press.depth,
            ));
            self.depth = self.depth.min(sample.indentation);
            self.phase = Phase::Retreat;
            return;
        }
        match self.phase {
            Phase::Press => {
                self.depth = (self.depth + press.speed * dt).min(press.depth);
                if self.depth >= press.depth {
                    self.phase = Phase::Hold;
                }
            }
            Phase::Hold => {
                self.held += dt;
                if self.held >= press.hold {
                    self.phase = Phase::Retreat;
                }
            }
            Phase::Retreat => {
                self.depth -= press.speed * dt;
                if self.depth <= -press.clearance {
                    self.phase = Phase::Done;
                }
            }
            Phase::Done => {}
        }
    }

    fn reason_to_turn_back(&self, press: &Press, sample: &Sample) -> Option<String> {
        if sample.force[2] > press.max_force {
            let limit = press.max_force;
            return Some(format!("the force reached the limit of {limit} N"));
        }
        self.limit.exceeded(sample.indentation, OVERSHOOT)
    }

    /// Share of the press that is done.
    fn share(&self, press: &Press) -> f64 {
        let travel = press.depth + press.clearance;
        let way = (self.depth + press.clearance) / travel / 2.0;
        match self.phase {
            Phase::Press | Phase::Hold => way.min(0.5),
            Phase::Retreat | Phase::Done => 1.0 - way,
        }
    }
}

/// Mean absolute, root mean square and largest difference between the force sensor and the contact list [N].
fn disagreement(record: &Record) -> [f64; 3] {
    let norm = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let errors = || {
        record
            .samples
            .iter()
            .map(|sample| norm(sample.force) - norm(sample.contact_force))
    };
    let n = record.samples.len().max(1) as f64;
    [
        errors().map(f64::abs).sum::<f64>() / n,
        (errors().map(|e| e * e).sum::<f64>() / n).sqrt(),
        errors().map(f64::abs).fold(0.0, f64::max),
    ]
}
