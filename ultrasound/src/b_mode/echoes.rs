//! Where echoes of a line are put before the pulse passes over them.

use std::f32::consts::PI;
use std::sync::LazyLock;

use super::grid::Grid;

/// Places beside the samples of a line, for the pulse's ends.
const MARGIN: usize = 32;
/// Steps of a carrier's period.
const N_PHASES: usize = 2048;

/// Echoes of one line: complex, `n_places` planes of samples.
#[derive(Clone, Debug)]
pub(crate) struct Echoes {
    n_samples: usize,
    /// Log₂ of the number of planes.
    shift: u32,
    /// Re, im of plane, sample.
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
    #[inline(always)]
    pub(crate) fn phase(&self, range: f32) -> [f32; 2] {
        static PHASES: LazyLock<Vec<[f32; 2]>> = LazyLock::new(|| {
            let angle = |step: usize| -2.0 * PI * step as f32 / N_PHASES as f32;
            (0..N_PHASES)
                .map(|step| [angle(step).cos(), angle(step).sin()])
                .collect()
        });
        let periods = range * self.periods;
        let step = (periods * N_PHASES as f32) as i64 as usize;
        PHASES[step % N_PHASES]
    }
}

impl Echoes {
    pub(crate) fn new(grid: &Grid) -> Self {
        Self {
            n_samples: grid.n_samples,
            shift: grid.n_places.trailing_zeros(),
            values: vec![0.0; 2 * grid.n_places * (grid.n_samples + 2 * MARGIN)],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds an echo at a shown range [m]; beyond the ends nothing happens.
    #[inline(always)]
    pub(crate) fn add(&mut self, carrier: &Carrier, range: f32, amplitude: f32) {
        let [re, im] = carrier.phase(range);
        self.add_complex(carrier, range, [amplitude * re, amplitude * im]);
    }

    #[inline(always)]
    pub(crate) fn add_complex(&mut self, carrier: &Carrier, range: f32, [re, im]: [f32; 2]) {
        let place = (range * carrier.places + 0.5) as usize;
        let sample = place >> self.shift;
        if sample >= self.n_samples {
            return;
        }
        let plane = place & ((1 << self.shift) - 1);
        let at = 2 * (plane * (self.n_samples + 2 * MARGIN) + sample + MARGIN);
        if let [first, second] = &mut self.values[at..at + 2] {
            *first += re;
            *second += im;
        }
    }

    /// Samples that lie `places` places behind those of the line: re, im.
    #[inline(always)]
    pub(crate) fn shifted(&self, places: isize) -> &[f32] {
        let n_places = 1 << self.shift;
        let plane = places.rem_euclid(n_places) as usize;
        let start = MARGIN as isize + places.div_euclid(n_places);
        let at = 2 * (plane * (self.n_samples + 2 * MARGIN) + start as usize);
        &self.values[at..at + 2 * self.n_samples]
    }

    /// Places that a pulse may reach on either side.
    pub(crate) fn max_reach(grid: &Grid) -> usize {
        grid.n_places * (MARGIN - 1)
    }
}
