//! Setup of a training: generators, and checks of settings and environments.

use insonate_envs::{Autoreset, VecEnv};
use insonate_settings::check_ranges;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::RlError;

/// Generator of a stream of a seed. The episodes of a task use separate streams.
pub(crate) fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// Checks that each count is within its range. Rows are name, value, minimum and maximum.
pub(crate) fn check_counts(
    rows: impl IntoIterator<Item = (&'static str, usize, usize, usize)>,
) -> Result<(), RlError> {
    let rows = rows.into_iter();
    let rows = rows.map(|(name, n, least, most)| (name, n as f64, [least as f64, most as f64], ""));
    Ok(check_ranges("", rows)?)
}

/// Checks that the environments are suitable for training.
pub(crate) fn check_env(env: &VecEnv, wanted: usize) -> Result<(), RlError> {
    let n_envs = env.n_envs();
    if n_envs != wanted {
        let problem = format!("is {wanted}, but {n_envs} environments were given");
        return Err(RlError::config("n_envs", problem));
    }
    if env.config().autoreset != Autoreset::SameStep {
        let problem = "training needs environments with Autoreset::SameStep";
        return Err(RlError::config("autoreset", problem));
    }
    if env.spec().observation_space.is_empty() {
        let problem = format!("{} has no observations", env.spec().id);
        return Err(RlError::config("observation", problem));
    }
    Ok(())
}
