//! Contract: a rollout distinguishes termination and truncation: the next value is zero after a termination, and the value of the episode's
//! last observation after a time limit.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_envs::{
    Autoreset, BoxSpace, EndReason, Env, EnvError, EnvSpec, ResetOptions, Step, VecConfig, VecEnv,
};
use insonate_rl::{Algorithm as _, PolicyIdentity, Ppo, PpoConfig};

/// Observes the step count of its episode. Half of the episodes are truncated after 3 steps, the others terminate after 5.
struct Count {
    spec: EnvSpec,
    n_steps: usize,
    is_short: bool,
}

impl Count {
    fn observe(&self, observation: &mut [f32]) {
        observation[0] = 1.0 + self.n_steps as f32;
    }
}

impl Env for Count {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(
        &mut self,
        seed: u64,
        _: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        (self.n_steps, self.is_short) = (0, seed.is_multiple_of(2));
        self.observe(observation);
        Ok(())
    }

    fn step(&mut self, _: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        self.n_steps += 1;
        self.observe(observation);
        Ok(Step {
            reward: self.n_steps as f64,
            terminated: !self.is_short && self.n_steps == 5,
            truncated: self.is_short && self.n_steps == 3,
        })
    }

    fn reward_terms(&self) -> &[f64] {
        &[]
    }

    fn metrics(&self, _: &mut [f64]) {}

    fn parameters(&self) -> &[f64] {
        &[]
    }

    fn end_reason(&self) -> Option<EndReason> {
        None
    }
}

fn after_one_iteration(norm_obs: bool) -> Ppo {
    let spec = EnvSpec {
        id: "count".to_owned(),
        observation_space: BoxSpace::default().with("steps", 0.0, 10.0),
        action_space: BoxSpace::default().with("nothing", -1.0, 1.0),
        ..EnvSpec::default()
    };
    let envs = (0..2).map(|_| {
        Box::new(Count {
            spec: spec.clone(),
            n_steps: 0,
            is_short: false,
        }) as Box<dyn Env>
    });
    let same_step = VecConfig {
        autoreset: Autoreset::SameStep,
        ..VecConfig::default()
    };
    let env = VecEnv::new(envs.collect(), same_step).unwrap();
    let config = PpoConfig {
        n_envs: 2,
        n_steps: 64,
        n_minibatches: 1,
        norm_obs,
        norm_reward: false,
        ..PpoConfig::default()
    };
    let mut ppo = Ppo::new(env, config, PolicyIdentity::default()).unwrap();
    ppo.iterate().unwrap();
    ppo
}

#[test]
fn time_limits_bootstrap_and_terminations_do_not() {
    let ppo = after_one_iteration(false);
    let rollout = ppo.rollout();
    // The values are from the critic before the update; the value of each state is known where the state is an observation.
    let value_of = |state: f32| {
        let seen = rollout.observations.iter().position(|x| *x == state);
        rollout.values[seen.unwrap()]
    };
    let (mut n_terminated, mut n_truncated) = (0, 0);
    for i in 0..rollout.len() - 2 {
        let state = rollout.observations[i];
        // An action led from `state - 1` to `state`, which is also the reward.
        assert_eq!(rollout.rewards[i], state);
        let (is_over, next) = (rollout.is_over[i], rollout.next_values[i]);
        if state == 5.0 {
            assert!(is_over);
            assert_eq!(next, 0.0);
            n_terminated += 1;
        } else if is_over {
            // The episode was truncated in state 4, which longer episodes pass. The next one begins in state 1.
            assert_eq!(state, 3.0);
            assert_eq!(next, value_of(4.0));
            assert_ne!(next, value_of(1.0));
            n_truncated += 1;
        } else {
            assert_eq!(next, value_of(state + 1.0));
        }
    }
    assert!(n_terminated > 3 && n_truncated > 3);
}

#[test]
fn last_observations_are_normalised_like_all_others() {
    let ppo = after_one_iteration(true);
    let rollout = ppo.rollout();
    assert!(!rollout.final_observations.is_empty());
    // State 4 is above the mean of states 1 to 5, and its normalised value differs clearly from 4.
    for last in &rollout.final_observations {
        assert!((0.0..2.5).contains(last), "{last}");
    }
    // After the first few steps the moments converge, and so does the normalised state 4.
    let settled = rollout.final_observations[rollout.final_observations.len() - 1];
    let seen = rollout.observations[64..]
        .iter()
        .map(|x| (x - settled).abs());
    assert!(seen.fold(f32::INFINITY, f32::min) < 0.1);
}
