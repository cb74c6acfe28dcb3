//! Recording of a synthetic log: frames, noise, bias, latency, quantisation and the clock.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Frame in which a log is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotionFrame {
    /// Indentation, growing into the tissue.
    Indentation,
    /// Position along one axis.
    Axis {
        /// Coordinate of the undeformed surface [m].
        surface: f64,
        /// Whether the coordinate grows away from the tissue.
        outward: bool,
    },
    /// Position, velocity and force as vectors in one frame.
    Space {
        /// A point of the undeformed surface, under the probe [m].
        surface: [f64; 3],
        /// Outward normal; any length.
        normal: [f64; 3],
    },
}

/// Errors of the recording. The default is a robot with a typical force sensor at its flange: 0.05 N and 5 µm of
/// noise, 0.1 mm/s on the logged velocity, −1.1 N of bias along z (the offsets in the thesis lie between −1.9 and
/// +0.6 N), 5 mN of quantisation, no latency, an exact clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensor {
    /// Standard deviation of the force noise per axis [N].
    pub force_noise: f64,
    /// Bias per axis [N]; a scalar log uses the last one.
    pub bias: [f64; 3],
    /// Change of the bias over the log, for every axis [N].
    pub bias_drift: f64,
    /// Latency of the force relative to the position in the same row [s].
    pub force_latency: f64,
    /// Step of the recorded force [N]; 0: none.
    pub force_step: f64,
    /// Whether pressing is recorded as positive force.
    pub pressing_positive: bool,
    /// Standard deviation of the position noise per axis [m].
    pub position_noise: f64,
    /// Standard deviation of the velocity noise per axis [m/s].
    pub velocity_noise: f64,
    /// Whether velocity is logged.
    pub velocity_logged: bool,
    /// Standard deviation of the sampling instants [s] (uneven sampling); the time in the log is correct. At most 0.3
    /// intervals.
    pub sampling_jitter: f64,
    /// Standard deviation of the error of the time in the log [s].
    pub clock_jitter: f64,
}

impl Default for Sensor {
    fn default() -> Self {
        Self {
            force_noise: 0.05,
            bias: [0.4, -0.3, -1.1],
            bias_drift: 0.0,
            force_latency: 0.0,
            force_step: 0.005,
            pressing_positive: true,
            position_noise: 5e-6,
            velocity_noise: 1e-4,
            velocity_logged: true,
            sampling_jitter: 0.0,
            clock_jitter: 0.0,
        }
    }
}

impl Sensor {
    /// A sensor without errors; velocity is logged, pressing is positive.
    pub fn perfect() -> Self {
        Self {
            force_noise: 0.0,
            bias: [0.0; 3],
            force_step: 0.0,
            position_noise: 0.0,
            velocity_noise: 0.0,
            ..Self::default()
        }
    }

    /// `value` rounded to the force step.
    pub(super) fn quantised(&self, value: f64) -> f64 {
        if self.force_step > 0.0 {
            (value / self.force_step).round() * self.force_step
        } else {
            value
        }
    }
}

/// A Gaussian random number with this standard deviation.
pub(super) fn gaussian(rng: &mut ChaCha8Rng, deviation: f64) -> f64 {
    let value: f64 = StandardNormal.sample(rng);
    deviation * value
}
