//! What the beam hears beyond its main lobe: side lobes, and the waves of the aperture's edges.
//!
//! Beyond 1.25 widths the amplitude of a point falls about exponentially with its distance $x$ from the scanline,
//! $h\, e^{-(x - x_0)/l}$, which is fitted to the energy of the sums over elements, $\sum_f |H(f, x)|^2$.

use super::lateral::Responses;

/// Distances from the scanline of the fit [widths of the beam]; the tail begins at the first one.
const DISTANCES: [f64; 8] = [1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0];
/// Highest tail, and the shortest and longest length [widths of the beam].
const HIGHEST: f64 = 0.3;
const LENGTHS: [f64; 2] = [0.15, 4.0];

/// The tail of the beam along the array on either side of the scanline.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pedestal {
    /// Distance from the scanline at which it begins [m].
    pub(crate) start: f64,
    /// Amplitude there, relative to a point on the scanline.
    pub(crate) height: f64,
    /// Distance over which it falls to 1/e [m].
    pub(crate) length: f64,
}

impl Pedestal {
    /// The tail of a beam of a width [m].
    pub(super) fn fit(responses: &Responses, width: f64) -> Self {
        let clear = responses.energy(0.0);
        let levels = DISTANCES.map(|distance| {
            let share = responses.energy(distance * width) / clear;
            0.5 * share.max(1e-8).ln()
        });
        // Least squares of a straight line.
        let n = DISTANCES.len() as f64;
        let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / n;
        let (x, y) = (mean(&DISTANCES), mean(&levels));
        let pairs = DISTANCES.iter().zip(&levels);
        let [both, square] = pairs.fold([0.0; 2], |[both, square], (distance, level)| {
            let d = distance - x;
            [both + d * (level - y), square + d * d]
        });
        let slope = (both / square).min(0.0);
        let [shortest, longest] = LENGTHS;
        Self {
            start: DISTANCES[0] * width,
            height: (y + slope * (DISTANCES[0] - x)).exp().min(HIGHEST),
            length: (-slope.recip()).clamp(shortest, longest) * width,
        }
    }

    /// The tail of a beam that is wider by a factor.
    pub(crate) fn widened(self, factor: f64) -> Self {
        Self {
            start: factor * self.start,
            length: factor * self.length,
            ..self
        }
    }

    pub(super) fn between(a: Self, b: Self, share: f64) -> Self {
        let mix = |a: f64, b: f64| a + share * (b - a);
        Self {
            start: mix(a.start, b.start),
            height: mix(a.height, b.height),
            length: mix(a.length, b.length),
        }
    }
}
