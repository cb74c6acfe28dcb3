//! Attenuation and delay along the lines of a block, as a table for vector gathers.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use super::echoes::GROUP;
use super::grid::Grid;
use super::legs::{Legs, Media};
use super::speckle_tables::{LatticeRange, SAMPLES};
use super::walk::ScanlinePath;
use crate::pack::{LANES, Lanes};
use crate::simd::{whole, wide};

/// Samples of a ray, the sample behind the last, and spare lanes.
const ROOM: usize = SAMPLES + 1 + LANES;
/// Numbers from one ray to the next: rows with a distance of a power of two would share few places of the cache.
const STRIDE: usize = SAMPLES + 8;
/// Numbers in the table: the next power of two.
const SIZE: usize = 8192;
/// Unit of delays [m], and the largest delay in units: 20 bits with a sign.
const UNIT: f32 = 1.0 / (1 << 21) as f32;
const MOST: f32 = ((1 << 19) - 1) as f32;
/// Units of slopes (difference to the next sample's delay) per distance of samples, and the largest slope in units: 12 bits with a sign.
const SLOPES: f32 = 2000.0;
const STEEPEST: f32 = 2047.0;

/// Amplitudes and delays of the samples of a part.
#[derive(Clone, Debug)]
pub(crate) struct Shading {
    /// Unit of slopes [m].
    slope: f32,
    /// Shape `[3, GROUP + 1, STRIDE]`: ray, line, sample. From the lowest bits up: amplitude, slope, delay.
    table: Box<[u64; SIZE]>,
    /// Buffers of the current ray.
    amplitudes: [f32; ROOM],
    delays: [f32; ROOM],
}

impl Shading {
    #[expect(
        clippy::large_stack_arrays,
        reason = "64 kB, temporarily; the known length of a boxed array makes gathers fast"
    )]
    pub(crate) fn new(grid: &Grid) -> Self {
        Self {
            slope: grid.step / SLOPES,
            table: Box::new([0; SIZE]),
            amplitudes: [0.0; ROOM],
            delays: [0.0; ROOM],
        }
    }

    /// Fills the table for a part of the depth and the lines from the first line of the group on, with the amplitude of the scatterers.
    pub(crate) fn fill(&mut self, media: &Media, tracks: &[ScanlinePath], part: &LatticeRange) {
        // Lines behind the last one repeat it.
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

    /// Fills one ray, one vector of lanes at a time; numbers behind the last sample are not used.
    #[inline(always)]
    fn take(&mut self, media: &Media, legs: &Legs, part: &LatticeRange, row: usize) {
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

    /// Index of a ray and a sample of the part in the table.
    #[inline(always)]
    pub(crate) fn index(ray: u32, line: u32, sample: u32) -> u32 {
        let row = (ray * (GROUP + 1) as u32).wrapping_add(line);
        row.wrapping_mul(STRIDE as u32).wrapping_add(sample)
    }

    /// Bits of an amplitude (lower half) and of a delay.
    #[inline(always)]
    pub(crate) fn at(&self, index: u32) -> u64 {
        self.table[index as usize & (SIZE - 1)]
    }

    /// A delay, and its difference to the delay of the next sample [m].
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
