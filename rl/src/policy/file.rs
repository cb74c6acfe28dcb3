//! The policy file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{
    Policy, PolicyIdentity, PolicyParts, SpaceRecord, add_network, check_network, take_network,
};
use crate::RlError;
use crate::network::{Activation, Mlp};
use crate::normalization::{ObservationNormalizer, RunningMoments};
use crate::ppo::Ppo;
use crate::tensor_file::{Format, Tensor, TensorFile, TensorWriter};

const FORMAT: Format = Format {
    name: "insonate-policy",
    what: "policy",
    version: 1,
};

/// The version that files name.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Largest widths and number of layers that a file may ask for.
const MAX_WIDTH: usize = 1 << 16;
const MAX_LAYERS: usize = 64;

/// What the file says in words; its arrays are tensors.
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
    /// Where normalised observations are cut; none: they are not normalised.
    clip_obs: Option<f64>,
}

impl Policy {
    /// The policy as it is now in training.
    pub fn of(ppo: &Ppo) -> Self {
        let spec = ppo.env().spec();
        Self::new(PolicyParts {
            identity: ppo.identity().clone(),
            seed: ppo.config().seed,
            n_trained_steps: ppo.global_step(),
            insonate_version: VERSION.to_owned(),
            observation_space: spec.observation_space.clone(),
            action_space: spec.action_space.clone(),
            network: ppo.actor.network.clone(),
            normalizer: ppo
                .config()
                .norm_obs
                .then(|| ppo.observation_normalizer.clone()),
        })
    }

    /// Writes the policy file, whole or not at all.
    ///
    /// # Errors
    /// [`RlError::Write`].
    pub fn save(&self, path: &Path) -> Result<(), RlError> {
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
        };
        writer.save(path, FORMAT, &description)
    }

    /// Reads a policy file.
    ///
    /// # Errors
    /// [`RlError::Io`]; [`RlError::File`] for a file that is damaged, cut short, of another kind or of another version.
    pub fn load(path: &Path) -> Result<Self, RlError> {
        let mut file = TensorFile::load(path, FORMAT)?;
        let description: Description = file.content()?;
        let observation_space = description
            .observation_space
            .take("observation_space", &mut file)?;
        let action_space = description.action_space.take("action_space", &mut file)?;
        let (n_obs, n_actions) = (observation_space.len(), action_space.len());
        let hidden = &description.hidden_sizes;
        if hidden.len() > MAX_LAYERS || hidden.iter().any(|n| !(1..=MAX_WIDTH).contains(n)) {
            return Err(file.wrong(format!("has a network of impossible sizes {hidden:?}")));
        }
        let sizes: Vec<usize> = [n_obs]
            .iter()
            .chain(hidden)
            .chain([&n_actions])
            .copied()
            .collect();
        check_network(&file, "actor", &sizes)?;
        let mut network = Mlp::new(&sizes, description.activation, n_actions);
        let mut parameters = network.parameters().clone();
        take_network(&mut file, "actor", &network, &mut parameters)?;
        network.parameters_mut().copy_from_slice(&parameters);
        let normalizer = match description.clip_obs {
            Some(clip) if clip > 0.0 => {
                let moments = take_moments(&mut file, "observation", n_obs)?;
                Some(ObservationNormalizer::new(moments, clip))
            }
            Some(clip) => return Err(file.wrong(format!("cuts observations at {clip}"))),
            None => None,
        };
        Ok(Self::new(PolicyParts {
            identity: description.identity,
            seed: description.seed,
            n_trained_steps: description.n_trained_steps,
            insonate_version: description.insonate_version,
            observation_space,
            action_space,
            network,
            normalizer,
        }))
    }
}

/// Adds running moments as `<prefix>_mean`, `<prefix>_variance`, `<prefix>_count`.
pub(crate) fn add_moments(writer: &mut TensorWriter, prefix: &str, moments: &RunningMoments) {
    let n = moments.mean.len();
    writer.add(format!("{prefix}_mean"), Tensor::f64(&moments.mean, &[n]));
    writer.add(
        format!("{prefix}_variance"),
        Tensor::f64(&moments.var, &[n]),
    );
    writer.add(
        format!("{prefix}_count"),
        Tensor::f64(&[moments.count], &[1]),
    );
}

/// Takes running moments of `n` columns.
pub(crate) fn take_moments(
    file: &mut TensorFile,
    prefix: &str,
    n: usize,
) -> Result<RunningMoments, RlError> {
    let moments = RunningMoments {
        mean: file.take_f64(&format!("{prefix}_mean"), &[n])?,
        var: file.take_f64(&format!("{prefix}_variance"), &[n])?,
        count: file.take_f64(&format!("{prefix}_count"), &[1])?[0],
    };
    let is_sound = moments.mean.iter().all(|x| x.is_finite())
        && moments.var.iter().all(|x| x.is_finite() && *x >= 0.0)
        && moments.count.is_finite()
        && moments.count > 0.0;
    if is_sound {
        Ok(moments)
    } else {
        Err(file.wrong(format!("has impossible moments of the {prefix}")))
    }
}
