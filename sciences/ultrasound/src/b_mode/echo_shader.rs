//! Positions of scatterers in beam space, attenuation of their echoes, and the places that the echoes are added to.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use super::block::{Block, Rows};
use super::echoes::{Carrier, Echoes, ROW};
use super::grid::{Grid, Steering};
use super::lattice;
use super::packed_scatterers::{Cells, OUTSIDE, PackedScatterers};
use super::shading::Shading;
use crate::pack::{LANES, Lanes, Packer};
use crate::simd::{power_of_two, whole};

/// Negative logarithm of the beam across the array, halfway between the rays at 0 and √3 σ.
pub(crate) const BETWEEN: f32 = 0.375 * std::f32::consts::LOG2_E;

/// Target of the echoes of a lattice's cells in a block.
pub(crate) struct EchoShader<'a> {
    block: &'a Block,
    shading: &'a Shading,
    carrier: Carrier,
    /// Lines per metre or radian, and the line on the axis, counted from the first line of the group.
    across: [f32; 2],
    /// First line of the block, and the line behind the last, counted from the first line of the group.
    lines: [f32; 2],
    /// Samples per metre.
    inv_step: f32,
    /// Distance between the point in which lines meet and the face [m].
    apex: Option<f32>,
    steering: Steering,
    /// Change of the received range per line, and its value at the first line of the group [m].
    tilt: [f32; 2],
    n_places: f32,
    margin: u32,
}

/// Echoes in the left and the right line: re, im; 0 for echoes that are not shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct EchoBatch {
    at: [u32; LANES],
    echoes: [[f32; 4]; LANES],
}

impl<'a> EchoShader<'a> {
    pub(crate) fn new(
        grid: &Grid,
        carrier: Carrier,
        shading: &'a Shading,
        block: &'a Block,
        first_line: usize,
        echoes: &Echoes,
    ) -> Self {
        let first = first_line as f32;
        let tilt = grid.steering.tilt(grid.spacing);
        Self {
            block,
            shading,
            carrier,
            across: [grid.spacing.recip(), grid.middle() - first],
            lines: block.lines.map(|line| line - first),
            inv_step: grid.step.recip(),
            apex: grid.apex,
            steering: grid.steering,
            tilt: [tilt, (first - grid.middle()) * tilt],
            n_places: echoes.n_places() as f32,
            margin: echoes.margin() as u32,
        }
    }

    #[expect(
        clippy::needless_bitwise_bool,
        reason = "branches would become masked stores, which stall loads"
    )]
    /// Finds the scatterers of cells and packs those in the block behind the first `n`; returns the new number of packed scatterers.
    #[inline(always)]
    pub(crate) fn locate(
        &self,
        rows: &Rows,
        cells: &Cells,
        packer: Packer,
        seen: &mut PackedScatterers,
        n: usize,
    ) -> usize {
        let block = self.block;
        let [along_x, along_y, along_z] = rows.steps;
        let [inv_spacing, shift] = self.across;
        let [left, right] = self.lines;
        let [near, far] = block.window;
        let start = block.ranges[0];
        let (apex, is_fan) = (self.apex.unwrap_or(0.0), self.apex.is_some());
        let Steering { tan, inv_cos, .. } = self.steering;
        let (mut all_across, mut all_into) = ([0.0; LANES], [0.0; LANES]);
        let (mut exponents, mut keys) = ([0.0; LANES], [0.0; LANES]);
        for i in 0..LANES {
            let bits = lattice::mix(cells.number[i]);
            let [jx, jy, jz] = lattice::jitter(bits);
            let offset = |axis: usize| jx * along_x[axis] + jy * along_y[axis] + jz * along_z[axis];
            let x = cells.corner[0][i] + offset(0);
            let y = cells.corner[1][i] + offset(1);
            let z = cells.corner[2][i] + offset(2);
            let up = z + apex;
            let radius = (x * x + up * up).sqrt();
            let (lateral, deep) = if is_fan {
                (arc_tangent(x / up), radius - apex)
            } else {
                (x - tan * z, inv_cos * z)
            };
            let across = lateral * inv_spacing + shift;
            let into = deep - start;
            let exponent = y * y * block.narrowness.at(into);
            let is_inside = (into >= near)
                & (into < far)
                & (across >= left)
                & (across < right)
                & (exponent < OUTSIDE);
            all_across[i] = across;
            all_into[i] = into * lattice::sign(bits);
            exponents[i] = exponent.copysign(y);
            keys[i] = if is_inside { 1.0 } else { -1.0 };
        }
        packer.pack(
            &keys,
            [&all_across, &all_into, &exponents],
            [&mut seen.across, &mut seen.into, &mut seen.exponent],
            n,
        )
    }

    #[expect(clippy::needless_bitwise_bool, reason = "as above")]
    /// Echoes of the scatterers from `start` on: their amplitude, arrival and carrier phase.
    #[inline(always)]
    pub(crate) fn answer(&self, seen: &PackedScatterers, start: usize, sent: &mut EchoBatch) {
        // `array::map` would copy lane by lane.
        let (all_across, all_into) = (lanes(&seen.across, start), lanes(&seen.into, start));
        let exponents = lanes(&seen.exponent, start);
        let (losses, delays) = self.shade([&all_across, &all_into, &exponents]);
        let Carrier { places, periods } = self.carrier;
        let (deepest, margin) = (self.n_places - 1.0, self.margin);
        let (first, inv_step) = (self.block.ranges[0], self.inv_step);
        let [tilt, tilt_start] = self.tilt;
        for i in 0..LANES {
            let (across, exponent) = (all_across[i], exponents[i].abs());
            let into = all_into[i].abs();
            let sample = into * inv_step;
            let [delay, slope] = self.shading.split(delays[i]);
            let range = first + into + (delay + (sample - sample.floor()) * slope);
            let range = range + (across * tilt + tilt_start);
            let place = range * places;
            let is_shown = (place >= 0.0) & (place < deepest) & (exponent < OUTSIDE);
            let unit = power_of_two(-exponent).copysign(all_into[i]);
            let amplitude = if is_shown { unit * losses[i] } else { 0.0 };
            let left = across.floor();
            let row = whole(place).wrapping_add(margin).wrapping_mul(ROW as u32);
            let at = row.wrapping_add(whole(left) << 1);
            // Hidden echoes are zeros; each lane adds them at a place of its own.
            sent.at[i] = if is_shown { at } else { 4 * i as u32 };
            let [cos, sin] = turn(range * periods);
            let right = amplitude * (across - left);
            let rest = amplitude - right;
            sent.echoes[i] = [rest * cos, -rest * sin, right * cos, -right * sin];
        }
    }

    /// Remaining amplitudes of echoes, and the bits of their delays.
    #[inline(always)]
    fn shade(&self, [across, into, exponents]: [&Lanes; 3]) -> ([f32; LANES], [u32; LANES]) {
        let inv_step = self.inv_step;
        let mut index = [0; LANES];
        for i in 0..LANES {
            let before = (into[i].abs() * inv_step).floor();
            let outer = if exponents[i] < 0.0 { 0 } else { 2 };
            let ray = if exponents[i].abs() > BETWEEN {
                outer
            } else {
                1
            };
            index[i] = Shading::index(ray, whole(across[i]), whole(before));
        }
        let (mut losses, mut delays) = ([0.0; LANES], [0; LANES]);
        // A separate loop: these numbers are twice as wide.
        for i in 0..LANES {
            let bits = self.shading.at(index[i]);
            losses[i] = f32::from_bits(bits as u32);
            delays[i] = (bits >> 32) as u32;
        }
        (losses, delays)
    }
}

#[inline(always)]
fn lanes(row: &[f32], start: usize) -> Lanes {
    row[start..].first_chunk().copied().unwrap_or([0.0; LANES])
}

impl EchoBatch {
    #[inline(always)]
    pub(crate) fn add(&self, values: &mut [f32]) {
        for (at, echo) in self.at.iter().zip(&self.echoes) {
            let at = *at as usize;
            let place = values.get_mut(at..at + 4);
            if let Some(place) = place.and_then(<[f32]>::first_chunk_mut::<4>) {
                *place = std::array::from_fn(|i| place[i] + echo[i]);
            }
        }
    }
}

/// Cosine and sine of a number of turns, with an error of 3e-4 (minimax polynomials of half the angle).
#[inline(always)]
fn turn(turns: f32) -> [f32; 2] {
    let x = turns - (turns + 0.5).floor();
    let z = x * x;
    let sin = x * (3.140_64 + z * (-5.136_905 + z * 2.299_546_3));
    let cos = 0.999_993_3 + z * (-4.933_938 + z * (4.041_284 + z * -1.222_127));
    [1.0 - 2.0 * sin * sin, 2.0 * sin * cos]
}

/// arctan within ±1, with an error of 1e-5 (a minimax polynomial).
#[inline(always)]
fn arc_tangent(t: f32) -> f32 {
    let s = t * t;
    let p = -0.0117212 * s + 0.05265332;
    let p = p * s - 0.11643287;
    let p = p * s + 0.19354346;
    let p = p * s - 0.33262347;
    (p * s + 0.99997726) * t
}
