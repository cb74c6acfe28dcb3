//! Beam space: scanlines, samples along them, and the width of the beam.

use super::Settings;
use crate::beam::{BeamTable, Faded, LossTable, N_SLOPES, Pedestal, Pulse, SLOPE_STEP};
use crate::deformation::Point;
use crate::simd::whole;
use crate::transducer::Transducer;

/// Least number of places per width of the pulse.
const PLACES_PER_PULSE: f64 = 4.5;

/// Longest distance of rows [m], and the most samples from one to the next, as a power of two.
const ROW: f64 = 0.005;
const MOST_BITS: u32 = 4;

/// Rows of samples at which loss and light are found; from one to the next there are a power of two of samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    bits: u32,
}

impl Rows {
    fn new(step: f64) -> Self {
        let bits = (ROW / step).max(1.0).log2() as u32;
        Self {
            bits: bits.min(MOST_BITS),
        }
    }

    /// Samples from one row to the next.
    pub(crate) fn distance(self) -> usize {
        1 << self.bits
    }

    /// Last row at or before a sample.
    pub(crate) fn before(self, sample: usize) -> usize {
        sample >> self.bits
    }

    /// First row at or behind a sample.
    pub(crate) fn behind(self, sample: usize) -> usize {
        (sample + self.distance() - 1) >> self.bits
    }

    /// Sample of a row.
    pub(crate) fn sample(self, row: usize) -> usize {
        row << self.bits
    }
}

/// Direction of the lines of a linear array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steering {
    sin: f32,
    cos: f32,
    /// Shift along the array per depth below it, and range per depth.
    pub(crate) tan: f32,
    pub(crate) inv_cos: f32,
}

impl Steering {
    /// Lines at an angle from the normal of a linear array [rad], positive towards its end.
    fn new(angle: f64) -> Self {
        let (sin, cos) = angle.sin_cos();
        Self {
            sin: sin as f32,
            cos: cos as f32,
            tan: angle.tan() as f32,
            inv_cos: cos.recip() as f32,
        }
    }

    /// Change of the shown range from one line to the next, for lines that are so far apart along the array [m].
    pub(crate) fn tilt(self, spacing: f32) -> f32 {
        self.sin * spacing
    }

    pub(crate) fn is_straight(self) -> bool {
        self.sin == 0.0
    }
}

/// Lines and samples. A point on a line is at `range` from the face; `across` counts lines.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) n_lines: usize,
    pub(crate) n_samples: usize,
    /// Distance between samples [m].
    pub(crate) step: f32,
    /// Places per sample at which echoes are added.
    pub(crate) n_places: usize,
    /// Upper limit of the places that the pulse covers on either side.
    pub(crate) margin: usize,
    /// Distance between the point in which lines meet and the face [m]; `None` if lines are parallel.
    pub(crate) apex: Option<f32>,
    /// Spacing of neighbouring lines [rad], or along the array [m] if they are parallel.
    pub(crate) spacing: f32,
    pub(crate) steering: Steering,
    /// Standard deviation of the beam along the array, for each sample [lines].
    pub(crate) sigma_across: Vec<f32>,
    /// Standard deviation of the beam along the array, for each sample [m].
    pub(crate) sigma_lateral: Vec<f32>,
    /// Standard deviation of the beam across the array, for each sample [m].
    pub(crate) sigma_elevation: Vec<f32>,
    pub(crate) rows: Rows,
    /// Pulse and beam over the slope of the loss, for each row.
    pub(crate) faded: Vec<[Faded; N_SLOPES]>,
    /// Their gains, next to each other.
    gains: Vec<[f32; N_SLOPES]>,
    pub(crate) loss: LossTable,
    /// Tail of the beam along the array, without loss, for each sample.
    pub(crate) pedestals: Vec<Pedestal>,
}

impl Grid {
    /// A grid; lines of a linear array have an angle from its normal [rad].
    pub(crate) fn new(
        transducer: &Transducer,
        settings: &Settings,
        pulse: &Pulse,
        angle: f64,
    ) -> Self {
        let Settings {
            n_lines,
            n_samples,
            speed_of_sound,
            depth,
            ..
        } = *settings;
        let step = depth / n_samples as f64;
        let finest = pulse.width(speed_of_sound) / PLACES_PER_PULSE;
        let zones = settings.zones();
        let beam = BeamTable::new(transducer, &zones, pulse, depth, speed_of_sound);
        let loss = LossTable::new(transducer, &zones, pulse, depth, speed_of_sound);
        let rows = Rows::new(step);
        let faded: Vec<[Faded; N_SLOPES]> = (0..rows.before(n_samples) + 2)
            .map(|row| loss.row(rows.sample(row) as f64 * step))
            .collect();
        let apex = transducer.apex_radius();
        let spacing = transducer.span() / n_lines as f64;
        let ranges = (0..n_samples).map(|sample| sample as f64 * step);
        // The aperture looks smaller from aside.
        let wider = angle.cos().recip();
        let sigmas = ranges.clone().map(|range| {
            let [lateral, elevation] = beam.sigmas(range);
            [wider * lateral, elevation]
        });
        let sigmas: Vec<[f64; 2]> = sigmas.collect();
        // Lines that meet at the face have no distance there.
        let line_distance =
            |range: f64| apex.map_or(spacing / wider, |apex| spacing * (apex + range).max(1e-3));
        let across = ranges
            .zip(&sigmas)
            .map(|(range, [lateral, _])| (lateral / line_distance(range)) as f32);
        let n_places = ((step / finest).ceil() as usize).max(1);
        Self {
            n_lines,
            n_samples,
            step: step as f32,
            n_places,
            // Attenuation lengthens pulses.
            margin: (4.0 * PLACES_PER_PULSE * finest * n_places as f64 / step).ceil() as usize,
            apex: apex.map(|apex| apex as f32),
            spacing: spacing as f32,
            steering: Steering::new(angle),
            sigma_across: across.collect(),
            gains: faded
                .iter()
                .map(|row| row.map(|faded| faded.gain))
                .collect(),
            rows,
            faded,
            pedestals: (0..n_samples)
                .map(|sample| loss.pedestal(sample as f64 * step).widened(wider))
                .collect(),
            loss,
            sigma_lateral: sigmas.iter().map(|[lateral, _]| *lateral as f32).collect(),
            sigma_elevation: sigmas
                .iter()
                .map(|[_, elevation]| *elevation as f32)
                .collect(),
        }
    }

    /// Index of the line on the axis.
    pub(crate) fn middle(&self) -> f32 {
        0.5 * (self.n_lines as f32 - 1.0)
    }

    pub(crate) fn depth(&self) -> f32 {
        self.step * self.n_samples as f32
    }

    /// Number of lines whose equal echoes add up in a line: the area of the beam.
    pub(crate) fn together(&self, range: f32) -> f32 {
        let sample = ((range / self.step) as usize).min(self.n_samples - 1);
        self.sigma_across[sample] * (2.0 * std::f32::consts::PI).sqrt()
    }

    /// Number of the pulse at a sample for a slope of the loss in its table.
    pub(crate) fn pulse(&self, sample: usize, slope: usize) -> usize {
        let depth = sample as f64 * f64::from(self.step);
        self.loss.nearest_depth(depth) * N_SLOPES + slope
    }

    /// Pulse and beam behind a loss with a slope over the frequency's relative change [Np], at a range [m].
    pub(crate) fn faded(&self, range: f32, slope: f32) -> Faded {
        let row = (range / (self.step * self.rows.distance() as f32) + 0.5) as usize;
        Faded::at(&self.faded[row.min(self.faded.len() - 1)], slope)
    }

    /// The gain at a sample.
    #[inline]
    pub(crate) fn gain_at(&self, sample: usize, slope: f32) -> f32 {
        let row = self.rows.before(sample + self.rows.distance() / 2);
        let gains = &self.gains[row.min(self.gains.len() - 1)];
        let place = (slope / SLOPE_STEP).clamp(0.0, (N_SLOPES - 1) as f32);
        let before = whole((place - 0.5).max(0.0)).min(N_SLOPES as u32 - 2);
        let [a, b] = [before, before + 1].map(|slope| gains[slope as usize]);
        a + (place - before as f32) * (b - a)
    }

    /// Point in the probe's frame.
    pub(crate) fn point(&self, across: f32, range: f32, elevation: f32) -> Point {
        let lateral = (across - self.middle()) * self.spacing;
        match self.apex {
            None => {
                let Steering { sin, cos, .. } = self.steering;
                Point::new(lateral + sin * range, elevation, cos * range)
            }
            Some(apex) => {
                let (sin, cos) = lateral.sin_cos();
                let radius = apex + range;
                Point::new(radius * sin, elevation, radius * cos - apex)
            }
        }
    }

    /// Elevation of one of the three rays that represent the beam across the array [m].
    pub(crate) fn elevation(&self, ray: usize, sample: usize) -> f32 {
        let sigma = self.sigma_elevation[sample.min(self.n_samples - 1)];
        (ray as f32 - 1.0) * 3f32.sqrt() * sigma
    }

    /// Range at which an echo from a range of a line, or from between lines, is received.
    ///
    /// Waves of steered lines are fronts across the lines, which pass the middle of the array at the time 0: the range is the distance from
    /// that front, and a point is received at the same range in all lines. Ranges in front of it are dropped.
    pub(crate) fn received(&self, across: f32, range: f32) -> f32 {
        if self.steering.is_straight() {
            return range;
        }
        let received = range + (across - self.middle()) * self.steering.tilt(self.spacing);
        if received < 0.0 {
            f32::INFINITY
        } else {
            received
        }
    }

    /// Line and range of a point in the probe's frame.
    pub(crate) fn locate(&self, point: &Point) -> [f32; 2] {
        let (lateral, range) = match self.apex {
            None => {
                let Steering { tan, inv_cos, .. } = self.steering;
                (point.x - tan * point.z, inv_cos * point.z)
            }
            Some(apex) => {
                let up = point.z + apex;
                (point.x.atan2(up), point.x.hypot(up) - apex)
            }
        };
        [lateral / self.spacing + self.middle(), range]
    }

    /// Distance between neighbouring lines at a sample [m].
    pub(crate) fn spacing_at(&self, sample: usize) -> f32 {
        self.line_distance(sample as f32 * self.step).max(1e-5)
    }

    /// Distance between neighbouring lines at a range [m].
    pub(crate) fn line_distance(&self, range: f32) -> f32 {
        self.apex.map_or(self.spacing * self.steering.cos, |apex| {
            self.spacing * (apex + range)
        })
    }
}
