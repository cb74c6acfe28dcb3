//! The formula of a network in double precision.

use insonate_rl::network::{Activation, Mlp};

/// A network in f64: weights `[n_outputs, n_inputs]` and bias of each layer.
#[derive(Clone)]
pub(crate) struct Oracle {
    pub(crate) layers: Vec<(Vec<f64>, Vec<f64>)>,
    activation: Activation,
}

impl Oracle {
    pub(crate) fn of(network: &Mlp) -> Self {
        let wide = |numbers: Vec<f32>| numbers.into_iter().map(f64::from).collect();
        let layers = (0..network.layers().len()).map(|i| {
            let (weights, bias) = network.layer(i);
            (wide(weights), wide(bias))
        });
        Self {
            layers: layers.collect(),
            activation: network.activation(),
        }
    }

    pub(crate) fn forward(&self, input: &[f64]) -> Vec<f64> {
        let mut numbers = input.to_vec();
        for (index, (weights, bias)) in self.layers.iter().enumerate() {
            let rows = weights.chunks_exact(numbers.len());
            let sums = rows.zip(bias).map(|(row, bias)| {
                row.iter().zip(&numbers).map(|(w, x)| w * x).sum::<f64>() + bias
            });
            let is_last = index + 1 == self.layers.len();
            numbers = sums
                .map(|x| if is_last { x } else { self.activate(x) })
                .collect();
        }
        numbers
    }

    fn activate(&self, x: f64) -> f64 {
        match self.activation {
            Activation::Tanh => x.tanh(),
            Activation::Relu => x.max(0.0),
            Activation::Elu => {
                if x > 0.0 {
                    x
                } else {
                    x.exp_m1()
                }
            }
            Activation::Silu => x / (1.0 + (-x).exp()),
        }
    }
}
