//! Evaluation: episodes with one seed each, without exploration.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use insonate_envs::{EpisodeStatistics, ResetOptions, VecEnv};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::{Agent, RlError};

/// Interval at which a step checks for an interrupt between environments.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// Generator of random actions for the episode of a seed. The environment itself draws from stream 0 of the seed.
pub fn action_rng(seed: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(1);
    rng
}

/// Runs `n_episodes` episodes and returns them in order. Episode e has the seed `seed + e`.
///
/// Results do not depend on the number of environments or threads. `progress` gets the number of finished episodes after each step, and
/// between environments that are slow. If it breaks, the finished episodes are returned.
/// Any autoreset mode works; `Disabled` avoids superfluous resets.
///
/// # Errors
/// [`RlError::Misfit`] for a policy of another task; [`RlError::Config`] if the task has no scripted policy; [`RlError::Env`].
pub fn evaluate(
    env: &mut VecEnv,
    agent: &mut Agent,
    n_episodes: usize,
    seed: u64,
    options: &ResetOptions,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Vec<EpisodeStatistics>, RlError> {
    if let Agent::Policy(policy) = agent {
        policy.check_fits(env.spec())?;
    }
    let mut act =
        |env: &mut VecEnv, now: &mut Turn<'_>| agent.act(env, &mut *now.rngs, now.actions);
    run_episodes(env, n_episodes, seed, options, &mut act, progress)
}

/// A step of all environments, for which actions are wanted.
pub(crate) struct Turn<'a> {
    /// Episode of each environment; `None` for one that only steps with the others.
    pub(crate) episodes: &'a [Option<usize>],
    /// Generator of each environment for random actions.
    pub(crate) rngs: &'a mut [ChaCha8Rng],
    /// Actions to write, shape `[n_envs, n_actions]`.
    pub(crate) actions: &'a mut [f32],
}

/// Runs episodes as [`evaluate`] does, with the actions that `act` writes.
pub(crate) fn run_episodes(
    env: &mut VecEnv,
    n_episodes: usize,
    seed: u64,
    options: &ResetOptions,
    act: &mut dyn FnMut(&mut VecEnv, &mut Turn<'_>) -> Result<(), RlError>,
    progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Vec<EpisodeStatistics>, RlError> {
    let mut n_begun = 0;
    // Starts the next episode. Environments without an episode still step with the others.
    let mut begin = |env: &mut VecEnv, env_idx: usize| -> Result<_, RlError> {
        let episode = (n_begun < n_episodes).then_some(n_begun);
        n_begun += usize::from(episode.is_some());
        let seed = seed.wrapping_add(episode.unwrap_or(0) as u64);
        env.reset_env(env_idx, seed, options)?;
        Ok((episode, action_rng(seed)))
    };
    let (mut episodes, mut rngs) = (Vec::new(), Vec::new());
    for env_idx in 0..env.n_envs() {
        let (episode, rng) = begin(env, env_idx)?;
        episodes.push(episode);
        rngs.push(rng);
    }
    let mut actions = vec![0.0; env.n_envs() * env.spec().action_space.len()];
    let mut done: Vec<Option<EpisodeStatistics>> = vec![None; n_episodes];
    let mut n_done = 0;
    let mut asked = Instant::now();
    while n_done < n_episodes {
        let mut turn = Turn {
            episodes: &episodes,
            rngs: &mut rngs,
            actions: &mut actions,
        };
        act(env, &mut turn)?;
        let is_whole = env.step_interruptible(&actions, &mut || {
            asked.elapsed() > ASK_EVERY && {
                asked = Instant::now();
                progress(n_done).is_break()
            }
        })?;
        if !is_whole {
            break;
        }
        let ended = env.batch().ended.clone();
        for ended in ended {
            let env_idx = ended.env_idx;
            if let Some(episode) = episodes[env_idx] {
                done[episode] = Some(ended);
                n_done += 1;
            }
            (episodes[env_idx], rngs[env_idx]) = begin(env, env_idx)?;
        }
        if progress(n_done).is_break() {
            break;
        }
    }
    Ok(done.into_iter().flatten().collect())
}
