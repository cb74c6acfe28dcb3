//! A small environment that terminates and is truncated, and trainings with it.

use insonate_envs::{
    Autoreset, BoxSpace, EndReason, Env, EnvError, EnvSpec, ResetOptions, Step, VecConfig, VecEnv,
};
use insonate_rl::{PolicyIdentity, Ppo, PpoConfig};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A point on a line that must reach the middle. It falls off at ±1 (terminated); the time limit is 20 steps (truncated).
pub(crate) struct Line {
    spec: EnvSpec,
    rng: ChaCha8Rng,
    place: f32,
    n_steps: usize,
    terms: [f64; 2],
    costs: [f64; 2],
    start: [f64; 1],
    end: Option<EndReason>,
    /// Factor on every reward term.
    pub(crate) reward_scale: f64,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self::named("line")
    }

    pub(crate) fn named(id: &str) -> Self {
        let spec = EnvSpec {
            id: id.to_owned(),
            observation_space: BoxSpace::default().with("place [m]", -2.0, 2.0).with(
                "noise [1]",
                f32::NEG_INFINITY,
                f32::INFINITY,
            ),
            observation_groups: Vec::new(),
            action_space: BoxSpace::default().with("velocity [m/s]", -2.0, 2.0),
            reward_terms: vec!["place", "fall"],
            costs: vec!["haste", "fall"],
            metrics: vec!["success", "fallen_at"],
            parameters: vec!["start [m]".to_owned()],
            max_episode_steps: Some(20),
            control_timestep: 0.1,
            n_substeps: 0,
        };
        Self {
            spec,
            rng: ChaCha8Rng::seed_from_u64(0),
            place: 0.0,
            n_steps: 0,
            terms: [0.0; 2],
            costs: [0.0; 2],
            start: [0.0],
            end: None,
            reward_scale: 1.0,
        }
    }

    fn observe(&mut self, observation: &mut [f32]) {
        observation[0] = self.place;
        observation[1] = self.rng.random_range(-1.0..1.0);
    }
}

impl Env for Line {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
        self.place = self.rng.random_range(-0.9..0.9);
        if let Some(start) = options.parameters.get("start") {
            self.place = *start as f32;
        }
        self.start = [f64::from(self.place)];
        (self.n_steps, self.end) = (0, None);
        self.observe(observation);
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        self.spec.action_space.check("action", action)?;
        self.place += 0.1 * action[0];
        self.n_steps += 1;
        let terminated = self.place.abs() > 1.0;
        let truncated = !terminated && self.n_steps == 20;
        self.terms = [
            -f64::from(self.place).abs(),
            -10.0 * f64::from(u8::from(terminated)),
        ]
        .map(|term| self.reward_scale * term);
        // Costs: the speed of the point, and a fall.
        self.costs = [
            0.1 * f64::from(action[0]).abs(),
            f64::from(u8::from(terminated)),
        ];
        if terminated {
            self.end = Some(EndReason::Task("fell off".into()));
        } else if truncated {
            self.end = Some(EndReason::TimeLimit);
        }
        self.observe(observation);
        Ok(Step {
            reward: self.terms.iter().sum(),
            terminated,
            truncated,
        })
    }

    fn reward_terms(&self) -> &[f64] {
        &self.terms
    }

    fn costs(&self) -> &[f64] {
        &self.costs
    }

    fn metrics(&self, metrics: &mut [f64]) {
        let has_fallen = self.place.abs() > 1.0;
        metrics[0] = f64::from(u8::from(self.place.abs() < 0.2));
        metrics[1] = if has_fallen {
            self.n_steps as f64
        } else {
            f64::NAN
        };
    }

    fn parameters(&self) -> &[f64] {
        &self.start
    }

    fn end_reason(&self) -> Option<EndReason> {
        self.end.clone()
    }

    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        action[0] = (-10.0 * self.place).clamp(-2.0, 2.0);
        true
    }
}

/// `n_envs` environments of the toy task `Line`.
pub(crate) fn lines(n_envs: usize, n_threads: usize, autoreset: Autoreset) -> VecEnv {
    let envs = (0..n_envs).map(|_| Box::new(Line::new()) as Box<dyn Env>);
    let config = VecConfig {
        autoreset,
        n_threads,
    };
    VecEnv::new(envs.collect(), config).unwrap()
}

/// Settings of a short training.
pub(crate) fn config() -> PpoConfig {
    PpoConfig {
        total_timesteps: 6 * 4 * 32,
        n_envs: 4,
        n_steps: 32,
        n_minibatches: 4,
        update_epochs: 3,
        learning_rate: 3e-3,
        hidden_sizes: vec![16, 16],
        seed: 7,
        episode_window: 10,
        ..PpoConfig::default()
    }
}

/// Identity of its policies.
pub(crate) fn identity() -> PolicyIdentity {
    PolicyIdentity {
        task: "line".to_owned(),
        settings: "length = 1.0\n".to_owned(),
        trained_on: Some(vec!["anna".to_owned()]),
    }
}

/// A PPO training on lines.
pub(crate) fn ppo(config: PpoConfig, n_threads: usize) -> Ppo {
    let env = lines(config.n_envs, n_threads, Autoreset::SameStep);
    Ppo::new(env, config, identity()).unwrap()
}
