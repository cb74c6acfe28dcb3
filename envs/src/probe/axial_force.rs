//! Metrics and limits of the force along the probe's own axis, for tasks in which the probe can tilt freely.

use serde::{Deserialize, Serialize};

use super::touch::{CONTACT_SPEED, FORCE_RATE};
use insonate_sim::verdict::Judge;

use super::held_force::HeldForce;
use super::rule::{Rule, judge_rules};
use super::{ContactCosts, SceneState, Touch, share};
use crate::EnvError;
use crate::settings::check_ranges;

/// Time after first contact that the force error excludes [s].
const SETTLING: f64 = 0.5;

/// Limits of a gentle episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForceLimits {
    /// Minimum fraction of time in contact, from first contact to the end.
    pub contact_ratio: f64,
    /// Maximum force along the probe's axis [N].
    pub peak_force: f64,
    /// Maximum speed towards the skin at the start of a contact [m/s].
    pub contact_speed: f64,
    /// Maximum increase of the force over 20 ms [N/s].
    pub force_rate: f64,
}

impl Default for ForceLimits {
    fn default() -> Self {
        Self {
            contact_ratio: 0.95,
            peak_force: 15.0,
            contact_speed: CONTACT_SPEED,
            force_rate: FORCE_RATE,
        }
    }
}

impl ForceLimits {
    /// Checks the limits.
    ///
    /// # Errors
    /// [`EnvError::Config`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_ranges(
            "task.limits.",
            &[
                ("contact_ratio", self.contact_ratio, 0.0, 1.0),
                ("peak_force", self.peak_force, 0.0, 1e3),
                ("contact_speed", self.contact_speed, 0.0, 10.0),
                ("force_rate", self.force_rate, 0.0, 1e6),
            ],
        )
    }
}

/// Sums over the physics steps of an episode. Values are true values without noise.
#[derive(Debug, Clone, Default)]
pub struct AxialForce {
    first_contact: Option<f64>,
    time: f64,
    n_after: usize,
    n_in_contact: usize,
    settled: HeldForce,
    peak: f64,
    touch: Touch,
    costs: ContactCosts,
    /// Sum of the absolute error since the last call of `take_error`, and the number of its physics steps.
    step_error: (f64, usize),
    /// Desired force in the last physics step [N].
    desired: f64,
}

impl AxialForce {
    /// Names of the metrics, in the order of [`Self::values`].
    pub const METRICS: [&'static str; 5] = [
        "force_mae_n",
        "contact_ratio",
        "peak_force_n",
        "contact_speed_m_s",
        "force_rate_n_s",
    ];

    /// Adds the last physics step, with the goal's force as the desired force.
    pub fn update(&mut self, state: &SceneState) {
        let force = state.axial_force();
        let error = (force - state.goal.force).abs();
        self.time += state.physics.timestep();
        self.peak = self.peak.max(force);
        self.desired = state.goal.force;
        let axis = state.probe.world_from_probe.z_axis();
        self.touch.update(state, &axis);
        self.step_error.0 += error;
        self.step_error.1 += 1;
        if state.probe.in_contact && self.first_contact.is_none() {
            self.first_contact = Some(self.time);
        }
        let Some(first_contact) = self.first_contact else {
            return;
        };
        self.n_after += 1;
        self.n_in_contact += usize::from(state.probe.in_contact);
        if self.time >= first_contact + SETTLING {
            self.settled.add(force, state.goal.force);
        }
    }

    /// Simulated time so far [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Mean absolute error since the last call [N].
    pub fn take_error(&mut self) -> f64 {
        let (sum, n) = std::mem::take(&mut self.step_error);
        sum / n.max(1) as f64
    }

    /// See [`Touch::take_excess`].
    pub fn take_excess(&mut self, limit: f64) -> f64 {
        self.touch.take_excess(limit)
    }

    /// Writes the contact costs since the last call.
    pub fn take_costs(&mut self, limits: &ForceLimits, costs: &mut [f64]) {
        let shares = [
            share(self.touch.speed(), limits.contact_speed),
            share(self.peak - self.desired, limits.peak_force - self.desired),
            share(self.touch.force_rate(), limits.force_rate),
        ];
        self.costs.take(shares, costs);
    }

    /// Whether the episode so far is within the limits.
    pub fn is_within(&self, limits: &ForceLimits) -> bool {
        self.rules(limits).iter().all(Rule::is_kept)
    }

    fn rules(&self, limits: &ForceLimits) -> [Rule; 4] {
        let (speed, rate) = (self.touch.speed(), self.touch.force_rate());
        [
            Rule::at_least("contact_ratio", self.contact_ratio(), limits.contact_ratio),
            Rule::below("peak_force_n", self.peak, limits.peak_force),
            Rule::below("contact_speed_m_s", speed, limits.contact_speed),
            Rule::below("force_rate_n_s", rate, limits.force_rate),
        ]
    }

    /// Judges the error of the force.
    pub fn judge_force(&self, judge: Judge) -> Judge {
        judge.force(self.settled.figures(self.desired, self.peak))
    }

    /// Judges contact and peak force, then the limits of the task.
    pub fn judge(&self, judge: Judge, limits: &ForceLimits) -> Judge {
        let judge = judge.contact(self.contact_ratio());
        let judge = judge.peak(self.desired, self.peak);
        judge_rules(judge, &self.rules(limits))
    }

    /// The metrics. The force error is NaN without settled contact.
    pub fn values(&self) -> [f64; 5] {
        [
            self.settled.errors().map_or(f64::NAN, |[mae, _]| mae),
            self.contact_ratio(),
            self.peak,
            self.touch.speed(),
            self.touch.force_rate(),
        ]
    }

    fn contact_ratio(&self) -> f64 {
        self.n_in_contact as f64 / self.n_after.max(1) as f64
    }
}
