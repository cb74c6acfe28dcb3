//! Steps of a vector of environments per second.

use std::time::Instant;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::median;
use super::raw::RawPhysics;
use crate::envs::{Autoreset, BoxSpace, ResetOptions, VecConfig, VecEnv};
use crate::evaluation::Contestant;
use crate::rl::Actor;
use crate::sim::readings::ProbeContact;

/// Least time of a round [s]: waking a thread must not count.
const ROUND: f64 = 0.005;

/// Least steps in a round. More would take the physics alone far from the states that it began in.
const MIN_STEPS: usize = 5;

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct SpeedPlan {
    /// Environments that step together.
    pub n_envs: usize,
    /// Threads; 0: one for each core.
    pub n_threads: usize,
    /// Rounds, of which the median counts.
    pub n_rounds: usize,
    /// Steps of each environment in a round; none: as many as take 5 ms, and at least 5.
    pub n_steps: Option<usize>,
    /// Steps of each environment before the first round.
    pub n_warmup: usize,
    /// Seed of the environments and of random actions.
    pub seed: u64,
}

/// Medians over rounds.
#[derive(Debug, Clone, Serialize)]
pub struct EnvSpeed {
    /// The task.
    pub task: String,
    /// Who acted; the policy's own time is left out.
    pub policy: String,
    /// Environments.
    pub n_envs: usize,
    /// Threads.
    pub n_threads: usize,
    /// Control steps of all environments per second, resets of episodes that end included.
    pub env_steps_per_second: f64,
    /// Physics steps in them per second; none without a physics engine.
    pub physics_steps_per_second: Option<f64>,
    /// Steps per second of the same physics alone, in the same states on as many threads.
    pub raw_physics_steps_per_second: Option<f64>,
    /// The former over the latter, round by round.
    pub share_of_raw: Option<f64>,
    /// Simulated seconds per second, over all environments.
    pub simulated_seconds_per_second: f64,
    /// Share of the states, in which the physics alone was measured, with the probe in contact; none without a probe.
    pub contact_share: Option<f64>,
}

/// Measures.
///
/// # Errors
/// What environments may fail with.
pub fn measure(contestant: &Contestant, plan: &SpeedPlan) -> anyhow::Result<EnvSpeed> {
    let config = VecConfig {
        autoreset: Autoreset::NextStep,
        n_threads: plan.n_threads,
        ..VecConfig::default()
    };
    let mut env = VecEnv::new(contestant.factory.make_many(plan.n_envs)?, config)?;
    env.reset(Some(plan.seed), &ResetOptions::default())?;
    let mut hand = Hand::of(contestant, &env, plan.seed);
    let mut warm = vec![hand.step(&mut env)?];
    for _ in 1..plan.n_warmup {
        warm.push(hand.step(&mut env)?);
    }
    let n_steps = plan
        .n_steps
        .unwrap_or_else(|| ((ROUND / median(warm)).ceil() as usize).clamp(MIN_STEPS, 1000));
    let spec = env.spec().clone();
    let n_physics = n_steps * plan.n_envs * spec.n_substeps;
    let mut raw = RawPhysics::default();
    let (mut steps, mut physics, mut share) = (Vec::new(), Vec::new(), Vec::new());
    let mut touching = Vec::new();
    // The machine's mood changes: both are measured in turns.
    for _ in 0..plan.n_rounds {
        let mut seconds = 0.0;
        for _ in 0..n_steps {
            seconds += hand.step(&mut env)?;
        }
        steps.push((n_steps * plan.n_envs) as f64 / seconds);
        if raw.follow(&env)? {
            touching.extend(contact_share(&env));
            let raw_seconds = raw.seconds(n_steps * spec.n_substeps, env.n_threads());
            physics.push(n_physics as f64 / raw_seconds);
            share.push(raw_seconds / seconds);
        }
    }
    let per_second = median(steps);
    let has_physics = !physics.is_empty() && spec.n_substeps > 0;
    let known = |value: f64| has_physics.then_some(value);
    Ok(EnvSpeed {
        task: spec.id.clone(),
        policy: contestant.name.clone(),
        n_envs: plan.n_envs,
        n_threads: env.n_threads(),
        env_steps_per_second: per_second,
        physics_steps_per_second: known(per_second * spec.n_substeps as f64),
        raw_physics_steps_per_second: known(median(physics)),
        share_of_raw: known(median(share)),
        simulated_seconds_per_second: per_second * spec.control_timestep,
        contact_share: (!touching.is_empty())
            .then(|| touching.iter().sum::<f64>() / touching.len() as f64),
    })
}

/// Share of the environments whose probe touches something; none where there is no probe.
fn contact_share(env: &VecEnv) -> Option<f64> {
    let (_, physics) = env.env(0).scene()?;
    physics.force_torque()?;
    let in_contact = (0..env.n_envs()).filter(|&env_idx| {
        let scene = env.env(env_idx).scene();
        scene.is_some_and(|(_, physics)| {
            ProbeContact::new(physics.model()).is_ok_and(|contact| contact.in_contact(physics))
        })
    });
    Some(in_contact.count() as f64 / env.n_envs() as f64)
}

/// Who acts.
struct Hand {
    actor: Actor,
    rng: ChaCha8Rng,
    space: BoxSpace,
    actions: Vec<f32>,
}

impl Hand {
    fn of(contestant: &Contestant, env: &VecEnv, seed: u64) -> Self {
        let space = env.spec().action_space.clone();
        Self {
            actor: contestant.actor(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            actions: vec![0.0; env.n_envs() * space.len()],
            space,
        }
    }

    /// One step of all environments; tells how long it took, without the choice of actions [s].
    fn step(&mut self, env: &mut VecEnv) -> anyhow::Result<f64> {
        let n_actions = self.space.len();
        match &mut self.actor {
            Actor::Policy(policy) => policy.act(&env.batch().observations, &mut self.actions),
            Actor::Scripted => {
                anyhow::ensure!(
                    env.scripted_actions(&mut self.actions),
                    "the task {} has no scripted policy",
                    env.spec().id
                );
            }
            Actor::Random => {
                for action in self.actions.chunks_exact_mut(n_actions) {
                    self.space.sample(&mut self.rng, action);
                }
            }
            Actor::Zero => {
                for action in self.actions.chunks_exact_mut(n_actions) {
                    action.fill(0.0);
                    self.space.clip(action);
                }
            }
        }
        let begun = Instant::now();
        env.step(&self.actions)?;
        Ok(begun.elapsed().as_secs_f64())
    }
}
