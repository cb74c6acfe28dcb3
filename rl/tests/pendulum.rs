//! Contract: PPO solves a reference problem, the pendulum's swing-up: a mean return of at least −200 over 20 episodes. A passive pole
//! earns about −1200.

use std::ops::ControlFlow;

use insonate_envs::{Autoreset, ResetOptions, VecConfig, VecEnv, tasks};
use insonate_rl::{Agent, Algorithm as _, PolicyIdentity, Ppo, PpoConfig, RlError, evaluate};

fn envs(n_envs: usize, autoreset: Autoreset) -> Result<VecEnv, RlError> {
    let pendulum = (tasks::by_name("pendulum")?.build)(&toml::Table::new())?;
    let config = VecConfig {
        autoreset,
        ..VecConfig::default()
    };
    Ok(VecEnv::new(pendulum.make_many(n_envs)?, config)?)
}

fn mean_return(agent: &mut Agent) -> Result<f64, RlError> {
    let mut env = envs(4, Autoreset::Disabled)?;
    let episodes = evaluate(
        &mut env,
        agent,
        20,
        0,
        &ResetOptions::default(),
        &mut |_| std::ops::ControlFlow::Continue(()),
    )?;
    Ok(episodes.iter().map(|episode| episode.return_).sum::<f64>() / 20.0)
}

#[test]
fn the_pendulum_swings_up() -> Result<(), RlError> {
    let config = PpoConfig {
        total_timesteps: 100_000,
        n_envs: 4,
        n_steps: 256,
        n_minibatches: 16,
        update_epochs: 10,
        learning_rate: 1e-3,
        discount: 0.98,
        ..PpoConfig::default()
    };
    let identity = PolicyIdentity {
        task: "pendulum".to_owned(),
        settings: String::new(),
        trained_on: None,
    };
    let mut ppo = Ppo::new(envs(config.n_envs, Autoreset::SameStep)?, config, identity)?;
    ppo.train(&mut |_| ControlFlow::Continue(()))?;
    let alone = mean_return(&mut Agent::Zero)?;
    assert!(alone < -800.0, "{alone}");
    let learned = mean_return(&mut Agent::Policy(Box::new(ppo.policy())))?;
    assert!(learned >= -200.0, "{learned}");
    Ok(())
}
