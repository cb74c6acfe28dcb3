//! The order in which an update sees its samples.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Indices of all samples for each epoch, in new order each, drawn before the update so that both learners see the same.
#[derive(Debug, Clone)]
pub struct Shuffle {
    indices: Vec<u32>,
    batch_size: usize,
}

impl Shuffle {
    /// Room for so many epochs over so many samples.
    pub fn new(batch_size: usize, n_epochs: usize) -> Self {
        let one: Vec<u32> = (0..batch_size as u32).collect();
        Self {
            indices: one.repeat(n_epochs),
            batch_size,
        }
    }

    /// Draws every epoch's order anew; it depends on the generator alone, not on earlier orders.
    pub fn draw(&mut self, rng: &mut ChaCha8Rng) {
        for epoch in self.indices.chunks_exact_mut(self.batch_size) {
            for (i, index) in epoch.iter_mut().enumerate() {
                *index = i as u32;
            }
            epoch.shuffle(rng);
        }
    }

    /// The epochs, each of shape `[batch_size]`.
    pub fn epochs(&self) -> impl Iterator<Item = &[u32]> {
        self.indices.chunks_exact(self.batch_size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;

    #[test]
    fn every_epoch_sees_every_sample_once_in_an_order_of_its_own() {
        let mut shuffle = Shuffle::new(100, 3);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        shuffle.draw(&mut rng);
        let epochs: Vec<Vec<u32>> = shuffle.epochs().map(<[u32]>::to_vec).collect();
        assert!(epochs[0] != epochs[1] && epochs[1] != epochs[2]);
        for mut epoch in epochs {
            epoch.sort_unstable();
            assert!(epoch.iter().copied().eq(0..100));
        }
    }
}
