//! Echoes of a group of lines, before the pulse filter.
//!
//! Groups are filled independently; each has one more line, for its contribution to the first line of the next group.
//! Memory holds all lines of a place, then the next place, so that an echo between two lines is added to one contiguous spot.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use super::grid::Grid;
use super::shaft::Shadow;

/// Lines in a group.
pub(crate) const GROUP: usize = 15;
/// Numbers of a place: re, im of the group's lines and of the line behind them.
pub(crate) const ROW: usize = 2 * (GROUP + 1);

/// Echoes of a group of lines: re, im.
#[derive(Clone, Debug)]
pub(crate) struct Echoes {
    n_places: usize,
    /// Places before the first and behind the last, for the ends of the pulse.
    margin: usize,
    /// Shape `[margin + n_places + margin, ROW]`.
    values: Vec<f32>,
}

/// Maps a range to places and to periods of the carrier (two-way).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carrier {
    /// Places per metre.
    pub(crate) places: f32,
    /// Periods per metre.
    pub(crate) periods: f32,
}

impl Carrier {
    pub(crate) fn new(grid: &Grid, frequency: f64, speed_of_sound: f64) -> Self {
        Self {
            places: grid.n_places as f32 / grid.step,
            periods: (2.0 * frequency / speed_of_sound) as f32,
        }
    }

    /// e^(−2πi periods) at a range [m].
    pub(crate) fn phase(self, range: f32) -> [f32; 2] {
        let (sin, cos) = (-2.0 * std::f32::consts::PI * (range * self.periods).fract()).sin_cos();
        [cos, sin]
    }
}

impl Echoes {
    pub(crate) fn new(grid: &Grid) -> Self {
        let n_places = grid.n_samples * grid.n_places;
        Self {
            n_places,
            margin: grid.margin,
            values: vec![0.0; (n_places + 2 * grid.margin) * ROW],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    pub(crate) fn n_places(&self) -> usize {
        self.n_places
    }

    pub(crate) fn margin(&self) -> usize {
        self.margin
    }

    pub(crate) fn values(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// Adds an echo to a line of the group at a shown range [m]; an echo beyond the end is dropped.
    pub(crate) fn add(&mut self, line: usize, carrier: Carrier, range: f32, amplitude: f32) {
        let place = (range * carrier.places + 0.5) as usize;
        if place >= self.n_places {
            return;
        }
        let [re, im] = carrier.phase(range);
        let at = (place + self.margin) * ROW + 2 * line;
        self.values[at] += amplitude * re;
        self.values[at + 1] += amplitude * im;
    }

    /// Multiplies the echoes of the lines from `first` on by what needles leave.
    pub(crate) fn shade(&mut self, grid: &Grid, shadow: &Shadow, first: usize) {
        if shadow.is_empty() {
            return;
        }
        let step = grid.step / grid.n_places as f32;
        let rows = self.values.chunks_exact_mut(ROW).skip(self.margin);
        for (place, row) in rows.take(self.n_places).enumerate() {
            let range = place as f32 * step;
            for (line, pair) in row.chunks_exact_mut(2).enumerate() {
                let left = shadow.at((first + line).min(grid.n_lines - 1), range);
                for value in pair.iter_mut() {
                    *value *= left;
                }
            }
        }
    }

    /// `n` rows of places; the first is `before` places in front of `place`.
    #[inline(always)]
    pub(crate) fn around(&self, place: usize, before: usize, n: usize) -> &[f32] {
        &self.values[(place + self.margin - before) * ROW..][..n * ROW]
    }
}
