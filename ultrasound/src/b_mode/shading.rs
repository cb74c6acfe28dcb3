//! What the way of a block's lines leaves of echoes and how it delays them, as a table that vectors are gathered from.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

use super::echoes::GROUP;
use super::walk::Track;

/// Samples in the table, at most.
pub(crate) const SAMPLES: usize = 128;
/// Samples of a ray in the table: one more, as delays are interpolated.
const STRIDE: usize = SAMPLES + 1;
/// Numbers in the table: a power of two above what is needed.
const SIZE: usize = 16384;

/// Amplitudes and delays of some blocks.
pub(crate) struct Shading {
    /// First sample in the table.
    start: usize,
    /// Shape `[3, GROUP + 1, STRIDE, 2]`: ray, line, sample; amplitude, and how much deeper than it is an echo is shown [m].
    table: Box<[f32; SIZE]>,
}

impl Shading {
    #[expect(
        clippy::large_stack_arrays,
        reason = "64 kB for a moment; a boxed array's length is known, which makes its gathering quick"
    )]
    pub(crate) fn new() -> Self {
        Self {
            start: 0,
            table: Box::new([0.0; SIZE]),
        }
    }

    /// Takes over samples of the lines from the group's first on.
    pub(crate) fn fill(&mut self, tracks: &[Track], [start, end]: [usize; 2]) {
        self.start = start;
        // What comes behind the last line is nearest to that.
        let last = tracks.len() - 1;
        for ray in 0..3 {
            for line in 0..=GROUP {
                let from = tracks[line.min(last)].rays[ray][start..=end].as_flattened();
                let at = (ray * (GROUP + 1) + line) * 2 * STRIDE;
                self.table[at..at + from.len()].copy_from_slice(from);
            }
        }
    }

    /// First sample in the table.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Place of a ray and a sample in the table.
    #[inline(always)]
    pub(crate) fn index(ray: u32, line: u32, sample: u32) -> u32 {
        let row = (ray * (GROUP + 1) as u32).wrapping_add(line);
        row.wrapping_mul(STRIDE as u32).wrapping_add(sample) << 1
    }

    /// Amplitude, and delays at a sample and at the next one [m].
    #[inline(always)]
    pub(crate) fn at(&self, index: u32) -> [f32; 3] {
        let [amplitude, delay, next] = [index, index.wrapping_add(1), index.wrapping_add(3)];
        [
            self.table[amplitude as usize & (SIZE - 1)],
            self.table[delay as usize & (SIZE - 1)],
            self.table[next as usize & (SIZE - 1)],
        ]
    }
}
