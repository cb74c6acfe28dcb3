//! A critic Q(s, a) with its target network, which follows it slowly.

use crate::network::{AdamStep, InputGradient, Learner, Mlp, Workspace};

/// Rows per pass through a target.
const MAX_ROWS: usize = 128;

/// One of the twin critics.
#[derive(Debug, Clone)]
pub struct Critic {
    /// Q with parameters θ.
    pub learner: Learner,
    /// Q with parameters θ̄.
    pub target: Mlp,
    workspace: Workspace,
    input_gradient: InputGradient,
    /// Indices of all rows of a minibatch.
    rows: Vec<u32>,
    /// Values of the last evaluation, shape `[n]`.
    pub(super) values: Vec<f32>,
    /// Gradient of the values with respect to a, shape `[n, n_actions]`.
    pub(super) by_actions: Vec<f32>,
}

/// Statistics of a critic's step: means over the minibatch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CriticStats {
    /// Mean squared error.
    pub loss: f64,
    /// Mean value.
    pub value: f64,
    /// Whether the step was skipped because the gradient was not finite.
    pub is_skipped: bool,
}

impl Critic {
    /// Creates a critic for minibatches of `n` samples. The target has the same parameters.
    pub fn new(network: Mlp, n: usize, n_actions: usize) -> Self {
        let learner = Learner::new(network);
        Self {
            target: learner.network.clone(),
            workspace: learner.network.workspace(MAX_ROWS),
            input_gradient: learner.input_gradient(),
            learner,
            rows: (0..n as u32).collect(),
            values: vec![0.0; n],
            by_actions: vec![0.0; n * n_actions],
        }
    }

    /// Evaluates the target at inputs (s', a') of shape `[n, n_obs + n_actions]`.
    pub(super) fn evaluate_target(&mut self, inputs: &[f32]) {
        let values = &mut self.values;
        self.target
            .evaluate(inputs, &mut self.workspace, |row, value| {
                values[row] = value[0];
            });
    }

    /// Fits Q to y, shape `[n]`, at inputs (s, a): one step along the gradient of ½ (Q − y)² (Eq. 5).
    pub fn learn(&mut self, inputs: &[f32], targets: &[f32], step: AdamStep) -> CriticStats {
        let mut stats = CriticStats::default();
        let weight = 1.0 / self.rows.len() as f32;
        self.learner
            .compute_gradient(inputs, &self.rows, |row, value, by_value, _| {
                let error = value[0] - targets[row];
                stats.loss += f64::from(error * error);
                stats.value += f64::from(value[0]);
                by_value[0] = weight * error;
            });
        stats.loss /= self.rows.len() as f64;
        stats.value /= self.rows.len() as f64;
        stats.is_skipped = !self.learner.squared_norm().is_finite();
        if !stats.is_skipped {
            self.learner.step(step);
        }
        stats
    }

    /// Computes the values at inputs (s, a) and their gradient with respect to a.
    pub fn differentiate(&mut self, inputs: &[f32]) {
        let Self {
            learner,
            input_gradient,
            values,
            by_actions,
            ..
        } = self;
        let n_actions = by_actions.len() / values.len();
        learner.differentiate(inputs, input_gradient, |row, value, by_inputs| {
            values[row] = value[0];
            let by_action = &by_inputs[by_inputs.len() - n_actions..];
            by_actions[row * n_actions..][..n_actions].copy_from_slice(by_action);
        });
    }

    /// θ̄ ← τ θ + (1 − τ) θ̄ (Polyak averaging).
    pub fn follow(&mut self, tau: f64) {
        let tau = tau as f32;
        let parameters = self.learner.network.parameters();
        for (target, own) in self.target.parameters_mut().iter_mut().zip(&**parameters) {
            *target += tau * (own - *target);
        }
    }

    /// Values and gradients of the last [`Critic::differentiate`], shapes `[n]` and `[n, n_actions]`.
    pub fn slopes(&self) -> (&[f32], &[f32]) {
        (&self.values, &self.by_actions)
    }
}

/// Writes rows (s, a), shape `[n, n_obs + n_actions]`.
pub(super) fn pair(observations: &[f32], actions: &[f32], n: usize, pairs: &mut Vec<f32>) {
    pairs.clear();
    let rows = observations.chunks_exact(observations.len() / n);
    for (observation, action) in rows.zip(actions.chunks_exact(actions.len() / n)) {
        pairs.extend_from_slice(observation);
        pairs.extend_from_slice(action);
    }
}
