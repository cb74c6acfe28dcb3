//! What a study found, with the interval of each figure.

use serde::Serialize;

use crate::evaluation::{Estimate, PairedDifference};
use crate::experiments::SoftnessFit;
use crate::models::torsos::Softness;

/// A study; `study.json`.
#[derive(Debug, Serialize)]
pub struct StudyResult {
    /// Task.
    pub task: String,
    /// What the logs measured.
    pub softness: Measured,
    /// What each held-out log measured.
    pub held_out: Vec<Measured>,
    /// What the logs' tissue is, where that is known.
    pub truth: Option<Softness>,
    /// Each kind of torso.
    pub torsos: Vec<SoftnessFit>,
    /// Each policy that was trained.
    pub policies: Vec<TrainedPolicy>,
    /// Each condition.
    pub conditions: Vec<ConditionResult>,
    /// Time of the study, or of the last part of a resumed one [s].
    pub wall_s: f64,
}

/// Stiffness and damping of logs with 95 % intervals.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    /// The log, or the logs.
    pub log: String,
    /// Stiffness [N/m].
    pub stiffness: f64,
    /// Its interval [N/m].
    pub stiffness_ci95: [f64; 2],
    /// Damping [N·s/m].
    pub damping: f64,
    /// Its interval [N·s/m].
    pub damping_ci95: [f64; 2],
    /// Where another site's stiffness and damping are expected: what episodes draw from.
    pub range: [[f64; 2]; 2],
}

impl Measured {
    /// Whether both intervals hold a softness.
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

/// A policy's training.
#[derive(Debug, Serialize)]
pub struct TrainedPolicy {
    /// `calibrated` or `thesis`.
    pub name: &'static str,
    /// What its episodes drew stiffness from [N/m].
    pub stiffness: [f64; 2],
    /// What its episodes drew damping from [N·s/m].
    pub damping: [f64; 2],
    /// Steps done.
    pub global_step: u64,
    /// Time of the training [s].
    pub wall_s: f64,
    /// Success rate of the last evaluation during the training.
    pub success_rate: Option<f64>,
}

/// A condition with every policy's figures.
#[derive(Debug, Serialize)]
pub struct ConditionResult {
    /// Short name.
    pub name: String,
    /// What it is, in words.
    pub what: String,
    /// The figures of each policy.
    pub policies: Vec<PolicyFigures>,
    /// The calibrated policy minus each other one, episode by episode.
    pub paired: Vec<PairedDifference>,
}

/// Figures of a policy in a condition.
#[derive(Debug, Serialize)]
pub struct PolicyFigures {
    /// Name.
    pub name: String,
    /// Share of successes.
    pub success_rate: f64,
    /// Its 95 % interval (Wilson).
    pub success_ci95: [f64; 2],
    /// Mean absolute error of the force [N]; its interval and those of the next two lie above 0.
    pub force_mae_n: Estimate,
    /// Greatest force [N].
    pub peak_force_n: Estimate,
    /// Speed of the hardest contact [m/s].
    pub contact_speed_m_s: Estimate,
    /// Episodes.
    pub n_episodes: usize,
    /// Episodes that failed their verdict.
    pub n_failed: usize,
    /// The first reason of each, with counts, most frequent first.
    pub reasons: Vec<(String, usize)>,
}
