//! The order of samples in an epoch.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Permutations of all samples. Each one is shuffled from the previous one, as in CleanRL. The same seed gives the same
/// permutations, so that actor and critic on separate threads use the same minibatches.
#[derive(Debug, Clone)]
pub(super) struct Shuffle {
    rng: ChaCha8Rng,
    indices: Vec<u32>,
}

impl Shuffle {
    /// Creates a shuffle of the given number of samples.
    pub(super) fn new(n_samples: usize, seed: u64) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            indices: (0..n_samples as u32).collect(),
        }
    }

    /// The next permutation, shape `[n_samples]`.
    pub(super) fn next_order(&mut self) -> &[u32] {
        self.indices.shuffle(&mut self.rng);
        &self.indices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_has_every_sample_once_and_depends_on_the_seed_alone() {
        let orders = |seed: u64| {
            let mut shuffle = Shuffle::new(100, seed);
            [0; 3].map(|_| shuffle.next_order().to_vec())
        };
        let [first, second, third] = orders(1);
        assert!(first != second && second != third);
        assert_eq!(orders(1), [first.clone(), second, third]);
        assert!(orders(2)[0] != first);
        for mut order in orders(3) {
            order.sort_unstable();
            assert!(order.into_iter().eq(0..100));
        }
    }
}
