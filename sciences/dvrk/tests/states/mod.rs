//! Random states within the PSM's limits.

use insonate_dvrk::JointVector;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Half widths of yaw, pitch, insertion, roll, wrist pitch and jaws [rad, m].
const HALF_RANGE: [f64; 7] = [1.4, 0.75, 0.09, 1.5, 1.4, 1.4, 1.4];
/// Middle of the insertion range [m]; the wrist stays beyond the remote centre.
const INSERTION: f64 = 0.14;

/// `n` reproducible positions.
pub(crate) fn positions(n: usize) -> impl Iterator<Item = JointVector> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    (0..n).map(move |_| {
        let mut q =
            JointVector::from_fn(|joint, _| HALF_RANGE[joint] * rng.random_range(-1.0..1.0));
        q[2] += INSERTION;
        q
    })
}
