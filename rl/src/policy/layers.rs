//! Policies trained with other software: layers in PyTorch's layout, and moments of the observations.

use insonate_envs::BoxSpace;

use super::{Policy, PolicyIdentity};
use crate::RlError;
use crate::network::{Activation, Mlp};
use crate::normalization::{ObservationNormalizer, RunningMoments};

/// A dense layer.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseLayer {
    /// Weights, shape `[n_outputs, n_inputs]`.
    pub weight: Vec<f32>,
    /// Bias, shape `[n_outputs]`.
    pub bias: Vec<f32>,
}

/// Mean and variance for the normalisation of observations, shape `[n_obs]` each.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservationMoments {
    /// Mean.
    pub mean: Vec<f64>,
    /// Variance.
    pub variance: Vec<f64>,
    /// Clipping range of normalised observations.
    pub clip: f64,
}

impl Policy {
    /// Creates a policy from layers, the last one without activation. An output of ±1 is the bound of an action, as [`Policy`] scales them.
    ///
    /// # Errors
    /// [`RlError::Config`] if layers or moments do not fit the spaces or are not finite.
    pub fn from_layers(
        identity: PolicyIdentity,
        [observation_space, action_space]: [&BoxSpace; 2],
        layers: &[DenseLayer],
        activation: Activation,
        moments: Option<ObservationMoments>,
    ) -> Result<Self, RlError> {
        let mut sizes = vec![observation_space.len()];
        for (index, layer) in layers.iter().enumerate() {
            let (n_inputs, n_outputs) = (sizes[index], layer.bias.len());
            if n_outputs == 0 || layer.weight.len() != n_inputs * n_outputs {
                let (n_weights, n_needed) = (layer.weight.len(), n_inputs * n_outputs);
                return Err(wrong(format!(
                    "layer {index} has {n_weights} weights, but {n_outputs} outputs of {n_inputs} inputs need {n_needed}"
                )));
            }
            let mut numbers = layer.weight.iter().chain(&layer.bias);
            if !numbers.all(|number| number.is_finite()) {
                return Err(wrong(format!(
                    "layer {index} has numbers that are not finite"
                )));
            }
            sizes.push(n_outputs);
        }
        let (n_outputs, n_actions) = (sizes[sizes.len() - 1], action_space.len());
        if layers.is_empty() || n_outputs != n_actions {
            let problem =
                format!("the last gives {n_outputs} numbers, but there are {n_actions} actions");
            return Err(wrong(problem));
        }
        let mut network = Mlp::new(&sizes, activation, n_actions);
        let mut parameters = network.parameters().clone();
        for (index, layer) in layers.iter().enumerate() {
            network.set_layer_of(&mut parameters, index, &layer.weight, &layer.bias);
        }
        network.parameters_mut().copy_from_slice(&parameters);
        let normalizer = moments
            .map(|moments| normalizer(moments, observation_space.len()))
            .transpose()?;
        let spaces = [observation_space.clone(), action_space.clone()];
        let mut policy = Self::new(spaces, network, normalizer);
        policy.identity = identity;
        Ok(policy)
    }
}

fn normalizer(moments: ObservationMoments, n_obs: usize) -> Result<ObservationNormalizer, RlError> {
    let ObservationMoments {
        mean,
        variance,
        clip,
    } = moments;
    let is_valid = mean.len() == n_obs
        && variance.len() == n_obs
        && mean.iter().all(|x| x.is_finite())
        && variance.iter().all(|x| x.is_finite() && *x >= 0.0)
        && clip > 0.0;
    if !is_valid {
        let problem =
            format!("need {n_obs} finite means, as many variances from 0 on, and a clip above 0");
        return Err(RlError::config("moments", problem));
    }
    let moments = RunningMoments {
        mean,
        var: variance,
        count: 1.0,
    };
    Ok(ObservationNormalizer::new(moments, clip))
}

fn wrong(problem: String) -> RlError {
    RlError::config("layers", problem)
}
