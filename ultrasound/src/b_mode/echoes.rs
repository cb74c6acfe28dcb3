//! Where echoes of a line are put before the pulse passes over them.
//!
//! Lines are kept in groups, which threads fill independently; a group has one line more, for what it adds to the next group's first.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

use super::grid::Grid;

/// Lines in a group.
pub(crate) const GROUP: usize = 16;
/// Samples beside those of a line, for the pulse's ends.
const MARGIN: usize = 32;

/// How places of a group lie in memory: lines of `n_places` planes of samples, each a complex number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) n_samples: usize,
    /// Log₂ of the number of planes.
    pub(crate) shift: u32,
    /// From plane to plane.
    pub(crate) plane: usize,
    /// From line to line.
    pub(crate) line: usize,
}

/// Echoes of a group of lines: re, im.
#[derive(Clone, Debug)]
pub(crate) struct Echoes {
    layout: Layout,
    values: Vec<f32>,
}

/// Where a range falls among places, and how often the carrier oscillates there and back.
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

    /// e^(−2πi periods).
    pub(crate) fn phase(self, range: f32) -> [f32; 2] {
        let (sin, cos) = (-2.0 * std::f32::consts::PI * (range * self.periods).fract()).sin_cos();
        [cos, sin]
    }
}

impl Layout {
    fn new(grid: &Grid) -> Self {
        let plane = 2 * (grid.n_samples + 2 * MARGIN);
        Self {
            n_samples: grid.n_samples,
            shift: grid.n_places.trailing_zeros(),
            plane,
            line: plane * grid.n_places,
        }
    }

    /// Index of a place of the first line.
    #[inline(always)]
    pub(crate) fn at(&self, place: u32) -> u32 {
        let plane = place & ((1 << self.shift) - 1);
        // Places beyond the end are looked up too, and not used.
        let sample = 2 * ((place >> self.shift) + MARGIN as u32);
        plane.wrapping_mul(self.plane as u32).wrapping_add(sample)
    }
}

impl Echoes {
    pub(crate) fn new(grid: &Grid) -> Self {
        let layout = Layout::new(grid);
        Self {
            layout,
            values: vec![0.0; layout.line * (GROUP + 1)],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    pub(crate) fn values(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// Adds an echo to a line of the group at a shown range [m]; beyond the end nothing happens.
    pub(crate) fn add(&mut self, line: usize, carrier: Carrier, range: f32, amplitude: f32) {
        let place = (range * carrier.places + 0.5) as u32;
        if place >> self.layout.shift >= self.layout.n_samples as u32 {
            return;
        }
        let [re, im] = carrier.phase(range);
        let at = line * self.layout.line + self.layout.at(place) as usize;
        self.values[at] += amplitude * re;
        self.values[at + 1] += amplitude * im;
    }

    /// Takes over what the group before has for this one's first line.
    pub(crate) fn take_over(&mut self, before: &Self) {
        let n = self.layout.line;
        for (own, other) in self.values[..n].iter_mut().zip(&before.values[GROUP * n..]) {
            *own += other;
        }
    }

    /// Samples that lie `places` places behind those of a line: re, im.
    #[inline(always)]
    pub(crate) fn shifted(&self, line: usize, places: isize) -> &[f32] {
        let n_places = 1 << self.layout.shift;
        let plane = places.rem_euclid(n_places) as usize;
        let start = (MARGIN as isize + places.div_euclid(n_places)) as usize;
        let at = line * self.layout.line + plane * self.layout.plane + 2 * start;
        &self.values[at..at + 2 * self.layout.n_samples]
    }

    /// Places that a pulse may reach on either side.
    pub(crate) fn max_reach(grid: &Grid) -> usize {
        grid.n_places * (MARGIN - 1)
    }
}
