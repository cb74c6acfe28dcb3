//! Contract: PPO solves a reference problem, the pendulum's swing-up: a mean return of at least −200 over 20 episodes, where a pole that
//! is left alone earns about −1200.

use insonate_envs::{Autoreset, ResetOptions, VecConfig, VecEnv, tasks};
use insonate_rl::{Actor, Control, Policy, PolicyIdentity, Ppo, PpoConfig, RlError, evaluate};

fn envs(n_envs: usize, autoreset: Autoreset) -> Result<VecEnv, RlError> {
    let pendulum = (tasks::by_name("pendulum")?.build)(&toml::Table::new())?;
    let config = VecConfig {
        autoreset,
        ..VecConfig::default()
    };
    Ok(VecEnv::new(pendulum.make_many(n_envs)?, config)?)
}

fn mean_return(actor: &mut Actor) -> Result<f64, RlError> {
    let mut env = envs(4, Autoreset::Disabled)?;
    let episodes = evaluate(
        &mut env,
        actor,
        20,
        0,
        &ResetOptions::default(),
        &mut |_| {},
    )?;
    Ok(episodes.iter().map(|episode| episode.return_).sum::<f64>() / 20.0)
}

#[test]
fn the_pendulum_swings_up() -> Result<(), RlError> {
    let settings = include_str!("../examples/pendulum.toml");
    let config: PpoConfig = toml::from_str(settings).expect("the example's settings can be read");
    let identity = PolicyIdentity {
        task: "pendulum".to_owned(),
        settings: String::new(),
    };
    let mut ppo = Ppo::new(envs(config.n_envs, Autoreset::SameStep)?, config, identity)?;
    ppo.train(&mut |_| Control::Continue)?;
    let alone = mean_return(&mut Actor::Zero)?;
    assert!(alone < -800.0, "{alone}");
    let learned = mean_return(&mut Actor::Policy(Box::new(Policy::of(&ppo))))?;
    assert!(learned >= -200.0, "{learned}");
    Ok(())
}
