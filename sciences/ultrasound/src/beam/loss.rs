//! Loss by frequency: what attenuation on the way does to the pulse and to the beam along the array.
//!
//! On a scanline the two-way spectrum at a depth is $H(f) = S(f)\, T(f)\, R(f)$: the pulse, and the sums over transmitting and receiving
//! elements. On the way it loses $e^{-L(f)}$. About the mean frequency $f_0$ of the pulse, $L(f) \approx L(f_0) + B\, (f/f_0 - 1)$ with
//! the slope $B = \sum n\, L$ over materials whose attenuation grows with the power $n$ of the frequency. High frequencies fade first: the
//! pulse becomes deeper in tone and longer, the beam wider, and less is lost than $L(f_0)$ says.

use std::f64::consts::TAU;

use nalgebra::Complex;

use super::lateral::Responses;
use super::{Pedestal, Pulse, Zones};
use crate::transducer::Transducer;

/// Depths of the table, and slopes of the loss.
const N_DEPTHS: usize = 12;
pub(crate) const N_SLOPES: usize = 40;
/// Distance of slopes in the table [Np].
pub(crate) const SLOPE_STEP: f32 = 0.5;

/// A pulse and beam behind some attenuation. Each is relative to the same depth without loss.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faded {
    /// Amplitude of a point relative to the loss at the mean frequency.
    pub(crate) gain: f32,
    /// Ratio of beam widths along the array.
    pub(crate) widening: f32,
}

/// Pulse and beam over depth and loss.
#[derive(Clone, Debug)]
pub(crate) struct LossTable {
    /// Distance of depths [m].
    step: f64,
    /// Shape `[N_DEPTHS, N_SLOPES]`.
    faded: Vec<Faded>,
    /// Tail of the beam without loss, for each depth.
    pedestals: Vec<Pedestal>,
    /// Spectra on the scanline, without loss, for each depth; the pulse peaks at time 0.
    spectra: Vec<Vec<Complex<f64>>>,
    /// Frequencies minus the mean frequency, and the mean frequency [Hz].
    offsets: Vec<f64>,
    mean_frequency: f64,
}

impl LossTable {
    /// Table down to a depth [m].
    pub(crate) fn new(
        transducer: &Transducer,
        zones: &Zones,
        pulse: &Pulse,
        depth: f64,
        speed_of_sound: f64,
    ) -> Self {
        let mean_frequency = pulse.mean_frequency();
        let offsets = pulse.spectrum().iter();
        let offsets: Vec<f64> = offsets.map(|c| c.frequency - mean_frequency).collect();
        let step = depth / N_DEPTHS as f64;
        let mut table = Self {
            step,
            faded: Vec::with_capacity(N_DEPTHS * N_SLOPES),
            pedestals: Vec::with_capacity(N_DEPTHS),
            spectra: Vec::with_capacity(N_DEPTHS),
            offsets,
            mean_frequency,
        };
        for node in 1..=N_DEPTHS {
            let at = node as f64 * step;
            let focusing = zones.at(at);
            let mut responses = Responses::new(transducer, &focusing, pulse, at, speed_of_sound);
            table.add_depth(&mut responses);
        }
        table
    }

    fn add_depth(&mut self, responses: &mut Responses) {
        let spectrum = self.centred(responses.at(0).to_vec());
        let clear: Complex<f64> = spectrum.iter().sum();
        let mut clear_width = None;
        for index in 0..N_SLOPES {
            let kept = self.kept(index);
            let width = responses.width(&kept);
            let weighted: Vec<Complex<f64>> =
                spectrum.iter().zip(&kept).map(|(h, k)| h * k).collect();
            let sum: Complex<f64> = weighted.iter().sum();
            self.faded.push(Faded {
                gain: (sum.norm() / clear.norm()) as f32,
                widening: (width / *clear_width.get_or_insert(width)) as f32,
            });
        }
        let width = clear_width.unwrap_or_default();
        self.pedestals.push(Pedestal::fit(responses, width));
        self.spectra.push(spectrum);
    }

    /// Remaining share of each frequency, relative to the mean frequency, for a slope of the table.
    fn kept(&self, index: usize) -> Vec<f64> {
        let slope = index as f64 * f64::from(SLOPE_STEP) / self.mean_frequency;
        self.offsets.iter().map(|f| (-slope * f).exp()).collect()
    }

    /// Moves the peak of a pulse to time 0, with the phase 0.
    fn centred(&self, mut spectrum: Vec<Complex<f64>>) -> Vec<Complex<f64>> {
        let at = |time: f64| -> Complex<f64> {
            let turned = spectrum.iter().zip(&self.offsets);
            turned.map(|(h, f)| h * Complex::cis(TAU * f * time)).sum()
        };
        let period = 0.02 / self.mean_frequency;
        let times = (-50..=50).map(|n| f64::from(n) * period);
        let peak = times.max_by(|a, b| at(*a).norm().total_cmp(&at(*b).norm()));
        let peak = peak.unwrap_or(0.0);
        let phase = Complex::cis(-at(peak).arg());
        for (h, f) in spectrum.iter_mut().zip(&self.offsets) {
            *h *= phase * Complex::cis(TAU * f * peak);
        }
        spectrum
    }

    /// Nearest depth of the table.
    pub(crate) fn nearest_depth(&self, depth: f64) -> usize {
        let node = (depth / self.step).round() as usize;
        node.clamp(1, N_DEPTHS) - 1
    }

    /// Number of pulses: [`N_SLOPES`] for each depth.
    pub(crate) fn n_pulses(&self) -> usize {
        self.faded.len()
    }

    /// Envelope of a pulse of the table about the mean frequency without loss, at steps of time from its peak on [s]: the even real and the
    /// odd imaginary part; 1 at the peak.
    pub(crate) fn envelope(&self, pulse: usize, step: f64) -> impl Fn(usize) -> [f64; 2] {
        let kept = self.kept(pulse % N_SLOPES);
        let spectrum = &self.spectra[pulse / N_SLOPES];
        let weighted = spectrum.iter().zip(kept).map(|(h, k)| h * k);
        let weighted: Vec<Complex<f64>> = weighted.collect();
        let sum: Complex<f64> = weighted.iter().sum();
        let components = weighted.into_iter().zip(&self.offsets);
        let components: Vec<(f64, f64)> = components
            .map(|(h, f)| ((h / sum).re, TAU * step * f))
            .collect();
        move |n| {
            let turned = |(h, turn): &(f64, f64)| Complex::from_polar(*h, turn * n as f64);
            let sum: Complex<f64> = components.iter().map(turned).sum();
            [sum.re, sum.im]
        }
    }

    /// Tail of the beam at a depth [m], without loss.
    pub(crate) fn pedestal(&self, depth: f64) -> Pedestal {
        let (before, share) = self.place(depth);
        Pedestal::between(self.pedestals[before], self.pedestals[before + 1], share)
    }

    /// The node of the table above a depth [m], and the share of the way to the next one.
    fn place(&self, depth: f64) -> (usize, f64) {
        let place = (depth / self.step - 1.0).clamp(0.0, (N_DEPTHS - 1) as f64);
        let before = (place as usize).min(N_DEPTHS - 2);
        (before, place - before as f64)
    }

    /// Pulse and beam at a depth [m] for each slope of the table, interpolated over depth.
    pub(crate) fn row(&self, depth: f64) -> [Faded; N_SLOPES] {
        let (before, share) = self.place(depth);
        let share = share as f32;
        std::array::from_fn(|slope| {
            let [a, b] = [before, before + 1].map(|node| self.faded[node * N_SLOPES + slope]);
            Faded::between(a, b, share)
        })
    }
}

impl Faded {
    fn between(a: Self, b: Self, share: f32) -> Self {
        let mix = |a: f32, b: f32| a + share * (b - a);
        Self {
            gain: mix(a.gain, b.gain),
            widening: mix(a.widening, b.widening),
        }
    }

    /// Interpolates a row of the table at a slope of the loss [Np].
    pub(crate) fn at(row: &[Self; N_SLOPES], slope: f32) -> Self {
        let place = (slope / SLOPE_STEP).clamp(0.0, (N_SLOPES - 1) as f32);
        let before = (place as usize).min(N_SLOPES - 2);
        Self::between(row[before], row[before + 1], place - before as f32)
    }
}

/// Slope of the loss [Np] of a medium with an attenuation [dB/(cm MHz)] over a path to a depth and back [m].
pub(crate) fn two_way_slope(attenuation: f64, depth: f64, frequency: f64) -> f64 {
    2.0 * 100.0 * attenuation * 1e-6 * frequency * depth * std::f64::consts::LN_10 / 20.0
}
