//! Policies: the actor's network with all that is needed to use it, in a file that describes itself.

mod action_scale;
mod file;
mod fit;
mod identity;
mod layers;

use std::fmt;

pub use action_scale::ActionScale;
pub(crate) use file::{VERSION, add_moments, take_moments};
pub(crate) use fit::{SpaceRecord, check_spaces};
pub use identity::PolicyIdentity;
pub(crate) use layers::{add_network, check_network, take_network};

use insonate_envs::{BoxSpace, EnvSpec};

use crate::RlError;
use crate::network::{Mlp, Workspace};
use crate::normalization::ObservationNormalizer;

/// Rows that pass the network at once.
const MAX_ROWS: usize = 128;

/// A deterministic policy: the mean action, cut to its bounds.
#[derive(Clone)]
pub struct Policy {
    /// For which task it was trained, and how.
    pub identity: PolicyIdentity,
    /// Seed of its training.
    pub seed: u64,
    /// Steps of all environments that it was trained for.
    pub n_trained_steps: u64,
    /// Version of insonate that wrote it.
    pub insonate_version: String,
    /// What it observes.
    pub observation_space: BoxSpace,
    /// What it does.
    pub action_space: BoxSpace,
    pub(crate) network: Mlp,
    pub(crate) normalizer: Option<ObservationNormalizer>,
    action_scale: ActionScale,
    workspace: Workspace,
    /// Normalised observations, shape `[MAX_ROWS, n_obs]`.
    inputs: Vec<f32>,
}

/// What a [`Policy`] is made of.
pub(crate) struct PolicyParts {
    pub(crate) identity: PolicyIdentity,
    pub(crate) seed: u64,
    pub(crate) n_trained_steps: u64,
    pub(crate) insonate_version: String,
    pub(crate) observation_space: BoxSpace,
    pub(crate) action_space: BoxSpace,
    pub(crate) network: Mlp,
    pub(crate) normalizer: Option<ObservationNormalizer>,
}

impl Policy {
    pub(crate) fn new(parts: PolicyParts) -> Self {
        Self {
            action_scale: ActionScale::new(&parts.action_space),
            workspace: Workspace::new(&parts.network, MAX_ROWS),
            inputs: vec![0.0; MAX_ROWS * parts.observation_space.len()],
            identity: parts.identity,
            seed: parts.seed,
            n_trained_steps: parts.n_trained_steps,
            insonate_version: parts.insonate_version,
            observation_space: parts.observation_space,
            action_space: parts.action_space,
            network: parts.network,
            normalizer: parts.normalizer,
        }
    }

    /// Writes the action, shape `[n, n_actions]`, for observations of shape `[n, n_obs]`; allocates nothing.
    /// NaN in an observation comes out as NaN in its actions, which environments refuse.
    ///
    /// # Panics
    /// For buffers of other shapes.
    pub fn act(&mut self, observations: &[f32], actions: &mut [f32]) {
        let (n_obs, n_actions) = (self.observation_space.len(), self.action_space.len());
        let n = observations.len() / n_obs;
        assert_eq!(observations.len(), n * n_obs, "observations are whole rows");
        assert_eq!(
            actions.len(),
            n * n_actions,
            "one action for each observation"
        );
        let chunks = observations.chunks(MAX_ROWS * n_obs);
        for (rows, actions) in chunks.zip(actions.chunks_mut(MAX_ROWS * n_actions)) {
            let inputs = &mut self.inputs[..rows.len()];
            match &self.normalizer {
                Some(normalizer) => normalizer.normalize(rows, inputs),
                None => inputs.copy_from_slice(rows),
            }
            let n_rows = rows.len() / n_obs;
            let outputs = self.network.forward(inputs, n_rows, &mut self.workspace);
            let outputs = outputs.chunks_exact(outputs.len() / n_rows);
            for (action, output) in actions.chunks_exact_mut(n_actions).zip(outputs) {
                self.action_scale.apply(&output[..n_actions], action);
            }
        }
    }

    /// Fails for an environment that the policy was not trained for: another task, or other observations or actions.
    ///
    /// # Errors
    /// [`RlError::Misfit`] with the first difference and what to do.
    pub fn check_fits(&self, spec: &EnvSpec) -> Result<(), RlError> {
        fit::check_fits(self, spec)
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
