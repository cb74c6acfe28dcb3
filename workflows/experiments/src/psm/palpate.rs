//! The instrument presses a torso repeatedly while it moves along it. The force on its tip is estimated from motor torques.

use insonate_models::robots::psm::{REMOTE_CENTER_HEIGHT, REMOTE_CENTER_REACH};
use insonate_models::{ModelError, Scene};
use insonate_settings::check_range;
use insonate_sim::controllers::Controller as _;
use insonate_sim::psm::dvrk::{JointVector, Psm, classic};
use insonate_sim::psm::{
    JointMotion, MomentumObserver, PsmArm, PsmStep, ToolImpedance, ToolImpedanceConfig,
    frictionless_torque, model_of,
};
use insonate_sim::readings::ProbeContact;
use insonate_sim::{CompiledScene, Physics};
use nalgebra::Vector3;
use serde::Serialize;

use super::record::{PsmRecord, PsmSample, SAMPLE_TIME};
use crate::{ExperimentError, Pictures, Progress};

/// Height of the tip above the skin at the start [m].
const CLEARANCE: f64 = 0.003;
/// Inverse time constant of the force estimate [1/s].
const OBSERVER_GAIN: f64 = 200.0;
/// Time from which the estimate is evaluated [s].
const SETTLED: f64 = 0.25;

/// Presses of the instrument on a torso.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PsmPalpation {
    /// Depth of each press [m].
    pub depth: f64,
    /// Presses per second [Hz].
    pub rate: f64,
    /// Half of the distance to and fro along the patient [m].
    pub sweep: f64,
    /// Simulated time [s].
    pub duration: f64,
}

impl Default for PsmPalpation {
    fn default() -> Self {
        Self {
            depth: 0.012,
            rate: 0.5,
            sweep: 0.02,
            duration: 6.0,
        }
    }
}

/// Summary of a palpation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PsmPalpationSummary {
    /// Name of the scene.
    pub scene: String,
    /// Simulated time [s].
    pub duration_s: f64,
    /// Maximum force on the instrument [N].
    pub peak_force_n: f64,
    /// Root mean square of the force on the instrument [N].
    pub rms_force_n: f64,
    /// Root mean square of the vector difference between estimated and true force [N].
    pub rms_force_error_n: f64,
    /// Share of the time in contact.
    pub contact_ratio: f64,
    /// Maximum distance of the shaft's axis from the remote centre [m].
    pub rcm_error_max_m: f64,
    /// Whether the caller interrupted it.
    pub interrupted: bool,
}

impl PsmPalpation {
    /// Maximum physics step of an arm under control [s].
    pub const LONGEST_TIMESTEP: f64 = 0.0005;

    /// Checks that the settings are valid.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`].
    pub fn check(&self) -> Result<(), ModelError> {
        check_range("depth", self.depth, [0.0, 0.03], "m")?;
        check_range("rate", self.rate, [0.05, 3.0], "Hz")?;
        check_range("sweep", self.sweep, [0.0, 0.04], "m")?;
        Ok(check_range("duration", self.duration, [0.5, 600.0], "s")?)
    }

    /// Motion of the joints over a scene's torso.
    fn motion(&self, scene: &Scene, psm: &Psm) -> Result<JointMotion, ExperimentError> {
        let [x, y, z] = scene.robot_position;
        let below = [x + REMOTE_CENTER_REACH, y];
        let skin = scene
            .surface_above(below[0], below[1])
            .ok_or(ExperimentError::OffCenter)?;
        let from_center = z + REMOTE_CENTER_HEIGHT - skin.position[2] - CLEARANCE;
        let lengths = &psm.geometry;
        let tool = lengths.l_tool - lengths.l_rcc + lengths.l_p2y + lengths.l_clip;
        let mut start = JointVector::zeros();
        start[2] = from_center - tool;
        let travel = CLEARANCE + self.depth;
        check_range(
            "insertion of the deepest press",
            start[2] + travel,
            [0.05, 0.24],
            "m",
        )?;
        Ok(JointMotion::Press {
            start,
            travel,
            rate: self.rate,
            sweep: self.sweep,
        })
    }
}

/// Palpates the torso of a scene whose robot is a PSM.
///
/// # Errors
/// If the scene has another robot or no torso, does not compile, or diverges.
pub fn palpate(
    scene: &Scene,
    plan: &PsmPalpation,
    pictures: &mut Pictures,
    progress: Progress<'_>,
) -> Result<(PsmRecord, PsmPalpationSummary), ExperimentError> {
    plan.check()?;
    let compiled = CompiledScene::compile(&scene.to_mjcf()?)?;
    let mut physics = Physics::from_scene(&compiled)?;
    let arm = PsmArm::new(physics.model())?;
    let (own, identified) = (model_of(physics.model())?, classic());
    let motion = plan.motion(scene, &own)?;
    let start = motion.at(&own, 0.0)?;
    arm.set_state(&mut physics, &start.q, &start.dq);
    let contact = ProbeContact::below(physics.model(), &format!("{}shaft", arm.prefix()))?;
    let mut controller = ToolImpedance::new(&physics, ToolImpedanceConfig::default())?;
    let mut observer = MomentumObserver::new(own.clone(), OBSERVER_GAIN, &start);
    let world_from_base = arm.world_from_base(&physics).rotation;
    let dt = physics.timestep();
    let n_steps = (plan.duration / dt).round() as usize;
    let every = ((SAMPLE_TIME / dt).round() as usize).max(1);
    let mut record = PsmRecord::default();
    let (mut squares, mut n_judged, mut n_touching) = ([0.0; 2], 0_usize, 0_usize);
    let (mut peak, mut remote_center, mut interrupted) = (0.0_f64, 0.0_f64, false);
    for index in 0..n_steps {
        let wanted = motion.at(&own, index as f64 * dt)?;
        controller.set_target(&physics, wanted);
        controller.control(&mut physics);
        let motor_torque = arm.motor_torques(&physics);
        let time = physics.time();
        let step = PsmStep::take(&arm, &mut physics)?;
        let torque = insonate_sim::psm::dvrk::coupling::joint_torque_from_motor(&motor_torque);
        observer.advance(
            &arm.positions(&physics),
            &arm.velocities(&physics),
            &torque,
            dt,
        );
        let estimated: Vector3<f64> = world_from_base * observer.tip_force(&step.q);
        let force = contact.force_in_world(&physics);
        if time >= SETTLED {
            n_judged += 1;
            squares[0] += force.norm_squared();
            squares[1] += (estimated - force).norm_squared();
        }
        n_touching += usize::from(force.norm() > 0.0);
        peak = peak.max(force.norm());
        remote_center = remote_center.max(arm.remote_center_error(&physics));
        if index % every == 0 {
            record.samples.push(PsmSample {
                time,
                q: step.q,
                dq: step.dq,
                wanted: wanted.q,
                motor_torque,
                simulated_torque: step.moving_torque(),
                model_torque: frictionless_torque(&identified, &step.q, &step.dq, &step.ddq),
                tip_force: force.into(),
                estimated_force: estimated.into(),
            });
            if progress(index as f64 / n_steps as f64).is_break() {
                interrupted = true;
                break;
            }
        }
        // The middle of the second press.
        if index == (1.5 / plan.rate / dt).round() as usize {
            pictures.take(&compiled, &physics);
        }
    }
    let rms = |sum: f64| (sum / n_judged.max(1) as f64).sqrt();
    let summary = PsmPalpationSummary {
        scene: scene.name(),
        duration_s: physics.time(),
        peak_force_n: peak,
        rms_force_n: rms(squares[0]),
        rms_force_error_n: rms(squares[1]),
        contact_ratio: n_touching as f64 / n_steps.max(1) as f64,
        rcm_error_max_m: remote_center,
        interrupted,
    };
    Ok((record, summary))
}
