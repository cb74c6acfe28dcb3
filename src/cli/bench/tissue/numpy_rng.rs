//! NumPy's default random number generator, for the same particles as in other engines' benchmarks.
//!
//! The generator is PCG64 (O'Neill 2014); bounded integers are drawn by Lemire's method (2019, doi:10.1145/3230636) from halves of its
//! numbers, for permutations by rejection of masked bits; choices are Fisher–Yates from the end, or Floyd's sampling.

use std::collections::HashSet;

use rand::RngCore as _;
use rand_pcg::Pcg64;

/// What `numpy.random.SeedSequence(0)` gives for the state and the stream.
const STATE: u128 = 0xdb2cd7e7b0f478beabf4641a2c71ba49;
const STREAM: u128 = 0x20c6ed6d9d7b8d412c4099de223c39d4;

/// `numpy.random.default_rng(0)`.
#[derive(Debug)]
pub(super) struct NumpyRng {
    pcg: Pcg64,
    /// Upper half of a number whose lower half was drawn.
    half: Option<u32>,
}

impl NumpyRng {
    pub(super) fn new() -> Self {
        Self {
            pcg: Pcg64::new(STATE, STREAM),
            half: None,
        }
    }

    /// Uniform in [0, 1).
    pub(super) fn random(&mut self) -> f64 {
        (self.pcg.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn next_u32(&mut self) -> u32 {
        self.half.take().unwrap_or_else(|| {
            let number = self.pcg.next_u64();
            self.half = Some((number >> 32) as u32);
            number as u32
        })
    }

    /// Uniform in 0 to `most`, both included.
    fn up_to(&mut self, most: usize) -> usize {
        if most == 0 {
            return 0;
        }
        let n = most as u64 + 1;
        let mut product = u64::from(self.next_u32()) * n;
        if product & 0xffff_ffff < n {
            let threshold = (u64::from(u32::MAX) - most as u64) % n;
            while product & 0xffff_ffff < threshold {
                product = u64::from(self.next_u32()) * n;
            }
        }
        (product >> 32) as usize
    }

    /// Uniform in 0 to `most`, both included, as shuffles draw it: by as many bits as `most` has, until one fits.
    fn up_to_by_bits(&mut self, most: usize) -> usize {
        let mask = u32::MAX >> (most as u32).leading_zeros();
        loop {
            let number = (self.next_u32() & mask) as usize;
            if number <= most {
                return number;
            }
        }
    }

    fn shuffle(&mut self, items: &mut [usize], first: usize) {
        for i in (first..items.len()).rev() {
            let j = self.up_to(i);
            items.swap(i, j);
        }
    }

    /// `permutation(n)`.
    pub(super) fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut items: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            let j = self.up_to_by_bits(i);
            items.swap(i, j);
        }
        items
    }

    /// `choice(n, size, replace=False)`.
    pub(super) fn choice(&mut self, n: usize, size: usize) -> Vec<usize> {
        if n > 10_000 && size > n / 50 {
            let mut items: Vec<usize> = (0..n).collect();
            self.shuffle(&mut items, (n - size).max(1));
            return items.split_off(n - size);
        }
        let mut taken = HashSet::new();
        let mut items = Vec::with_capacity(size);
        for last in n - size..n {
            let item = self.up_to(last);
            let item = if taken.insert(item) { item } else { last };
            taken.insert(item);
            items.push(item);
        }
        self.shuffle(&mut items, 1);
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_matches_numpy() {
        // Printed by NumPy 2.4.6: default_rng(0), choice(30000, 24000, replace=False), random(3), permutation(24000).
        let mut rng = NumpyRng::new();
        let chosen = rng.choice(30_000, 24_000);
        assert_eq!(chosen.iter().sum::<usize>(), 360_101_093);
        for expected in [0.49071615, 0.54940071, 0.33301848] {
            assert!((rng.random() - expected).abs() < 1e-8);
        }
        let permutation = rng.permutation(24_000);
        assert_eq!(permutation[..5], [976, 18204, 22762, 6302, 10283]);
    }

    #[test]
    fn choices_are_distinct() {
        let mut chosen = NumpyRng::new().choice(8_000, 30);
        chosen.sort_unstable();
        chosen.dedup();
        assert_eq!(chosen.len(), 30);
    }
}
