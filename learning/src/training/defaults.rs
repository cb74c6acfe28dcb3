//! Default settings of the algorithms for each task.

use insonate_rl::network::Activation;
use insonate_rl::{PpoConfig, SacConfig};

/// The default settings of PPO for a task.
pub fn ppo_defaults(task: &str) -> PpoConfig {
    match task {
        "pendulum" => PpoConfig {
            total_timesteps: 100_000,
            n_envs: 4,
            n_steps: 256,
            n_minibatches: 16,
            learning_rate: 1e-3,
            discount: 0.98,
            ..general()
        },
        "reacher" => PpoConfig {
            total_timesteps: 500_000,
            n_envs: 8,
            n_steps: 256,
            n_minibatches: 32,
            ..general()
        },
        // The force responds immediately, so a short horizon and large steps suffice.
        "probe-sweep" | "table-slide" | "probe-press" => PpoConfig {
            total_timesteps: 600_000,
            learning_rate: 1e-3,
            discount: 0.9,
            gae_lambda: 0.9,
            log_std_init: -1.0,
            ..general()
        },
        "probe-reach" => PpoConfig {
            total_timesteps: 400_000,
            learning_rate: 1e-3,
            log_std_init: -1.5,
            ..general()
        },
        "cube-push" => PpoConfig {
            total_timesteps: 1_500_000,
            learning_rate: 1e-3,
            discount: 0.98,
            log_std_init: -0.5,
            ..general()
        },
        // Pictures are large and steps are expensive: few samples, each used often.
        "find-view" | "image-quality" | "coverage" => PpoConfig {
            total_timesteps: 60_000,
            n_envs: 16,
            n_steps: 64,
            n_minibatches: 8,
            learning_rate: 1e-3,
            discount: 0.9,
            gae_lambda: 0.9,
            log_std_init: -0.7,
            ..general()
        },
        "tissue-reach" => PpoConfig {
            total_timesteps: 60_000,
            discount: 0.97,
            ..surgery()
        },
        // Clipped updates change the policy only a little, and learning takes many of them: many updates with few samples. Sixteen
        // organs step as fast as eight.
        "tissue-retract" => PpoConfig {
            total_timesteps: 100_000,
            n_envs: 16,
            n_steps: 32,
            discount: 0.98,
            ..surgery()
        },
        "continuum-navigate" => PpoConfig {
            total_timesteps: 120_000,
            n_envs: 16,
            n_steps: 256,
            n_minibatches: 16,
            learning_rate: 1e-3,
            discount: 0.97,
            log_std_init: -0.7,
            ..general()
        },
        _ => general(),
    }
}

/// Table I of FF-SRL (arXiv:2503.18616) with larger steps. With its settings (500 000 timesteps, 4 epochs, a learning rate of 2.5e-4
/// and a clip of 0.1 that decreases to zero) learning needs ten times as many samples.
fn surgery() -> PpoConfig {
    PpoConfig {
        n_envs: 8,
        n_steps: 128,
        n_minibatches: 4,
        update_epochs: 10,
        learning_rate: 1e-3,
        discount: 0.995,
        gae_lambda: 0.95,
        clip_coef: 0.2,
        hidden_sizes: vec![256, 256],
        activation: Activation::Relu,
        ..general()
    }
}

fn general() -> PpoConfig {
    PpoConfig {
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
    }
}

/// The default settings of SAC for a task.
pub fn sac_defaults(task: &str) -> SacConfig {
    let general = SacConfig {
        total_timesteps: 100_000,
        policy_lr: 1e-3,
        q_lr: 1e-3,
        hidden_sizes: vec![64, 64],
        discount: 0.98,
        ..SacConfig::default()
    };
    match task {
        "pendulum" => SacConfig {
            total_timesteps: 10_000,
            learning_starts: 500,
            ..general
        },
        "probe-sweep" | "table-slide" | "probe-press" => SacConfig {
            total_timesteps: 40_000,
            discount: 0.97,
            ..general
        },
        // Pictures are large and steps are expensive.
        "find-view" | "image-quality" | "coverage" => SacConfig {
            total_timesteps: 20_000,
            n_steps: 100,
            buffer_size: 20_000,
            discount: 0.9,
            ..general
        },
        _ => general,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insonate_envs::tasks;

    #[test]
    fn every_task_has_valid_settings() {
        for kind in tasks::ALL {
            ppo_defaults(kind.name).check().unwrap();
            sac_defaults(kind.name).check().unwrap();
        }
    }
}
