//! Many cells at once: where their scatterers are in beam space, what the way leaves of their echoes, and where those are put.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

use super::block::{Block, Row, Rows};
use super::echoes::{Carrier, Echoes, ROW};
use super::grid::Grid;
use super::lattice;
use super::shading::{SAMPLES, Shading};
use super::speckle::{Part, REACH};
use crate::wide::{power_of_two, whole, wide};

/// How many cells are looked at together.
const BATCH: usize = 512;
/// Logarithm of the beam across the array, less its sign, halfway between the rays at 0 and √3 σ.
pub(crate) const BETWEEN: f32 = 0.375 * std::f32::consts::LOG2_E;
/// The same where nothing is seen any more.
pub(crate) const OUTSIDE: f32 = 0.5 * std::f32::consts::LOG2_E * REACH * REACH;
/// Cells of a row that are taken at once.
const LANES: usize = 16;

/// Depth at which nothing is seen [m].
const NOWHERE: f32 = -2.0;

/// What a lattice's cells in a block are put into.
pub(crate) struct Lit<'a> {
    grid: &'a Grid,
    carrier: Carrier,
    shading: &'a Shading,
    block: &'a Block,
    /// Its first sample in the shading's table.
    first_sample: f32,
    /// First line of the group.
    first_line: f32,
    /// Amplitude of a scatterer, for each of its samples.
    strengths: &'a [f32; SAMPLES],
    n_places: f32,
    margin: u32,
}

impl<'a> Lit<'a> {
    pub(crate) fn new(
        grid: &'a Grid,
        carrier: Carrier,
        shading: &'a Shading,
        block: &'a Block,
        part: &'a Part,
        first_line: usize,
        echoes: &Echoes,
    ) -> Self {
        Self {
            grid,
            carrier,
            shading,
            block,
            first_sample: (block.ranges[0] / grid.step).round() - shading.start() as f32,
            strengths: &part.strengths,
            first_line: first_line as f32,
            n_places: echoes.n_places() as f32,
            margin: echoes.margin() as u32,
        }
    }
}

/// Cells that are looked at together.
pub(crate) struct Batch {
    n: usize,
    number: [u32; BATCH + LANES],
    /// Corners in the probe's frame [m].
    corner: [[f32; BATCH + LANES]; 3],
}

impl Batch {
    pub(crate) fn new() -> Self {
        Self {
            n: 0,
            number: [0; BATCH + LANES],
            corner: [[0.0; BATCH + LANES]; 3],
        }
    }

    /// Puts the echoes of the scatterers of all rows into lines.
    pub(crate) fn put_rows(&mut self, lit: &Lit, rows: &Rows, values: &mut [f32]) {
        wide(
            #[inline(always)]
            || {
                rows.for_each(
                    #[inline(always)]
                    |row| {
                        let mut first = 0;
                        while first < row.n {
                            if self.n >= BATCH {
                                self.put(lit, rows, values);
                            }
                            self.take(rows, row, first);
                            first += LANES;
                        }
                    },
                );
                self.put(lit, rows, values);
            },
        );
    }

    /// Takes cells of a row from the `first` one on, as many as there are lanes.
    #[inline(always)]
    fn take(&mut self, rows: &Rows, row: &Row, first: usize) {
        let number = row
            .number
            .wrapping_add(rows.stride.wrapping_mul(first as u32));
        if let Some(numbers) = self.number[self.n..].first_chunk_mut::<LANES>() {
            for (lane, to) in numbers.iter_mut().enumerate() {
                *to = number.wrapping_add(rows.stride.wrapping_mul(lane as u32));
            }
        }
        for axis in 0..3 {
            let step = rows.edges[0][axis];
            let start = row.corner[axis] + step * first as f32;
            if let Some(corners) = self.corner[axis][self.n..].first_chunk_mut::<LANES>() {
                for (lane, to) in corners.iter_mut().enumerate() {
                    *to = start + step * lane as f32;
                }
            }
        }
        self.n += LANES.min(row.n - first);
    }

    /// Puts the echoes of all cells' scatterers into lines, and is empty then.
    #[inline(never)]
    fn put(&mut self, lit: &Lit, rows: &Rows, values: &mut [f32]) {
        wide(
            #[inline(always)]
            || {
                // Cells behind the last are none.
                self.corner[2][self.n..]
                    .iter_mut()
                    .take(LANES)
                    .for_each(|z| *z = NOWHERE);
                for start in (0..self.n).step_by(LANES) {
                    let cells = self.cells(start);
                    let located = lit.locate(rows, &cells);
                    let shaded = lit.shade(&located);
                    lit.modulate(&located, &shaded).add(values);
                }
            },
        );
        self.n = 0;
    }

    #[inline(always)]
    fn cells(&self, start: usize) -> Cells {
        let (mut number, mut corner) = ([0; LANES], [[0.0; LANES]; 3]);
        number.copy_from_slice(&self.number[start..start + LANES]);
        for (corner, all) in corner.iter_mut().zip(&self.corner) {
            corner.copy_from_slice(&all[start..start + LANES]);
        }
        Cells { number, corner }
    }
}

type Lanes = [f32; LANES];

/// Cells: their numbers and corners.
struct Cells {
    number: [u32; LANES],
    corner: [Lanes; 3],
}

/// Scatterers in beam space.
struct Located {
    /// Lines from the group's first.
    across: Lanes,
    range: Lanes,
    /// 0 for those that are not in the block.
    amplitude: Lanes,
    /// Nearest ray and sample in the table, and how far behind the sample.
    shading: [u32; LANES],
    behind: Lanes,
}

/// What the way leaves of an echo, and its delay at the sample before and behind [m].
struct Shaded {
    loss: Lanes,
    delays: [Lanes; 2],
}

/// Echoes in the left and the right line: re, im; those that are not shown are 0.
struct Sent {
    at: [u32; LANES],
    echoes: [[f32; 4]; LANES],
}

impl Lit<'_> {
    #[inline(always)]
    fn locate(&self, rows: &Rows, cells: &Cells) -> Located {
        let (block, grid) = (self.block, self.grid);
        let [along_x, along_y, along_z] = rows.steps;
        let narrowness = block.narrowness;
        let (start, first) = (block.ranges[0], self.first_line);
        let [left, right] = [block.lines[0] - first, block.lines[1] - first];
        let [near, far] = block.window;
        let (inv_spacing, inv_step) = (grid.spacing.recip(), grid.step.recip());
        let shift = grid.middle() - first;
        let (apex, is_fan) = (grid.apex.unwrap_or(0.0), grid.apex.is_some());
        // Of the block, in the table.
        let first_sample = self.first_sample;
        let mut found = Located {
            across: [0.0; LANES],
            range: [0.0; LANES],
            amplitude: [0.0; LANES],
            shading: [0; LANES],
            behind: [0.0; LANES],
        };
        for i in 0..LANES {
            let bits = lattice::mix(cells.number[i]);
            let [jx, jy, jz] = lattice::jitter(bits);
            let offset = |axis: usize| jx * along_x[axis] + jy * along_y[axis] + jz * along_z[axis];
            let x = cells.corner[0][i] + offset(0);
            let y = cells.corner[1][i] + offset(1);
            let z = cells.corner[2][i] + offset(2);
            let up = z + apex;
            let radius = (x * x + up * up).sqrt();
            let (beside, deep) = if is_fan {
                (arc_tangent(x / up), radius - apex)
            } else {
                (x, z)
            };
            let across = beside * inv_spacing + shift;
            let into = deep - start;
            let exponent = y * y * narrowness.at(into);
            let is_inside = into >= near
                && into < far
                && across >= left
                && across < right
                && exponent < OUTSIDE;
            let sample = into * inv_step;
            let before = sample.floor();
            let unit = self.strengths[whole(before) as usize & (SAMPLES - 1)];
            let strength = unit * power_of_two(-exponent);
            let outer = if y < 0.0 { 0 } else { 2 };
            let ray = if exponent > BETWEEN { outer } else { 1 };
            found.across[i] = across;
            found.range[i] = deep;
            found.amplitude[i] = if is_inside {
                lattice::sign(bits) * strength
            } else {
                0.0
            };
            found.shading[i] = Shading::index(ray, whole(across), whole(before + first_sample));
            found.behind[i] = sample - before;
        }
        found
    }

    #[inline(always)]
    fn shade(&self, located: &Located) -> Shaded {
        let mut shaded = Shaded {
            loss: [0.0; LANES],
            delays: [[0.0; LANES]; 2],
        };
        for i in 0..LANES {
            let [loss, delay, next] = self.shading.at(located.shading[i]);
            shaded.loss[i] = loss;
            shaded.delays[0][i] = delay;
            shaded.delays[1][i] = next;
        }
        shaded
    }

    /// Finds carriers and places.
    #[inline(always)]
    fn modulate(&self, located: &Located, shaded: &Shaded) -> Sent {
        let Carrier { places, periods } = self.carrier;
        let (deepest, margin) = (self.n_places - 1.0, self.margin);
        let mut sent = Sent {
            at: [0; LANES],
            echoes: [[0.0; 4]; LANES],
        };
        for i in 0..LANES {
            let [delay, next] = [shaded.delays[0][i], shaded.delays[1][i]];
            let range = located.range[i] + delay + located.behind[i] * (next - delay);
            let amplitude = located.amplitude[i] * shaded.loss[i];
            let place = range * places;
            let is_shown = place >= 0.0 && place < deepest && amplitude != 0.0;
            let amplitude = if is_shown { amplitude } else { 0.0 };
            let left = located.across[i].floor();
            let row = whole(place).wrapping_add(margin).wrapping_mul(ROW as u32);
            let at = row.wrapping_add(whole(left) << 1);
            // Each lane has a place of its own for nothing.
            sent.at[i] = if is_shown { at } else { 4 * i as u32 };
            let [cos, sin] = turn(range * periods);
            let right = amplitude * (located.across[i] - left);
            let rest = amplitude - right;
            sent.echoes[i] = [rest * cos, -rest * sin, right * cos, -right * sin];
        }
        sent
    }
}

impl Sent {
    #[inline(always)]
    fn add(&self, values: &mut [f32]) {
        for (at, echo) in self.at.iter().zip(&self.echoes) {
            let at = *at as usize;
            let place = values.get_mut(at..at + 4);
            if let Some(place) = place.and_then(<[f32]>::first_chunk_mut::<4>) {
                for (value, echo) in place.iter_mut().zip(echo) {
                    *value += echo;
                }
            }
        }
    }
}

/// Cosine and sine of a number of turns, to 3e-4 (minimax polynomials of half the angle).
#[inline(always)]
fn turn(turns: f32) -> [f32; 2] {
    let x = turns - (turns + 0.5).floor();
    let z = x * x;
    let sin = x * (3.140_64 + z * (-5.136_905 + z * 2.299_546_3));
    let cos = 0.999_993_3 + z * (-4.933_938 + z * (4.041_284 + z * -1.222_127));
    [1.0 - 2.0 * sin * sin, 2.0 * sin * cos]
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
