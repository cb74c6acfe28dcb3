//! Optimisation of excitation trajectories: the condition number of the regressor is minimised, so that a log identifies all base parameters (Swevers et al. 1997).
//!
//! Coefficients are drawn at random, then scaled and shifted per joint so that positions and speeds stay within their limits: every candidate can be executed.
//! One candidate is changed at random, and the change is kept if it is an improvement. The step size grows with success (Rechenberg 1973, one-fifth rule).

use nalgebra::DMatrix;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::fourier::{ExcitationLimits, FourierTrajectory, N_HARMONICS};
use super::motion_log::Coordinates;
use crate::dynamics::BaseParameters;
use crate::joints::{JointVector, N_JOINTS};
use crate::psm::Psm;

/// Numbers per joint: the position of its range, and two amplitudes per harmonic.
const N_NUMBERS: usize = 1 + 2 * N_HARMONICS;
/// Number of states per period at which the regressor is evaluated.
const N_STATES: usize = 42;
/// Number of states per period at which limits are enforced.
const N_CHECKED: usize = 1000;
/// Fraction of the limits that is used; the rest is margin for excess between the checked states.
const USED: f64 = 0.998;

type Numbers = [[f64; N_NUMBERS]; N_JOINTS];

impl FourierTrajectory {
    /// A trajectory at `frequency_hz` within `limits`, after `n_steps` random changes of an initial one, and its condition number. Limits and trajectory are in `coordinates`.
    ///
    /// The same seed gives the same trajectory.
    pub fn optimised(
        psm: &Psm,
        limits: &ExcitationLimits,
        coordinates: Coordinates,
        frequency_hz: f64,
        n_steps: usize,
        seed: u64,
    ) -> (Self, f64) {
        let base = BaseParameters::of(psm);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut numbers: Numbers =
            std::array::from_fn(|_| std::array::from_fn(|_| rng.random_range(-1.0..1.0)));
        let mut best = within(limits, frequency_hz, &numbers);
        let mut condition = condition_number(psm, &base, coordinates, &best);
        let mut step = 0.5;
        for _ in 0..n_steps {
            let changed = numbers.map(|row| row.map(|n| n + step * rng.random_range(-1.0..1.0)));
            let candidate = within(limits, frequency_hz, &changed);
            let reached = condition_number(psm, &base, coordinates, &candidate);
            if reached < condition {
                (numbers, best, condition) = (changed, candidate, reached);
                step *= 1.5;
            } else {
                step = (step * 0.9).max(1e-3);
            }
        }
        (best, condition)
    }

    /// Condition number of the base regressor along one period, with columns of unit length.
    pub fn condition_number(&self, psm: &Psm, coordinates: Coordinates) -> f64 {
        condition_number(psm, &BaseParameters::of(psm), coordinates, self)
    }
}

/// The trajectory for `numbers`, scaled and shifted into the limits.
fn within(limits: &ExcitationLimits, frequency_hz: f64, numbers: &Numbers) -> FourierTrajectory {
    let vector = |column: usize| JointVector::from_fn(|joint, _| numbers[joint][column]);
    let mut trajectory = FourierTrajectory {
        frequency_hz,
        offset: JointVector::zeros(),
        sine: std::array::from_fn(|k| vector(1 + k)),
        cosine: std::array::from_fn(|k| vector(1 + N_HARMONICS + k)),
    };
    let (mut low, mut high, mut fastest) = (
        JointVector::zeros(),
        JointVector::zeros(),
        JointVector::zeros(),
    );
    for [q, dq, _] in trajectory.period_states(N_CHECKED) {
        low = low.inf(&q);
        high = high.sup(&q);
        fastest = fastest.sup(&dq.abs());
    }
    for joint in 0..N_JOINTS {
        let whole = limits.upper[joint] - limits.lower[joint];
        let (lower, room) = (
            limits.lower[joint] + 0.5 * (1.0 - USED) * whole,
            USED * whole,
        );
        let swing = (high[joint] - low[joint]).max(f64::MIN_POSITIVE);
        let speed = fastest[joint].max(f64::MIN_POSITIVE);
        let scale = (room / swing).min(USED * limits.speed[joint] / speed);
        for k in 0..N_HARMONICS {
            trajectory.sine[k][joint] *= scale;
            trajectory.cosine[k][joint] *= scale;
        }
        // 0 is the lowest position that fits into the limits, 1 the highest.
        let place = 0.5 * (1.0 + numbers[joint][0].clamp(-1.0, 1.0));
        let free = room - scale * swing;
        trajectory.offset[joint] = lower - scale * low[joint] + place * free;
    }
    trajectory
}

fn condition_number(
    psm: &Psm,
    base: &BaseParameters,
    coordinates: Coordinates,
    trajectory: &FourierTrajectory,
) -> f64 {
    let mut matrix = DMatrix::zeros(N_JOINTS * N_STATES, base.n());
    for (state, values) in trajectory.period_states(N_STATES).enumerate() {
        let [q, dq, ddq] = values.map(|value| coordinates.joints(&value));
        let regressor = psm.regressor(&q, &dq, &ddq);
        for (column, index) in base.independent.iter().enumerate() {
            let torque = coordinates.torques(&regressor.column(*index).into_owned());
            matrix
                .view_mut((N_JOINTS * state, column), (N_JOINTS, 1))
                .copy_from(&torque);
        }
    }
    for mut column in matrix.column_iter_mut() {
        let norm = column.norm();
        column /= norm.max(f64::MIN_POSITIVE);
    }
    let values = matrix.qr().r().singular_values();
    values.max() / values.min()
}
