//! Imitation in rounds (`DAgger`, Ross et al. 2011, Algorithm 3.1, arXiv:1011.0686).
//!
//! ```text
//! demonstrations ─► policy ─► its episodes, labelled by the script ─┐
//!                     ▲                                             │
//!                     └──────────── all samples so far ◄────────────┘
//! ```
//!
//! The network is trained on all samples from its initial weights in every round, so a round depends only on the samples before it.

use std::ops::ControlFlow;

use insonate_envs::{Autoreset, EnvError, EnvSpec, ResetOptions, VecConfig, VecEnv};
use insonate_rl::imitation::{
    EpochLosses, Imitation, ImitationConfig, VisitPlan, VisitedEpisode, visit,
};
use insonate_settings::check_range;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{ImitationData, imitate};
use crate::LearningError;

/// Stream of the episodes' seeds; the weights and the order of samples have others.
const STREAM: u64 = 2;

/// Number of environments that step together. It does not affect the results.
const N_ENVS: usize = 16;

/// Rounds after the imitation of demonstrations.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct RoundsPlan {
    /// Number of rounds; 0 imitates the demonstrations alone.
    pub n_rounds: usize,
    /// Number of episodes in a round.
    pub n_episodes: usize,
    /// Probability that the script acts in a step of the first round. In round r it is the r-th power.
    pub expert_share: f64,
    /// Number of threads; 0 uses one per core. It does not affect the results.
    #[serde(skip)]
    pub n_threads: usize,
}

/// What a round has collected, and what was learnt with it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Round {
    /// Number of the round, from 1.
    pub round: usize,
    /// Number of its episodes.
    pub episodes: usize,
    /// Number of all samples, with those of demonstrations and of earlier rounds.
    pub steps: usize,
    /// Probability that the script acted in a step.
    pub expert_share: f64,
    /// Share of its episodes that succeeded under the policy of the round before; `None` if the task does not say.
    pub success_rate: Option<f64>,
    /// Training loss of the best epoch on all samples.
    pub training_loss: f64,
    /// Validation loss of that epoch; `None` without validation samples.
    pub validation_loss: Option<f64>,
}

/// Progress of an imitation in rounds.
#[derive(Debug)]
pub enum RoundProgress<'a> {
    /// An epoch in a round ended; round 0 imitates the demonstrations.
    Epoch(usize, &'a EpochLosses),
    /// A number of episodes of a round ended.
    Episodes(usize, usize),
    /// A round ended.
    Round(&'a Round),
}

/// Observer of the progress, which may interrupt.
pub type RoundObserver<'a> = dyn FnMut(RoundProgress<'_>) -> ControlFlow<()> + 'a;

impl RoundsPlan {
    /// Checks every field.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_range("rounds", self.n_rounds as f64, [0.0, 1000.0], "")?;
        check_range("episodes", self.n_episodes as f64, [1.0, 100_000.0], "")?;
        Ok(check_range(
            "expert-share",
            self.expert_share,
            [0.0, 1.0],
            "",
        )?)
    }
}

/// Imitates demonstrations, and then in rounds the script in the states that the policy visits, which are added to the data.
/// After an interruption the policy is the one so far.
///
/// # Errors
/// [`EnvError::Config`] if the task has no script in these settings; the errors of [`imitate`] and [`visit`].
pub fn imitate_in_rounds(
    lesson: &mut ImitationData,
    config: &ImitationConfig,
    plan: &RoundsPlan,
    observer: &mut RoundObserver<'_>,
) -> Result<(Imitation, Vec<Round>), LearningError> {
    plan.check()?;
    let mut env = (plan.n_rounds > 0)
        .then(|| environments(lesson, plan))
        .transpose()?;
    let mut learning = Learning {
        config,
        observer,
        is_interrupted: false,
    };
    let mut learnt = learning.learn(0, lesson)?;
    let mut seeds = ChaCha8Rng::seed_from_u64(config.seed);
    seeds.set_stream(STREAM);
    let mut rounds = Vec::new();
    for round in 1..=plan.n_rounds {
        let Some(env) = env.as_mut().filter(|_| !learning.is_interrupted) else {
            break;
        };
        let visits = VisitPlan {
            n_episodes: plan.n_episodes,
            // Seeds of the user's evaluations are smaller.
            seed: seeds.random::<u64>() | (1 << 62),
            expert_share: plan.expert_share.powi(round as i32),
        };
        // (policy) => labelled episodes
        let observer = &mut *learning.observer;
        let mut progress = |n_done| observer(RoundProgress::Episodes(round, n_done));
        let visited = visit(env, &mut learnt.policy, &visits, &mut progress)?;
        if visited.len() < plan.n_episodes {
            break;
        }
        // (all samples) => policy
        lesson.add(&visited);
        let next = learning.learn(round, lesson)?;
        let best = next.losses[next.best_epoch - 1];
        let ended = Round {
            round,
            episodes: visited.len(),
            steps: lesson.n_steps,
            expert_share: visits.expert_share,
            success_rate: success_rate(lesson.spec(), &visited),
            training_loss: best.training,
            validation_loss: (!best.validation.is_nan()).then_some(best.validation),
        };
        learnt = next;
        let told = learning.tell(RoundProgress::Round(&ended));
        rounds.push(ended);
        if told.is_break() {
            break;
        }
    }
    Ok((learnt, rounds))
}

/// What all trainings share.
struct Learning<'a, 'b> {
    config: &'a ImitationConfig,
    observer: &'a mut RoundObserver<'b>,
    is_interrupted: bool,
}

impl Learning<'_, '_> {
    fn learn(&mut self, round: usize, lesson: &ImitationData) -> Result<Imitation, LearningError> {
        imitate(lesson, self.config, &mut |losses| {
            self.tell(RoundProgress::Epoch(round, losses))
        })
    }

    fn tell(&mut self, progress: RoundProgress<'_>) -> ControlFlow<()> {
        let flow = (self.observer)(progress);
        self.is_interrupted |= flow.is_break();
        flow
    }
}

/// The environments of the rounds, whose task has a script.
fn environments(lesson: &ImitationData, plan: &RoundsPlan) -> Result<VecEnv, LearningError> {
    let config = VecConfig {
        autoreset: Autoreset::Disabled,
        n_threads: plan.n_threads,
    };
    let n_envs = N_ENVS.min(plan.n_episodes);
    let mut env = VecEnv::new(lesson.factory.make_many(n_envs)?, config)?;
    env.reset(Some(0), &ResetOptions::default())?;
    let mut actions = vec![0.0; n_envs * env.spec().action_space.len()];
    if !env.scripted_actions(&mut actions) {
        let task = lesson.factory.task;
        let problem = format!("needs a script, which {task} does not have with these settings");
        return Err(EnvError::Config {
            field: "rounds".to_owned(),
            problem,
        }
        .into());
    }
    Ok(env)
}

fn success_rate(spec: &EnvSpec, episodes: &[VisitedEpisode]) -> Option<f64> {
    let index = spec.metrics.iter().position(|name| *name == "success")?;
    let succeeded = |episode: &&VisitedEpisode| episode.statistics.metrics[index] > 0.5;
    let n = episodes.iter().filter(succeeded).count();
    Some(n as f64 / episodes.len() as f64)
}
