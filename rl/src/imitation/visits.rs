//! Episodes of a policy with the script's action for each state: the samples of a round of `DAgger` (Ross et al. 2011, Algorithm 3.1,
//! arXiv:1011.0686).
//!
//! In each step the script acts with probability β, and the policy otherwise. The script runs alongside from the first step, so a script
//! with a state of its own follows the episode that it labels.

use std::ops::ControlFlow;

use insonate_envs::{EpisodeStatistics, ResetOptions, VecEnv};
use rand::Rng as _;

use crate::evaluate::{Turn, run_episodes};
use crate::{Policy, RlError};

/// Episodes of a policy to label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VisitPlan {
    /// Number of episodes.
    pub n_episodes: usize,
    /// Seed of the first episode; the others follow.
    pub seed: u64,
    /// Probability β, 0 to 1, with which the script acts in a step.
    pub expert_share: f64,
}

/// An episode of a policy with the script's actions.
#[derive(Debug, Clone, PartialEq)]
pub struct VisitedEpisode {
    /// Observations before each step, shape `[n, n_obs]`.
    pub observations: Vec<f32>,
    /// The script's action in each of these states, shape `[n, n_actions]`. The executed one may differ.
    pub labels: Vec<f32>,
    /// End and metrics.
    pub statistics: EpisodeStatistics,
}

/// Runs episodes and labels their states, in the order of seeds. Results do not depend on the number of environments or threads.
/// `progress` is as in [`evaluate`](crate::evaluate()).
///
/// # Errors
/// [`RlError::Config`] if the task has no script in these settings or the share is not a probability; [`RlError::Misfit`] for a policy of another task; [`RlError::Env`].
pub fn visit(
    env: &mut VecEnv,
    policy: &mut Policy,
    plan: &VisitPlan,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Vec<VisitedEpisode>, RlError> {
    policy.check_fits(env.spec())?;
    if !(0.0..=1.0).contains(&plan.expert_share) {
        let problem = format!("is {}; it must be between 0 and 1", plan.expert_share);
        return Err(RlError::config("expert_share", problem));
    }
    let (n_obs, n_actions) = (
        env.spec().observation_space.len(),
        env.spec().action_space.len(),
    );
    let mut samples = vec![(Vec::new(), Vec::new()); plan.n_episodes];
    let mut labels = vec![0.0; env.n_envs() * n_actions];
    let mut act = |env: &mut VecEnv, turn: &mut Turn<'_>| {
        // (states) => labels
        if !env.scripted_actions(&mut labels) {
            return Err(RlError::no_script(&env.spec().id));
        }
        // (observations) => actions of the policy
        policy.act(&env.batch().observations, turn.actions);
        let rows = env.batch().observations.chunks_exact(n_obs);
        let actions = turn.actions.chunks_exact_mut(n_actions);
        let labels = labels.chunks_exact(n_actions);
        let envs = turn.episodes.iter().zip(&mut *turn.rngs);
        for (((episode, rng), row), (action, label)) in envs.zip(rows).zip(actions.zip(labels)) {
            let Some(episode) = episode else {
                continue;
            };
            let (seen, wanted) = &mut samples[*episode];
            seen.extend_from_slice(row);
            wanted.extend_from_slice(label);
            if rng.random_bool(plan.expert_share) {
                action.copy_from_slice(label);
            }
        }
        Ok(())
    };
    let options = ResetOptions::default();
    let ended = run_episodes(
        env,
        plan.n_episodes,
        plan.seed,
        &options,
        &mut act,
        progress,
    )?;
    let episode_of = |ended: &EpisodeStatistics| ended.seed.wrapping_sub(plan.seed) as usize;
    let visited = ended.into_iter().map(|statistics| {
        let (observations, labels) = std::mem::take(&mut samples[episode_of(&statistics)]);
        VisitedEpisode {
            observations,
            labels,
            statistics,
        }
    });
    Ok(visited.collect())
}
