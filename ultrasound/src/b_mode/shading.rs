//! What the way of a block's lines leaves of echoes and how it delays them, as a table that vectors are gathered from.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

use super::echoes::GROUP;
use super::grid::Grid;
use super::speckle::Part;
use super::walk::{Diffuse, Track};
use crate::pack::{LANES, Lanes};
use crate::wide::{whole, wide};

/// Samples in the table, at most.
pub(crate) const SAMPLES: usize = 128;
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
    /// Shape `[3, GROUP + 1, SAMPLES]`: ray, line, sample; the amplitude's bits, the slope's, and the delay's, from the lowest on.
    table: Box<[u64; SIZE]>,
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
        }
    }

    /// Takes over a part of the lines from the group's first on, with its scatterers' amplitude.
    pub(crate) fn fill(&mut self, tracks: &[Track], part: &Part) {
        // What comes behind the last line is nearest to that.
        let last = tracks.len() - 1;
        let [start, end] = part.samples;
        wide(
            #[inline(always)]
            || {
                for ray in 0..3 {
                    for line in 0..=GROUP {
                        let from = &tracks[line.min(last)].rays[ray];
                        let row = (ray * (GROUP + 1) + line) * SAMPLES;
                        for sample in (start..end).step_by(LANES) {
                            let at = sample - start;
                            self.take(from, sample, &part.strengths[at..], row + at);
                        }
                    }
                }
            },
        );
    }

    /// Takes as many samples as there are lanes; what is behind the last is not asked for.
    #[inline(always)]
    fn take(&mut self, from: &Diffuse, sample: usize, strengths: &[f32], at: usize) {
        let strengths = lanes(strengths);
        let scale = self.slope.recip();
        let (amplitude, delay) = (&from.amplitude[sample..], &from.delay[sample..]);
        let (amplitude, here) = (lanes(amplitude), lanes(delay));
        let next = lanes(&delay[1..]);
        let mut words = [[0; LANES]; 2];
        for i in 0..LANES {
            let delay = (here[i] * UNIT.recip()).clamp(-MOST, MOST);
            let slope = ((next[i] - here[i]) * scale).clamp(-STEEPEST, STEEPEST);
            words[0][i] = (amplitude[i] * strengths[i]).to_bits();
            words[1][i] = whole(delay) << 12 | whole(slope) & 0xFFF;
        }
        if let Some(to) = self.table[at..].first_chunk_mut::<LANES>() {
            for i in 0..LANES {
                to[i] = u64::from(words[1][i]) << 32 | u64::from(words[0][i]);
            }
        }
    }

    /// Place of a ray and a sample of the part in the table.
    #[inline(always)]
    pub(crate) fn index(ray: u32, line: u32, sample: u32) -> u32 {
        let row = (ray * (GROUP + 1) as u32).wrapping_add(line);
        row.wrapping_mul(SAMPLES as u32).wrapping_add(sample)
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

/// The first numbers; zeros where there are fewer.
#[inline(always)]
fn lanes(from: &[f32]) -> Lanes {
    if let Some(lanes) = from.first_chunk() {
        return *lanes;
    }
    let mut lanes = [0.0; LANES];
    lanes[..from.len()].copy_from_slice(from);
    lanes
}
