//! Attenuation and delay along the lines of a block, as a table for vector gathers.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use super::echoes::GROUP;
use super::grid::Grid;
use super::legs::Media;
use super::speckle_tables::{LatticeRange, SAMPLES};
use super::walk::ScanlinePath;
use crate::pack::{LANES, Lanes};
use crate::simd::{whole, wide};

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

/// Amplitudes and delays of the samples of a group of lines, and the table of a part of the depth.
#[derive(Clone, Debug)]
pub(crate) struct Shading {
    /// Unit of slopes [m].
    slope: f32,
    /// Shape `[3, GROUP + 1, STRIDE]`: ray, line, sample of the part. From the lowest bits up: amplitude, slope, delay.
    table: Box<[u64; SIZE]>,
    /// Numbers of a ray: samples, the sample behind the last, and spare lanes.
    room: usize,
    /// Amplitudes, and delays with their slopes, of the whole depth, shape `[3, GROUP + 1, room]`.
    amplitudes: Vec<f32>,
    delays: Vec<u32>,
    /// Delays of the current ray [m].
    ray: Vec<f32>,
}

impl Shading {
    #[expect(
        clippy::large_stack_arrays,
        reason = "64 kB, temporarily; the known length of a boxed array makes gathers fast"
    )]
    pub(crate) fn new(grid: &Grid) -> Self {
        let room = grid.n_samples + 1 + 2 * LANES;
        Self {
            slope: grid.step / SLOPES,
            table: Box::new([0; SIZE]),
            room,
            amplitudes: vec![0.0; 3 * (GROUP + 1) * room],
            delays: vec![0; 3 * (GROUP + 1) * room],
            ray: vec![0.0; room],
        }
    }

    /// Takes the first `n` samples of the lines from the first line of the group on.
    pub(crate) fn take(&mut self, media: &Media, tracks: &[ScanlinePath], n: usize) {
        // Lines behind the last one repeat it.
        let last = tracks.len() - 1;
        let (scale, room) = (self.slope.recip(), self.room);
        let rays = self.amplitudes.chunks_exact_mut(room);
        let rays = rays.zip(self.delays.chunks_exact_mut(room));
        let ray = &mut self.ray;
        wide(
            #[inline(always)]
            || {
                for (row, (amplitudes, delays)) in rays.enumerate() {
                    let legs = &tracks[(row % (GROUP + 1)).min(last)].rays[row / (GROUP + 1)];
                    media.diffuse(legs, [0, n + 1], amplitudes, ray);
                    for at in (0..n).step_by(LANES) {
                        let (here, next) = (lanes(&ray[at..]), lanes(&ray[at + 1..]));
                        if let Some(to) = delays[at..].first_chunk_mut::<LANES>() {
                            for i in 0..LANES {
                                let delay = (here[i] * UNIT.recip()).clamp(-MOST, MOST);
                                let slope = (next[i] - here[i]) * scale;
                                let slope = slope.clamp(-STEEPEST, STEEPEST);
                                to[i] = whole(delay) << 12 | whole(slope) & 0xFFF;
                            }
                        }
                    }
                }
            },
        );
    }

    /// Fills the table for a part of the depth, with the amplitude of the scatterers; numbers behind its last sample are not used.
    pub(crate) fn fill(&mut self, part: &LatticeRange) {
        let [start, end] = part.samples;
        let rays = self.amplitudes.chunks_exact(self.room);
        let rays = rays.zip(self.delays.chunks_exact(self.room));
        let rows = self.table.chunks_exact_mut(STRIDE).zip(rays);
        wide(
            #[inline(always)]
            || {
                for (row, (amplitudes, delays)) in rows {
                    for at in (0..end - start).step_by(LANES) {
                        let amplitude = lanes(&amplitudes[start + at..]);
                        let strengths = lanes(&part.strengths[at..]);
                        let delay = delays[start + at..].first_chunk::<LANES>();
                        let to = row[at..].first_chunk_mut::<LANES>();
                        if let (Some(delay), Some(to)) = (delay, to) {
                            for i in 0..LANES {
                                let amplitude = (amplitude[i] * strengths[i]).to_bits();
                                to[i] = u64::from(delay[i]) << 32 | u64::from(amplitude);
                            }
                        }
                    }
                }
            },
        );
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
