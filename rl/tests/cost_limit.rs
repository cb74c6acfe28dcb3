//! Contract: under a cost limit that reward alone exceeds, the mean cost keeps the limit and the action is the known constrained optimum;
//! results are bit-identical for any number of threads and after a resume; tasks without costs reject a limit.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod support;

use std::ops::ControlFlow;
use std::path::Path;

use insonate_envs::{
    Autoreset, BoxSpace, EndReason, Env, EnvError, EnvSpec, ResetOptions, Step, VecConfig, VecEnv,
};
use insonate_rl::{Algorithm as _, PolicyIdentity, Ppo, PpoConfig};
use support::{config, lines, ppo};

const N_STEPS: usize = 10;

/// Ten steps of an action $a$ with the reward $2 a - a^2$, largest at 1, and the cost $\max(0, a)$. Under a limit of $10 a_0 < 10$ the best
/// constant action is $a_0$, since the reward increases up to 1.
struct Push {
    spec: EnvSpec,
    n_steps: usize,
    terms: [f64; 1],
    costs: Vec<f64>,
}

impl Push {
    fn new(costs: Vec<&'static str>) -> Self {
        Self {
            n_steps: 0,
            terms: [0.0],
            costs: vec![0.0; costs.len()],
            spec: EnvSpec {
                id: "push".to_owned(),
                observation_space: BoxSpace::default().with("one", 0.0, 2.0),
                action_space: BoxSpace::default().with("a", -2.0, 2.0),
                reward_terms: vec!["push"],
                costs,
                max_episode_steps: Some(N_STEPS),
                control_timestep: 0.1,
                ..EnvSpec::default()
            },
        }
    }
}

impl Env for Push {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(&mut self, _: u64, _: &ResetOptions, o: &mut [f32]) -> Result<(), EnvError> {
        self.n_steps = 0;
        o[0] = 1.0;
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        let a = f64::from(action[0]);
        self.n_steps += 1;
        observation[0] = 1.0;
        self.terms = [2.0 * a - a * a];
        self.costs.fill(a.max(0.0));
        Ok(Step {
            reward: self.terms[0],
            terminated: false,
            truncated: self.n_steps == N_STEPS,
        })
    }

    fn reward_terms(&self) -> &[f64] {
        &self.terms
    }

    fn costs(&self) -> &[f64] {
        &self.costs
    }

    fn metrics(&self, _: &mut [f64]) {}

    fn parameters(&self) -> &[f64] {
        &[]
    }

    fn end_reason(&self) -> Option<EndReason> {
        None
    }
}

fn push(costs: &[&'static str], config: PpoConfig) -> Result<Ppo, insonate_rl::RlError> {
    let envs = (0..config.n_envs).map(|_| Box::new(Push::new(costs.to_vec())) as Box<dyn Env>);
    let same_step = VecConfig {
        autoreset: Autoreset::SameStep,
        n_threads: 1,
    };
    let env = VecEnv::new(envs.collect(), same_step).unwrap();
    Ppo::new(env, config, PolicyIdentity::default())
}

/// The action learned under a limit, the mean cost of the last 100 episodes with exploration, and the multipliers of each iteration.
fn learned(cost_limit: Option<f64>, seed: u64) -> (f64, f64, Vec<f64>) {
    let config = PpoConfig {
        total_timesteps: 120 * 8 * 50,
        n_envs: 8,
        n_steps: 50,
        n_minibatches: 8,
        update_epochs: 5,
        learning_rate: 3e-3,
        discount: 0.9,
        hidden_sizes: vec![8],
        log_std_init: -1.5,
        norm_obs: false,
        cost_limit,
        multiplier_lr: 0.1,
        seed,
        ..PpoConfig::default()
    };
    let mut ppo = push(&["push"], config).unwrap();
    let (mut cost, mut multipliers) = (f64::NAN, Vec::new());
    ppo.train(&mut |progress| {
        let scalar = |name: &str| {
            let mut scalars = progress.scalars.iter();
            scalars.find(|(known, _)| known == name).map(|(_, x)| *x)
        };
        cost = scalar("charts/episodic_cost").unwrap();
        multipliers.extend(scalar("charts/multiplier"));
        ControlFlow::Continue(())
    })
    .unwrap();
    let mut action = [0.0];
    ppo.policy().act(&[1.0], &mut action);
    (f64::from(action[0]), cost, multipliers)
}

#[test]
fn the_policy_ends_at_the_constrained_optimum_and_exceeds_it_without_a_limit() {
    // Exploration scatters the action by less than 0.2, and the cost below zero is cut: the tolerance is a tenth.
    let (action, cost, none) = learned(None, 1);
    assert!((action - 1.0).abs() < 0.1, "{action}");
    assert!(cost > 9.0 && none.is_empty(), "{cost}");
    for seed in [1, 2] {
        let (action, cost, multipliers) = learned(Some(5.0), seed);
        assert!((action - 0.5).abs() < 0.1, "seed {seed}: {action}");
        assert!((cost - 5.0).abs() < 0.5, "seed {seed}: {cost}");
        assert!(multipliers.iter().all(|multiplier| *multiplier >= 0.0));
        assert!(*multipliers.last().unwrap() > 0.1, "{multipliers:?}");
    }
    // A limit that the reward alone already satisfies has no effect.
    let (action, _, multipliers) = learned(Some(20.0), 1);
    assert!((action - 1.0).abs() < 0.1, "{action}");
    assert!(multipliers.iter().all(|multiplier| *multiplier == 0.0));
}

fn limited() -> PpoConfig {
    PpoConfig {
        cost_limit: Some(0.5),
        ..config()
    }
}

fn bytes(ppo: &Ppo, path: &Path) -> Vec<u8> {
    ppo.save(path).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn a_limited_training_is_the_same_bits_on_any_threads_and_after_a_resume() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let trained = |mut ppo: Ppo, n: usize| {
        for _ in 0..n {
            ppo.iterate().unwrap();
        }
        ppo
    };
    let whole = trained(ppo(limited(), 1), 6);
    assert!(whole.constraint().unwrap().multiplier.value > 0.0);
    let expected = bytes(&whole, &path);
    for n_threads in [2, 8] {
        let other = trained(ppo(limited(), n_threads), 6);
        assert!(expected == bytes(&other, &path), "{n_threads} threads");
    }
    let first = trained(ppo(limited(), 2), 3);
    let saved = bytes(&first, &path);
    let second = Ppo::resume(lines(4, 1, Autoreset::SameStep), &path).unwrap();
    assert!(saved == bytes(&second, &path));
    let second = trained(second, 3);
    assert!(expected == bytes(&second, &path));
    // Costs without an active limit do not affect the rest of the training.
    let loose = PpoConfig {
        cost_limit: Some(1e9),
        ..config()
    };
    let [first, second] = [loose, config()].map(|config| trained(ppo(config, 1), 1));
    assert_eq!(first.rollout().rewards, second.rollout().rewards);
}

#[test]
fn a_limit_needs_costs_and_no_negative_number() {
    let refused = |costs: &[&'static str], cost_limit: f64| {
        let config = PpoConfig {
            cost_limit: Some(cost_limit),
            ..PpoConfig::default()
        };
        push(costs, config).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&[], 2.0),
        "cost_limit: 2 is set, but push has no costs"
    );
    assert_eq!(
        refused(&["push"], -1.0),
        "cost_limit is -1; it must be between 0 and 1000000000000"
    );
}
