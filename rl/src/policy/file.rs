//! The policy file: tensors of network and normalisation, and a JSON description.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::encoder_tensors::EncoderRecord;
use super::moments::{add_moments, take_moments};
use super::network_tensors::{add_network, check_network, take_network};
use super::{Policy, PolicyIdentity, SpaceRecord};
use crate::RlError;
use crate::network::{Activation, Encoder, Mlp};
use crate::normalization::ObservationNormalizer;
use crate::tensor_file::{Format, TensorFile, TensorWriter};

const FORMAT: Format = Format {
    name: "insonate-policy",
    what: "policy",
    version: 4,
    oldest: 1,
};

/// Versions of policies without squashing, and without an encoder, which older programs can read.
const UNSQUASHED: u32 = 2;
const WITHOUT_ENCODER: u32 = 3;

/// Maximum layer width that a file may specify.
const MAX_WIDTH: usize = 1 << 16;
const MAX_LAYERS: usize = 64;

/// The description in the file; arrays are tensors.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    insonate_version: String,
    identity: PolicyIdentity,
    seed: u64,
    n_trained_steps: u64,
    hidden_sizes: Vec<usize>,
    activation: Activation,
    observation_space: SpaceRecord,
    action_space: SpaceRecord,
    /// Clipping range of normalised observations. `None` if observations are not normalised.
    clip_obs: Option<f64>,
    /// Whether the network's outputs are squashed by tanh (since version 3).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    squash: bool,
    /// The encoder of images before the network (since version 4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoder: Option<EncoderRecord>,
}

impl Policy {
    /// Writes the policy file. An existing file is kept until the new one is complete.
    ///
    /// # Errors
    /// [`RlError::Write`].
    pub fn save(&self, path: &Path) -> Result<(), RlError> {
        Ok(insonate_files::write(path, &self.to_bytes())?)
    }

    /// The content of the policy file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = TensorWriter::default();
        add_network(
            &mut writer,
            "actor",
            &self.network,
            self.network.parameters(),
        );
        if let Some(normalizer) = &self.normalizer {
            add_moments(&mut writer, "observation", normalizer.moments());
        }
        let layers = self.network.layers();
        let description = Description {
            insonate_version: self.insonate_version.clone(),
            identity: self.identity.clone(),
            seed: self.seed,
            n_trained_steps: self.n_trained_steps,
            hidden_sizes: layers[..layers.len() - 1]
                .iter()
                .map(|layer| layer.n_outputs)
                .collect(),
            activation: self.network.activation(),
            observation_space: SpaceRecord::add(
                &self.observation_space,
                "observation_space",
                &mut writer,
            ),
            action_space: SpaceRecord::add(&self.action_space, "action_space", &mut writer),
            clip_obs: self.normalizer.as_ref().map(ObservationNormalizer::clip),
            squash: self.squash,
            encoder: self
                .encoder()
                .map(|encoder| EncoderRecord::add(encoder, &mut writer)),
        };
        let version = match (self.encoder(), self.squash) {
            (Some(_), _) => FORMAT.version,
            (None, true) => WITHOUT_ENCODER,
            (None, false) => UNSQUASHED,
        };
        writer.bytes(Format { version, ..FORMAT }, &description)
    }

    /// Reads a policy file.
    ///
    /// # Errors
    /// [`RlError::Io`]; [`RlError::File`] if the file is corrupt, truncated, or of another format or version.
    pub fn load(path: &Path) -> Result<Self, RlError> {
        Self::from_file(TensorFile::load(path, FORMAT)?)
    }

    /// Reads the content of a policy file; `name` is used in messages.
    ///
    /// # Errors
    /// [`RlError::File`] as in [`Self::load`].
    pub fn from_bytes(name: &Path, bytes: &[u8]) -> Result<Self, RlError> {
        Self::from_file(TensorFile::parse(name, bytes, &[FORMAT])?)
    }

    fn from_file(mut file: TensorFile) -> Result<Self, RlError> {
        let description: Description = file.content()?;
        let observation_space = description
            .observation_space
            .take("observation_space", &mut file)?;
        let action_space = description.action_space.take("action_space", &mut file)?;
        let (n_obs, n_actions) = (observation_space.len(), action_space.len());
        let hidden = &description.hidden_sizes;
        if hidden.len() > MAX_LAYERS || hidden.iter().any(|n| !(1..=MAX_WIDTH).contains(n)) {
            return Err(file.invalid(format!("has a network of invalid sizes {hidden:?}")));
        }
        let encoder = description.encoder.as_ref();
        let encoder = encoder
            .map(|record| record.take(n_obs, &mut file))
            .transpose()?;
        let n_inputs = encoder.as_ref().map_or(n_obs, Encoder::n_features);
        let sizes = [&[n_inputs], &hidden[..], &[n_actions]].concat();
        check_network(&file, "actor", &sizes)?;
        // A squashed policy has no separate ln σ.
        let n_free = if description.squash { 0 } else { n_actions };
        let mut network = Mlp::new(&sizes, description.activation, n_free);
        let mut parameters = network.parameters().clone();
        take_network(&mut file, "actor", &network, &mut parameters)?;
        network.parameters_mut().copy_from_slice(&parameters);
        let normalizer = match description.clip_obs {
            Some(clip) if clip > 0.0 => {
                let moments = take_moments(&mut file, "observation", n_obs)?;
                Some(ObservationNormalizer::new(moments, clip))
            }
            Some(clip) => return Err(file.invalid(format!("clips observations at {clip}"))),
            None => None,
        };
        let mut policy = Self::new([observation_space, action_space], network, normalizer);
        if let Some(encoder) = encoder {
            policy.set_encoder(encoder);
        }
        policy.squash = description.squash;
        policy.identity = description.identity;
        policy.seed = description.seed;
        policy.n_trained_steps = description.n_trained_steps;
        policy.insonate_version = description.insonate_version;
        Ok(policy)
    }
}
