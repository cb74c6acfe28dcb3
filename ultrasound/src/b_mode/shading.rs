//! What the way of a block's lines leaves of echoes and how it delays them, as a table that vectors are gathered from.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

use super::echoes::GROUP;
use super::grid::Grid;
use super::legs::{Leg, Media};
use super::speckle::Part;
use super::walk::Track;
use crate::pack::{LANES, Lanes};
use crate::wide::{whole, wide};

/// Samples in the table, at most.
pub(crate) const SAMPLES: usize = 128;
/// Those of a ray, the sample behind, and lanes behind that.
const ROOM: usize = SAMPLES + 1 + LANES;
/// Numbers from one ray to the next: rows that are a power of two apart would share the same few places of the cache.
const STRIDE: usize = SAMPLES + 8;
/// Numbers in the table: a power of two above what is needed.
const SIZE: usize = 8192;
/// Unit of delays [m], and the most of them: 20 bits with a sign.
const UNIT: f32 = 1.0 / (1 << 21) as f32;
const MOST: f32 = ((1 << 19) - 1) as f32;
/// Units of what the next sample's delay is greater by in a sample, and the most of them: 12 bits with a sign.
const SLOPES: f32 = 2000.0;
const STEEPEST: f32 = 2047.0;

/// Amplitudes and delays of a part's samples.
#[derive(Clone, Debug)]
pub(crate) struct Shading {
    /// Unit of slopes [m].
    slope: f32,
    /// Shape `[3, GROUP + 1, STRIDE]`: ray, line, sample; the amplitude's bits, the slope's, and the delay's, from the lowest on.
    table: Box<[u64; SIZE]>,
    /// Of the ray in work.
    amplitudes: [f32; ROOM],
    delays: [f32; ROOM],
}

impl Shading {
    #[expect(
        clippy::large_stack_arrays,
        reason = "64 kB for a moment; a boxed array's length is known, which makes its gathering quick"
    )]
    pub(crate) fn new(grid: &Grid) -> Self {
        Self {
            slope: grid.step / SLOPES,
            table: Box::new([0; SIZE]),
            amplitudes: [0.0; ROOM],
            delays: [0.0; ROOM],
        }
    }

    /// Takes over a part of the lines from the group's first on, with its scatterers' amplitude.
    pub(crate) fn fill(&mut self, media: &Media, tracks: &[Track], part: &Part) {
        // What comes behind the last line is nearest to that.
        let last = tracks.len() - 1;
        wide(
            #[inline(always)]
            || {
                for ray in 0..3 {
                    for line in 0..=GROUP {
                        let legs = &tracks[line.min(last)].rays[ray];
                        let row = (ray * (GROUP + 1) + line) * STRIDE;
                        self.take(media, legs, part, row);
                    }
                }
            },
        );
    }

    /// Takes over a ray, as many samples at once as there are lanes; what is behind the last is not asked for.
    #[inline(always)]
    fn take(&mut self, media: &Media, legs: &[Leg], part: &Part, row: usize) {
        let [start, end] = part.samples;
        let n = end - start;
        let Self {
            amplitudes, delays, ..
        } = self;
        media.diffuse(legs, [start, n + 1], amplitudes, delays);
        let scale = self.slope.recip();
        for at in (0..n).step_by(LANES) {
            let [amplitude, here] = [&*amplitudes, &*delays].map(|row| lanes(&row[at..]));
            let next = lanes(&delays[at + 1..]);
            let strengths = lanes(&part.strengths[at..]);
            let mut words = [[0; LANES]; 2];
            for i in 0..LANES {
                let delay = (here[i] * UNIT.recip()).clamp(-MOST, MOST);
                let slope = ((next[i] - here[i]) * scale).clamp(-STEEPEST, STEEPEST);
                words[0][i] = (amplitude[i] * strengths[i]).to_bits();
                words[1][i] = whole(delay) << 12 | whole(slope) & 0xFFF;
            }
            if let Some(to) = self.table[row + at..].first_chunk_mut::<LANES>() {
                for i in 0..LANES {
                    to[i] = u64::from(words[1][i]) << 32 | u64::from(words[0][i]);
                }
            }
        }
    }

    /// Place of a ray and a sample of the part in the table.
    #[inline(always)]
    pub(crate) fn index(ray: u32, line: u32, sample: u32) -> u32 {
        let row = (ray * (GROUP + 1) as u32).wrapping_add(line);
        row.wrapping_mul(STRIDE as u32).wrapping_add(sample)
    }

    /// Bits of an amplitude, the lower half, and of a delay.
    #[inline(always)]
    pub(crate) fn at(&self, index: u32) -> u64 {
        self.table[index as usize & (SIZE - 1)]
    }

    /// A delay, and by how much the next sample's is greater [m].
    #[inline(always)]
    pub(crate) fn split(&self, delay: u32) -> [f32; 2] {
        let bits = delay as i32;
        [
            (bits >> 12) as f32 * UNIT,
            (bits << 20 >> 20) as f32 * self.slope,
        ]
    }
}

#[inline(always)]
fn lanes(from: &[f32]) -> Lanes {
    from.first_chunk().copied().unwrap_or([0.0; LANES])
}
