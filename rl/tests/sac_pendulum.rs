//! Contract: SAC solves a reference problem, the pendulum's swing-up: a mean return of at least −200 over 20 episodes, in a tenth of the
//! steps of PPO. A passive pole earns about −1200.

use std::ops::ControlFlow;

use insonate_envs::{Autoreset, ResetOptions, VecConfig, VecEnv, tasks};
use insonate_rl::{Agent, Algorithm as _, PolicyIdentity, RlError, Sac, SacConfig, evaluate};

fn envs(n_envs: usize, autoreset: Autoreset) -> Result<VecEnv, RlError> {
    let pendulum = (tasks::by_name("pendulum")?.build)(&toml::Table::new())?;
    let config = VecConfig {
        autoreset,
        ..VecConfig::default()
    };
    Ok(VecEnv::new(pendulum.make_many(n_envs)?, config)?)
}

#[test]
fn the_pendulum_swings_up() -> Result<(), RlError> {
    let config = SacConfig {
        total_timesteps: 6_000,
        n_envs: 1,
        learning_starts: 500,
        batch_size: 64,
        policy_lr: 1e-3,
        q_lr: 1e-3,
        discount: 0.98,
        hidden_sizes: vec![64, 64],
        ..SacConfig::default()
    };
    let identity = PolicyIdentity {
        task: "pendulum".to_owned(),
        settings: String::new(),
        trained_on: None,
    };
    let mut sac = Sac::new(envs(config.n_envs, Autoreset::SameStep)?, config, identity)?;
    sac.train(&mut |_| ControlFlow::Continue(()))?;
    let mut env = envs(4, Autoreset::Disabled)?;
    let mut agent = Agent::Policy(Box::new(sac.policy()));
    let options = ResetOptions::default();
    let episodes = evaluate(&mut env, &mut agent, 20, 0, &options, &mut |_| {
        ControlFlow::Continue(())
    })?;
    let mean = episodes.iter().map(|episode| episode.return_).sum::<f64>() / 20.0;
    assert!(mean >= -200.0, "{mean}");
    Ok(())
}
