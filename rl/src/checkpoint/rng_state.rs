//! The state of a random number generator in a checkpoint.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Key, stream and position of a ChaCha generator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RngState {
    key: [u8; 32],
    stream: u64,
    /// Upper and lower half of the position in the stream [words].
    word: [u64; 2],
}

impl RngState {
    pub(super) fn of(rng: &ChaCha8Rng) -> Self {
        let word = rng.get_word_pos();
        Self {
            key: rng.get_seed(),
            stream: rng.get_stream(),
            word: [(word >> 64) as u64, word as u64],
        }
    }

    pub(super) fn to_rng(&self) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::from_seed(self.key);
        rng.set_stream(self.stream);
        rng.set_word_pos(u128::from(self.word[0]) << 64 | u128::from(self.word[1]));
        rng
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngCore as _;

    #[test]
    fn a_generator_resumes_from_any_word() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        rng.set_stream(2);
        for _ in 0..150 {
            let text = serde_json::to_string(&RngState::of(&rng)).unwrap();
            let state: RngState = serde_json::from_str(&text).unwrap();
            assert_eq!(state.to_rng().next_u64(), rng.clone().next_u64());
            rng.next_u32();
        }
    }
}
