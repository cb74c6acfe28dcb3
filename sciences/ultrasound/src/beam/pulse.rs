//! The two-way pulse: a few cycles of a sine, filtered by the band of the elements.
//!
//! $S(f) = [\operatorname{sinc}(\pi T (f - f_c)) - \operatorname{sinc}(\pi T (f + f_c))]\, e^{-\ln 2\, |2 (f - f_m)/B|^p}$ with
//! $T = n/f_c$ for $n$ cycles, band $B$ around $f_m$ and $p = \ln 126 / \ln(2 f_m/B)$. The window falls to 1/2 at the edges of the band and vanishes
//! at zero frequency (García 2022, "SIMUS", doi:10.1016/j.cmpb.2022.106726, Eq. 14–16).

use std::f64::consts::{LN_2, PI};

use nalgebra::Complex;

use crate::transducer::Transducer;

/// Samples of the spectrum.
const N_FREQUENCIES: usize = 40;

/// A two-way pulse.
#[derive(Clone, Debug)]
pub struct Pulse {
    mean_frequency: f64,
    spectrum: Vec<Component>,
}

/// A frequency component of a pulse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Component {
    /// Frequency [Hz].
    pub(crate) frequency: f64,
    /// Two-way amplitude.
    pub(crate) two_way: f64,
    /// Transmitted intensity.
    pub(crate) sent: f64,
}

impl Pulse {
    /// A pulse of one cycle at the centre frequency.
    pub fn new(transducer: &Transducer) -> Self {
        Self::of_cycles(transducer, 1)
    }

    /// A pulse of a few cycles at the centre frequency.
    pub(crate) fn of_cycles(transducer: &Transducer, n_cycles: usize) -> Self {
        let [low, high] = transducer.band;
        let (middle, band) = (0.5 * (low + high), high - low);
        let center = transducer.center_frequency;
        let exponent = 126f64.ln() / (2.0 * middle / band).ln();
        let sinc = |x: f64| if x == 0.0 { 1.0 } else { x.sin() / x };
        let component = |frequency: f64| {
            let (f, scale) = (frequency, PI * n_cycles as f64 / center);
            let cycle = sinc(scale * (f - center)) - sinc(scale * (f + center));
            let response = (-LN_2 * (2.0 * (f - middle).abs() / band).powf(exponent)).exp();
            Component {
                frequency,
                two_way: cycle * response,
                sent: cycle * cycle * response,
            }
        };
        // The spectrum vanishes beyond 0.9 bandwidths from the centre.
        let share = |index: usize| (index as f64 + 0.5) / N_FREQUENCIES as f64 - 0.5;
        let spectrum: Vec<Component> = (0..N_FREQUENCIES)
            .map(|index| middle + 1.8 * band * share(index))
            .filter(|&frequency| frequency > 0.0)
            .map(component)
            .collect();
        let sum = |term: fn(&Component) -> f64| spectrum.iter().map(term).sum::<f64>();
        let mean_frequency = sum(|c| c.frequency * c.two_way) / sum(|c| c.two_way);
        Self {
            mean_frequency,
            spectrum,
        }
    }

    /// Mean frequency [Hz], used as the carrier.
    pub fn mean_frequency(&self) -> f64 {
        self.mean_frequency
    }

    pub(crate) fn spectrum(&self) -> &[Component] {
        &self.spectrum
    }

    /// Complex envelope about the mean frequency, 1 at its peak, at a time after the peak [s].
    pub fn envelope(&self, time: f64) -> Complex<f64> {
        let turned = |component: &Component| {
            let offset = component.frequency - self.mean_frequency;
            Complex::from_polar(component.two_way, 2.0 * PI * offset * time)
        };
        let sum: Complex<f64> = self.spectrum.iter().map(turned).sum();
        let peak: f64 = self
            .spectrum
            .iter()
            .map(|component| component.two_way)
            .sum();
        sum / peak
    }

    /// Full width at half maximum in a picture [m]: the axial resolution.
    pub fn width(&self, speed_of_sound: f64) -> f64 {
        let step = 0.01 / self.mean_frequency;
        let magnitude = |n: u32| self.envelope(f64::from(n) * step).norm();
        let below = (1..1000).find(|&n| magnitude(n) < 0.5).unwrap_or(1000);
        let (before, after) = (magnitude(below - 1), magnitude(below));
        let half = f64::from(below - 1) + (before - 0.5) / (before - after);
        // Two-way travel halves the width; both sides double it.
        half * step * speed_of_sound
    }
}
