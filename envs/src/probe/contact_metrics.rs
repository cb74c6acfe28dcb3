//! Contact metrics of an episode, and success criteria.

use serde::{Deserialize, Serialize};

use super::touch::{CONTACT_SPEED, FORCE_RATE};
use insonate_sim::verdict::Judge;

use super::held_force::HeldForce;
use super::rule::{Rule, judge_rules};
use super::{ContactCosts, SceneState, Touch, share};
use crate::EnvError;
use crate::settings::check_ranges;

/// Time after first contact that the force errors exclude [s].
const SETTLING: f64 = 0.5;

/// Success criteria. All bounds must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuccessCriteria {
    /// Minimum fraction of time in contact, from first contact to the end.
    pub contact_ratio: f64,
    /// Maximum mean absolute error of the force [N].
    pub force_mae: f64,
    /// Maximum root mean square of the distance from the path [m].
    pub path_rmse: f64,
    /// Maximum angle between the probe's axis and the goal's axis in contact [deg].
    pub tilt_deg: f64,
    /// Maximum force along the axis [N].
    pub peak_force: f64,
    /// Maximum speed towards the skin at the start of a contact [m/s].
    pub contact_speed: f64,
    /// Maximum increase of the force over 20 ms [N/s].
    pub force_rate: f64,
}

impl Default for SuccessCriteria {
    fn default() -> Self {
        Self {
            contact_ratio: 0.95,
            force_mae: 1.0,
            path_rmse: 0.005,
            tilt_deg: 5.0,
            peak_force: 15.0,
            contact_speed: CONTACT_SPEED,
            force_rate: FORCE_RATE,
        }
    }
}

impl SuccessCriteria {
    /// Checks the bounds.
    ///
    /// # Errors
    /// [`EnvError::Config`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_ranges(
            "success.",
            &[
                ("contact_ratio", self.contact_ratio, 0.0, 1.0),
                ("force_mae", self.force_mae, 0.0, 1e3),
                ("path_rmse", self.path_rmse, 0.0, 1.0),
                ("tilt_deg", self.tilt_deg, 0.0, 180.0),
                ("peak_force", self.peak_force, 0.0, 1e4),
                ("contact_speed", self.contact_speed, 0.0, 10.0),
                ("force_rate", self.force_rate, 0.0, 1e6),
            ],
        )
    }
}

/// Sums over the physics steps of an episode. Values are true values without noise.
#[derive(Debug, Clone, Default)]
pub struct ContactMetrics {
    time: f64,
    first_contact: Option<f64>,
    n_steps: usize,
    n_after: usize,
    n_in_contact: usize,
    settled: HeldForce,
    n_moving: usize,
    path_square: f64,
    speed_square: f64,
    /// Maximum squared distance between the tips of the unit vectors of the probe's and the goal's axis.
    tilt_chord_square: f64,
    peak_force: f64,
    touch: Touch,
    costs: ContactCosts,
}

impl ContactMetrics {
    /// Names of the metrics, in the order of [`Self::write`].
    pub const METRICS: [&'static str; 11] = [
        "success",
        "force_mae_n",
        "force_rmse_n",
        "contact_ratio",
        "path_rmse_m",
        "velocity_rmse_m_s",
        "tilt_deg",
        "peak_force_n",
        "overshoot_n",
        "contact_speed_m_s",
        "force_rate_n_s",
    ];

    /// Starts an episode.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Adds the last physics step.
    pub fn update(&mut self, state: &SceneState) {
        let (probe, goal) = (&state.probe, &state.goal);
        self.time += state.physics.timestep();
        self.n_steps += 1;
        self.peak_force = self.peak_force.max(probe.normal_force);
        if probe.in_contact && self.first_contact.is_none() {
            self.first_contact = Some(self.time);
        }
        let axis = goal.world_from_probe.z_axis();
        self.touch.update(state, &axis);
        if goal.speed > 0.0 {
            let across = goal.direction.cross(&axis);
            self.n_moving += 1;
            self.path_square += state.offset().dot(&across).powi(2);
            self.speed_square += (probe.twist.linear.dot(&goal.direction)
                - goal.twist.linear.dot(&goal.direction))
            .powi(2);
        } else if goal.direction == nalgebra::Vector3::zeros() {
            self.n_moving += 1;
            self.path_square += state.offset_across().norm_squared();
        }
        let Some(first_contact) = self.first_contact else {
            return;
        };
        self.n_after += 1;
        self.n_in_contact += usize::from(probe.in_contact);
        if probe.in_contact {
            let chord = probe.world_from_probe.z_axis() - axis;
            self.tilt_chord_square = self.tilt_chord_square.max(chord.norm_squared());
        }
        if self.time >= first_contact + SETTLING {
            self.settled.add(probe.normal_force, goal.force);
        }
    }

    /// Simulated time so far [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Time of first contact [s].
    pub fn first_contact(&self) -> Option<f64> {
        self.first_contact
    }

    /// Fraction of time in contact since first contact. 0 without contact.
    pub fn contact_ratio(&self) -> f64 {
        self.n_in_contact as f64 / self.n_after.max(1) as f64
    }

    /// See [`Touch::take_excess`].
    pub fn take_excess(&mut self, limit: f64) -> f64 {
        self.touch.take_excess(limit)
    }

    /// Writes the contact costs since the last call; `force` is the desired force.
    pub fn take_costs(&mut self, force: f64, tolerance: &SuccessCriteria, costs: &mut [f64]) {
        let shares = [
            share(self.touch.speed(), tolerance.contact_speed),
            share(self.peak_force - force, tolerance.peak_force - force),
            share(self.touch.force_rate(), tolerance.force_rate),
        ];
        self.costs.take(shares, costs);
    }

    /// Writes the metrics. Without contact, the force error is the desired force.
    pub fn write(
        &self,
        force: f64,
        tolerance: &SuccessCriteria,
        is_done: bool,
        metrics: &mut [f64],
    ) {
        let [mae, rmse] = self.settled.errors().unwrap_or([force; 2]);
        let rules = self.rules(force, tolerance);
        let success = is_done && rules.iter().all(Rule::is_kept);
        let values = [
            f64::from(u8::from(success)),
            mae,
            rmse,
            self.contact_ratio(),
            root_mean(self.path_square, self.n_moving),
            root_mean(self.speed_square, self.n_moving),
            self.tilt_deg(),
            self.peak_force,
            (self.peak_force - force).max(0.0),
            self.touch.speed(),
            self.touch.force_rate(),
        ];
        metrics.copy_from_slice(&values);
    }

    /// Maximum angle between the probe's axis and the goal's axis in contact [deg].
    fn tilt_deg(&self) -> f64 {
        let half_chord = 0.5 * self.tilt_chord_square.sqrt();
        2.0 * half_chord.min(1.0).asin().to_degrees()
    }

    /// The bounds of a success for the desired force `force` [N].
    fn rules(&self, force: f64, tolerance: &SuccessCriteria) -> [Rule; 7] {
        let [mae, _] = self.settled.errors().unwrap_or([force; 2]);
        let path_rmse = root_mean(self.path_square, self.n_moving);
        let (ratio, peak) = (self.contact_ratio(), self.peak_force);
        let (speed, rate) = (self.touch.speed(), self.touch.force_rate());
        [
            Rule::at_least("contact_ratio", ratio, tolerance.contact_ratio),
            Rule::below("force_mae_n", mae, tolerance.force_mae),
            Rule::below("path_rmse_m", path_rmse, tolerance.path_rmse),
            Rule::below("tilt_deg", self.tilt_deg(), tolerance.tilt_deg),
            Rule::below("peak_force_n", peak, tolerance.peak_force),
            Rule::below("contact_speed_m_s", speed, tolerance.contact_speed),
            Rule::below("force_rate_n_s", rate, tolerance.force_rate),
        ]
    }

    /// Judges contact, tilt and force error (over `held`, or from half a second after first contact), then the success criteria.
    pub fn judge(
        &self,
        judge: Judge,
        force: f64,
        held: Option<&HeldForce>,
        tolerance: &SuccessCriteria,
    ) -> Judge {
        let held = held.unwrap_or(&self.settled);
        let judge = judge
            .force(held.figures(force, self.peak_force))
            .contact(self.contact_ratio())
            .tilt(self.tilt_deg());
        judge_rules(judge, &self.rules(force, tolerance))
    }
}

fn root_mean(squares: f64, n: usize) -> f64 {
    if n == 0 {
        0.0
    } else {
        (squares / n as f64).sqrt()
    }
}
