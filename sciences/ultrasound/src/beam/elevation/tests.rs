//! Contract: the field of all elements, each a strip with the lens, matches PyMUST; the field of a single strip is close to that of a line.

use std::f64::consts::TAU;

use nalgebra::Complex;

use super::super::lateral::{Delayed, directivity, half_width, receiving, transmitting};
use super::super::{Pulse, TransmitFocus};
use super::{elevation_width, strip};
use crate::transducer::{Transducer, c5_2, l11_5v};

const SPEED: f64 = 1540.0;

/// Depth [mm] and width across the array [mm] from PyMUST 0.1.9 (simulated): root mean square over time, squared, of an unfocused shot
/// of all elements (`pfield`), with default settings and with `FrequencyStep` 0.03.
/// PyMUST evaluates the lens' field at a few frequencies and keeps it constant above each, so that coarse steps blur it.
const L11_5V: [[f64; 3]; 3] = [
    [15.0, 0.6810, 0.620],
    [30.0, 1.5014, 1.430],
    [45.0, 3.5048, 3.732],
];
const C5_2V: [[f64; 3]; 3] = [
    [40.0, 1.9077, 1.857],
    [80.0, 2.7994, 2.664],
    [120.0, 5.6473, 5.642],
];

/// Pressure of elements, each a strip with the lens, at a depth and a distance from the axis.
fn field(
    transducer: &Transducer,
    elements: &[Delayed],
    depth: f64,
    y: f64,
    k: f64,
) -> Complex<f64> {
    let pressure = |(element, way): &Delayed| {
        let (distance, weight) = directivity(element, [0.0, depth], k, transducer.element_width);
        let late = Complex::from_polar(weight / distance.sqrt(), -k * way);
        late * strip(transducer, distance, y, k)
    };
    elements.iter().map(pressure).sum()
}

/// Width of the mean square over time of an unfocused shot, searched near a given width.
fn unfocused_width(transducer: &Transducer, pulse: &Pulse, depth: f64, near: f64) -> f64 {
    let all: Vec<Delayed> = transducer
        .elements()
        .map(|element| (element, 0.0))
        .collect();
    let profile = |y: f64| -> f64 {
        let intensity = pulse.spectrum().iter().map(|component| {
            let k = TAU * component.frequency / SPEED;
            component.sent * field(transducer, &all, depth, y, k).norm_sqr()
        });
        intensity.sum()
    };
    2.0 * half_width(profile, 0.1 * near)
}

/// Errors of widths relative to PyMUST, with default settings and with fine steps.
fn errors(transducer: &Transducer, reference: &[[f64; 3]; 3]) -> [f64; 2] {
    let pulse = Pulse::new(transducer);
    let each = reference.map(|row| {
        let [depth, coarse, fine] = row.map(|mm| 1e-3 * mm);
        let found = unfocused_width(transducer, &pulse, depth, fine);
        [coarse, fine].map(|wanted| (found / wanted - 1.0).abs())
    });
    [0, 1].map(|which| each.iter().map(|row| row[which]).fold(0.0, f64::max))
}

#[test]
fn an_unfocused_shot_is_as_wide_as_pymust_has_it() {
    for (transducer, reference) in [(l11_5v(), L11_5V), (c5_2(), C5_2V)] {
        let found = errors(&transducer, &reference);
        assert!(found[0] < 0.1 && found[1] < 0.04, "{found:?}");
        // The test can tell another lens from this one.
        for scale in [0.8, 1.2] {
            let (height, focus) = (transducer.elevation_aperture, transducer.elevation_focus);
            for [height, focus] in [[scale * height, focus], [height, scale * focus]] {
                let wrong = Transducer {
                    elevation_aperture: height,
                    elevation_focus: focus,
                    ..transducer
                };
                let found = errors(&wrong, &reference);
                assert!(found[0] > 0.1 && found[1] > 0.04, "{scale}: {found:?}");
            }
        }
    }
}

/// Width of the peak envelope of the two-way pulse of a focused line.
fn line_width(transducer: &Transducer, pulse: &Pulse, focus: TransmitFocus, depth: f64) -> f64 {
    let elements = [
        transmitting(transducer, focus, depth),
        receiving(transducer, 1.5, depth),
    ];
    // The lens delays by the path to its focus, like the elements' delays in the plane.
    let lens = 2.0 * transducer.elevation_focus;
    let profile = |y: f64| {
        let spectrum = pulse.spectrum().iter().map(|component| {
            let k = TAU * component.frequency / SPEED;
            let [sent, received] = [0, 1].map(|way| field(transducer, &elements[way], depth, y, k));
            let on_time = Complex::from_polar(component.two_way, k * lens);
            (k, on_time * sent * received)
        });
        let spectrum: Vec<(f64, Complex<f64>)> = spectrum.collect();
        let envelope = |n: i32| {
            let way = 1e-5 * f64::from(n);
            let at = |(k, echo): &(f64, Complex<f64>)| echo * Complex::from_polar(1.0, -k * way);
            spectrum.iter().map(at).sum::<Complex<f64>>().norm()
        };
        (-40..120).map(envelope).fold(0.0, f64::max)
    };
    2.0 * half_width(profile, 0.02 * transducer.elevation_aperture)
}

#[test]
fn one_strip_is_as_wide_as_a_line_of_all_elements() {
    for (transducer, focus, depths) in [
        (l11_5v(), 0.03, [0.015, 0.03, 0.045]),
        (c5_2(), 0.08, [0.04, 0.08, 0.12]),
    ] {
        let pulse = Pulse::new(&transducer);
        for f_number in [2.0, 4.0] {
            for depth in depths {
                let transmit = TransmitFocus {
                    depth: focus,
                    f_number,
                };
                let wanted = line_width(&transducer, &pulse, transmit, depth);
                let found = elevation_width(&transducer, &pulse, depth, SPEED);
                assert!(
                    (found / wanted - 1.0).abs() < 0.05,
                    "{depth}: {found} {wanted}"
                );
            }
        }
    }
}
