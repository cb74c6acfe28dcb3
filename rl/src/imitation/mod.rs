//! Behaviour cloning (Pomerleau 1991, doi:10.1162/neco.1991.3.1.88): a policy learns to reproduce demonstrated actions.
//!
//! The demonstrated actions are scaled to `u`, and `μ(o)` is the network's mean for normalised observations. Adam minimises
//!
//! $$ L = \frac{1}{n} \sum_i \tfrac{1}{2} \lVert \mu(o_i) - u_i \rVert^2 $$
//!
//! The result has the weights of the epoch with the smallest loss on the validation samples.
//! With `convolutions`, images of the observation pass an encoder first, which learns with the network; their pixels are normalised with one
//! mean and one deviation of the image.
//!
//! The policy's log standard deviations are set from its own errors, so that the exploration of PPO matches the spread of the
//! demonstrations.
//!
//! [`visit`] collects further samples in the states of the policy itself (`DAgger`).

mod config;
mod images;
mod visits;

use std::ops::ControlFlow;

use insonate_envs::EnvSpec;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;

pub use config::ImitationConfig;
pub use visits::{VisitPlan, VisitedEpisode, visit};

use crate::RlError;
use crate::network::{AdamStep, AlignedBuffer, Encoder, Learner, Mlp, network_sizes};
use crate::normalization::ObservationNormalizer;
use crate::policy::{ActionScale, Policy, PolicyIdentity};

/// Random streams derived from the seed.
const WEIGHTS: u64 = 0;
const SHUFFLE: u64 = 1;

/// Adam's ε.
const ADAM_EPSILON: f64 = 1e-8;

/// Range of the policy's standard deviations: large enough to explore, and not wider than the actions.
const STD: [f32; 2] = [0.05, 1.0];

/// Demonstrated observations and actions.
#[derive(Debug, Clone, Copy)]
pub struct Samples<'a> {
    /// Shape `[n, n_obs]`.
    pub observations: &'a [f32],
    /// Shape `[n, n_actions]`. Values outside the action space are allowed.
    pub actions: &'a [f32],
    /// Number of leading samples used for training. The others are for validation.
    pub n_training: usize,
}

/// Losses of an epoch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpochLosses {
    /// Epoch, from 1.
    pub epoch: usize,
    /// Mean training loss over the epoch.
    pub training: f64,
    /// Validation loss after the epoch. NaN without validation samples.
    pub validation: f64,
}

/// Result of behaviour cloning.
#[derive(Debug)]
pub struct Imitation {
    /// The policy of the best epoch.
    pub policy: Policy,
    /// Losses of each epoch.
    pub losses: Vec<EpochLosses>,
    /// The epoch that the weights are from.
    pub best_epoch: usize,
}

/// Learns from demonstrations. `observer` is called after each epoch and may stop the training.
///
/// # Errors
/// [`RlError::Config`] if a setting is invalid or samples have other shapes; [`RlError::NotFinite`].
pub fn imitate(
    spec: &EnvSpec,
    identity: PolicyIdentity,
    samples: Samples<'_>,
    config: &ImitationConfig,
    observer: &mut dyn FnMut(&EpochLosses) -> ControlFlow<()>,
) -> Result<Imitation, RlError> {
    config.check()?;
    let mut cloning = Cloning::new(spec, samples, config)?;
    let (mut losses, mut best) = (Vec::new(), None::<(f64, usize, Learner)>);
    for epoch in 1..=config.epochs {
        // (samples) => better actor
        let training = cloning.train_epoch(config.annealed_learning_rate(epoch));
        let validation = cloning.validation_loss();
        let now = EpochLosses {
            epoch,
            training,
            validation,
        };
        if !training.is_finite() {
            return Err(RlError::NotFinite {
                iteration: epoch,
                problem: "the loss is not finite: a smaller learning_rate may help".to_owned(),
            });
        }
        losses.push(now);
        // (losses) => best weights so far
        let figure = if validation.is_nan() {
            training
        } else {
            validation
        };
        if best.as_ref().is_none_or(|(least, ..)| figure < *least) {
            best = Some((figure, epoch, cloning.learner.clone()));
        }
        if observer(&now).is_break() {
            break;
        }
    }
    let (_, best_epoch, learner) =
        best.ok_or_else(|| RlError::config("epochs", "is 0; it must be at least 1"))?;
    cloning.learner = learner;
    cloning.set_deviations();
    let encoder = cloning.learner.encoder().cloned();
    let mut policy = Policy::new(
        [spec.observation_space.clone(), spec.action_space.clone()],
        cloning.learner.network,
        Some(cloning.normalizer),
    );
    if let Some(encoder) = encoder {
        policy.set_encoder(encoder);
    }
    policy.identity = identity;
    policy.seed = config.seed;
    Ok(Imitation {
        policy,
        losses,
        best_epoch,
    })
}

/// The network with its normalised samples.
struct Cloning {
    learner: Learner,
    normalizer: ObservationNormalizer,
    n_actions: usize,
    batch_size: usize,
    /// Shape `[n, n_obs]`.
    observations: Vec<f32>,
    /// Shape `[n, n_actions]`.
    targets: Vec<f32>,
    order: Vec<u32>,
    validation: Vec<u32>,
    rng: ChaCha8Rng,
}

impl Cloning {
    fn new(
        spec: &EnvSpec,
        samples: Samples<'_>,
        config: &ImitationConfig,
    ) -> Result<Self, RlError> {
        let (n_obs, n_actions) = (spec.observation_space.len(), spec.action_space.len());
        let n = samples.actions.len() / n_actions.max(1);
        let fits =
            samples.observations.len() == n * n_obs && samples.actions.len() == n * n_actions;
        if !fits
            || n_obs == 0
            || !(1..=n).contains(&samples.n_training)
            || u32::try_from(n).is_err()
        {
            let problem = format!(
                "{} observation values and {} action values are not samples of {n_obs} and {n_actions} values",
                samples.observations.len(),
                samples.actions.len()
            );
            return Err(RlError::config("samples", problem));
        }
        let stream = |stream: u64| {
            let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
            rng.set_stream(stream);
            rng
        };
        let images = match config.convolutions[..] {
            [] => Vec::new(),
            _ => images::images(spec)?,
        };
        let training = &samples.observations[..samples.n_training * n_obs];
        let moments = images::moments(training, n_obs, &images);
        let normalizer = ObservationNormalizer::new(moments, config.clip_obs);
        let mut observations = vec![0.0; samples.observations.len()];
        normalizer.normalize(samples.observations, &mut observations);
        let mut targets = vec![0.0; samples.actions.len()];
        ActionScale::new(&spec.action_space).invert(samples.actions, &mut targets);
        let mut weights = stream(WEIGHTS);
        let encoder = (!images.is_empty()).then(|| {
            let mut encoder = Encoder::new(n_obs, &images, &config.convolutions);
            encoder.set_orthogonal(&mut weights);
            encoder
        });
        let n_inputs = encoder.as_ref().map_or(n_obs, Encoder::n_features);
        let sizes = network_sizes(&config.hidden_sizes, n_inputs, n_actions);
        let mut network = Mlp::new(&sizes, config.activation, n_actions);
        network.set_orthogonal(0.01, &mut weights);
        Ok(Self {
            learner: match encoder {
                Some(encoder) => Learner::with_encoder(encoder, network),
                None => Learner::new(network),
            },
            normalizer,
            n_actions,
            batch_size: config.batch_size,
            observations,
            targets,
            order: (0..samples.n_training as u32).collect(),
            validation: (samples.n_training as u32..n as u32).collect(),
            rng: stream(SHUFFLE),
        })
    }

    /// Runs one pass over the training samples and returns the mean loss.
    fn train_epoch(&mut self, learning_rate: f64) -> f64 {
        self.order.shuffle(&mut self.rng);
        let mut sum = 0.0;
        for rows in self.order.chunks(self.batch_size) {
            let weight = 1.0 / rows.len() as f32;
            let (targets, n_actions) = (&self.targets, self.n_actions);
            let loss = |row: usize, means: &[f32], by_mean: &mut [f32], _: &mut [f32]| {
                let wanted = &targets[row * n_actions..][..n_actions];
                for ((by_mean, mean), wanted) in by_mean.iter_mut().zip(means).zip(wanted) {
                    let error = mean - wanted;
                    *by_mean = weight * error;
                    sum += 0.5 * f64::from(error * error);
                }
            };
            self.learner
                .compute_gradient(&self.observations, rows, loss);
            self.learner.step(AdamStep {
                learning_rate,
                epsilon: ADAM_EPSILON,
                gradient_scale: 1.0,
            });
        }
        sum / self.order.len() as f64
    }

    fn validation_loss(&mut self) -> f64 {
        let errors = self.squared_errors(self.order.len());
        0.5 * errors.iter().sum::<f64>() / self.validation.len() as f64
    }

    /// Sums of squared errors of each action over the samples from `first` on.
    fn squared_errors(&mut self, first: usize) -> Vec<f64> {
        let n_actions = self.n_actions;
        let n_obs = self.observations.len() / (self.targets.len() / n_actions);
        let targets = &self.targets[first * n_actions..];
        let mut sums = vec![0.0; n_actions];
        let rows = &self.observations[first * n_obs..];
        self.learner.evaluate(rows, |row, means| {
            let wanted = &targets[row * n_actions..][..n_actions];
            for ((sum, mean), wanted) in sums.iter_mut().zip(means).zip(wanted) {
                *sum += f64::from(mean - wanted).powi(2);
            }
        });
        sums
    }

    /// Sets ln σ of each action to the log standard deviation of its errors.
    fn set_deviations(&mut self) {
        let n = self.targets.len() / self.n_actions;
        let errors = self.squared_errors(0);
        let free = self.learner.network.free();
        let mut parameters: AlignedBuffer = self.learner.network.parameters().clone();
        for (log_std, error) in parameters[free].iter_mut().zip(errors) {
            let std = (error / n as f64).sqrt() as f32;
            *log_std = std.clamp(STD[0], STD[1]).ln();
        }
        self.learner
            .network
            .parameters_mut()
            .copy_from_slice(&parameters);
    }
}
