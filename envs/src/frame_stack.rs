//! Stacks the most recent observations.

use insonate_sim::verdict::Verdict;
use insonate_sim::{CompiledScene, Physics};

use crate::ultrasound::TorsoScene;
use crate::{
    BatchSeat, BoxSpace, EndReason, Env, EnvError, EnvSpec, Lockstep, ObservationGroup,
    ResetOptions, Staged, Step,
};

/// Observes the last `n` observations, oldest first. After a reset, the first observation is repeated `n` times.
#[derive(Debug, Clone)]
pub struct FrameStack<E> {
    env: E,
    spec: EnvSpec,
    /// Shape `[n, n_obs]`.
    frames: Vec<f32>,
    newest: Vec<f32>,
}

impl<E: Env> FrameStack<E> {
    /// Stacks `n` observations.
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn new(env: E, n: usize) -> Self {
        assert!(n > 0, "a stack has at least one frame");
        let mut spec = env.spec().clone();
        let single = &spec.observation_space;
        let n_obs = single.len();
        let mut stacked = BoxSpace::default();
        for age in (0..n).rev() {
            let mut frame = single.clone();
            if age > 0 {
                let names = frame.names.iter_mut();
                names.for_each(|name| *name = format!("{name} (t-{age})"));
            }
            stacked.extend(frame);
        }
        spec.observation_space = stacked;
        let single = std::mem::take(&mut spec.observation_groups);
        let aged = |age: usize| {
            single
                .iter()
                .cloned()
                .map(move |group| ObservationGroup { age, ..group })
        };
        spec.observation_groups = (0..n).rev().flat_map(aged).collect();
        Self {
            env,
            spec,
            frames: vec![0.0; n * n_obs],
            newest: vec![0.0; n_obs],
        }
    }

    fn check(&self, observation: &[f32]) -> Result<(), EnvError> {
        EnvError::check_length("observation", observation.len(), self.frames.len())
    }

    /// Repeats the first observation of an episode.
    fn fill(&mut self, observation: &mut [f32]) {
        for frame in self.frames.chunks_exact_mut(self.newest.len()) {
            frame.copy_from_slice(&self.newest);
        }
        observation.copy_from_slice(&self.frames);
    }

    /// Replaces the oldest observation by the newest.
    fn push(&mut self, observation: &mut [f32]) {
        let n_obs = self.newest.len();
        self.frames.copy_within(n_obs.., 0);
        let last = self.frames.len() - n_obs;
        self.frames[last..].copy_from_slice(&self.newest);
        observation.copy_from_slice(&self.frames);
    }

    fn inner(&mut self) -> &mut dyn Staged {
        let inner = self.env.staged();
        inner.expect("`staged` found the stages of the environment")
    }

    fn parts(&mut self) -> &mut dyn Lockstep {
        let inner = self.env.lockstep();
        inner.expect("`lockstep` found the parts of the environment")
    }
}

impl<E: Env> Env for FrameStack<E> {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        self.check(observation)?;
        self.env.reset(seed, options, &mut self.newest)?;
        self.fill(observation);
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        self.check(observation)?;
        let step = self.env.step(action, &mut self.newest)?;
        self.push(observation);
        Ok(step)
    }

    fn reward_terms(&self) -> &[f64] {
        self.env.reward_terms()
    }

    fn costs(&self) -> &[f64] {
        self.env.costs()
    }

    fn metrics(&self, metrics: &mut [f64]) {
        self.env.metrics(metrics);
    }

    fn parameters(&self) -> &[f64] {
        self.env.parameters()
    }

    fn end_reason(&self) -> Option<EndReason> {
        self.env.end_reason()
    }

    fn verdict(&self) -> Option<Verdict> {
        self.env.verdict()
    }

    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        self.env.scripted_action(action)
    }

    fn tool_force(&self) -> Option<f64> {
        self.env.tool_force()
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        self.env.scene()
    }

    fn torso(&self) -> Option<TorsoScene<'_>> {
        self.env.torso()
    }

    fn lockstep(&mut self) -> Option<&mut dyn Lockstep> {
        self.env.lockstep()?;
        Some(self)
    }

    fn staged(&mut self) -> Option<&mut dyn Staged> {
        self.env.staged()?;
        Some(self)
    }
}

impl<E: Env> Lockstep for FrameStack<E> {
    fn group(&mut self) -> usize {
        self.parts().group()
    }

    fn begin(&mut self, action: &[f32], observation: &mut [f32]) -> Result<(), EnvError> {
        self.check(observation)?;
        let mut newest = std::mem::take(&mut self.newest);
        let begun = self.parts().begin(action, &mut newest);
        self.newest = newest;
        begun
    }

    fn advance_group(&mut self) {
        self.parts().advance_group();
    }

    fn has_parts(&mut self) -> bool {
        self.parts().has_parts()
    }

    fn advance_part(&mut self) -> bool {
        self.parts().advance_part()
    }

    fn finish(&mut self, observation: &mut [f32]) -> Result<Step, EnvError> {
        self.check(observation)?;
        let mut newest = std::mem::take(&mut self.newest);
        let finished = self.parts().finish(&mut newest);
        self.newest = newest;
        let step = finished?;
        self.push(observation);
        Ok(step)
    }
}

impl<E: Env> Staged for FrameStack<E> {
    fn seat(&mut self) -> &mut BatchSeat {
        self.inner().seat()
    }

    fn prepare(&mut self, seed: u64, options: &ResetOptions) -> Result<(), EnvError> {
        self.inner().prepare(seed, options)
    }

    fn start(&mut self) -> Result<(), EnvError> {
        self.inner().start()
    }

    fn finish_reset(&mut self, observation: &mut [f32]) -> Result<(), EnvError> {
        self.check(observation)?;
        let mut newest = std::mem::take(&mut self.newest);
        let finished = self.inner().finish_reset(&mut newest);
        self.newest = newest;
        finished?;
        self.fill(observation);
        Ok(())
    }

    fn advance(&mut self, action: &[f32], observation: &mut [f32]) -> Result<(), EnvError> {
        self.check(observation)?;
        let mut newest = std::mem::take(&mut self.newest);
        let advanced = self.inner().advance(action, &mut newest);
        self.newest = newest;
        advanced
    }

    fn finish_step(&mut self, observation: &mut [f32]) -> Result<Step, EnvError> {
        self.check(observation)?;
        let mut newest = std::mem::take(&mut self.newest);
        let finished = self.inner().finish_step(&mut newest);
        self.newest = newest;
        let step = finished?;
        self.push(observation);
        Ok(step)
    }
}
