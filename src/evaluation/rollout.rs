//! One episode, step by step, with everything that is seen, done and felt.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::Contestant;
use crate::envs::{Autoreset, Env, EnvSpec, EpisodeStatistics, ResetOptions, VecConfig, VecEnv};
use crate::rl::Actor;
use crate::sim::Physics;
use crate::sim::readings::{ForceTorque, ProbeContact, ProbeFrame};

/// A control step: what was seen and done at its start, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RolloutStep {
    /// Time at its start [s].
    pub time: f64,
    /// Shape `[n_obs]`.
    pub observation: Vec<f32>,
    /// Shape `[n_actions]`.
    pub action: Vec<f32>,
    /// Reward.
    pub reward: f64,
    /// Weighted reward terms, shape `[n_terms]`.
    pub reward_terms: Vec<f64>,
    /// The probe at its end, where the scene has one.
    pub probe: Option<ProbeState>,
}

/// Where a probe is and what it feels; true values, without noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeState {
    /// Middle of the face in world [m].
    pub position: [f64; 3],
    /// Velocity of it in world [m/s].
    pub velocity: [f64; 3],
    /// Force that the probe presses with along its own axis [N].
    pub force: f64,
    /// Whether it touches anything.
    pub in_contact: bool,
}

/// An episode.
#[derive(Debug, Clone)]
pub struct Rollout {
    /// The policy's name.
    pub policy: String,
    /// What the environment is.
    pub spec: EnvSpec,
    /// Every step.
    pub steps: Vec<RolloutStep>,
    /// Return, metrics, random parameters and why it ended.
    pub ended: EpisodeStatistics,
}

/// Runs one episode; `watch` sees the environment at its start and after each step.
///
/// # Errors
/// As [`crate::rl::evaluate`].
pub fn rollout(
    contestant: &Contestant,
    seed: u64,
    options: &ResetOptions,
    watch: &mut dyn FnMut(&dyn Env),
) -> anyhow::Result<Rollout> {
    let config = VecConfig {
        autoreset: Autoreset::Disabled,
        n_threads: 1,
        ..VecConfig::default()
    };
    let mut env = VecEnv::new(contestant.factory.make_many(1)?, config)?;
    let mut actor = contestant.actor();
    // As in an evaluation, so that the same seed is the same episode.
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(1);
    env.reset_env(0, seed, options)?;
    let spec = env.spec().clone();
    let probe = env
        .env(0)
        .scene()
        .and_then(|(_, physics)| Probe::find(physics));
    let mut steps = Vec::new();
    let mut action = vec![0.0; spec.action_space.len()];
    watch(env.env(0));
    loop {
        let observation = env.batch().observations.clone();
        match &mut actor {
            Actor::Policy(policy) => policy.act(&observation, &mut action),
            Actor::Random => spec.action_space.sample(&mut rng, &mut action),
            Actor::Scripted => {
                anyhow::ensure!(
                    env.scripted_actions(&mut action),
                    "the task {} has no scripted policy",
                    spec.id
                );
            }
            Actor::Zero => {
                action.fill(0.0);
                spec.action_space.clip(&mut action);
            }
        }
        let ended = env.step(&action)?.ended.first().cloned();
        let now = env.env(0);
        steps.push(RolloutStep {
            time: steps.len() as f64 * spec.control_timestep,
            observation,
            action: action.clone(),
            reward: now.reward_terms().iter().sum(),
            reward_terms: now.reward_terms().to_vec(),
            probe: now
                .scene()
                .zip(probe.as_ref())
                .map(|((_, physics), probe)| probe.read(physics)),
        });
        watch(now);
        if let Some(ended) = ended {
            return Ok(Rollout {
                policy: contestant.name.clone(),
                spec,
                steps,
                ended,
            });
        }
    }
}

impl Rollout {
    /// A random parameter of the episode, by its name without the unit.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        let is_it = |known: &String| known.split(" [").next() == Some(name);
        let index = self.spec.parameters.iter().position(is_it)?;
        self.ended.parameters.get(index).copied()
    }

    /// What was observed of one entry, over time; none where it is not observed.
    pub fn observed(&self, name: &str) -> Option<Vec<(f64, f64)>> {
        let is_it = |known: &String| known.split(" [").next() == Some(name);
        let index = self.spec.observation_space.names.iter().position(is_it)?;
        let point = |step: &RolloutStep| (step.time, f64::from(step.observation[index]));
        Some(self.steps.iter().map(point).collect())
    }

    /// As a table: time, observation and action at the start of each step; reward, its terms and the probe at its end.
    ///
    /// # Errors
    /// When the table cannot be written into memory.
    pub fn to_csv(&self) -> anyhow::Result<Vec<u8>> {
        const PROBE: [&str; 8] = [
            "probe_x_m",
            "probe_y_m",
            "probe_z_m",
            "probe_vx_m_s",
            "probe_vy_m_s",
            "probe_vz_m_s",
            "probe_force_n",
            "in_contact",
        ];
        let spec = &self.spec;
        let mut writer = csv::Writer::from_writer(Vec::new());
        let observed = spec
            .observation_space
            .names
            .iter()
            .map(|name| format!("observation/{name}"));
        let acted = spec
            .action_space
            .names
            .iter()
            .map(|name| format!("action/{name}"));
        let terms = spec
            .reward_terms
            .iter()
            .map(|name| format!("reward/{name}"));
        let has_probe = self.steps.first().is_some_and(|step| step.probe.is_some());
        let probe = PROBE
            .iter()
            .filter(|_| has_probe)
            .map(|name| (*name).to_owned());
        let header = std::iter::once("time_s".to_owned())
            .chain(observed)
            .chain(acted);
        writer.write_record(
            header
                .chain(["reward".to_owned()])
                .chain(terms)
                .chain(probe),
        )?;
        for step in &self.steps {
            let seen = step
                .observation
                .iter()
                .chain(&step.action)
                .map(ToString::to_string);
            let earned = std::iter::once(&step.reward).chain(&step.reward_terms);
            let felt = step.probe.map(|probe| {
                let touching = f64::from(u8::from(probe.in_contact));
                let [x, y, z] = probe.position;
                let [vx, vy, vz] = probe.velocity;
                [x, y, z, vx, vy, vz, probe.force, touching]
            });
            let numbers = earned.copied().chain(felt.into_iter().flatten());
            let row = std::iter::once(step.time.to_string()).chain(seen);
            writer.write_record(row.chain(numbers.map(|value| value.to_string())))?;
        }
        Ok(writer.into_inner()?)
    }
}

/// Reads a scene's probe.
struct Probe {
    frame: ProbeFrame,
    contact: ProbeContact,
}

impl Probe {
    fn find(physics: &Physics) -> Option<Self> {
        physics.force_torque()?;
        Some(Self {
            frame: ProbeFrame::new(physics.model()).ok()?,
            contact: ProbeContact::new(physics.model()).ok()?,
        })
    }

    fn read(&self, physics: &Physics) -> ProbeState {
        let wrench = physics
            .force_torque()
            .map(ForceTorque::wrench_in_world)
            .unwrap_or_default();
        let pose = self.frame.world_from_probe(physics);
        ProbeState {
            position: pose.position.into(),
            velocity: self.frame.twist_in_world(physics).linear.into(),
            // The sensor tells what the surroundings do to the probe.
            force: -wrench.force.dot(&pose.z_axis()),
            in_contact: self.contact.in_contact(physics),
        }
    }
}
