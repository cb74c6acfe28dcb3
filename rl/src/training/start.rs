//! Setup of a training: generators, and checks of settings and environments.

use insonate_envs::{Autoreset, VecEnv};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::RlError;

/// Generator of a stream of a seed. The episodes of a task use separate streams.
pub(crate) fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
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

/// Fails for the first setting outside its range. A lower bound of [`f64::MIN_POSITIVE`] means above 0.
pub(crate) fn check_ranges(
    ranges: impl IntoIterator<Item = (&'static str, f64, f64, f64)>,
) -> Result<(), RlError> {
    for (field, value, low, high) in ranges {
        if !(low..=high).contains(&value) {
            let problem = match low {
                f64::MIN_POSITIVE => format!("is {value}; it must be above 0 and at most {high}"),
                low => format!("is {value}; it must be between {low} and {high}"),
            };
            return Err(RlError::config(field, problem));
        }
    }
    Ok(())
}
