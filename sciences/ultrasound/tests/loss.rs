//! Contract: attenuation takes more from high frequencies: points in pictures have the levels, frequencies and widths of PyMUST.

use insonate_ultrasound::Settings;
use insonate_ultrasound::measure::point_targets;
use insonate_ultrasound::transducer::c5_2;

/// PyMUST 0.1.9 (simulated): C5-2v, one cycle transmitted at F/4 with the focus at 80 mm, received at F/1.5, attenuation 0.5 dB/(cm MHz).
/// Depth [mm]; energy along the line relative to a medium without loss [dB]; mean frequency [MHz]; lateral and axial width [mm].
const PYMUST: [[f64; 5]; 3] = [
    [40.0, -12.71, 3.109, 1.828, 0.383],
    [80.0, -24.25, 2.885, 1.963, 0.425],
    [120.0, -33.47, 2.612, 3.236, 0.541],
];
/// The same without attenuation: depth, frequency, lateral and axial width.
const CLEAR: [[f64; 4]; 3] = [
    [40.0, 3.384, 1.622, 0.357],
    [80.0, 3.434, 1.643, 0.339],
    [120.0, 3.302, 2.724, 0.351],
];

#[test]
fn points_behind_attenuation_are_those_of_pymust() {
    let transducer = c5_2();
    let settings = Settings {
        n_lines: 1025,
        ..Settings::bare(&transducer)
    };
    let of = |depth: f64, alpha: f64| {
        point_targets(&transducer, &settings, &[1e-3 * depth], alpha).expect("the test is valid")[0]
    };
    for [depth, level, frequency, lateral, axial] in PYMUST {
        let found = of(depth, 0.5);
        assert!((found.level - level).abs() < 0.5, "{depth}: {found:?}");
        check(&found, [frequency, lateral, axial]);
    }
    for [depth, frequency, lateral, axial] in CLEAR {
        let found = of(depth, 0.0);
        assert_eq!(found.level, 0.0);
        check(&found, [frequency, lateral, axial]);
    }
}

fn check(found: &insonate_ultrasound::measure::PointTarget, wanted: [f64; 3]) {
    let of = [
        1e-6 * found.frequency,
        1e3 * found.lateral,
        1e3 * found.axial,
    ];
    eprintln!("{of:.3?} {wanted:?} {:.2} dB", found.level);
    for (own, wanted) in of.iter().zip(wanted) {
        assert!(
            (own / wanted - 1.0).abs() < 0.05,
            "{own} {wanted}: {found:?}"
        );
    }
}
