//! How fast PPO trains on `reacher`, end to end: 8 environments, 2048 samples an update, minibatches of 64, 10 epochs, 64×64 tanh.
//!
//! `cargo run --release -p insonate-rl --example reacher_speed -- [TASK] [N_UPDATES] [N_THREADS]` prints one line of JSON.

#![expect(clippy::print_stdout, reason = "an example tells its result")]

use insonate_envs::{Autoreset, VecConfig, VecEnv, tasks};
use insonate_rl::{PpoConfig, bench};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().unwrap_or_else(|| "reacher".to_owned());
    let n_updates = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let n_threads = arguments.next().map_or(Ok(0), |text| text.parse())?;

    let config = PpoConfig::default();
    let factory = (tasks::by_name(&task)?.build)(&toml::Table::new())?;
    let settings = VecConfig {
        autoreset: Autoreset::SameStep,
        n_threads,
        ..VecConfig::default()
    };
    let env = VecEnv::new(factory.make_many(config.n_envs)?, settings)?;
    let speed = bench::ppo_frames_per_second(env, &config, n_updates)?;
    println!(
        "{{\"frames_per_second\": {:.0}, \"rollout_s\": {:.5}, \"update_s\": {:.5}}}",
        speed.frames_per_second, speed.rollout_s, speed.update_s
    );
    Ok(())
}
