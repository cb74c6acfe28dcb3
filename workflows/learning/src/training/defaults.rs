//! Default settings of the algorithms: those for any task, with those that a task recommends.

use super::settings::{resolve_ppo, resolve_sac};
use insonate_envs::tasks::TaskKind;
use insonate_envs::{EnvError, settings};
use insonate_rl::{PpoConfig, SacConfig};

/// The default settings of PPO for a task.
///
/// # Errors
/// [`EnvError::Config`] if a recommended setting of the task is unknown or invalid.
pub fn ppo_defaults(task: &TaskKind) -> Result<PpoConfig, EnvError> {
    let general = PpoConfig {
        total_timesteps: 1_000_000,
        n_envs: 32,
        n_steps: 128,
        n_minibatches: 8,
        update_epochs: 10,
        learning_rate: 3e-4,
        anneal_lr: true,
        discount: 0.99,
        norm_obs: true,
        norm_reward: true,
        hidden_sizes: vec![64, 64],
        ..PpoConfig::default()
    };
    resolve_ppo(general, &settings::assign(task.ppo)?)
}

/// The default settings of SAC for a task.
///
/// # Errors
/// [`EnvError::Config`] if a recommended setting of the task is unknown or invalid.
pub fn sac_defaults(task: &TaskKind) -> Result<SacConfig, EnvError> {
    let general = SacConfig {
        total_timesteps: 100_000,
        policy_lr: 1e-3,
        q_lr: 1e-3,
        hidden_sizes: vec![64, 64],
        discount: 0.98,
        ..SacConfig::default()
    };
    resolve_sac(general, &settings::assign(task.sac)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use insonate_envs::tasks;
    use insonate_rl::network::Activation;

    #[test]
    fn every_task_has_valid_settings() {
        for kind in tasks::ALL {
            ppo_defaults(kind).unwrap();
            sac_defaults(kind).unwrap();
        }
    }

    #[test]
    fn a_task_outside_the_registry_recommends_its_own_settings() {
        let own = TaskKind {
            name: "own",
            ppo: &[
                ("n_envs", "12"),
                ("hidden_sizes", "[32]"),
                ("activation", "relu"),
            ],
            sac: &[("discount", "0.9")],
            ..tasks::pendulum::KIND
        };
        let ppo = ppo_defaults(&own).unwrap();
        let network = (ppo.hidden_sizes, ppo.activation);
        assert_eq!((ppo.n_envs, network), (12, (vec![32], Activation::Relu)));
        assert_eq!(sac_defaults(&own).unwrap().discount, 0.9);
        let misspelt = TaskKind {
            ppo: &[("n_env", "12")],
            ..own
        };
        let problem = ppo_defaults(&misspelt).unwrap_err().to_string();
        assert!(problem.contains("did you mean \"n_envs\""), "{problem}");
    }
}
