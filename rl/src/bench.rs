//! How fast training is, end to end.

use insonate_envs::VecEnv;

use crate::{PolicyIdentity, Ppo, PpoConfig, RlError};

/// Medians over iterations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PpoSpeed {
    /// Steps of all environments per second, simulation and learning together.
    pub frames_per_second: f64,
    /// Time of a rollout [s].
    pub rollout_s: f64,
    /// Time of values, advantages and update [s].
    pub update_s: f64,
}

/// Trains for `n_updates` iterations after one to warm up, and returns the medians.
///
/// # Errors
/// As [`Ppo::new`] and [`Ppo::iterate`]; [`RlError::Config`] for no updates.
pub fn ppo_frames_per_second(
    env: VecEnv,
    config: &PpoConfig,
    n_updates: usize,
) -> Result<PpoSpeed, RlError> {
    if n_updates == 0 {
        return Err(RlError::Config {
            field: "n_updates",
            problem: "0 is not allowed: at least 1".to_owned(),
        });
    }
    let batch_size = config.batch_size();
    let config = PpoConfig {
        total_timesteps: batch_size * (n_updates + 1),
        ..config.clone()
    };
    let identity = PolicyIdentity {
        task: env.spec().id.clone(),
        settings: String::new(),
    };
    let mut ppo = Ppo::new(env, config, identity)?;
    ppo.iterate()?;
    let mut times = Vec::with_capacity(n_updates);
    for _ in 0..n_updates {
        let progress = ppo.iterate()?;
        let seconds = [progress.rollout_time, progress.update_time].map(|time| time.as_secs_f64());
        times.push(seconds);
    }
    let median = |of: &dyn Fn(&[f64; 2]) -> f64| {
        let mut numbers: Vec<f64> = times.iter().map(of).collect();
        numbers.sort_by(f64::total_cmp);
        0.5 * (numbers[(n_updates - 1) / 2] + numbers[n_updates / 2])
    };
    Ok(PpoSpeed {
        frames_per_second: batch_size as f64 / median(&|[rollout, update]| rollout + update),
        rollout_s: median(&|[rollout, _]| *rollout),
        update_s: median(&|[_, update]| *update),
    })
}
