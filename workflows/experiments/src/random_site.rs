//! Random places on a torso.

use insonate_models::Scene;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// A random site in the torso's frame [m], shape `[2]`: within half of the torso's width and length. The seed and the number of the
/// site determine it.
pub fn random_site(seed: u64, index: u64, scene: &Scene) -> [f64; 2] {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    let half = scene
        .torso
        .as_ref()
        .map_or([0.0; 3], |torso| torso.surface.bounds()[1]);
    [0, 1].map(|axis| half[axis] * rng.random_range(-0.5..0.5))
}
