//! Diffuse echoes: the scatterers of tissue in the beam, put into lines with the phase of the carrier.
//!
//! Beam space is cut into blocks of lines and samples, in each of which the deformation is taken as affine.
//! The cells of the lattices that lie in a block are found at rest; their scatterers are moved into the block.
//! With $\rho$ scatterers per volume of amplitude $a = (\rho\, \pi\, \sigma_l\, \sigma_e \int |p|^2 dr)^{-1/2}$ the mean square of the
//! envelope is 1 at any depth: Gaussian beams of standard deviations $\sigma_l$, $\sigma_e$ along and across the array, and pulse $p$.

use nalgebra::Matrix3;

use super::echoes::{Carrier, Echoes, GROUP, Layout};
use super::grid::Grid;
use super::lattice;
use super::scene::View;
use super::walk::Track;
use crate::beam::FWHM_OVER_SIGMA;
use crate::deformation::{Point, Vector};
use crate::wide::wide;

/// Length of a block [m].
const BLOCK: f32 = 8e-3;
/// Beyond so many standard deviations across the array scatterers are left out.
const REACH: f32 = 2.0;
/// Lattices in use at a depth: what coarser ones would add is 1/64 of the scatterers.
const N_LEVELS: i32 = 6;
/// Cells that are looked at together.
const BATCH: usize = 1024;

/// What depends on the depth alone, for each sample.
#[derive(Clone, Debug)]
pub(crate) struct Speckle {
    seed: u64,
    /// Level of the densest lattice; its fraction says how much of that one is left out.
    level: Vec<f32>,
    /// Amplitude of a scatterer.
    amplitude: Vec<f32>,
    /// −log₂ of the beam across the array at a distance of 1 m, over its square.
    narrowness: Vec<f32>,
}

impl Speckle {
    /// `pulse_energy`: ∫ |p|² dr [m]; `pulse_width`: at half maximum [m].
    pub(crate) fn new(
        grid: &Grid,
        [pulse_energy, pulse_width]: [f32; 2],
        scatterers_per_cell: f32,
        seed: u64,
    ) -> Self {
        let (mut level, mut amplitude, mut narrowness) = (Vec::new(), Vec::new(), Vec::new());
        for (&lateral, &elevation) in grid.sigma_lateral.iter().zip(&grid.sigma_elevation) {
            let beam = lateral * elevation;
            let cell = beam * (FWHM_OVER_SIGMA * FWHM_OVER_SIGMA) as f32 * pulse_width;
            let wanted = scatterers_per_cell / cell;
            let densest = (2.0 * lattice::finest_density() / wanted).log2().max(0.0);
            let squares = (0..N_LEVELS).map(|above| {
                let level = densest.floor() + above as f32;
                lattice::finest_density() * (-level).exp2() * weight(level, densest).powi(2)
            });
            let volume = std::f32::consts::PI * beam * pulse_energy;
            level.push(densest);
            amplitude.push((squares.sum::<f32>() * volume).sqrt().recip());
            narrowness.push(0.5 * std::f32::consts::LOG2_E / (elevation * elevation));
        }
        Self {
            seed,
            level,
            amplitude,
            narrowness,
        }
    }

    /// Adds the speckle to a group of lines from `first` on.
    pub(crate) fn add(
        &self,
        view: &View,
        grid: &Grid,
        carrier: &Carrier,
        tracks: &[Track],
        first: usize,
        echoes: &mut Echoes,
    ) {
        let lines = [first, (first + GROUP).min(grid.n_lines)];
        let length = ((BLOCK / grid.step) as usize).max(1);
        let mut batch = Batch::new();
        for start in (0..grid.n_samples).step_by(length) {
            let samples = [start, (start + length).min(grid.n_samples)];
            if is_silent(&tracks[lines[0]..lines[1]], samples) {
                continue;
            }
            let Some(block) = Block::new(self, view, grid, lines, samples) else {
                continue;
            };
            let lit = Lit {
                grid,
                carrier,
                tracks,
                first,
                block: &block,
            };
            let finest = block.level.least().floor() as i32;
            for level in finest..finest + N_LEVELS {
                block.for_each_row(level, |row| {
                    let seed = lattice::row_seed(self.seed, level, row.across);
                    for x in row.cells[0]..=row.cells[1] {
                        if batch.n == BATCH {
                            batch.put(&lit, level, echoes);
                        }
                        batch.push(seed, x, row.across);
                    }
                });
                batch.put(&lit, level, echoes);
            }
        }
    }
}

/// How much a lattice's scatterers count.
#[inline(always)]
fn weight(level: f32, densest: f32) -> f32 {
    (level + 1.0 - densest).clamp(0.0, 1.0)
}

fn is_silent(tracks: &[Track], [start, end]: [usize; 2]) -> bool {
    let silent = |ray: &Vec<[f32; 2]>| {
        ray[start..end]
            .iter()
            .all(|[amplitude, _]| *amplitude == 0.0)
    };
    tracks.iter().all(|track| track.rays.iter().all(silent))
}

/// A number that changes linearly over the ranges of a block.
#[derive(Clone, Copy, Debug)]
struct Ramp {
    start: f32,
    slope: f32,
    length: f32,
}

impl Ramp {
    fn of(values: &[f32], [start, end]: [usize; 2], step: f32) -> Self {
        let length = (end - start) as f32 * step;
        let last = values[end.min(values.len() - 1)];
        Self {
            start: values[start],
            slope: (last - values[start]) / length,
            length,
        }
    }

    #[inline(always)]
    fn at(&self, range: f32) -> f32 {
        self.start + self.slope * range
    }

    fn least(&self) -> f32 {
        self.start.min(self.at(self.length))
    }
}

/// A part of beam space.
struct Block {
    /// First range, and length [m].
    ranges: [f32; 2],
    /// First line, and that behind the last, which gets a share too.
    lines: [f32; 2],
    level: Ramp,
    amplitude: Ramp,
    narrowness: Ramp,
    /// Half sizes along the array, along the lines, across the array [m].
    half: Vector,
    /// Rest points of the middle and of steps of 1 m in these directions.
    rest: Point,
    rest_from_block: Matrix3<f32>,
    block_from_rest: Matrix3<f32>,
    /// Points in the probe's frame likewise.
    probe: Point,
    probe_from_rest: Matrix3<f32>,
}

/// Cells along x in a row at y and z.
struct Row {
    cells: [i32; 2],
    across: [i32; 2],
}

impl Block {
    fn new(
        speckle: &Speckle,
        view: &View,
        grid: &Grid,
        [first, last]: [usize; 2],
        samples: [usize; 2],
    ) -> Option<Self> {
        let ranges = samples.map(|sample| sample as f32 * grid.step);
        let lines = [first as f32, last as f32];
        let across = 0.5 * (lines[0] + lines[1]);
        let angle = grid
            .apex
            .map_or(0.0, |_| 0.5 * (lines[1] - lines[0]) * grid.spacing);
        let apex = grid.apex.unwrap_or(0.0);
        // A part of a ring, boxed.
        let near = (apex + ranges[0]) * angle.cos() - apex;
        let lateral = 0.5 * (lines[1] - lines[0]) * grid.line_distance(ranges[1]);
        let reach = [0, 1].map(|end| grid.sigma_elevation[samples[end].min(grid.n_samples - 1)]);
        let half = Vector::new(
            lateral,
            0.5 * (ranges[1] - near),
            REACH * reach[0].max(reach[1]),
        );
        let probe = grid.point(across, 0.5 * (near + ranges[1]), 0.0);
        let along = grid.point(across, 1.0, 0.0) - grid.point(across, 0.0, 0.0);
        let probe_from_block =
            Matrix3::from_columns(&[Vector::y().cross(&along), along, Vector::y()]);
        let rest = view.rest(&probe)?;
        let column = |axis: usize| {
            let way = probe_from_block.column(axis) * half[axis];
            let ahead = view.rest(&(probe + way));
            let behind = view.rest(&(probe - way));
            let whole = match (ahead, behind) {
                (Some(ahead), Some(behind)) => 0.5 * (ahead - behind),
                (Some(ahead), None) => ahead - rest,
                (None, Some(behind)) => rest - behind,
                (None, None) => return None,
            };
            Some(whole / half[axis])
        };
        let rest_from_block = Matrix3::from_columns(&[column(0)?, column(1)?, column(2)?]);
        let block_from_rest = rest_from_block.try_inverse()?;
        Some(Self {
            ranges: [ranges[0], ranges[1] - ranges[0]],
            lines,
            level: Ramp::of(&speckle.level, samples, grid.step),
            amplitude: Ramp::of(&speckle.amplitude, samples, grid.step),
            narrowness: Ramp::of(&speckle.narrowness, samples, grid.step),
            half,
            rest,
            rest_from_block,
            block_from_rest,
            probe,
            probe_from_rest: probe_from_block * block_from_rest,
        })
    }

    /// Calls for each row of cells that may hold scatterers of the block.
    fn for_each_row(&self, level: i32, mut call: impl FnMut(&Row)) {
        let width = lattice::width(level);
        let extent = |axis: usize| {
            let row = self.rest_from_block.row(axis);
            (0..3).map(|i| row[i].abs() * self.half[i]).sum::<f32>()
        };
        let cells = |axis: usize| {
            let (middle, extent) = (self.rest[axis], extent(axis));
            [middle - extent, middle + extent].map(|x| (x / width).floor() as i32)
        };
        let ([y0, y1], [z0, z1]) = (cells(1), cells(2));
        let along = self.block_from_rest.column(0);
        // A scatterer may be anywhere in its cell.
        let slack = |i: usize| {
            0.5 * width * (self.block_from_rest[(i, 1)].abs() + self.block_from_rest[(i, 2)].abs())
        };
        let room: [f32; 3] = [0, 1, 2].map(|i| self.half[i] + slack(i));
        for z in z0..=z1 {
            for y in y0..=y1 {
                let offset = Vector::new(
                    0.0,
                    (y as f32 + 0.5) * width - self.rest.y,
                    (z as f32 + 0.5) * width - self.rest.z,
                );
                let start = self.block_from_rest * offset;
                let (mut low, mut high) = (f32::MIN, f32::MAX);
                for i in 0..3 {
                    if along[i].abs() < 1e-6 {
                        if start[i].abs() > room[i] {
                            high = f32::MIN;
                        }
                        continue;
                    }
                    let one = (-room[i] - start[i]) / along[i];
                    let other = (room[i] - start[i]) / along[i];
                    low = low.max(one.min(other));
                    high = high.min(one.max(other));
                }
                if low <= high {
                    let cell = |t: f32| ((self.rest.x + t) / width).floor() as i32;
                    call(&Row {
                        cells: [cell(low), cell(high)],
                        across: [y, z],
                    });
                }
            }
        }
    }
}

/// What batches of a block are put into.
struct Lit<'a> {
    grid: &'a Grid,
    carrier: &'a Carrier,
    tracks: &'a [Track],
    first: usize,
    block: &'a Block,
}

/// Cells, then their scatterers in beam space, then those of them that echo.
struct Batch {
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
    fn new() -> Self {
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

    #[inline(always)]
    fn push(&mut self, seed: u32, x: i32, [y, z]: [i32; 2]) {
        self.seed[self.n] = seed;
        self.cell[0][self.n] = x;
        self.cell[1][self.n] = y;
        self.cell[2][self.n] = z;
        self.n += 1;
    }

    /// Puts the echoes of all cells' scatterers into lines, and is empty then.
    fn put(&mut self, lit: &Lit, level: i32, echoes: &mut Echoes) {
        let layout = echoes.layout();
        wide(
            #[inline(always)]
            || {
                self.locate(lit, level);
                self.look_up(lit);
                self.modulate(lit, &layout);
            },
        );
        self.accumulate(&layout, echoes.values());
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
        for (((((seed, x), y), z), (across, range)), (ray, amplitude)) in
            lanes.map(|((cell, place), strength)| ((cell, place), strength))
        {
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
            let is_inside = (into >= 0.0)
                & (into < block.ranges[1])
                & (*across >= block.lines[0])
                & (*across < block.lines[1])
                & (exponent < 0.5 * std::f32::consts::LOG2_E * REACH * REACH);
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
                left as i32 as u32 * layout.line as u32 + layout.at(place)
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
    let p = -0.01172120 * s + 0.05265332;
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
