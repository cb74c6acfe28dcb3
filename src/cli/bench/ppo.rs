//! `insonate bench ppo`.

use clap::Args;
use insonate::envs::{Autoreset, EnvError, VecConfig, VecEnv, tasks};
use insonate::rl::{Algorithm as _, PolicyIdentity, Ppo, PpoConfig};
use serde_json::json;

use super::{median, print_figures};

#[derive(Debug, Args)]
pub(super) struct PpoBench {
    /// Number of updates; the median over them is reported.
    #[arg(long, value_name = "N", default_value_t = 20)]
    updates: usize,
    /// Number of threads; 0 uses one per core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl PpoBench {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        if self.updates == 0 {
            let problem = "is 0; it must be at least 1".to_owned();
            let field = "updates".to_owned();
            return Err(EnvError::Config { field, problem }.into());
        }
        let mut config = PpoConfig {
            n_envs: 8,
            n_steps: 256,
            n_minibatches: 32,
            update_epochs: 10,
            hidden_sizes: vec![64, 64],
            ..PpoConfig::default()
        };
        // One more to warm up.
        config.total_timesteps = config.batch_size() * (self.updates + 1);
        let factory = (tasks::by_name("reacher")?.build)(&toml::Table::new())?;
        let vector = VecConfig {
            autoreset: Autoreset::SameStep,
            n_threads: self.threads,
        };
        let env = VecEnv::new(factory.make_many(config.n_envs)?, vector)?;
        let n_threads = env.n_threads();
        let mut ppo = Ppo::new(env, config.clone(), PolicyIdentity::default())?;
        ppo.iterate()?;
        let (mut rollouts, mut updates, mut totals) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.updates {
            let progress = ppo.iterate()?;
            rollouts.push(progress.rollout_time.as_secs_f64());
            updates.push(progress.update_time.as_secs_f64());
            totals.push((progress.rollout_time + progress.update_time).as_secs_f64());
        }
        let figures = json!({
            "task": "reacher",
            "n_envs": config.n_envs,
            "n_threads": n_threads,
            "batch_size": config.batch_size(),
            "minibatch_size": config.minibatch_size(),
            "update_epochs": config.update_epochs,
            "frames_per_second": config.batch_size() as f64 / median(totals),
            "rollout_s": median(rollouts),
            "update_s": median(updates),
        });
        print_figures(&figures, self.json)
    }
}
