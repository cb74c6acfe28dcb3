//! What a recovery begins with: the expert acts for a while, and a random action is then held for a moment.

use insonate_envs::EnvSpec;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Stream of random numbers; an episode's own and those of its actions have others.
const STREAM: u64 = 2;

/// Longest time before the disturbance as a share of the longest episode, and in steps for episodes without an end.
const MAX_START: f64 = 0.5;
const MAX_START_STEPS: usize = 100;

/// Shortest and longest time of the disturbance [s].
const DURATION: [f64; 2] = [0.1, 0.4];

/// A disturbance of an episode.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Disturbance {
    /// Steps of the expert before it.
    pub(super) n_before: usize,
    /// Steps for which the action is held.
    pub(super) n_held: usize,
    /// The action.
    pub(super) action: Vec<f32>,
}

impl Disturbance {
    /// Draws the disturbance of an episode.
    pub(super) fn draw(spec: &EnvSpec, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(STREAM);
        let longest = spec
            .max_episode_steps
            .map_or(MAX_START_STEPS, |n| (MAX_START * n as f64) as usize);
        let duration = rng.random_range(DURATION[0]..=DURATION[1]);
        let space = &spec.action_space;
        let action = space.low.iter().zip(&space.high).map(|(&low, &high)| {
            let [low, high] = if (high - low).is_finite() {
                [low, high]
            } else {
                [-1.0, 1.0]
            };
            rng.random_range(low..=high)
        });
        Self {
            action: action.collect(),
            n_before: rng.random_range(0..=longest),
            n_held: ((duration / spec.control_timestep).round() as usize).max(1),
        }
    }
}
