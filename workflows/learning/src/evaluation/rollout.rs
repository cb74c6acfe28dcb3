//! One episode with all observations, actions, rewards and probe samples.

use std::ops::ControlFlow;
use std::path::PathBuf;

use insonate_envs::{
    Autoreset, EndReason, Env, EnvSpec, EpisodeStatistics, ResetOptions, VecConfig, VecEnv,
};
use insonate_rl::action_rng;
use insonate_sim::Physics;
use insonate_sim::readings::{ForceTorque, ProbeContact, ProbeFrame};

use super::NamedPolicy;
use crate::LearningError;

/// A control step: observation and action at its start, reward and probe at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct RolloutStep {
    /// Time at the start of the step [s].
    pub time: f64,
    /// Shape `[n_obs]`.
    pub observation: Vec<f32>,
    /// Shape `[n_actions]`.
    pub action: Vec<f32>,
    /// Reward.
    pub reward: f64,
    /// Weighted reward terms, shape `[n_terms]`.
    pub reward_terms: Vec<f64>,
    /// Costs of the step, in the order of the environment's specification.
    pub costs: Vec<f64>,
    /// The probe at the end of the step; `None` if the scene has no probe.
    pub probe: Option<ProbeSample>,
    /// True force between the tool and what it touches [N], mean over the step; `None` if the environment does not report it.
    pub tool_force: Option<f64>,
}

/// Motion and force of the probe: true values without noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeSample {
    /// Centre of the probe's face in the world [m].
    pub position: [f64; 3],
    /// Rotation of the probe's face in the world, wxyz.
    pub rotation: [f64; 4],
    /// Velocity of the probe's face in the world [m/s].
    pub velocity: [f64; 3],
    /// Force of the probe on the tissue along its own axis [N].
    pub force: f64,
    /// Force of the probe on the tissue, in the probe frame [N].
    pub force_in_probe: [f64; 3],
    /// Torque of the probe on the tissue about its face, in the probe frame [N·m].
    pub torque_in_probe: [f64; 3],
    /// Whether the probe is in contact.
    pub in_contact: bool,
}

/// A recorded episode.
#[derive(Debug, Clone)]
pub struct Rollout {
    /// The policy's name.
    pub policy: String,
    /// The policy's name and, if it is a folder, the file that was read.
    pub described: String,
    /// The policy's file; `None` for a built-in policy.
    pub file: Option<PathBuf>,
    /// Specification of the environment.
    pub spec: EnvSpec,
    /// All steps.
    pub steps: Vec<RolloutStep>,
    /// Return, metrics, random parameters and reason for the end.
    pub ended: EpisodeStatistics,
    /// Whether the episode was interrupted; `ended` then covers the completed steps.
    pub interrupted: bool,
}

/// Runs the episode with a seed, identical to the one in an evaluation. `watch` sees the environment at the start and after
/// each step, and may interrupt.
///
/// # Errors
/// The errors of [`insonate_rl::evaluate`].
pub fn rollout(
    policy: &NamedPolicy,
    seed: u64,
    options: &ResetOptions,
    watch: &mut dyn FnMut(&dyn Env) -> ControlFlow<()>,
) -> Result<Rollout, LearningError> {
    let config = VecConfig {
        autoreset: Autoreset::Disabled,
        n_threads: 1,
    };
    let mut env = VecEnv::new(policy.factory.make_many(1)?, config)?;
    let mut agent = policy.agent();
    let mut rng = action_rng(seed);
    env.reset_env(0, seed, options)?;
    let spec = env.spec().clone();
    let probe = env
        .env(0)
        .scene()
        .and_then(|(_, physics)| Probe::find(physics));
    let mut steps = Vec::new();
    let mut action = vec![0.0; spec.action_space.len()];
    let _ = watch(env.env(0));
    loop {
        let observation = env.batch().observations.clone();
        agent.act(&mut env, [&mut rng], &mut action)?;
        let ended = env.step(&action)?.ended.first().cloned();
        let now = env.env(0);
        steps.push(RolloutStep {
            time: steps.len() as f64 * spec.control_timestep,
            observation,
            action: action.clone(),
            reward: now.reward_terms().iter().sum(),
            reward_terms: now.reward_terms().to_vec(),
            costs: now.costs().to_vec(),
            probe: now
                .scene()
                .zip(probe.as_ref())
                .map(|((_, physics), probe)| probe.read(physics)),
            tool_force: now.tool_force(),
        });
        let interrupted = watch(now).is_break() && ended.is_none();
        if let Some(ended) = ended.or_else(|| interrupted.then(|| so_far(now, seed, &steps))) {
            return Ok(Rollout {
                policy: policy.name.clone(),
                described: policy.described(),
                file: policy.file.clone(),
                spec,
                steps,
                ended,
                interrupted,
            });
        }
    }
}

/// Statistics of an interrupted episode.
fn so_far(env: &dyn Env, seed: u64, steps: &[RolloutStep]) -> EpisodeStatistics {
    let mut metrics = vec![f64::NAN; env.spec().metrics.len()];
    env.metrics(&mut metrics);
    let terms = 0..env.spec().reward_terms.len();
    EpisodeStatistics {
        env_idx: 0,
        seed,
        return_: steps.iter().map(|step| step.reward).sum(),
        length: steps.len(),
        reason: EndReason::Task("interrupted".into()),
        verdict: None,
        metrics,
        parameters: env.parameters().to_vec(),
        reward_terms: terms
            .map(|term| steps.iter().map(|step| step.reward_terms[term]).sum())
            .collect(),
        costs: (0..env.spec().costs.len())
            .map(|cost| steps.iter().map(|step| step.costs[cost]).sum())
            .collect(),
    }
}

impl Rollout {
    /// A quantity of the probe over time; `None` without a probe.
    pub fn probe(&self, of: impl Fn(&ProbeSample) -> f64) -> Option<Vec<(f64, f64)>> {
        let steps = self.steps.iter();
        steps
            .map(|step| Some((step.time, of(step.probe.as_ref()?))))
            .collect()
    }

    /// Force of the probe or tool over time [N]; `None` if there is neither.
    pub fn force(&self) -> Option<Vec<(f64, f64)>> {
        let of_tool = || {
            let steps = self.steps.iter();
            steps
                .map(|step| Some((step.time, step.tool_force?)))
                .collect()
        };
        self.probe(|probe| probe.force).or_else(of_tool)
    }

    /// Target force of the task along the probe's axis [N]; `None` if the task has no target force.
    pub fn target_force(&self) -> Option<f64> {
        self.parameter("force.target").filter(|it| it.is_finite())
    }

    /// A random parameter of the episode, by its name without the unit.
    fn parameter(&self, name: &str) -> Option<f64> {
        let is_it = |known: &String| known.split(" [").next() == Some(name);
        let index = self.spec.parameters.iter().position(is_it)?;
        self.ended.parameters.get(index).copied()
    }

    /// One entry of the observation over time, by its name without the unit; `None` if it is not observed.
    pub fn observed(&self, name: &str) -> Option<Vec<(f64, f64)>> {
        let is_it = |known: &String| known.split(" [").next() == Some(name);
        let index = self.spec.observation_space.names.iter().position(is_it)?;
        let point = |step: &RolloutStep| (step.time, f64::from(step.observation[index]));
        Some(self.steps.iter().map(point).collect())
    }

    /// Writes a CSV table: time, observation and action at the start of each step; reward, its terms and the probe at the end.
    ///
    /// # Errors
    /// If the table cannot be written to memory.
    pub fn to_csv(&self) -> Result<Vec<u8>, LearningError> {
        let spec = &self.spec;
        let prefixed = |prefix: &'static str, names: &[String]| -> Vec<String> {
            let names = names.iter();
            names.map(|name| format!("{prefix}/{name}")).collect()
        };
        let terms = spec
            .reward_terms
            .iter()
            .map(|term| format!("reward/{term}"));
        let mut header = vec!["time_s".to_owned()];
        header.extend(prefixed("observation", &spec.observation_space.names));
        header.extend(prefixed("action", &spec.action_space.names));
        header.push("reward".to_owned());
        header.extend(terms);
        if self.steps.first().is_some_and(|step| step.probe.is_some()) {
            header.extend(ProbeSample::COLUMNS.map(str::to_owned));
        }
        if self
            .steps
            .first()
            .is_some_and(|step| step.tool_force.is_some())
        {
            header.push("tool_force_n".to_owned());
        }
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(header)?;
        for step in &self.steps {
            let mut row = vec![step.time.to_string()];
            row.extend(step.observation.iter().map(ToString::to_string));
            row.extend(step.action.iter().map(ToString::to_string));
            row.push(step.reward.to_string());
            row.extend(step.reward_terms.iter().map(ToString::to_string));
            let probe = step.probe.iter().flat_map(ProbeSample::cells);
            row.extend(probe.map(|value| value.to_string()));
            row.extend(step.tool_force.map(|force| force.to_string()));
            writer.write_record(row)?;
        }
        let table = writer.into_inner();
        Ok(table.map_err(|error| csv::Error::from(error.into_error()))?)
    }
}

impl ProbeSample {
    const COLUMNS: [&str; 8] = [
        "probe_x_m",
        "probe_y_m",
        "probe_z_m",
        "probe_vx_m_s",
        "probe_vy_m_s",
        "probe_vz_m_s",
        "probe_force_n",
        "in_contact",
    ];

    fn cells(&self) -> [f64; 8] {
        let ([x, y, z], [vx, vy, vz]) = (self.position, self.velocity);
        let in_contact = f64::from(u8::from(self.in_contact));
        [x, y, z, vx, vy, vz, self.force, in_contact]
    }
}

/// Reads the state of the probe in a scene.
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

    fn read(&self, physics: &Physics) -> ProbeSample {
        let wrench = physics
            .force_torque()
            .map(ForceTorque::wrench_in_world)
            .unwrap_or_default();
        let own = physics
            .force_torque()
            .map(ForceTorque::wrench_in_sensor)
            .unwrap_or_default();
        let pose = self.frame.world_from_probe(physics);
        ProbeSample {
            position: pose.position.into(),
            rotation: pose.quat(),
            force_in_probe: (-own.force).into(),
            torque_in_probe: (-own.torque).into(),
            velocity: self.frame.twist_in_world(physics).linear.into(),
            // The sensor measures the force on the probe.
            force: -wrench.force.dot(&pose.z_axis()),
            in_contact: self.contact.in_contact(physics),
        }
    }
}
