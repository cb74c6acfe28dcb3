//! Contract: pulse and beam match the physics of the array.
//!
//! The reference was made for this project with PyMUST 0.1.9 (simulated): one point on the axis, 1540 m/s, one cycle, receiving aperture
//! F/1.5 with boxcar weights, focused transmission F/2 at 30 mm (L11-5v) or 80 mm (C5-2v).
//! Across the array PyMUST simulates an unfocused shot of all elements and sums its energy over time, with `FrequencyStep` 0.03 (by default,
//! it keeps the lens' field constant over steps of frequency: docs/trust/b-mode.md).

use insonate_ultrasound::beam::{Focusing, Pulse, TransmitFocus, elevation_width, lateral_width};
use insonate_ultrasound::transducer::{Transducer, c5_2, l11_5v};

const SPEED: f64 = 1540.0;

/// Tolerance of lateral widths (relative); the largest error is 0.03.
const LATERAL: f64 = 0.05;
/// Tolerance of elevational widths (relative); the largest error is 0.07.
const ELEVATIONAL: f64 = 0.1;

/// Depth, lateral width without and with transmit focus, two-way elevational width [mm].
const L11_5V: [[f64; 4]; 3] = [
    [15.0, 0.4223, 0.4234, 0.620],
    [30.0, 0.4267, 0.3434, 1.430],
    [45.0, 0.4253, 0.4231, 3.732],
];
const C5_2V: [[f64; 4]; 3] = [
    [40.0, 1.6400, 1.6396, 1.857],
    [80.0, 2.3171, 1.1958, 2.664],
    [120.0, 3.1137, 3.0095, 5.642],
];

fn check(transducer: &Transducer, focus: f64, reference: &[[f64; 4]; 3]) {
    let pulse = Pulse::new(transducer);
    for [depth, unfocused, focused, elevation] in reference.map(|row| row.map(|mm| 1e-3 * mm)) {
        let lateral = |transmit| {
            let focusing = Focusing {
                transmit,
                receive_f_number: 1.5,
            };
            lateral_width(transducer, &focusing, &pulse, depth, SPEED)
        };
        let transmit = TransmitFocus {
            depth: focus,
            f_number: 2.0,
        };
        let found = [
            lateral(None),
            lateral(Some(transmit)),
            elevation_width(transducer, &pulse, depth, SPEED),
        ];
        let wanted = [unfocused, focused, elevation].into_iter();
        let tolerances = [LATERAL, LATERAL, ELEVATIONAL];
        for ((found, wanted), tolerance) in found.into_iter().zip(wanted).zip(tolerances) {
            assert!(
                (found / wanted - 1.0).abs() < tolerance,
                "{depth}: {found} {wanted}"
            );
        }
    }
}

#[test]
fn beams_of_a_linear_array_are_as_wide_as_pymust_has_them() {
    check(&l11_5v(), 0.03, &L11_5V);
}

#[test]
fn beams_of_a_curved_array_are_as_wide_as_pymust_has_them() {
    check(&c5_2(), 0.08, &C5_2V);
}

#[test]
fn pulses_are_as_long_as_pymust_has_them() {
    for (transducer, wanted) in [(l11_5v(), 0.1609e-3), (c5_2(), 0.3355e-3)] {
        let width = Pulse::new(&transducer).width(SPEED);
        assert!((width / wanted - 1.0).abs() < 0.03, "{width} {wanted}");
    }
}
