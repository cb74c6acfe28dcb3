//! Excitation trajectories as finite Fourier series, which are periodic and band-limited (Swevers et al. 1997).
//!
//! q(t) = q0 + Σ_k (a_k sin(ω k t) - b_k cos(ω k t)) / (ω k), k = 1..6, so a and b are amplitudes of velocity.

use std::f64::consts::TAU;

use super::tables::WANG;
use crate::error::DvrkError;
use crate::joints::{JointVector, N_JOINTS};
use insonate_settings::SettingError;

/// Number of harmonics of a trajectory.
pub const N_HARMONICS: usize = 6;

/// A periodic motion of all joints, in the coordinates in which it was designed.
#[derive(Debug, Clone, PartialEq)]
pub struct FourierTrajectory {
    /// Base frequency [Hz]; the period is its inverse.
    pub frequency_hz: f64,
    /// Constant part q0 [rad, m].
    pub offset: JointVector,
    /// a_k [rad/s, m/s], one vector per harmonic.
    pub sine: [JointVector; N_HARMONICS],
    /// b_k [rad/s, m/s], one vector per harmonic.
    pub cosine: [JointVector; N_HARMONICS],
}

impl FourierTrajectory {
    /// One of the four excitation trajectories of Wang et al. 2019, number 1 to 4, at 0.18 Hz. They are in motor coordinates, because their speeds are within the published limits in these.
    ///
    /// The fourth exceeds the limits of the others: its insertion goes down to -0.03 m and moves at 0.73 m/s.
    ///
    /// # Errors
    ///
    /// [`DvrkError::Range`] for another number.
    pub fn wang(number: usize) -> Result<Self, DvrkError> {
        let Some(rows) = number.checked_sub(1).and_then(|index| WANG.get(index)) else {
            let field = "the number of Wang's trajectory";
            return Err(SettingError::new(field, number, "between 1 and 4").into());
        };
        let column = |index: usize| JointVector::from_fn(|joint, _| rows[joint][index]);
        Ok(Self {
            frequency_hz: 0.18,
            offset: column(0),
            sine: std::array::from_fn(|k| column(1 + k)),
            cosine: std::array::from_fn(|k| column(1 + N_HARMONICS + k)),
        })
    }

    /// Position, velocity and acceleration at time `t` [s].
    pub fn at(&self, t: f64) -> [JointVector; 3] {
        let mut state = [self.offset, JointVector::zeros(), JointVector::zeros()];
        for (k, (a, b)) in self.sine.iter().zip(&self.cosine).enumerate() {
            let omega = TAU * self.frequency_hz * (k + 1) as f64;
            let (s, c) = (omega * t).sin_cos();
            state[0] += (a * s - b * c) / omega;
            state[1] += a * c + b * s;
            state[2] += (b * c - a * s) * omega;
        }
        state
    }

    /// Duration of one period [s].
    pub fn period(&self) -> f64 {
        1.0 / self.frequency_hz
    }

    /// `n` states spread evenly over one period.
    pub fn period_states(&self, n: usize) -> impl Iterator<Item = [JointVector; 3]> {
        (0..n).map(move |index| self.at(self.period() * index as f64 / n as f64))
    }
}

/// Limits of an excitation trajectory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExcitationLimits {
    /// Lowest positions [rad, m].
    pub lower: JointVector,
    /// Highest positions [rad, m].
    pub upper: JointVector,
    /// Highest speeds [rad/s, m/s].
    pub speed: JointVector,
}

impl ExcitationLimits {
    /// The limits of Wang et al. 2019 for the first five motors. The limits of the jaws keep each open between 0.15 and 1.45 rad to its side.
    pub fn wang() -> Self {
        let vector = |values: [f64; N_JOINTS]| JointVector::from(values);
        Self {
            lower: vector([-1.45, -0.75, 0.07, -1.5, -1.4, -1.45, 0.075]),
            upper: vector([1.45, 0.8, 0.235, 1.5, 1.4, -0.075, 1.45]),
            speed: vector([1.7, 1.7, 0.35, 2.0, 2.0, 3.0, 2.0]),
        }
    }
}
