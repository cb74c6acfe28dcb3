//! Contract: a needle in a picture is where it is, as bright as its angle lets it be, rings with the spacing of its walls, disappears out of
//! the plane, and casts a shadow.
//!
//! Symbols: k wavenumber of the carrier, σ standard deviation of the beam, α angle between needle and face, D and d outer and inner diameter.

use std::f64::consts::PI;

use insonate_ultrasound::beam::{Pulse, elevation_width, lateral_width};
use insonate_ultrasound::deformation::{Point, Rigid};
use insonate_ultrasound::phantom::Block;
use insonate_ultrasound::transducer::l11_5v;
use insonate_ultrasound::{BMode, Filling, Frame, Settings, Shaft, View, material};
use nalgebra::Isometry3;

/// Full width at half maximum over standard deviation.
const FWHM: f64 = 2.354_820_045;
/// 14G and 18G: outer and inner diameter [m].
const G14: [f64; 2] = [2.108e-3, 1.600e-3];
const G18: [f64; 2] = [1.270e-3, 0.838e-3];
const DEPTH: f64 = 0.03;

fn settings() -> Settings {
    Settings {
        n_lines: 257,
        n_samples: 2048,
        depth: 0.05,
        ..Settings::bare(&l11_5v())
    }
}

/// A straight shaft through a place of the plane at a depth, from 25 mm on one side to 15 mm on the other, where the tip is.
fn shaft(angle: f64, elevation: f64, diameters: [f64; 2]) -> Shaft {
    let at = |along: f64| {
        let (x, z) = (along * angle.cos(), DEPTH + along * angle.sin());
        Point::new(x as f32, elevation as f32, z as f32)
    };
    Shaft::polished(vec![at(-0.025), at(0.015)], diameters)
}

fn clear() -> Block {
    Block::points(&[], 1540.0, 0.0)
}

fn frame(phantom: &Block, shafts: Vec<Shaft>) -> Frame {
    let mut scanner = BMode::new(&l11_5v(), &settings()).expect("the settings are valid");
    let still = Rigid::default();
    let view = View::new(phantom, &still, &Isometry3::identity()).expect("the view is valid");
    let view = view.with_shafts(shafts).expect("the shaft is valid");
    scanner.frame(&view, 0).clone()
}

/// Largest level of a line between two depths [dB], and its depth [m].
fn peak(frame: &Frame, line: usize, [from, to]: [f64; 2]) -> (f64, f64) {
    let [from, to] = [from, to].map(|depth| (depth / frame.step) as usize);
    let samples = frame.line(line)[from..to].iter().enumerate();
    let (at, level) = samples.max_by(|a, b| a.1.total_cmp(b.1)).expect("a window");
    (f64::from(*level), (from + at) as f64 * frame.step)
}

#[test]
fn the_shaft_is_shown_where_its_near_side_is() {
    let pixel = 1e-4;
    for degrees in [0.0_f64, 3.0, 6.0] {
        let angle = degrees.to_radians();
        let frame = frame(&clear(), vec![shaft(angle, 0.0, G18)]);
        for line in [60, 128, 190] {
            let x = (line as f64 - 128.0) * l11_5v().span() / 257.0;
            let wanted = DEPTH + x * angle.tan() - 0.5 * G18[0] / angle.cos();
            let (_, found) = peak(&frame, line, [0.015, 0.045]);
            assert!(
                (found - wanted).abs() < pixel,
                "{degrees} {line}: {found} {wanted}"
            );
        }
    }
}

#[test]
fn the_echo_falls_with_the_angle_as_a_gaussian_beam_lets_it() {
    let transducer = l11_5v();
    let settings = settings();
    let pulse = Pulse::new(&transducer);
    let lateral = lateral_width(&transducer, &settings.focusing, &pulse, DEPTH, 1540.0) / FWHM;
    let axial = pulse.width(1540.0) / FWHM;
    let k = 2.0 * PI * pulse.mean_frequency() / 1540.0;
    let level = |degrees: f64| {
        let shaft = Shaft {
            roughness: -80.0,
            ..shaft(degrees.to_radians(), 0.0, G18)
        };
        peak(&frame(&clear(), vec![shaft]), 128, [0.025, 0.033]).0
    };
    let across = level(0.0);
    for degrees in [2.0_f64, 4.0, 6.0] {
        let slope = degrees.to_radians().tan();
        // Points along the shaft leave both the beam and the pulse.
        let width = 1.0 / (lateral.powi(-2) + (slope / axial).powi(2)).sqrt();
        let amplitude = (-0.5 * (2.0 * k * slope * width).powi(2)).exp();
        let expected = 20.0 * amplitude.log10();
        let found = level(degrees) - across;
        assert!(
            (found - expected).abs() < 1.0,
            "{degrees}: {found} {expected}"
        );
    }
    // Beyond 15 degrees a polished mirror is dark, and roughness is what remains.
    let rough = |roughness| Shaft {
        roughness,
        ..shaft(0.4, 0.0, G18)
    };
    let remaining = |roughness| {
        let frame = frame(&clear(), vec![rough(roughness)]);
        let lines = (90..170).map(|line| {
            let x = (line as f64 - 128.0) * transducer.span() / 257.0;
            let at = DEPTH + x * 0.4_f64.tan();
            10_f64.powf(0.1 * peak(&frame, line, [at - 2e-3, at]).0)
        });
        10.0 * (lines.sum::<f64>() / 80.0).log10()
    };
    let (smooth, dimpled) = (remaining(-25.0), remaining(-8.0));
    assert!((dimpled - smooth - 17.0).abs() < 1.0, "{smooth} {dimpled}");
    assert!((smooth - across + 25.0).abs() < 4.0, "{smooth} {across}");
}

#[test]
fn reverberations_have_the_spacing_of_the_walls() {
    let wall = 0.5 * (G14[0] - G14[1]) * 1540.0 / 5800.0;
    // A solid shaft: D 1540 / 5800. A tube full of water: d 1540 / 1480, behind the passage of the wall.
    let cases = [
        (Filling::Stylet, 0.0, G14[0] * 1540.0 / 5800.0, 6),
        (Filling::Water, wall, G14[1] * 1540.0 / 1480.0, 2),
    ];
    for (filling, delay, spacing, n) in cases {
        let shaft = Shaft {
            filling,
            ..shaft(0.0, 0.0, G14)
        };
        let frame = frame(&clear(), vec![shaft]);
        let near = DEPTH - 0.5 * G14[0];
        let mut before = peak(&frame, 128, [near - 1e-3, near + 1e-3]).0;
        for times in 1..=n {
            let wanted = near + delay + f64::from(times) * spacing;
            let around = [wanted - 0.4 * spacing, wanted + 0.4 * spacing];
            let (level, found) = peak(&frame, 128, around);
            assert!(
                (found - wanted).abs() < 5e-5,
                "{filling:?} {times}: {found} {wanted}"
            );
            // It stands out from what is half a spacing behind it.
            let valley = found + 0.5 * spacing;
            let dark = frame.line(128)[(valley / frame.step) as usize];
            assert!(
                level > f64::from(dark) + 10.0,
                "{filling:?} {times}: {level} {dark}"
            );
            assert!(level < before, "{filling:?} {times}: {level} {before}");
            before = level;
        }
    }
    // Air rings in the thin wall, too close to be told apart: a tail that falls steadily, and above that of a stylet nearby.
    let tail = |filling| {
        let shaft = Shaft {
            filling,
            ..shaft(0.0, 0.0, G18)
        };
        let frame = frame(&clear(), vec![shaft]);
        let near = DEPTH - 0.5 * G18[0];
        [0.5e-3, 1.0e-3].map(|behind| peak(&frame, 128, [near + behind, near + behind + 2e-4]).0)
    };
    let [near, far] = tail(Filling::Air);
    assert!(
        near > far + 3.0 && near > tail(Filling::Water)[0] + 3.0,
        "{near} {far}"
    );
}

#[test]
fn a_needle_out_of_the_plane_fades_and_disappears() {
    let transducer = l11_5v();
    let pulse = Pulse::new(&transducer);
    let sigma = elevation_width(&transducer, &pulse, DEPTH - 0.5 * G18[0], 1540.0) / FWHM;
    let level = |elevation: f64| {
        peak(
            &frame(&clear(), vec![shaft(0.0, elevation, G18)]),
            128,
            [0.025, 0.033],
        )
        .0
    };
    let middle = level(0.0);
    for share in [0.5, 1.0, 2.0] {
        let expected = 20.0 * (-0.5_f64 * share * share).exp().log10();
        let found = level(share * sigma) - middle;
        assert!(
            (found - expected).abs() < 1.0,
            "{share}: {found} {expected}"
        );
    }
    assert!(level(3.1 * sigma) < middle - 100.0);
}

#[test]
fn an_oblique_needle_is_a_dot_where_it_crosses_the_plane() {
    let at = |along: f64| Point::new(5e-3, along as f32, DEPTH as f32);
    let shaft = Shaft::polished(vec![at(-0.02), at(0.02)], G18);
    let frame = frame(&clear(), vec![shaft]);
    let (level, depth) = {
        let line = (128.0 + 5e-3 / l11_5v().span() * 257.0) as usize;
        peak(&frame, line, [0.02, 0.04])
    };
    assert!((depth - DEPTH + 0.5 * G18[0]).abs() < 1.5e-4, "{depth}");
    // 4 mm aside there is nothing.
    let aside = peak(&frame, 60, [0.02, 0.04]).0;
    assert!(aside < level - 35.0, "{aside} {level}");
}

/// Mean power of a part of a frame [dB].
fn power(frame: &Frame, lines: std::ops::Range<usize>, depths: [f64; 2]) -> f64 {
    let [from, to] = depths.map(|depth| (depth / frame.step) as usize);
    let levels = lines.flat_map(|line| frame.line(line)[from..to].to_vec());
    let powers: Vec<f64> = levels
        .map(|level| 10_f64.powf(0.1 * f64::from(level)))
        .collect();
    10.0 * (powers.iter().sum::<f64>() / powers.len() as f64).log10()
}

#[test]
fn a_needle_casts_the_shadow_of_the_strip_that_it_covers() {
    let tissue = Block::uniform(material::SOFT_TISSUE);
    let (with, without) = (
        frame(&tissue, vec![shaft(0.0, 0.0, G18)]),
        frame(&tissue, Vec::new()),
    );
    let change = |lines: std::ops::Range<usize>, depths| {
        power(&with, lines.clone(), depths) - power(&without, lines, depths)
    };
    let transducer = l11_5v();
    let pulse = Pulse::new(&transducer);
    let sigma = 2_f64.sqrt() * elevation_width(&transducer, &pulse, DEPTH, 1540.0) / FWHM;
    // Integral of the beam over the width of the needle, by the midpoint rule.
    let n = 1000;
    let inside = (0..n).map(|i| {
        let y = ((f64::from(i) + 0.5) / f64::from(n) - 0.5) * G18[0];
        (-0.5 * (y / sigma).powi(2)).exp() * G18[0] / f64::from(n)
    });
    let covered = inside.sum::<f64>() / (sigma * (2.0 * PI).sqrt());
    // Steel between tissue of 1.65 and 45 Mrayl lets 1 − R² of the pressure through.
    let reflection = (45.0 - 1.65) / (45.0_f64 + 1.65);
    let expected = 40.0 * (1.0 - reflection.powi(2) * covered).log10();
    let behind = change(100..160, [0.037, 0.045]);
    assert!(expected < -3.0, "{expected}");
    assert!((behind - expected).abs() < 1.0, "{behind} {expected}");
    assert!(change(100..160, [0.01, 0.025]).abs() < 0.1);
    // Beyond the tip at 15 mm, by more than half the aperture of a depth of 40 mm at F/1.5, nothing is in the way.
    assert!(change(0..256, [0.002, 0.02]).abs() < 0.1);
}

#[test]
fn wrong_shafts_are_refused_by_field() {
    let good = shaft(0.0, 0.0, G18);
    let wrong = [
        (
            Shaft {
                axis: vec![Point::origin()],
                ..good.clone()
            },
            "axis",
        ),
        (
            Shaft {
                radii: [f32::NAN, 0.0],
                ..good.clone()
            },
            "outer radius",
        ),
        (
            Shaft {
                radii: [1e-3, 2e-3],
                ..good.clone()
            },
            "inner radius",
        ),
        (
            Shaft {
                roughness: 3.0,
                ..good.clone()
            },
            "roughness",
        ),
        (
            Shaft {
                tip_angle: 0.0,
                ..good.clone()
            },
            "tip_angle",
        ),
    ];
    let still = Rigid::default();
    let phantom = clear();
    for (shaft, field) in wrong {
        let view = View::new(&phantom, &still, &Isometry3::identity()).expect("the view is valid");
        let error = view
            .with_shafts(vec![shaft])
            .err()
            .map(|error| error.to_string());
        assert!(
            error.as_ref().is_some_and(|text| text.contains(field)),
            "{field} {error:?}"
        );
    }
}
