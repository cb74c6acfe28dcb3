//! Force sensor of an episode: the true wrench after a delay, with a bias that drifts, and noise.

use std::collections::VecDeque;

use nalgebra::Vector3;
use rand::{Rng as _, RngCore as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::ProbeState;
use crate::randomization::EpisodeParameters;

/// What a force sensor reports in each physics step.
#[derive(Debug, Clone, Default)]
pub struct ForceSensor {
    /// True forces and torques in world that have not been reported yet [N, N·m], oldest first.
    pending: VecDeque<[Vector3<f64>; 2]>,
    /// The wrench that is reported, without bias and noise.
    wrench: [Vector3<f64>; 2],
    /// Bias of the pressing force [N] and its rate [N/s].
    bias: f64,
    drift: f64,
    noise: Option<Noise>,
}

/// White noise of the force in each physics step.
#[derive(Debug, Clone)]
struct Noise {
    deviation: f64,
    rng: ChaCha8Rng,
    now: Vector3<f64>,
}

impl Noise {
    fn next(&mut self) {
        let Self { deviation, rng, .. } = self;
        self.now = Vector3::from_fn(|_, _| *deviation * rng.sample::<f64, _>(StandardNormal));
    }
}

impl ForceSensor {
    /// Starts an episode at the wrench of `probe`, with physics steps of `timestep` [s].
    pub(super) fn reset(&mut self, episode: &EpisodeParameters, probe: &ProbeState, timestep: f64) {
        let n_delayed = (episode.force_delay / timestep).round() as usize;
        self.wrench = [probe.force, probe.torque];
        self.pending.clear();
        self.pending
            .extend(std::iter::repeat_n(self.wrench, n_delayed));
        self.bias = episode.force_bias;
        self.drift = episode.force_drift;
        self.noise = None;
    }

    /// Adds noise of the force to [`ForceSensor::force`], such that the mean over a control step of `n_substeps` has the episode's
    /// standard deviation.
    pub(super) fn add_noise(
        &mut self,
        episode: &EpisodeParameters,
        n_substeps: usize,
        rng: &mut ChaCha8Rng,
    ) {
        let mut noise = Noise {
            deviation: episode.force_noise * (n_substeps as f64).sqrt(),
            rng: ChaCha8Rng::seed_from_u64(rng.next_u64()),
            now: Vector3::zeros(),
        };
        noise.next();
        self.noise = Some(noise);
    }

    /// Adds the wrench after a physics step of `timestep` [s].
    pub(super) fn add(&mut self, probe: &ProbeState, timestep: f64) {
        self.pending.push_back([probe.force, probe.torque]);
        self.wrench = self.pending.pop_front().unwrap_or(self.wrench);
        self.bias += self.drift * timestep;
        if let Some(noise) = &mut self.noise {
            noise.next();
        }
    }

    /// Delayed force and torque in world [N, N·m], without bias and noise.
    pub(super) fn wrench(&self) -> &[Vector3<f64>; 2] {
        &self.wrench
    }

    /// Current bias of the pressing force [N].
    pub(super) fn bias(&self) -> f64 {
        self.bias
    }

    /// Reported force of the surroundings on the probe in world [N]. `axis` is the axis of the probe.
    pub fn force(&self, axis: &Vector3<f64>) -> Vector3<f64> {
        let noise = self.noise.as_ref().map(|noise| noise.now);
        self.wrench[0] - axis * self.bias + noise.unwrap_or_default()
    }
}
