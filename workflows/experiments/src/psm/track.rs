//! Tracking of a motion, with a comparison between the torques of the simulated arm and of the identified model.

use insonate_models::robots::psm::{Instrument, PsmConfig, configured};
use insonate_models::{Scene, probes};
use insonate_sim::controllers::Controller;
use insonate_sim::psm::dvrk::identification::FourierTrajectory;
use insonate_sim::psm::dvrk::{JointVector, N_JOINTS, classic};
use insonate_sim::psm::{
    ComputedTorque, ComputedTorqueConfig, JointMotion, JointState, PdGravity, PdGravityConfig,
    PsmArm, PsmStep, ToolImpedance, ToolImpedanceConfig, frictionless_torque, model_of,
};
use insonate_sim::{CompiledScene, Physics, SimError};
use serde::Serialize;

use super::record::{PsmRecord, PsmSample, SAMPLE_TIME};
use crate::{ExperimentError, Pictures, Progress};

/// Duration of a physics step [s]; controllers act in each step.
pub(super) const TIMESTEP: f64 = 0.0005;

/// Trajectory of the arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PsmTrajectory {
    /// The authors' straight line.
    Line,
    /// The authors' spiral.
    Spiral,
    /// One of the four excitation trajectories of Wang et al. 2019, 1 to 4.
    Excitation(usize),
}

impl PsmTrajectory {
    /// All trajectories with their names on the command line.
    pub const ALL: [(&'static str, Self); 6] = [
        ("line", Self::Line),
        ("spiral", Self::Spiral),
        ("excitation-1", Self::Excitation(1)),
        ("excitation-2", Self::Excitation(2)),
        ("excitation-3", Self::Excitation(3)),
        ("excitation-4", Self::Excitation(4)),
    ];

    /// The motion of the joints.
    fn motion(self) -> Result<JointMotion, ExperimentError> {
        Ok(match self {
            Self::Line => JointMotion::line(),
            Self::Spiral => JointMotion::spiral(),
            Self::Excitation(number) => {
                JointMotion::Excitation(Box::new(FourierTrajectory::wang(number)?))
            }
        })
    }

    /// Default duration [s].
    pub fn duration(self) -> f64 {
        match self {
            Self::Line | Self::Spiral => 10.0,
            Self::Excitation(_) => 30.0,
        }
    }

    /// Maximum duration [s]: the line leaves the workspace after it.
    pub fn longest(self) -> f64 {
        if self == Self::Line { 10.0 } else { 600.0 }
    }

    /// Whether the motion exceeds joint limits: the fourth excitation pulls the carriage out by 3 cm, and the jaws cross.
    fn lifts_limits(self) -> bool {
        matches!(self, Self::Excitation(_))
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, it)| *it == self)
            .map_or("", |(name, _)| name)
    }
}

/// Control law of a [`PsmTrack`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PsmController {
    /// PD with gravity compensation.
    Pd,
    /// Computed torque.
    ComputedTorque,
    /// Cartesian impedance at the tool.
    Impedance,
}

impl PsmController {
    /// All laws with their names on the command line.
    pub const ALL: [(&'static str, Self); 3] = [
        ("pd", Self::Pd),
        ("computed-torque", Self::ComputedTorque),
        ("impedance", Self::Impedance),
    ];

    fn build(
        self,
        physics: &Physics,
    ) -> Result<Box<dyn Controller<Target = JointState>>, SimError> {
        Ok(match self {
            Self::Pd => Box::new(PdGravity::new(physics, PdGravityConfig::default())?),
            Self::ComputedTorque => Box::new(ComputedTorque::new(
                physics,
                ComputedTorqueConfig::default(),
            )?),
            Self::Impedance => {
                Box::new(ToolImpedance::new(physics, ToolImpedanceConfig::default())?)
            }
        })
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, it)| *it == self)
            .map_or("", |(name, _)| name)
    }
}

/// A motion to follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PsmTrack {
    /// Trajectory.
    pub trajectory: PsmTrajectory,
    /// Control law.
    pub controller: PsmController,
    /// Instrument on the arm.
    pub instrument: Instrument,
    /// Whether the simulated arm has its counterweight. The model for the comparison always has it.
    pub counterweight: bool,
    /// Simulated time [s].
    pub duration: f64,
}

/// Summary of a motion; vectors are yaw, pitch, insertion, roll, wrist pitch, jaw a, jaw b.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PsmTrackSummary {
    /// The trajectory.
    pub trajectory: &'static str,
    /// The control law.
    pub controller: &'static str,
    /// Whether the simulated arm has its counterweight.
    pub counterweight: bool,
    /// Simulated time [s].
    pub duration_s: f64,
    /// Root mean square difference between simulated and identified joint torques, both without friction [N·m, insertion: N].
    pub rms_torque_difference: [f64; N_JOINTS],
    /// Root mean square of the identified torques [N·m, insertion: N].
    pub rms_torque: [f64; N_JOINTS],
    /// Root mean square difference between target and measured joint positions [rad, insertion: m].
    pub rms_error_rad_or_m: [f64; N_JOINTS],
    /// Root mean square distance between the target and the measured tip [m].
    pub rms_tip_error_m: f64,
    /// Maximum distance of the shaft's axis from the remote centre [m].
    pub rcm_error_max_m: f64,
    /// Maximum deviation of the joints in the closed loops [rad, m].
    pub closure_error_max: f64,
    /// Share of steps in which a motor's limit was reached.
    pub saturated_share: f64,
    /// Whether the caller interrupted it.
    pub interrupted: bool,
}

impl PsmTrack {
    /// The scene: the arm alone on its stand.
    pub fn scene(&self) -> Scene {
        let config = PsmConfig {
            instrument: self.instrument,
            counterweight: self.counterweight,
        };
        let mut scene = Scene::new(configured(config), probes::c5_2(), None);
        scene.timestep = TIMESTEP;
        scene
    }
}

/// Tracks the motion.
///
/// # Errors
/// If the scene does not compile, the tool cannot reach the motion, or the simulation diverges.
///
/// # Panics
/// Never: a scene of a PSM sets flags.
pub fn track(
    plan: &PsmTrack,
    pictures: &mut Pictures,
    progress: Progress<'_>,
) -> Result<(PsmRecord, PsmTrackSummary), ExperimentError> {
    let mut mjcf = plan.scene().to_mjcf()?;
    if plan.trajectory.lifts_limits() {
        let flags = mjcf
            .option()
            .children_mut()
            .iter_mut()
            .find(|child| child.tag() == "flag");
        flags
            .expect("a scene of a PSM sets flags")
            .set("limit", "disable");
    }
    let compiled = CompiledScene::compile(&mjcf)?;
    let mut physics = Physics::from_scene(&compiled)?;
    let arm = PsmArm::new(physics.model())?;
    let (own, identified) = (model_of(physics.model())?, classic());
    let motion = plan.trajectory.motion()?;
    let start = motion.at(&own, 0.0)?;
    arm.set_state(&mut physics, &start.q, &start.dq);
    let mut controller = plan.controller.build(&physics)?;
    let n_steps = (plan.duration / TIMESTEP).round() as usize;
    let every = (SAMPLE_TIME / TIMESTEP).round() as usize;
    let mut record = PsmRecord::default();
    let mut sums = Sums::default();
    for index in 0..n_steps {
        let wanted = motion.at(&own, index as f64 * TIMESTEP)?;
        controller.set_target(&physics, wanted);
        controller.control(&mut physics);
        let motor_torque = arm.motor_torques(&physics);
        let time = physics.time();
        let step = PsmStep::take(&arm, &mut physics)?;
        let model_torque = frictionless_torque(&identified, &step.q, &step.dq, &step.ddq);
        sums.add(&step, &wanted, &model_torque);
        let tip = |q: &JointVector| own.tool_pose(q).translation.vector;
        sums.tip += (tip(&wanted.q) - tip(&step.q)).norm_squared();
        sums.remote_center = sums.remote_center.max(arm.remote_center_error(&physics));
        sums.closure = sums.closure.max(arm.closure_error(&physics));
        sums.saturated += usize::from(arm.is_saturated(&motor_torque));
        if index % every == 0 {
            record.samples.push(PsmSample {
                time,
                q: step.q,
                dq: step.dq,
                wanted: wanted.q,
                motor_torque,
                simulated_torque: step.moving_torque(),
                model_torque,
                tip_force: [0.0; 3],
                estimated_force: [0.0; 3],
            });
            if progress(index as f64 / n_steps as f64).is_break() {
                sums.interrupted = true;
                break;
            }
        }
        if index == n_steps / 2 {
            pictures.take(&compiled, &physics);
        }
    }
    let summary = sums.summary(plan, physics.time());
    Ok((record, summary))
}

/// Sums over all steps.
#[derive(Default)]
struct Sums {
    n_steps: usize,
    difference: JointVector,
    torque: JointVector,
    error: JointVector,
    tip: f64,
    remote_center: f64,
    closure: f64,
    saturated: usize,
    interrupted: bool,
}

impl Sums {
    fn add(&mut self, step: &PsmStep, wanted: &JointState, model_torque: &JointVector) {
        let square = |x: f64| x * x;
        self.n_steps += 1;
        self.difference += (step.moving_torque() - model_torque).map(square);
        self.torque += model_torque.map(square);
        self.error += (wanted.q - step.q).map(square);
    }

    fn summary(&self, plan: &PsmTrack, duration_s: f64) -> PsmTrackSummary {
        let n = self.n_steps.max(1) as f64;
        let rms = |sum: &JointVector| sum.map(|x| (x / n).sqrt()).into();
        PsmTrackSummary {
            trajectory: plan.trajectory.name(),
            controller: plan.controller.name(),
            counterweight: plan.counterweight,
            duration_s,
            rms_torque_difference: rms(&self.difference),
            rms_torque: rms(&self.torque),
            rms_error_rad_or_m: rms(&self.error),
            rms_tip_error_m: (self.tip / n).sqrt(),
            rcm_error_max_m: self.remote_center,
            closure_error_max: self.closure,
            saturated_share: self.saturated as f64 / n,
            interrupted: self.interrupted,
        }
    }
}
