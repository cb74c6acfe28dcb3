//! Width of the two-way beam along the array, as a sum over elements.
//!
//! The response to a point at the lateral offset $x$ from the scanline is
//! $h(x) = \big|\sum_f S(f)\, T(f, x)\, R(f, x)\big|$. Transmission and reception are sums over elements
//! $\sum_e \frac{D(\theta_e)}{r_e} e^{i k (r_e - d_e)}$ with the path $d_e$ that the delays compensate, and the directivity
//! $D(\theta) = \cos\theta \operatorname{sinc}(\tfrac{k w}{2} \sin\theta)$ of an element of width $w$ in a soft baffle (Selfridge 1980,
//! doi:10.1063/1.91692).

use std::f64::consts::PI;

use nalgebra::Complex;

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
    let receive = receiving(transducer, focusing.receive_f_number, depth);
    let transmit = focusing
        .transmit
        .map(|focus| transmitting(transducer, focus, depth));
    let profile = |offset: f64| {
        let target = target(transducer, depth, offset);
        let sum: Complex<f64> = pulse
            .spectrum()
            .iter()
            .map(|component| {
                let k = 2.0 * PI * component.frequency / speed_of_sound;
                let field =
                    |elements: &[Delayed]| one_way(elements, target, k, transducer.element_width);
                // The unfocused wave of all elements has the same strength off the scanline.
                let sent = transmit.as_deref().map_or(Complex::from(1.0), field);
                sent * field(&receive) * component.two_way
            })
            .sum();
        sum.norm()
    };
    let reach = receive
        .iter()
        .map(|(element, _)| element.x.abs())
        .fold(0.0, f64::max);
    let step = 0.05 * transducer.wavelength(speed_of_sound) * depth / (2.0 * reach);
    2.0 * half_width(profile, step)
}

/// Position at which `profile` has fallen to half of its value at zero.
pub(super) fn half_width(profile: impl Fn(f64) -> f64, step: f64) -> f64 {
    let half = 0.5 * profile(0.0);
    let mut before = 2.0 * half;
    for n in 1..400 {
        let value = profile(f64::from(n) * step);
        if value < half {
            return step * (f64::from(n - 1) + (before - half) / (before - value));
        }
        before = value;
    }
    400.0 * step
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

/// Pressure of elements at a point.
fn one_way(elements: &[Delayed], target: [f64; 2], k: f64, element_width: f64) -> Complex<f64> {
    let pressure = |(element, way): &Delayed| {
        let (distance, weight) = directivity(element, target, k, element_width);
        Complex::from_polar(weight / distance, k * (distance - way))
    };
    elements.iter().map(pressure).sum()
}

/// Distance of a point from an element [m], and the directivity there relative to straight ahead.
pub(super) fn directivity(
    element: &ElementPose,
    [x, z]: [f64; 2],
    k: f64,
    element_width: f64,
) -> (f64, f64) {
    let (x, z) = (x - element.x, z - element.z);
    let distance = x.hypot(z);
    let (sin, cos) = element.tilt.sin_cos();
    let (lateral, ahead) = (
        (x * cos - z * sin) / distance,
        (x * sin + z * cos) / distance,
    );
    let argument = 0.5 * k * element_width * lateral;
    let sinc = if argument.abs() < 1e-6 {
        1.0
    } else {
        argument.sin() / argument
    };
    (distance, ahead.max(0.0) * sinc)
}
