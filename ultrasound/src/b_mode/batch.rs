//! Many cells at once: where their scatterers are in beam space, what the way leaves of their echoes, and where those are put.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

use super::block::Block;
use super::echoes::{Carrier, Echoes, Layout};
use super::grid::Grid;
use super::lattice;
use super::speckle::{REACH, weight};
use super::walk::Track;
use crate::wide::wide;

/// Cells that are looked at together.
const BATCH: usize = 1024;

/// What batches of a block are put into.
pub(crate) struct Lit<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) carrier: Carrier,
    pub(crate) tracks: &'a [Track],
    pub(crate) first: usize,
    pub(crate) block: &'a Block,
}

/// Cells, then their scatterers in beam space, then those of them that echo.
pub(crate) struct Batch {
    n: usize,
    seed: [u32; BATCH],
    cell: [[i32; BATCH]; 3],
    across: [f32; BATCH],
    range: [f32; BATCH],
    /// Index of the ray that represents the elevation.
    ray: [u32; BATCH],
    /// 0 where a scatterer is not in the block; then the share of the left line.
    amplitude: [f32; BATCH],
    /// Share of the right line.
    right: [f32; BATCH],
    phase: [[f32; BATCH]; 2],
    at: [u32; BATCH],
}

impl Batch {
    pub(crate) fn new() -> Self {
        Self {
            n: 0,
            seed: [0; BATCH],
            cell: [[0; BATCH]; 3],
            across: [0.0; BATCH],
            range: [0.0; BATCH],
            ray: [0; BATCH],
            amplitude: [0.0; BATCH],
            right: [0.0; BATCH],
            phase: [[0.0; BATCH]; 2],
            at: [0; BATCH],
        }
    }

    /// Whether no cell can be taken before the others are put.
    pub(crate) fn is_full(&self) -> bool {
        self.n == BATCH
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, seed: u32, x: i32, [y, z]: [i32; 2]) {
        self.seed[self.n] = seed;
        self.cell[0][self.n] = x;
        self.cell[1][self.n] = y;
        self.cell[2][self.n] = z;
        self.n += 1;
    }

    /// Puts the echoes of all cells' scatterers into lines, and is empty then.
    pub(crate) fn put(&mut self, lit: &Lit, level: i32, echoes: &mut Echoes) {
        let layout = echoes.layout();
        let values = echoes.values();
        wide(
            #[inline(always)]
            || {
                self.locate(lit, level);
                self.look_up(lit);
                self.modulate(lit, &layout);
                self.accumulate(&layout, values);
            },
        );
        self.n = 0;
    }

    /// Finds where scatterers are in beam space and how strong.
    #[inline(always)]
    fn locate(&mut self, lit: &Lit, level: i32) {
        // Halfway between the rays at 0 and √3 σ.
        const BETWEEN: f32 = 0.375 * std::f32::consts::LOG2_E;
        let (block, grid) = (lit.block, lit.grid);
        let width = lattice::width(level);
        let level = level as f32;
        let m = &block.probe_from_rest;
        let (inv_spacing, middle) = (grid.spacing.recip(), grid.middle());
        let apex = grid.apex.unwrap_or(0.0);
        let is_fan = grid.apex.is_some();
        let n = self.n.next_multiple_of(16).min(BATCH);
        let [xs, ys, zs] = &self.cell;
        let cells = self.seed[..n]
            .iter()
            .zip(&xs[..n])
            .zip(&ys[..n])
            .zip(&zs[..n]);
        let places = self.across[..n].iter_mut().zip(&mut self.range[..n]);
        let strengths = self.ray[..n].iter_mut().zip(&mut self.amplitude[..n]);
        let lanes = cells.zip(places).zip(strengths);
        for (((((seed, x), y), z), (across, range)), (ray, amplitude)) in lanes {
            let bits = lattice::cell(*seed, *x);
            let [jx, jy, jz] = lattice::jitter(bits);
            let dx = (*x as f32 + jx) * width - block.rest.x;
            let dy = (*y as f32 + jy) * width - block.rest.y;
            let dz = (*z as f32 + jz) * width - block.rest.z;
            let px = m.m11 * dx + m.m12 * dy + m.m13 * dz + block.probe.x;
            let py = m.m21 * dx + m.m22 * dy + m.m23 * dz + block.probe.y;
            let pz = m.m31 * dx + m.m32 * dy + m.m33 * dz + block.probe.z;
            let up = pz + apex;
            let radius = (px * px + up * up).sqrt();
            let (beside, deep) = if is_fan {
                (arc_tangent(px / up), radius - apex)
            } else {
                (px, pz)
            };
            *across = beside * inv_spacing + middle;
            *range = deep;
            let into = deep - block.ranges[0];
            let exponent = py * py * block.narrowness.at(into);
            let outer = if py < 0.0 { 0 } else { 2 };
            *ray = if exponent > BETWEEN { outer } else { 1 };
            let strength = weight(level, block.level.at(into)) * block.amplitude.at(into);
            let is_inside = into >= 0.0
                && into < block.ranges[1]
                && *across >= block.lines[0]
                && *across < block.lines[1]
                && exponent < 0.5 * std::f32::consts::LOG2_E * REACH * REACH;
            let signed = lattice::sign(bits) * strength * power_of_two(-exponent);
            *amplitude = if is_inside { signed } else { 0.0 };
        }
    }

    /// Keeps what echoes: loss and delay on the way.
    #[inline(always)]
    fn look_up(&mut self, lit: &Lit) {
        let inv_step = lit.grid.step.recip();
        let (n_samples, last) = (lit.grid.n_samples, lit.tracks.len() - 1);
        let mut kept = 0;
        for i in 0..self.n {
            if self.amplitude[i] == 0.0 {
                continue;
            }
            let nearest = ((self.across[i] + 0.5) as usize).min(last);
            let ray = &lit.tracks[nearest].rays[self.ray[i] as usize & 3];
            let place = self.range[i] * inv_step;
            let sample = (place as usize).min(n_samples - 1);
            let [loss, before] = ray[sample];
            if loss == 0.0 {
                continue;
            }
            let [_, after] = ray[sample + 1];
            self.across[kept] = self.across[i] - lit.first as f32;
            self.range[kept] = self.range[i] + before + (place - sample as f32) * (after - before);
            self.amplitude[kept] = self.amplitude[i] * loss;
            kept += 1;
        }
        self.n = kept;
    }

    /// Finds carriers and places.
    #[inline(always)]
    fn modulate(&mut self, lit: &Lit, layout: &Layout) {
        let n = self.n.next_multiple_of(16).min(BATCH);
        let deepest = (layout.n_samples as u32) << layout.shift;
        let [re, im] = &mut self.phase;
        let from = self.across[..n].iter().zip(&self.range[..n]);
        let to = self.amplitude[..n].iter_mut().zip(&mut self.right[..n]);
        let phases = re[..n].iter_mut().zip(&mut im[..n]);
        let lanes = from.zip(to).zip(phases).zip(&mut self.at[..n]);
        for ((((across, range), (amplitude, right)), (re, im)), at) in lanes {
            let left = across.floor();
            let place = (range * lit.carrier.places + 0.5) as i32 as u32;
            let is_shown = place < deepest;
            *at = if is_shown {
                (left as u32)
                    .wrapping_mul(layout.line as u32)
                    .wrapping_add(layout.at(place))
            } else {
                0
            };
            let strength = if is_shown { *amplitude } else { 0.0 };
            let periods = range * lit.carrier.periods;
            let [cos, sin] = turn(periods - periods.floor());
            *right = strength * (across - left);
            *amplitude = strength - *right;
            *re = cos;
            *im = -sin;
        }
    }

    #[inline(always)]
    fn accumulate(&self, layout: &Layout, values: &mut [f32]) {
        let [re, im] = &self.phase;
        let lanes = self.at[..self.n]
            .iter()
            .zip(&re[..self.n])
            .zip(&im[..self.n]);
        let shares = self.amplitude[..self.n].iter().zip(&self.right[..self.n]);
        for (((at, re), im), (left, right)) in lanes.zip(shares) {
            let at = *at as usize;
            if let [a, b] = &mut values[at..at + 2] {
                *a += left * re;
                *b += left * im;
            }
            let at = at + layout.line;
            if let [a, b] = &mut values[at..at + 2] {
                *a += right * re;
                *b += right * im;
            }
        }
    }
}

/// Cosine and sine of a share of a turn, 0 to 1, to 4e-6: Taylor series about a half turn, of the quarter.
#[inline(always)]
fn turn(share: f32) -> [f32; 2] {
    // A quarter of the angle from −π/4 to π/4, doubled twice.
    let x = (share - 0.5) * (0.5 * std::f32::consts::PI);
    let z = x * x;
    let sin = x * (1.0 + z * (-1.0 / 6.0 + z * (1.0 / 120.0 - z / 5040.0)));
    let cos = 1.0 + z * (-0.5 + z * (1.0 / 24.0 + z * (-1.0 / 720.0 + z / 40320.0)));
    let (sin2, cos2) = (2.0 * sin * cos, 1.0 - 2.0 * sin * sin);
    let (sin4, cos4) = (2.0 * sin2 * cos2, 1.0 - 2.0 * sin2 * sin2);
    // Half a turn further.
    [-cos4, -sin4]
}

/// arctan within ±1, to 1e-5 (a minimax polynomial).
#[inline(always)]
fn arc_tangent(t: f32) -> f32 {
    let s = t * t;
    let p = -0.0117212 * s + 0.05265332;
    let p = p * s - 0.11643287;
    let p = p * s + 0.19354346;
    let p = p * s - 0.33262347;
    (p * s + 0.99997726) * t
}

/// 2^x for x ≤ 0, to 2e-5 of itself; 0 far below.
#[inline(always)]
fn power_of_two(x: f32) -> f32 {
    let x = x.max(-126.0);
    let whole = x.floor();
    let f = x - whole;
    let p = 0.013_667_6 * f + 0.051_738_4;
    let p = p * f + 0.241_620_3;
    let p = (p * f + 0.692_972_8) * f + 1.0;
    p * f32::from_bits(((whole as i32 + 127) << 23) as u32)
}
