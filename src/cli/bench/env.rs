//! `insonate bench env`.

use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use insonate::envs::{Autoreset, ResetOptions, VecConfig, VecEnv};
use insonate::evaluation::NamedPolicy;
use insonate::rl::{Agent, action_rng};
use insonate::sim::readings::ProbeContact;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde_json::Value;

use super::raw_physics::RawPhysics;
use super::{median, print_figures};
use crate::cli::settings_args::SettingsArgs;

/// Least time of a round [s], so that waking a thread does not count.
const MIN_ROUND_TIME: f64 = 0.005;

/// Least steps in a round. More would take the physics alone far from the environments' states.
const MIN_STEPS: usize = 5;

#[derive(Debug, Args)]
pub(super) struct EnvBench {
    /// Task.
    #[arg(long, value_name = "TASK", default_value = "probe-sweep")]
    task: String,
    /// Number of environments that step in parallel.
    #[arg(long, value_name = "N", default_value_t = 32)]
    envs: usize,
    /// Number of threads; 0 uses one per core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Policy: scripted (in contact all the time), zero, random or a policy file; the time of the policy is not counted.
    #[arg(long, value_name = "POLICY", default_value = "scripted")]
    policy: String,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Number of rounds; the median over them is reported.
    #[arg(long, value_name = "N", default_value_t = 60)]
    rounds: usize,
    /// Control steps of each environment in a round [default: 5, or more if a round takes less than 5 ms]
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Control steps of each environment before the first round.
    #[arg(long, value_name = "N", default_value_t = 50)]
    warmup: usize,
    /// Seed of episodes and random actions.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

/// Medians over rounds.
#[derive(Debug, Serialize)]
struct EnvSpeed {
    task: String,
    /// Who acted; the policy's own time is left out.
    policy: String,
    n_envs: usize,
    n_threads: usize,
    /// Control steps of all environments per second, resets included.
    env_steps_per_second: f64,
    /// Physics steps in them per second; none without a physics engine.
    physics_steps_per_second: Option<f64>,
    /// Steps per second of the same physics alone.
    raw_physics_steps_per_second: Option<f64>,
    /// The former over the latter, round by round.
    share_of_raw: Option<f64>,
    /// Simulated seconds per second, over all environments.
    simulated_seconds_per_second: f64,
    /// Fraction of the states of the physics alone with the probe in contact; none without a probe.
    contact_share: Option<f64>,
}

impl EnvBench {
    /// Environments of `probe-press` whose torsos a GPU steps.
    pub(super) fn on_gpu(envs: usize, rounds: usize, settings: &[&str]) -> Self {
        let settings = settings.iter().chain(&["scene.device=gpu"]);
        Self {
            task: "probe-press".to_owned(),
            envs,
            threads: 0,
            policy: "scripted".to_owned(),
            settings: SettingsArgs::of(settings.map(|&setting| setting.to_owned()).collect()),
            rounds,
            steps: Some(2),
            warmup: 10,
            seed: 0,
            json: true,
        }
    }

    /// Figures of the only policy.
    pub(super) fn figures(&self) -> anyhow::Result<Value> {
        let overrides = self.settings.env_overrides()?;
        let policy = [self.policy.clone()];
        let policies = NamedPolicy::load_all(&policy, Some(&self.task), &overrides.env)?;
        let policy = policies.first().context("the policy is named")?;
        Ok(serde_json::to_value(self.measure(policy)?)?)
    }

    pub(super) fn run(&self) -> anyhow::Result<()> {
        let overrides = self.settings.env_overrides()?;
        let policy = [self.policy.clone()];
        let policies = NamedPolicy::load_all(&policy, Some(&self.task), &overrides.env)?;
        for policy in &policies {
            let speed = serde_json::to_value(self.measure(policy)?)?;
            print_figures(&speed, self.json)?;
        }
        Ok(())
    }

    fn measure(&self, policy: &NamedPolicy) -> anyhow::Result<EnvSpeed> {
        let config = VecConfig {
            autoreset: Autoreset::NextStep,
            n_threads: self.threads,
        };
        let mut env = VecEnv::new(policy.factory.make_many(self.envs)?, config)?;
        env.reset(Some(self.seed), &ResetOptions::default())?;
        let mut stepper = Stepper::new(policy, &env, self.seed);
        let mut warmup = vec![stepper.step(&mut env)?];
        for _ in 1..self.warmup {
            warmup.push(stepper.step(&mut env)?);
        }
        let n_steps = match self.steps {
            Some(steps) => steps.max(1),
            None => ((MIN_ROUND_TIME / median(warmup)).ceil() as usize).clamp(MIN_STEPS, 1000),
        };
        let spec = env.spec().clone();
        let n_physics = n_steps * self.envs * spec.n_substeps;
        let mut raw = RawPhysics::default();
        let (mut steps, mut physics, mut share) = (Vec::new(), Vec::new(), Vec::new());
        let mut contact = Vec::new();
        // Alternately, since the load of the machine changes.
        for _ in 0..self.rounds.max(1) {
            let mut seconds = 0.0;
            for _ in 0..n_steps {
                seconds += stepper.step(&mut env)?;
            }
            steps.push((n_steps * self.envs) as f64 / seconds);
            if raw.copy_states(&env)? {
                contact.extend(contact_share(&env));
                let raw_seconds = raw.seconds(n_steps * spec.n_substeps, env.n_threads());
                physics.push(n_physics as f64 / raw_seconds);
                share.push(raw_seconds / seconds);
            }
        }
        let per_second = median(steps);
        let has_physics = !physics.is_empty() && spec.n_substeps > 0;
        let known = |value: f64| has_physics.then_some(value);
        let mean_contact = contact.iter().sum::<f64>() / contact.len() as f64;
        Ok(EnvSpeed {
            task: spec.id.clone(),
            policy: policy.name.clone(),
            n_envs: self.envs,
            n_threads: env.n_threads(),
            env_steps_per_second: per_second,
            physics_steps_per_second: known(per_second * spec.n_substeps as f64),
            raw_physics_steps_per_second: known(median(physics)),
            share_of_raw: known(median(share)),
            simulated_seconds_per_second: per_second * spec.control_timestep,
            contact_share: (!contact.is_empty()).then_some(mean_contact),
        })
    }
}

/// Fraction of the environments with the probe in contact; none without a probe.
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

/// Steps environments under an agent.
struct Stepper {
    agent: Agent,
    rngs: Vec<ChaCha8Rng>,
    actions: Vec<f32>,
}

impl Stepper {
    fn new(policy: &NamedPolicy, env: &VecEnv, seed: u64) -> Self {
        let seeds = (0..env.n_envs()).map(|env_idx| seed + env_idx as u64);
        Self {
            agent: policy.agent(),
            rngs: seeds.map(action_rng).collect(),
            actions: vec![0.0; env.n_envs() * env.spec().action_space.len()],
        }
    }

    /// One step of all environments; returns its time without the choice of actions [s].
    fn step(&mut self, env: &mut VecEnv) -> anyhow::Result<f64> {
        self.agent.act(env, &mut self.rngs, &mut self.actions)?;
        let start = Instant::now();
        env.step(&self.actions)?;
        Ok(start.elapsed().as_secs_f64())
    }
}
