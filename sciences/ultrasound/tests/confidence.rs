//! Contract: confidence maps solve the random walk, decrease with depth, and are low in shadows.

use insonate_ultrasound::deformation::Rigid;
use insonate_ultrasound::material::{BONE, SOFT_TISSUE};
use insonate_ultrasound::measure::{ConfidenceSettings, confidence};
use insonate_ultrasound::phantom::{Adult, Block};
use insonate_ultrasound::transducer::{c5_2, l11_5v};
use insonate_ultrasound::{BMode, Frame, Settings, View};
use nalgebra::{DMatrix, DVector, Isometry3};

/// Settings for grey levels of 0.01 times the level in dB.
fn settings() -> ConfidenceSettings {
    ConfidenceSettings {
        levels: [0.0, 100.0],
        ..ConfidenceSettings::of(&Settings::of(&l11_5v()))
    }
}

fn frame(n_lines: usize, n_samples: usize, level: impl Fn(usize, usize) -> f32) -> Frame {
    let places = (0..n_lines * n_samples).map(|n| (n / n_samples, n % n_samples));
    Frame {
        n_lines,
        n_samples,
        step: 1e-4,
        envelope: places.map(|(line, sample)| level(line, sample)).collect(),
        labels: vec![0; n_lines * n_samples],
        coupled: vec![true; n_lines],
    }
}

/// Irregular brightness.
fn rough(line: usize, sample: usize) -> f32 {
    30.0 + 8.0 * ((line * 31 + sample * 17) as f32).sin()
}

#[test]
fn even_tissue_is_trusted_in_proportion_to_its_height() {
    let settings = ConfidenceSettings {
        alpha: 0.0,
        ..settings()
    };
    let map = confidence(&frame(12, 21, |_, _| 40.0), &settings).expect("the frame is valid");
    for line in map.values.chunks(21) {
        for (sample, value) in line.iter().enumerate() {
            let wanted = 1.0 - sample as f32 / 20.0;
            assert!((value - wanted).abs() < 1e-5, "{sample}: {value} {wanted}");
        }
    }
    assert!((map.mean() - 0.5).abs() < 1e-6);
}

/// The reference uses transition probabilities between all nodes.
#[test]
fn map_is_the_probability_of_the_walk() {
    const SIZE: [usize; 2] = [6, 9];
    let settings = ConfidenceSettings {
        beta: 20.0,
        ..settings()
    };
    let map = confidence(&frame(SIZE[0], SIZE[1], rough), &settings).expect("the frame is valid");
    let n = SIZE[0] * SIZE[1];
    let place = |node: usize| [node / SIZE[1], node % SIZE[1]];
    let brightness = |node: usize| {
        let [line, sample] = place(node);
        let share = sample as f64 / (SIZE[1] - 1) as f64;
        0.01 * f64::from(rough(line, sample)) * (1.0 - (-settings.alpha * share).exp())
    };
    let weight = |i: usize, j: usize| {
        let ([a, b], [c, d]) = (place(i), place(j));
        let penalty = match (a.abs_diff(c), b.abs_diff(d)) {
            (0, 1) => 0.0,
            (1, 0) => settings.gamma,
            (1, 1) => settings.gamma * 2f64.sqrt(),
            _ => return 0.0,
        };
        (-settings.beta * ((brightness(i) - brightness(j)).abs() + penalty)).exp() + 1e-6
    };
    let (mut matrix, mut right) = (DMatrix::identity(n, n), DVector::zeros(n));
    for i in 0..n {
        match place(i)[1] {
            0 => right[i] = 1.0,
            last if last == SIZE[1] - 1 => {}
            _ => {
                let sum: f64 = (0..n).map(|j| weight(i, j)).sum();
                for j in 0..n {
                    matrix[(i, j)] -= weight(i, j) / sum;
                }
            }
        }
    }
    let wanted = matrix.lu().solve(&right).expect("the walk ends");
    for (found, wanted) in map.values.iter().zip(wanted.iter()) {
        assert!(
            (f64::from(*found) - wanted).abs() < 1e-6,
            "{found} {wanted}"
        );
    }
}

#[test]
fn a_line_without_contact_is_not_trusted() {
    let mut frame = frame(20, 30, |_, _| 0.0);
    frame.coupled[7..11].fill(false);
    let map = confidence(&frame, &settings()).expect("the frame is valid");
    for (line, values) in map.values.chunks(30).enumerate() {
        let is_dark = values.iter().all(|value| *value == 0.0);
        assert_eq!(is_dark, (7..11).contains(&line), "{line}");
    }
    frame.coupled.fill(false);
    let map = confidence(&frame, &settings()).expect("the frame is valid");
    assert_eq!(map.mean(), 0.0);
}

/// Nodes that average several lines and samples show the same shadow.
#[test]
fn coarser_nodes_find_the_same_shadow() {
    let level = |line: usize, sample: usize| match (line, sample) {
        (24..40, 60..64) => 90.0,
        (24..40, 64..) => 0.0,
        _ => 40.0,
    };
    let frame = frame(64, 160, level);
    let maps = [[64, 160], [32, 80]].map(|nodes| {
        let settings = ConfidenceSettings {
            nodes,
            ..settings()
        };
        confidence(&frame, &settings).expect("the frame is valid")
    });
    for map in maps {
        let mean = |lines: std::ops::Range<usize>| {
            let n = lines.len() as f32;
            lines.map(|line| map.values[line * 160 + 100]).sum::<f32>() / n
        };
        assert!(
            mean(28..36) < 0.5 * mean(4..12),
            "{} {}",
            mean(28..36),
            mean(4..12)
        );
    }
}

/// A rod of bone above deep tissue: the map of its picture is dark below the rod.
#[test]
fn shadows_of_bone_are_not_trusted() {
    let transducer = l11_5v();
    let settings = Settings {
        n_lines: 96,
        n_samples: 256,
        depth: 0.04,
        ..Settings::of(&transducer)
    };
    let block = Block::uniform(SOFT_TISSUE).with_rod(BONE, [0.0, 0.012], 0.004);
    let (rigid, pose) = (Rigid::default(), Isometry3::identity());
    let view = View::new(&block, &rigid, &pose).expect("the pose is valid");
    let mut b_mode = BMode::new(&transducer, &settings).expect("the settings are valid");
    let frame = b_mode.frame(&view, 0).clone();
    let walk = ConfidenceSettings {
        nodes: [48, 128],
        ..ConfidenceSettings::of(&settings)
    };
    let map = confidence(&frame, &walk).expect("the frame is valid");
    let mean = |lines: std::ops::Range<usize>| {
        let below = lines.flat_map(|line| &map.values[line * 256 + 130..][..60]);
        below.sum::<f32>()
    };
    assert!(
        mean(42..54) < 0.3 * mean(4..16),
        "{} {}",
        mean(42..54),
        mean(4..16)
    );

    let converter = b_mode.scan_converter(96).expect("the size is valid");
    let picture = converter.values(&map.values, -1.0);
    assert_eq!(picture.len(), 96 * 96);
    assert!(
        picture
            .iter()
            .all(|value| *value == -1.0 || (0.0..=1.0).contains(value))
    );
    assert!(picture.iter().filter(|value| **value >= 0.0).count() > 4000);
}

#[test]
fn maps_of_patients_and_bad_frames_are_numbers_or_errors() {
    let settings = Settings {
        n_lines: 64,
        n_samples: 128,
        ..Settings::of(&c5_2())
    };
    let adult = Adult::new(&insonate_models::patients::Physique::default(), 3).expect("an adult");
    let pose = adult
        .probe_pose([-0.09, 0.09], 1.57, 0.004)
        .expect("skin is there");
    let rigid = Rigid::default();
    let view = View::new(&adult, &rigid, &pose).expect("the pose is valid");
    let mut b_mode = BMode::new(&c5_2(), &settings).expect("the settings are valid");
    let mut frame = b_mode.frame(&view, 0).clone();
    let walk = ConfidenceSettings::of(&settings);
    let map = confidence(&frame, &walk).expect("the frame is valid");
    assert!(map.values.iter().all(|value| (0.0..=1.0).contains(value)));
    frame.envelope.fill(f32::NAN);
    let map = confidence(&frame, &walk).expect("black, then");
    assert!(map.values.iter().all(|value| (0.0..=1.0).contains(value)));
    frame.coupled.pop();
    assert!(confidence(&frame, &walk).is_err());
    for wrong in [
        ConfidenceSettings {
            beta: f64::NAN,
            ..walk.clone()
        },
        ConfidenceSettings {
            nodes: [1, 256],
            ..walk.clone()
        },
        ConfidenceSettings {
            nodes: [128, 100_000],
            ..walk.clone()
        },
        ConfidenceSettings {
            levels: [0.0, 0.0],
            ..walk
        },
    ] {
        frame.coupled.resize(frame.n_lines, true);
        assert!(confidence(&frame, &wrong).is_err(), "{wrong:?}");
    }
}
