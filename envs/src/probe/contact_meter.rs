//! Contact metrics of an episode: force, contact, path and tilt.

use insonate_sim::verdict::Judge;
use nalgebra::Vector3;

use super::held_force::HeldForce;
use super::rule::{Rule, judge_rules};
use super::{ContactCosts, ContactPeak, ForceLimits, SceneState, SuccessCriteria, share};
use crate::named_values;

/// Time after first contact that the force errors exclude [s].
const SETTLING: f64 = 0.5;

named_values! {
    /// Metrics of tasks with a path or a place on the skin.
    pub struct ContactMetrics {
        /// 1 if the episode was a success, otherwise 0.
        success,
        /// Mean absolute error of the force, from half a second after first contact. Without contact: the desired force [N].
        force_mae_n,
        /// Root mean square error of the force in the same time [N].
        force_rmse_n,
        /// Fraction of time in contact since first contact. 0 without contact.
        contact_ratio,
        /// Root mean square of the distance from the path, or from the position [m].
        path_rmse_m,
        /// Root mean square of the velocity error along the path [m/s].
        velocity_rmse_m_s,
        /// Maximum angle between the probe's axis and the goal's axis in contact [deg].
        tilt_deg,
        /// Maximum force along the axis [N].
        peak_force_n,
        /// Maximum force above the desired force [N].
        overshoot_n,
        /// Maximum speed towards the skin at the start of a contact. NaN without contact [m/s].
        contact_speed_m_s,
        /// Maximum increase of the force over 20 ms [N/s].
        force_rate_n_s,
    }
}

named_values! {
    /// The metrics of the force alone; see [`ContactMetrics`].
    pub struct ForceMetrics {
        /// NaN without settled contact [N].
        force_mae_n,
        /// 0 without contact.
        contact_ratio,
        /// Along the probe's axis [N].
        peak_force_n,
        /// NaN without contact [m/s].
        contact_speed_m_s,
        /// Over 20 ms [N/s].
        force_rate_n_s,
    }
}

/// Axis along which force, contact speed and force rate are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ForceAxis {
    /// The goal's axis. Path and tilt are measured against the goal.
    #[default]
    Goal,
    /// The probe's own axis, for tasks in which the probe can tilt freely. Path and tilt are not measured.
    Probe,
}

/// Sums over the physics steps of an episode. Values are true values without noise.
#[derive(Debug, Clone, Default)]
pub struct ContactMeter {
    axis: ForceAxis,
    /// Desired force [N].
    desired: f64,
    time: f64,
    first_contact: Option<f64>,
    n_after: usize,
    n_in_contact: usize,
    settled: HeldForce,
    /// Sum of the absolute error since the last call of `take_error`, and the number of its physics steps.
    step_error: (f64, usize),
    n_moving: usize,
    path_square: f64,
    speed_square: f64,
    /// Maximum squared distance between the tips of the unit vectors of the probe's and the goal's axis.
    tilt_chord_square: f64,
    peak_force: f64,
    touch: ContactPeak,
    /// Costs so far.
    charged: ContactCosts,
}

impl ContactMeter {
    /// Metrics along an axis.
    pub fn along(axis: ForceAxis) -> Self {
        Self {
            axis,
            ..Self::default()
        }
    }

    /// Starts an episode with a desired force [N].
    pub fn reset(&mut self, desired: f64) {
        *self = Self {
            axis: self.axis,
            desired,
            ..Self::default()
        };
    }

    /// Adds the last physics step.
    pub fn update(&mut self, state: &SceneState) {
        let probe = &state.probe;
        let axis = match self.axis {
            ForceAxis::Goal => state.goal.world_from_probe.z_axis(),
            ForceAxis::Probe => probe.world_from_probe.z_axis(),
        };
        let force = -probe.force.dot(&axis);
        self.time += state.physics.timestep();
        self.peak_force = self.peak_force.max(force);
        self.touch.update(state, &axis);
        self.step_error.0 += (force - self.desired).abs();
        self.step_error.1 += 1;
        if probe.in_contact && self.first_contact.is_none() {
            self.first_contact = Some(self.time);
        }
        if self.axis == ForceAxis::Goal {
            self.add_path_and_tilt(state, &axis);
        }
        let Some(first_contact) = self.first_contact else {
            return;
        };
        self.n_after += 1;
        self.n_in_contact += usize::from(probe.in_contact);
        if self.time >= first_contact + SETTLING {
            self.settled.add(force, self.desired);
        }
    }

    /// Adds distance and velocity error from the goal's path, and the tilt from its `axis`.
    fn add_path_and_tilt(&mut self, state: &SceneState, axis: &Vector3<f64>) {
        let (probe, goal) = (&state.probe, &state.goal);
        if goal.speed > 0.0 {
            let across = goal.direction.cross(axis);
            self.n_moving += 1;
            self.path_square += state.offset().dot(&across).powi(2);
            self.speed_square += (probe.twist.linear.dot(&goal.direction)
                - goal.twist.linear.dot(&goal.direction))
            .powi(2);
        } else if goal.direction == Vector3::zeros() {
            self.n_moving += 1;
            self.path_square += state.offset_across().norm_squared();
        }
        if probe.in_contact {
            let chord = probe.world_from_probe.z_axis() - axis;
            self.tilt_chord_square = self.tilt_chord_square.max(chord.norm_squared());
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

    /// Maximum force along the axis [N].
    pub fn peak_force(&self) -> f64 {
        self.peak_force
    }

    /// See [`ContactPeak::speed`].
    pub fn contact_speed(&self) -> f64 {
        self.touch.speed()
    }

    /// See [`ContactPeak::force_rate`].
    pub fn force_rate(&self) -> f64 {
        self.touch.force_rate()
    }

    /// Mean absolute error of the force since the last call [N].
    pub fn take_error(&mut self) -> f64 {
        let (sum, n) = std::mem::take(&mut self.step_error);
        sum / n.max(1) as f64
    }

    /// See [`ContactPeak::contact_speed_penalty`].
    pub fn contact_speed_penalty(&mut self, limit: f64) -> f64 {
        self.touch.contact_speed_penalty(limit)
    }

    /// The contact costs since the last call.
    pub fn take_costs(&mut self, limits: &ForceLimits) -> ContactCosts {
        let desired = self.desired;
        self.charged.raise(&ContactCosts {
            contact_speed: share(self.contact_speed(), limits.contact_speed),
            peak_force: share(self.peak_force - desired, limits.peak_force - desired),
            force_rate: share(self.force_rate(), limits.force_rate),
        })
    }

    /// The limits of a gentle episode as rules.
    pub fn limit_rules(&self, limits: &ForceLimits) -> [Rule; 4] {
        let (speed, rate) = (self.contact_speed(), self.force_rate());
        [
            Rule::at_least("contact_ratio", self.contact_ratio(), limits.contact_ratio),
            Rule::below("peak_force_n", self.peak_force, limits.peak_force),
            Rule::below("contact_speed_m_s", speed, limits.contact_speed),
            Rule::below("force_rate_n_s", rate, limits.force_rate),
        ]
    }

    /// The success criteria as rules.
    pub fn success_rules(&self, criteria: &SuccessCriteria) -> [Rule; 7] {
        let [mae, _] = self.force_errors();
        let [contact, peak, speed, rate] = self.limit_rules(&criteria.limits());
        [
            contact,
            Rule::below("force_mae_n", mae, criteria.force_mae),
            Rule::below("path_rmse_m", self.path_rmse(), criteria.path_rmse),
            Rule::below("tilt_deg", self.tilt_deg(), criteria.tilt_deg),
            peak,
            speed,
            rate,
        ]
    }

    /// Whether the episode so far is within the limits.
    pub fn is_within(&self, limits: &ForceLimits) -> bool {
        self.limit_rules(limits).iter().all(Rule::is_kept)
    }

    /// Judges the error of the force, over `held` or from half a second after first contact.
    pub fn judge_force(&self, judge: Judge, held: Option<&HeldForce>) -> Judge {
        let held = held.unwrap_or(&self.settled);
        judge.force(held.figures(self.desired, self.peak_force))
    }

    /// Judges contact and tilt.
    pub fn judge_contact_and_tilt(&self, judge: Judge) -> Judge {
        judge.contact(self.contact_ratio()).tilt(self.tilt_deg())
    }

    /// Judges contact and peak force, then the limits of the task.
    pub fn judge_limits(&self, judge: Judge, limits: &ForceLimits) -> Judge {
        let judge = judge.contact(self.contact_ratio());
        let judge = judge.peak(self.desired, self.peak_force);
        judge_rules(judge, &self.limit_rules(limits))
    }

    /// The metrics of an episode.
    pub fn metrics(&self, success: bool) -> ContactMetrics {
        let [force_mae_n, force_rmse_n] = self.force_errors();
        ContactMetrics {
            success: f64::from(success),
            force_mae_n,
            force_rmse_n,
            contact_ratio: self.contact_ratio(),
            path_rmse_m: self.path_rmse(),
            velocity_rmse_m_s: root_mean(self.speed_square, self.n_moving),
            tilt_deg: self.tilt_deg(),
            peak_force_n: self.peak_force,
            overshoot_n: (self.peak_force - self.desired).max(0.0),
            contact_speed_m_s: self.contact_speed(),
            force_rate_n_s: self.force_rate(),
        }
    }

    /// The metrics of the force alone.
    pub fn force_metrics(&self) -> ForceMetrics {
        ForceMetrics {
            force_mae_n: self.settled.errors().map_or(f64::NAN, |[mae, _]| mae),
            contact_ratio: self.contact_ratio(),
            peak_force_n: self.peak_force,
            contact_speed_m_s: self.contact_speed(),
            force_rate_n_s: self.force_rate(),
        }
    }

    /// Mean absolute error and root mean square error of the force [N].
    fn force_errors(&self) -> [f64; 2] {
        self.settled.errors().unwrap_or([self.desired; 2])
    }

    fn path_rmse(&self) -> f64 {
        root_mean(self.path_square, self.n_moving)
    }

    /// Maximum angle between the probe's axis and the goal's axis in contact [deg].
    fn tilt_deg(&self) -> f64 {
        let half_chord = 0.5 * self.tilt_chord_square.sqrt();
        2.0 * half_chord.min(1.0).asin().to_degrees()
    }
}

fn root_mean(squares: f64, n: usize) -> f64 {
    if n == 0 {
        0.0
    } else {
        (squares / n as f64).sqrt()
    }
}
