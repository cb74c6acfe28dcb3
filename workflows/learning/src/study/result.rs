//! Result of a study, with confidence intervals.

use insonate_experiments::SoftnessFit;
use insonate_models::torsos::Softness;
use serde::Serialize;

use crate::evaluation::{Estimate, PairedDifference};

/// Result of a study; written to `study.json`.
#[derive(Debug, Serialize)]
pub struct StudyResult {
    /// Task.
    pub task: String,
    /// Softness of the logs.
    pub softness: MeasuredSoftness,
    /// Softness of each held-out log.
    pub held_out: Vec<MeasuredSoftness>,
    /// True softness of the logs' tissue, if it is known.
    pub truth: Option<Softness>,
    /// Fit of each kind of torso.
    pub torsos: Vec<SoftnessFit>,
    /// The trained policies.
    pub policies: Vec<TrainedPolicy>,
    /// Results under each condition.
    pub conditions: Vec<ConditionResult>,
    /// Wall-clock time of the study, or of the last session of a resumed one [s].
    pub wall_s: f64,
}

/// Stiffness and damping of logs with 95 % intervals.
#[derive(Debug, Clone, Serialize)]
pub struct MeasuredSoftness {
    /// Name of the log or logs.
    pub log: String,
    /// Stiffness [N/m].
    pub stiffness: f64,
    /// 95 % interval of the stiffness [N/m].
    pub stiffness_ci95: [f64; 2],
    /// Damping [N·s/m].
    pub damping: f64,
    /// 95 % interval of the damping [N·s/m].
    pub damping_ci95: [f64; 2],
    /// Ranges of stiffness and damping that are expected at another site. Episodes draw from them.
    pub range: [[f64; 2]; 2],
}

impl MeasuredSoftness {
    /// Whether the intervals of stiffness and damping contain a softness.
    pub fn covers(&self, truth: &Softness) -> [bool; 2] {
        let holds = |[low, high]: [f64; 2], value: f64| low <= value && value <= high;
        [
            holds(self.stiffness_ci95, truth.stiffness),
            holds(self.damping_ci95, truth.damping),
        ]
    }

    /// Stiffness and damping.
    pub fn softness(&self) -> Softness {
        Softness {
            stiffness: self.stiffness,
            damping: self.damping,
        }
    }
}

/// Training of a policy.
#[derive(Debug, Serialize)]
pub struct TrainedPolicy {
    /// `calibrated` or `thesis`.
    pub name: &'static str,
    /// Range of the stiffness in its episodes [N/m].
    pub stiffness: [f64; 2],
    /// Range of the damping in its episodes [N·s/m].
    pub damping: [f64; 2],
    /// Number of training steps done.
    pub global_step: u64,
    /// Wall-clock time of the training [s].
    pub wall_s: f64,
    /// Success rate of the last evaluation during training.
    pub success_rate: Option<f64>,
}

/// Results of all policies under a condition.
#[derive(Debug, Serialize)]
pub struct ConditionResult {
    /// Short name.
    pub name: String,
    /// Description of the condition.
    pub what: String,
    /// Results of each policy.
    pub policies: Vec<PolicyFigures>,
    /// Differences between the calibrated policy and each other one, paired by episode.
    pub paired: Vec<PairedDifference>,
}

/// Results of a policy under a condition.
#[derive(Debug, Serialize)]
pub struct PolicyFigures {
    /// Name.
    pub name: String,
    /// Success rate.
    pub success_rate: f64,
    /// 95 % interval of the success rate (Wilson).
    pub success_ci95: [f64; 2],
    /// Mean absolute error of the force [N]. The intervals of this and the next two fields lie above 0.
    pub force_mae_n: Estimate,
    /// Maximum force [N].
    pub peak_force_n: Estimate,
    /// Speed of the hardest contact [m/s].
    pub contact_speed_m_s: Estimate,
    /// Number of episodes.
    pub n_episodes: usize,
    /// Number of episodes that failed their verdict.
    pub n_failed: usize,
    /// First reasons of the failed episodes with counts, most frequent first.
    pub reasons: Vec<(String, usize)>,
}
