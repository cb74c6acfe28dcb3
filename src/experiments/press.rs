//! Pressing: indent the torso at a site to a depth, hold, and retreat.

use super::stage::Stage;
use super::{Pictures, Record, Summary};
use crate::models::Scene;
use crate::sim::controllers::{Controller as _, OscPose, OscPoseConfig, OscTarget};

/// What to press, where and how deep.
#[derive(Clone, Debug, PartialEq)]
pub struct Press {
    /// Site in the torso's frame [m].
    pub site: [f64; 2],
    /// Depth below the skin at rest [m].
    pub depth: f64,
    /// Speed in and out [m/s].
    pub speed: f64,
    /// Time at the depth [s].
    pub hold: f64,
    /// Start this far above the skin [m].
    pub clearance: f64,
}

impl Default for Press {
    fn default() -> Self {
        Self {
            site: [0.0, 0.0],
            depth: 0.03,
            speed: 0.02,
            hold: 0.5,
            clearance: 0.01,
        }
    }
}

impl Press {
    /// Fails for a press that cannot be done.
    ///
    /// # Errors
    /// [`crate::models::ModelError::OutOfRange`], naming the field.
    pub fn check(&self) -> Result<(), crate::models::ModelError> {
        let check = crate::models::ModelError::check_range;
        check("depth", self.depth, 0.0, 0.08, "0 to 0.08 m")?;
        check("speed", self.speed, 0.001, 0.2, "0.001 to 0.2 m/s")?;
        check("hold", self.hold, 0.0, 60.0, "0 to 60 s")?;
        check("clearance", self.clearance, 0.001, 0.1, "0.001 to 0.1 m")
    }
}

const PHASES: [&str; 3] = ["press", "hold", "retreat"];

/// Stiffness of the position control per unit of task inertia [1/s²]: stiff, so that the depth is the wanted one.
const STIFFNESS: f64 = 6000.0;

/// How fast the remaining depth error is integrated away [1/s].
const DEPTH_CORRECTION: f64 = 6.0;

/// Presses; `progress` is told the share done, and pictures are taken at the deepest point.
///
/// # Errors
/// When the scene cannot run, the site cannot be reached, or the simulation diverges.
pub fn press(
    scene: &Scene,
    press: &Press,
    pictures: &mut Pictures,
    progress: &mut dyn FnMut(f64),
) -> anyhow::Result<(Record, Summary)> {
    press.check()?;
    let mut stage = Stage::new(scene)?;
    let foothold = stage.foothold(press.site[0], press.site[1])?;
    let pose_at = |stage: &Stage<'_>, depth: f64| stage.pose_on(&foothold, -depth, None);
    stage.place(&pose_at(&stage, -press.clearance))?;
    let config = OscPoseConfig {
        stiffness: [STIFFNESS; 6],
        ..OscPoseConfig::default()
    };
    let mut controller = OscPose::new(&stage.physics, config)?;

    let travel = (press.depth + press.clearance) / press.speed;
    let duration = 2.0 * travel + press.hold;
    let dt = stage.physics.timestep();
    let mut record = Record {
        phases: PHASES.to_vec(),
        samples: Vec::new(),
    };
    let mut correction = 0.0;
    let mut pictured = false;
    let start = std::time::Instant::now();
    let mut aside = std::time::Duration::ZERO;
    while stage.physics.time() < duration {
        let time = stage.physics.time();
        let (phase, wanted) = match time {
            t if t < travel => (0, t * press.speed - press.clearance),
            t if t < travel + press.hold => (1, press.depth),
            t => (2, press.depth - (t - travel - press.hold) * press.speed),
        };
        let depth = -(stage.probe.world_from_probe(&stage.physics).position - foothold.point)
            .dot(&foothold.normal);
        correction = (correction + DEPTH_CORRECTION * dt * (wanted - depth)).clamp(-0.02, 0.02);
        let goal = pose_at(&stage, wanted + correction);
        controller.set_target(&stage.physics, OscTarget::Pose(goal));
        controller.control(&mut stage.physics);
        stage.physics.step()?;
        record
            .samples
            .push(stage.sample(phase, &pose_at(&stage, wanted), &foothold, None));
        progress((time / duration).min(1.0));
        if !pictured && time >= travel + 0.9 * press.hold {
            pictured = true;
            let paused = std::time::Instant::now();
            pictures.take(&stage.compiled, &stage.physics);
            aside += paused.elapsed();
        }
    }
    let seconds = start.elapsed().saturating_sub(aside).as_secs_f64();
    let mut summary = Summary::of(&record, 0.0, 0.0, &PHASES[..2], &[], seconds);
    // A press wants a depth, not a force: its force errors are those of the two force readings against each other.
    (summary.force_mae_n, summary.force_rmse_n) = disagreement(&record);
    Ok((record, summary))
}

/// Mean absolute and root mean square difference between the force sensor and the contact list [N].
fn disagreement(record: &Record) -> (f64, f64) {
    let norm = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let errors = || {
        record
            .samples
            .iter()
            .map(|sample| norm(sample.force) - norm(sample.contact_force))
    };
    let n = record.samples.len().max(1) as f64;
    (
        errors().map(f64::abs).sum::<f64>() / n,
        (errors().map(|e| e * e).sum::<f64>() / n).sqrt(),
    )
}
