//! Trains on a task with several seeds and tells the mean return of 100 episodes under each policy.
//!
//! `cargo run --release -p insonate-rl --example solve -- [TASK] [N_SEEDS] [CONFIG.toml]` prints one line of JSON for each seed.
//! The configuration holds fields of `PpoConfig`; without one those that solve `pendulum` are taken.

#![expect(clippy::print_stdout, reason = "an example tells its result")]

use std::time::Instant;

use insonate_envs::{Autoreset, ResetOptions, VecConfig, VecEnv, tasks};
use insonate_rl::{Actor, Control, Policy, PolicyIdentity, Ppo, PpoConfig, evaluate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().unwrap_or_else(|| "pendulum".to_owned());
    let n_seeds = arguments.next().map_or(Ok(3), |text| text.parse())?;
    let config: PpoConfig = match arguments.next() {
        Some(path) => toml::from_str(&std::fs::read_to_string(path)?)?,
        None => toml::from_str(include_str!("pendulum.toml"))?,
    };
    for seed in 1..=n_seeds {
        let factory = (tasks::by_name(&task)?.build)(&toml::Table::new())?;
        let config = PpoConfig {
            seed,
            ..config.clone()
        };
        let envs = |autoreset| {
            let settings = VecConfig {
                autoreset,
                ..VecConfig::default()
            };
            VecEnv::new(factory.make_many(config.n_envs)?, settings)
        };
        let identity = PolicyIdentity {
            task: task.clone(),
            settings: factory.settings.to_string(),
        };
        let start = Instant::now();
        let mut ppo = Ppo::new(envs(Autoreset::SameStep)?, config.clone(), identity)?;
        ppo.train(&mut |_| Control::Continue)?;
        let seconds = start.elapsed().as_secs_f64();

        let mut actor = Actor::Policy(Box::new(Policy::of(&ppo)));
        let mut env = envs(Autoreset::Disabled)?;
        let options = ResetOptions::default();
        let episodes = evaluate(&mut env, &mut actor, 100, 1_000_000, &options, &mut |_| {})?;
        let mean = episodes.iter().map(|episode| episode.return_).sum::<f64>() / 100.0;
        println!(
            "{{\"task\": {task:?}, \"seed\": {seed}, \"steps\": {}, \"seconds\": {seconds:.2}, \"return_mean\": {mean:.2}}}",
            ppo.global_step()
        );
    }
    Ok(())
}
