//! Width of the two-way beam along the array, as a sum over elements.
//!
//! The response to a point at the lateral offset $x$ from the scanline is
//! $h(x) = \big|\sum_f S(f)\, T(f, x)\, R(f, x)\big|$. Transmission and reception are sums over elements
//! $\sum_e \frac{D(\theta_e)}{r_e} e^{i k (r_e - d_e)}$ with the path $d_e$ that the delays compensate, and the directivity
//! $D(\theta) = \cos\theta \operatorname{sinc}(\tfrac{k w}{2} \sin\theta)$ of an element of width $w$ in a soft baffle (Selfridge 1980,
//! doi:10.1063/1.91692).

use std::f64::consts::PI;

use nalgebra::Complex;

use super::pulse::Component;
use super::{Focusing, Pulse, TransmitFocus};
use crate::transducer::{ElementPose, Transducer};

/// An active element, and the path that its delay compensates [m].
pub(super) type Delayed = (ElementPose, f64);

/// Full width at half maximum of the two-way beam along the array [m], at a depth [m].
pub fn lateral_width(
    transducer: &Transducer,
    focusing: &Focusing,
    pulse: &Pulse,
    depth: f64,
    speed_of_sound: f64,
) -> f64 {
    let mut responses = Responses::new(transducer, focusing, pulse, depth, speed_of_sound);
    let all = vec![1.0; pulse.spectrum().len()];
    responses.width(&all)
}

/// Two-way spectra of a point at a depth, at equal steps off the scanline.
pub(super) struct Responses<'a> {
    transducer: &'a Transducer,
    pulse: &'a Pulse,
    depth: f64,
    speed_of_sound: f64,
    receive: Vec<Delayed>,
    transmit: Option<Vec<Delayed>>,
    /// Distance of steps [m].
    step: f64,
    /// Spectra that are known so far.
    known: Vec<Vec<Complex<f64>>>,
}

impl<'a> Responses<'a> {
    pub(super) fn new(
        transducer: &'a Transducer,
        focusing: &Focusing,
        pulse: &'a Pulse,
        depth: f64,
        speed_of_sound: f64,
    ) -> Self {
        let receive = receiving(transducer, focusing.receive_f_number, depth);
        let reach = receive
            .iter()
            .map(|(element, _)| element.x.abs())
            .fold(0.0, f64::max);
        Self {
            transmit: focusing
                .transmit
                .map(|focus| transmitting(transducer, focus, depth)),
            step: 0.05 * transducer.wavelength(speed_of_sound) * depth / (2.0 * reach),
            known: Vec::new(),
            transducer,
            pulse,
            depth,
            speed_of_sound,
            receive,
        }
    }

    /// Spectrum of the point `n` steps off the scanline.
    pub(super) fn at(&mut self, n: usize) -> &[Complex<f64>] {
        while self.known.len() <= n {
            let offset = self.known.len() as f64 * self.step;
            self.known.push(self.spectrum(offset));
        }
        &self.known[n]
    }

    fn spectrum(&self, offset: f64) -> Vec<Complex<f64>> {
        let target = target(self.transducer, self.depth, offset);
        let field = |elements: &[Delayed]| self.field(elements, target);
        let receive = field(&self.receive);
        // The unfocused wave of all elements has the same strength off the scanline.
        let transmit = self.transmit.as_deref().map(field);
        let components = self.pulse.spectrum().iter().zip(receive).enumerate();
        let component = |(n, (component, heard)): (usize, (&Component, Complex<f64>))| {
            let sent = transmit.as_ref().map_or(Complex::from(1.0), |sent| sent[n]);
            sent * heard * component.two_way
        };
        components.map(component).collect()
    }

    /// Energy of a point at a distance from the scanline [m].
    pub(super) fn energy(&self, offset: f64) -> f64 {
        self.spectrum(offset).iter().map(Complex::norm_sqr).sum()
    }

    /// Pressure of elements at a point, for each frequency; frequencies have equal distances.
    fn field(&self, elements: &[Delayed], target: [f64; 2]) -> Vec<Complex<f64>> {
        let spectrum = self.pulse.spectrum();
        let wave_number = |n: usize| 2.0 * PI * spectrum[n].frequency / self.speed_of_sound;
        let (first, step) = (wave_number(0), wave_number(1) - wave_number(0));
        let mut sums = vec![Complex::from(0.0); spectrum.len()];
        for (element, way) in elements {
            let (distance, lateral, ahead) = seen_from(element, target);
            let half_width = 0.5 * self.transducer.element_width * lateral;
            let late = distance - way;
            let [mut phase, phase_step] = [first, step].map(|k| Complex::cis(k * late));
            let [mut edge, edge_step] = [first, step].map(|k| Complex::cis(k * half_width));
            let mut k = first;
            for sum in &mut sums {
                let argument = k * half_width;
                let sinc = if argument.abs() < 1e-6 {
                    1.0
                } else {
                    edge.im / argument
                };
                *sum += phase * (ahead.max(0.0) * sinc / distance);
                (phase, edge, k) = (phase * phase_step, edge * edge_step, k + step);
            }
        }
        sums
    }

    /// Full width at half maximum [m], with weights of the frequencies.
    pub(super) fn width(&mut self, weights: &[f64]) -> f64 {
        let profile = |n: usize| {
            let spectrum = self.at(n).iter().zip(weights);
            let sum: Complex<f64> = spectrum.map(|(h, weight)| h * *weight).sum();
            sum.norm()
        };
        let half_steps = half_width_in_steps(profile);
        2.0 * self.step * half_steps
    }
}

/// Position at which `profile` has fallen to half of its value at zero.
pub(super) fn half_width(profile: impl Fn(f64) -> f64, step: f64) -> f64 {
    step * half_width_in_steps(|n| profile(n as f64 * step))
}

fn half_width_in_steps(mut profile: impl FnMut(usize) -> f64) -> f64 {
    let half = 0.5 * profile(0);
    let mut before = 2.0 * half;
    for n in 1..400 {
        let value = profile(n);
        if value < half {
            return (n - 1) as f64 + (before - half) / (before - value);
        }
        before = value;
    }
    400.0
}

/// The point at a depth on the central scanline, moved along the array at the same depth [m].
fn target(transducer: &Transducer, depth: f64, offset: f64) -> [f64; 2] {
    match transducer.apex_radius() {
        None => [offset, depth],
        Some(radius) => {
            let angle = offset / (radius + depth);
            [
                (radius + depth) * angle.sin(),
                (radius + depth) * angle.cos() - radius,
            ]
        }
    }
}

/// Elements that see the point on the scanline within the cone of the F-number.
pub(super) fn receiving(transducer: &Transducer, f_number: f64, depth: f64) -> Vec<Delayed> {
    let seen = |element: &ElementPose| {
        let (sin, cos) = element.tilt.sin_cos();
        let (x, z) = (-element.x, depth - element.z);
        let (along, lateral) = (x * sin + z * cos, x * cos - z * sin);
        // Close to the face a few elements are always active.
        lateral.abs() <= (along / (2.0 * f_number)).max(2.0 * transducer.pitch)
    };
    let way = |element: &ElementPose| element.x.hypot(depth - element.z);
    transducer
        .elements()
        .filter(seen)
        .map(|element| (element, way(&element)))
        .collect()
}

/// Transmitting elements, with delays towards the focus; time starts when the front passes the focus.
pub(super) fn transmitting(
    transducer: &Transducer,
    focus: TransmitFocus,
    depth: f64,
) -> Vec<Delayed> {
    let half = 0.5 * focus.depth / focus.f_number;
    let radius = transducer.apex_radius().filter(|&radius| radius > 0.0);
    let along = |element: &ElementPose| radius.map_or(element.x, |radius| radius * element.tilt);
    let way =
        |element: &ElementPose| element.x.hypot(focus.depth - element.z) + depth - focus.depth;
    transducer
        .elements()
        .filter(|element| along(element).abs() <= half)
        .map(|element| (element, way(&element)))
        .collect()
}

/// Distance of a point from an element [m], and the parts of its direction along the face and ahead.
fn seen_from(element: &ElementPose, [x, z]: [f64; 2]) -> (f64, f64, f64) {
    let (x, z) = (x - element.x, z - element.z);
    let distance = x.hypot(z);
    let (sin, cos) = element.tilt.sin_cos();
    (
        distance,
        (x * cos - z * sin) / distance,
        (x * sin + z * cos) / distance,
    )
}

/// Distance of a point from an element [m], and the directivity there relative to straight ahead.
#[cfg(test)]
pub(super) fn directivity(
    element: &ElementPose,
    target: [f64; 2],
    k: f64,
    element_width: f64,
) -> (f64, f64) {
    let (distance, lateral, ahead) = seen_from(element, target);
    let argument = 0.5 * k * element_width * lateral;
    let sinc = if argument.abs() < 1e-6 {
        1.0
    } else {
        argument.sin() / argument
    };
    (distance, ahead.max(0.0) * sinc)
}
