//! Contract: points in pictures have the widths of PyMUST, in the configurations of `beam.rs`, and their echoes add up.

use insonate_ultrasound::beam::{Focusing, Pulse, TransmitFocus, elevation_width, lateral_width};
use insonate_ultrasound::deformation::{Point, Rigid};
use insonate_ultrasound::measure::point_targets;
use insonate_ultrasound::phantom::{Block, Scatterer};
use insonate_ultrasound::transducer::{Transducer, c5_2, l11_5v};
use insonate_ultrasound::{BMode, Settings, View};
use nalgebra::{Complex, Isometry3};

/// Depth, transmit focus, lateral, axial, elevational width [mm].
const L11_5V: [(f64, Option<f64>, [f64; 3]); 3] = [
    (15.0, None, [0.4223, 0.1640, 0.620]),
    (30.0, Some(30.0), [0.3434, 0.1634, 1.430]),
    (45.0, Some(30.0), [0.4231, 0.1776, 3.732]),
];
const C5_2V: [(f64, Option<f64>, [f64; 3]); 3] = [
    (40.0, Some(80.0), [1.6396, 0.3393, 1.857]),
    (80.0, Some(80.0), [1.1958, 0.3421, 2.664]),
    (120.0, None, [3.1137, 0.3389, 5.642]),
];

/// Across the array the reference is an unfocused shot: see `beam.rs`.
fn check(transducer: &Transducer, n_lines: usize, rows: &[(f64, Option<f64>, [f64; 3])]) {
    for (depth, focus, wanted) in rows {
        let transmit = focus.map(|focus| TransmitFocus {
            depth: 1e-3 * focus,
            f_number: 2.0,
        });
        let settings = Settings {
            n_lines,
            focusing: Focusing {
                transmit,
                receive_f_number: 1.5,
            },
            ..Settings::bare(transducer)
        };
        let found = point_targets(transducer, &settings, &[1e-3 * depth], 0.0)
            .expect("the test is valid")[0];
        let found = [found.lateral, found.axial, found.elevation].map(|width| 1e3 * width);
        for ((found, wanted), tolerance) in found.iter().zip(wanted).zip([0.05, 0.1, 0.1]) {
            assert!(
                (found / wanted - 1.0).abs() < tolerance,
                "{depth}: {found} {wanted}"
            );
        }
    }
}

#[test]
fn points_under_a_linear_array_are_as_wide_as_pymust_has_them() {
    check(&l11_5v(), 513, &L11_5V);
}

#[test]
fn points_under_a_curved_array_are_as_wide_as_pymust_has_them() {
    check(&c5_2(), 513, &C5_2V);
}

/// The frame is compared with the direct sum over points of pulse, Gaussian beams and carrier, without grids and filters.
#[test]
fn echoes_of_points_add_up() {
    const SPEED: f64 = 1540.0;
    const DEPTH: f64 = 0.02;
    let transducer = l11_5v();
    let settings = Settings {
        n_lines: 257,
        n_samples: 800,
        depth: 0.03,
        ..Settings::bare(&transducer)
    };
    let pulse = Pulse::new(&transducer);
    let sigma = |width: f64| width / (8.0 * 2f64.ln()).sqrt();
    let lateral = sigma(lateral_width(
        &transducer,
        &settings.focusing,
        &pulse,
        DEPTH,
        SPEED,
    ));
    let across = sigma(elevation_width(&transducer, &pulse, DEPTH, SPEED));
    // Irregular positions around the depth, from multiples of the golden ratio.
    let place = |n: i32, k: f64| ((f64::from(n) + 0.5) * k).fract() - 0.5;
    let points: Vec<[f64; 4]> = (0..60)
        .map(|n| {
            let sign = if place(n, 0.3247) > 0.0 { 1.0 } else { -1.0 };
            let [x, y, z] = [place(n, 0.6180), place(n, 0.7549), place(n, 0.5698)];
            [2e-3 * x, 1e-3 * y, DEPTH + 1e-3 * z, sign]
        })
        .collect();
    let mut block = Block::points(&[], SPEED as f32, 0.0);
    let scatterer = |[x, y, z, sign]: &[f64; 4]| Scatterer {
        rest: Point::new(*x as f32, *y as f32, *z as f32),
        amplitude: 100.0 * *sign as f32,
    };
    block.scatterers = points.iter().map(scatterer).collect();
    let mut b_mode = BMode::new(&transducer, &settings).expect("the settings are valid");
    let rigid = Rigid::default();
    let view = View::new(&block, &rigid, &Isometry3::identity()).expect("the pose is valid");
    let frame = b_mode.frame(&view, 0);
    let (mut error, mut power) = (0.0, 0.0);
    for line in 120..137 {
        let x = (line as f64 - 128.0) * transducer.span() / 257.0;
        for sample in 515..552 {
            let range = sample as f64 * frame.step;
            let echo = |[px, py, pz, sign]: &[f64; 4]| {
                let beam =
                    (-0.5 * ((px - x) / lateral).powi(2) - 0.5 * (py / across).powi(2)).exp();
                let phase = -4.0 * std::f64::consts::PI * pulse.mean_frequency() / SPEED * pz;
                pulse.envelope(2.0 * (range - pz) / SPEED)
                    * Complex::from_polar(100.0 * sign * beam, phase)
            };
            let wanted = points.iter().map(echo).sum::<Complex<f64>>().norm();
            let found = 10f64.powf(0.05 * f64::from(frame.line(line)[sample]));
            error += (found - wanted).powi(2);
            power += wanted.powi(2);
        }
    }
    let relative = (error / power).sqrt();
    // The sum has no tails of the beam, which are 20 dB weaker.
    assert!(relative < 0.1, "{relative}");
}
