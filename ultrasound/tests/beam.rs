//! Contract: pulse and beam are those of the array's physics.
//!
//! The reference is made by us with PyMUST 0.1.9, simulated: one point on the axis, 1540 m/s, one cycle, receiving aperture F/1.5 with
//! boxcar weights, focused transmission F/2 at 30 mm (L11-5v) or 80 mm (C5-2v).
//! Across the array PyMUST takes an unfocused shot of all elements and sums its energy over time, so that its width depends on how many
//! elements fire (L11-5v at 15 mm: 0.64 mm for one, 0.70 mm for thirteen, 0.68 mm for all); hence the greater tolerance there.

use insonate_ultrasound::beam::{Focusing, Pulse, TransmitFocus, elevation_width, lateral_width};
use insonate_ultrasound::transducer::{Transducer, c5_2, l11_5v};

const SPEED: f64 = 1540.0;

/// Relative error of lateral widths; 0.03 is what is found.
const LATERAL: f64 = 0.05;

/// Depth, lateral width without and with transmit focus, two-way elevational width [mm].
const L11_5V: [[f64; 4]; 3] = [
    [15.0, 0.4223, 0.4234, 0.6810],
    [30.0, 0.4267, 0.3434, 1.5014],
    [45.0, 0.4253, 0.4231, 3.5048],
];
const C5_2V: [[f64; 4]; 3] = [
    [40.0, 1.6400, 1.6396, 1.9077],
    [80.0, 2.3171, 1.1958, 2.7994],
    [120.0, 3.1137, 3.0095, 5.6473],
];

fn check(transducer: &Transducer, focus: f64, reference: &[[f64; 4]; 3], elevational: f64) {
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
        let tolerances = [LATERAL, LATERAL, elevational];
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
    check(&l11_5v(), 0.03, &L11_5V, 0.15);
}

#[test]
fn beams_of_a_curved_array_are_as_wide_as_pymust_has_them() {
    check(&c5_2(), 0.08, &C5_2V, 0.1);
}

#[test]
fn pulses_are_as_long_as_pymust_has_them() {
    for (transducer, wanted) in [(l11_5v(), 0.1609e-3), (c5_2(), 0.3355e-3)] {
        let width = Pulse::new(&transducer).width(SPEED);
        assert!((width / wanted - 1.0).abs() < 0.03, "{width} {wanted}");
    }
}
