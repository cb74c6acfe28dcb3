//! Policies: the actor's network with spaces and normalisation, in a self-describing file.

mod action_scale;
mod compatibility;
mod encoder_tensors;
mod file;
mod identity;
mod layers;
mod moments;
mod network_tensors;
mod onnx;
mod space_record;

use std::fmt;

pub(crate) use action_scale::ActionScale;
pub(crate) use compatibility::check_fits;
pub use identity::PolicyIdentity;
pub use layers::{DenseLayer, ObservationMoments};
pub(crate) use moments::{add_moments, take_moments};
pub(crate) use network_tensors::{add_network, check_network, take_network};
pub(crate) use space_record::SpaceRecord;

use insonate_envs::{BoxSpace, EnvSpec};

use crate::RlError;
use crate::network::{Activation, Encoder, EncoderWorkspace, Mlp, Workspace};
use crate::normalization::ObservationNormalizer;

/// Rows per pass through the network.
const MAX_ROWS: usize = 128;

/// Rows per pass through an encoder, whose memory for a row is large.
const ENCODED_ROWS: usize = 16;

/// A deterministic policy: the mean action, squashed by tanh for SAC, clipped to its bounds.
#[derive(Clone)]
pub struct Policy {
    /// Task and settings of the training.
    pub identity: PolicyIdentity,
    /// Seed of the training.
    pub seed: u64,
    /// Training steps of all environments.
    pub n_trained_steps: u64,
    /// Version of insonate that wrote the file.
    pub insonate_version: String,
    /// Observation space.
    pub observation_space: BoxSpace,
    /// Action space.
    pub action_space: BoxSpace,
    pub(crate) network: Mlp,
    pub(crate) normalizer: Option<ObservationNormalizer>,
    /// Whether the network's outputs are squashed by tanh.
    pub(crate) squash: bool,
    action_scale: ActionScale,
    workspace: Workspace,
    /// Normalised observations, shape `[MAX_ROWS, n_obs]`.
    inputs: Vec<f32>,
    /// Squashed outputs of a row.
    squashed: Vec<f32>,
    /// The encoder of images, if there is one.
    eye: Option<Box<Eye>>,
}

/// An encoder with its memory.
#[derive(Clone)]
struct Eye {
    encoder: Encoder,
    workspace: EncoderWorkspace,
    /// Shape `[ENCODED_ROWS, n_features]`.
    features: Vec<f32>,
}

impl Policy {
    /// Creates a policy with an empty identity for an observation and an action space.
    pub(crate) fn new(
        [observation_space, action_space]: [BoxSpace; 2],
        network: Mlp,
        normalizer: Option<ObservationNormalizer>,
    ) -> Self {
        let n_actions = action_space.len();
        Self {
            identity: PolicyIdentity::default(),
            seed: 0,
            n_trained_steps: 0,
            insonate_version: env!("CARGO_PKG_VERSION").to_owned(),
            action_scale: ActionScale::new(&action_space),
            workspace: network.workspace(MAX_ROWS),
            inputs: vec![0.0; MAX_ROWS * observation_space.len()],
            observation_space,
            action_space,
            network,
            normalizer,
            squash: false,
            squashed: Vec::with_capacity(n_actions),
            eye: None,
        }
    }

    /// Puts an encoder before the network, whose inputs are the encoder's features.
    pub(crate) fn set_encoder(&mut self, encoder: Encoder) {
        self.eye = Some(Box::new(Eye {
            workspace: encoder.workspace(ENCODED_ROWS),
            features: vec![0.0; ENCODED_ROWS * encoder.n_features()],
            encoder,
        }));
    }

    /// The encoder of images, if there is one.
    pub fn encoder(&self) -> Option<&Encoder> {
        self.eye.as_ref().map(|eye| &eye.encoder)
    }

    /// Writes the actions, shape `[n, n_actions]`, for observations of shape `[n, n_obs]`, without allocation.
    /// NaN in an observation gives NaN actions, which environments reject.
    ///
    /// # Panics
    /// If buffers have other shapes.
    pub fn act(&mut self, observations: &[f32], actions: &mut [f32]) {
        let (n_obs, n_actions) = (self.observation_space.len(), self.action_space.len());
        let n = observations.len() / n_obs;
        assert_eq!(observations.len(), n * n_obs, "observations are whole rows");
        assert_eq!(
            actions.len(),
            n * n_actions,
            "one action for each observation"
        );
        let max_rows = if self.eye.is_some() {
            ENCODED_ROWS
        } else {
            MAX_ROWS
        };
        let chunks = observations.chunks(max_rows * n_obs);
        for (rows, actions) in chunks.zip(actions.chunks_mut(max_rows * n_actions)) {
            let inputs = &mut self.inputs[..rows.len()];
            match &self.normalizer {
                Some(normalizer) => normalizer.normalize(rows, inputs),
                None => inputs.copy_from_slice(rows),
            }
            let n_rows = rows.len() / n_obs;
            let mut inputs = &*inputs;
            if let Some(eye) = &mut self.eye {
                eye.encoder
                    .forward(inputs, n_rows, &mut eye.workspace, &mut eye.features);
                inputs = &eye.features;
            }
            let outputs = self.network.forward(inputs, n_rows, &mut self.workspace);
            let outputs = outputs.chunks_exact(outputs.len() / n_rows);
            for (action, output) in actions.chunks_exact_mut(n_actions).zip(outputs) {
                let mut output = &output[..n_actions];
                if self.squash {
                    self.squashed.clear();
                    self.squashed.extend(output.iter().map(|u| u.tanh()));
                    output = &self.squashed;
                }
                self.action_scale.apply(output, action);
            }
        }
    }

    /// Widths of the hidden layers, and their activation.
    pub fn network(&self) -> (Vec<usize>, Activation) {
        let layers = self.network.layers();
        let hidden = layers[..layers.len() - 1].iter();
        let sizes = hidden.map(|layer| layer.n_outputs).collect();
        (sizes, self.network.activation())
    }

    /// Whether the network's outputs are squashed by tanh.
    pub fn is_squashed(&self) -> bool {
        self.squash
    }

    /// Whether the policy normalises observations.
    pub fn is_normalized(&self) -> bool {
        self.normalizer.is_some()
    }

    /// Checks that an environment has the same task, observations and actions as the training.
    ///
    /// # Errors
    /// [`RlError::Misfit`] with the first difference and how to resolve it.
    pub fn check_fits(&self, spec: &EnvSpec) -> Result<(), RlError> {
        let spaces = [&self.observation_space, &self.action_space];
        check_fits("policy", &self.identity.task, spaces, spec)
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("identity", &self.identity)
            .field("seed", &self.seed)
            .field("n_trained_steps", &self.n_trained_steps)
            .finish_non_exhaustive()
    }
}
