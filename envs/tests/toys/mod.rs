//! A small environment whose numbers are all predictable.

use insonate_envs::{BoxSpace, EndReason, Env, EnvError, EnvSpec, ResetOptions, Step};

/// Action for which [`Counter`] panics.
pub(crate) const PANIC: f32 = 0.625;

/// Action after which [`Counter`] observes NaN.
pub(crate) const POISON: f32 = 0.375;

/// Counts its steps. Observes `[seed, count]`; the reward is the action. Ends after `1 + seed % 4` more steps than `least`.
pub(crate) struct Counter {
    spec: EnvSpec,
    least: usize,
    seed: u64,
    count: usize,
    parameters: [f64; 1],
    terms: [f64; 2],
    ready: bool,
    end: Option<EndReason>,
}

impl Counter {
    /// An environment whose episodes have `least + 1` to `least + 4` steps.
    pub(crate) fn new(least: usize) -> Self {
        Self {
            spec: EnvSpec {
                id: "counter".into(),
                observation_space: BoxSpace::default().with("seed [1]", 0.0, 1000.0).with(
                    "count [1]",
                    0.0,
                    f32::INFINITY,
                ),
                observation_groups: Vec::new(),
                action_space: BoxSpace::default().with("push [N]", -1.0, 1.0),
                reward_terms: vec!["action", "count"],
                costs: Vec::new(),
                metrics: vec!["success", "count"],
                parameters: vec!["seed [1]".into()],
                max_episode_steps: None,
                control_timestep: 0.1,
                n_substeps: 0,
            },
            least,
            seed: 0,
            count: 0,
            parameters: [f64::NAN],
            terms: [0.0; 2],
            ready: false,
            end: None,
        }
    }

    fn observe(&self, observation: &mut [f32]) {
        observation.copy_from_slice(&[(self.seed % 1000) as f32, self.count as f32]);
    }
}

impl Env for Counter {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        self.seed = options
            .parameters
            .get("seed")
            .map_or(seed, |&fixed| fixed as u64);
        self.parameters = [self.seed as f64];
        self.count = 0;
        self.terms = [0.0; 2];
        self.ready = true;
        self.end = None;
        self.observe(observation);
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        if !self.ready || self.end.is_some() {
            return Err(EnvError::Order("reset first"));
        }
        self.spec.action_space.check("action", action)?;
        assert!(action[0] != PANIC, "asked to panic");
        self.count += 1;
        self.terms = [f64::from(action[0]), self.count as f64];
        self.observe(observation);
        if action[0] == POISON {
            observation[1] = f32::NAN;
        }
        let over = self.count > self.least + self.seed as usize % 4;
        let good = self.seed.is_multiple_of(2);
        self.end = over.then_some(if good {
            EndReason::Task("counted".into())
        } else {
            EndReason::TimeLimit
        });
        Ok(Step {
            reward: self.terms.iter().sum(),
            terminated: over && good,
            truncated: over && !good,
        })
    }

    fn reward_terms(&self) -> &[f64] {
        &self.terms
    }

    fn metrics(&self, metrics: &mut [f64]) {
        metrics.copy_from_slice(&[
            f64::from(u8::from(self.seed.is_multiple_of(2))),
            self.count as f64,
        ]);
    }

    fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    fn end_reason(&self) -> Option<EndReason> {
        self.end.clone()
    }
}
