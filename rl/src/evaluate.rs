//! Evaluation: a number of episodes, each with a seed of its own, under a policy that does not explore.

use insonate_envs::{EpisodeStatistics, ResetOptions, VecEnv};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::{Policy, RlError};

/// Who acts.
#[derive(Debug)]
pub enum Actor {
    /// A policy, with its mean action.
    Policy(Box<Policy>),
    /// Zero, moved into the bounds where it lies outside.
    Zero,
    /// Random actions within the bounds, from a stream that the episode's seed gives.
    Random,
    /// The task's own scripted policy.
    Scripted,
}

/// Runs `n_episodes` episodes and returns them in order: episode e has the seed `seed + e`.
///
/// They do not depend on how many environments or threads there are. `progress` is told after each step how many are over.
/// Any autoreset will do; `Disabled` wastes no reset.
///
/// # Errors
/// [`RlError::Misfit`] for a policy of another task; [`RlError::Config`] where the task has no scripted policy; [`RlError::Env`].
pub fn evaluate(
    env: &mut VecEnv,
    actor: &mut Actor,
    n_episodes: usize,
    seed: u64,
    options: &ResetOptions,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<EpisodeStatistics>, RlError> {
    if let Actor::Policy(policy) = actor {
        policy.check_fits(env.spec())?;
    }
    let mut episodes = Episodes {
        seats: Vec::with_capacity(env.n_envs()),
        n_begun: 0,
        n_wanted: n_episodes,
        seed,
    };
    for env_idx in 0..env.n_envs() {
        let seat = episodes.begin(env, env_idx, options)?;
        episodes.seats.push(seat);
    }
    let mut actions = vec![0.0; env.n_envs() * env.spec().action_space.len()];
    let mut done: Vec<Option<EpisodeStatistics>> = vec![None; n_episodes];
    let mut n_done = 0;
    while n_done < n_episodes {
        act(env, actor, &mut episodes.seats, &mut actions)?;
        let ended = env.step(&actions)?.ended.clone();
        for ended in ended {
            let env_idx = ended.env_idx;
            if let Some(episode) = episodes.seats[env_idx].episode {
                done[episode] = Some(ended);
                n_done += 1;
            }
            episodes.seats[env_idx] = episodes.begin(env, env_idx, options)?;
        }
        progress(n_done);
    }
    Ok(done.into_iter().flatten().collect())
}

/// What an environment is doing.
struct Seat {
    /// Which episode; none: there is none left for it, and it only keeps step with the others.
    episode: Option<usize>,
    rng: ChaCha8Rng,
}

struct Episodes {
    seats: Vec<Seat>,
    n_begun: usize,
    n_wanted: usize,
    seed: u64,
}

impl Episodes {
    /// Begins the next episode in an environment, or an idle one.
    fn begin(
        &mut self,
        env: &mut VecEnv,
        env_idx: usize,
        options: &ResetOptions,
    ) -> Result<Seat, RlError> {
        let episode = (self.n_begun < self.n_wanted).then_some(self.n_begun);
        self.n_begun += usize::from(episode.is_some());
        let seed = self.seed.wrapping_add(episode.unwrap_or(0) as u64);
        env.reset_env(env_idx, seed, options)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // The environment draws from stream 0 of this seed.
        rng.set_stream(1);
        Ok(Seat { episode, rng })
    }
}

fn act(
    env: &mut VecEnv,
    actor: &mut Actor,
    seats: &mut [Seat],
    actions: &mut [f32],
) -> Result<(), RlError> {
    let n_actions = env.spec().action_space.len();
    match actor {
        Actor::Policy(policy) => policy.act(&env.batch().observations, actions),
        Actor::Zero => {
            actions.fill(0.0);
            for action in actions.chunks_exact_mut(n_actions) {
                env.spec().action_space.clip(action);
            }
        }
        Actor::Random => {
            for (seat, action) in seats.iter_mut().zip(actions.chunks_exact_mut(n_actions)) {
                env.spec().action_space.sample(&mut seat.rng, action);
            }
        }
        Actor::Scripted => {
            if !env.scripted_actions(actions) {
                return Err(RlError::Config {
                    field: "policy",
                    problem: format!("the task {} has no scripted policy", env.spec().id),
                });
            }
        }
    }
    Ok(())
}
