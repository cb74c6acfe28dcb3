//! Force sensor readings of a policy: means over control steps, with noise, bias and filters.

use nalgebra::Vector3;
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::state::SceneState;
use crate::randomization::EpisodeParameters;

/// Weight of a new measurement in the slow average of the force. The thesis: 0.1.
const SLOW_SHARE: f64 = 0.1;

/// Decay rate of the integral of the force error [1/s].
const LEAK: f64 = 0.5;

/// Description of the wrench filter.
pub(super) const MEASURED: &str = "mean over the control step, with noise and bias";

/// Description of the force rate.
pub(super) const RATE: &str =
    "difference of the means over this control step and the one before, by its length";

/// Description of the slow average of the force.
pub(super) fn slow_filter() -> String {
    format!(
        "exponential average of the means over control steps; weight of the newest: {SLOW_SHARE}"
    )
}

/// Description of the integral.
pub(super) fn integral_filter() -> String {
    format!("integral of the means over control steps, which decays by {LEAK} 1/s")
}

/// Sensor measurement over the last control step, and filtered past measurements.
#[derive(Debug, Clone, Default)]
pub struct WrenchMeasurement {
    n: usize,
    sum: [Vector3<f64>; 2],
    /// Mean force and torque of the surroundings in the probe's frame [N, N·m], with noise and bias.
    pub(super) wrench: [Vector3<f64>; 2],
    /// Measured pressing force of the probe along its own axis [N].
    pub force: f64,
    pub(super) rate: f64,
    pub(super) slow: f64,
    pub(super) integral: f64,
    is_first: bool,
}

impl WrenchMeasurement {
    /// Starts an episode.
    pub fn reset(&mut self) {
        *self = Self {
            is_first: true,
            ..Self::default()
        };
    }

    /// Adds what the sensor reports of a physics step.
    pub fn accumulate(&mut self, state: &SceneState) {
        self.n += 1;
        for (sum, part) in self.sum.iter_mut().zip(state.sensor.wrench()) {
            *sum += part;
        }
    }

    /// Computes the measurement over the physics steps of the last `dt` [s].
    pub fn measure(
        &mut self,
        state: &SceneState,
        episode: &EpisodeParameters,
        dt: f64,
        rng: &mut ChaCha8Rng,
    ) {
        let n = self.n.max(1) as f64;
        let to_probe = state.probe.world_from_probe.rotation.inverse();
        let noise = [episode.force_noise, episode.torque_noise];
        for (part, noise) in noise.into_iter().enumerate() {
            let mean = to_probe * (self.sum[part] / n);
            let random = Vector3::from_fn(|_, _| rng.sample::<f64, _>(StandardNormal));
            self.wrench[part] = mean + random * noise;
            self.sum[part] = Vector3::zeros();
        }
        self.wrench[0].z -= state.sensor.bias();
        self.n = 0;
        let force = -self.wrench[0].z;
        let error = force - state.goal.force;
        self.rate = if self.is_first {
            0.0
        } else {
            (force - self.force) / dt
        };
        self.slow += (error - self.slow) * if self.is_first { 1.0 } else { SLOW_SHARE };
        self.integral += (error - LEAK * self.integral) * dt;
        self.force = force;
        self.is_first = false;
    }
}
