//! Contract: each control of the scanner does to pictures what its name says, and nothing if it is not set.

use insonate_ultrasound::b_mode::{Compounding, GreyMap, Persistence, Tgc};
use insonate_ultrasound::deformation::Rigid;
use insonate_ultrasound::material::SOFT_TISSUE;
use insonate_ultrasound::measure::{
    BoneRod, PointTarget, point_targets, rod_shadow, speckle_statistics,
};
use insonate_ultrasound::phantom::Block;
use insonate_ultrasound::transducer::{Transducer, c5_2, l11_5v};
use insonate_ultrasound::{BMode, Controls, Frame, Material, Settings, View};
use nalgebra::Isometry3;

const SPEED: f64 = 1540.0;

/// Small settings with speckle but without loss and noise.
fn small(transducer: &Transducer) -> Settings {
    Settings {
        n_lines: 96,
        n_samples: 400,
        ..Settings::bare(transducer)
    }
}

fn tissue(backscatter: f32) -> Block {
    Block::uniform(Material {
        attenuation: 0.0,
        backscatter,
        ..SOFT_TISSUE
    })
}

/// A frame, and its picture of 200 pixels.
fn imaged(transducer: &Transducer, settings: &Settings, block: &Block) -> (Frame, Vec<u8>) {
    let mut b_mode = BMode::new(transducer, settings).expect("the test is valid");
    let rigid = Rigid::default();
    let view = View::new(block, &rigid, &Isometry3::identity()).expect("the test is valid");
    let frame = b_mode.frame(&view, 0).clone();
    let mut picture = Vec::new();
    let converter = b_mode.scan_converter(200).expect("the test is valid");
    converter.picture(&frame, &mut picture);
    (frame, picture)
}

fn with(controls: &Controls, usual: &Settings, transducer: &Transducer) -> Settings {
    let settings = controls.applied(usual.clone(), transducer);
    settings.expect("the test is valid")
}

#[test]
fn controls_that_are_not_set_change_nothing() {
    let transducer = c5_2();
    let usual = Settings::of(&transducer);
    let same = with(&Controls::default(), &usual, &transducer);
    assert_eq!(same, usual);
    // Nor do those that are set to the defaults.
    let usual = small(&transducer);
    let set = Controls {
        transmit_frequency: Some(transducer.center_frequency),
        transmit_cycles: Some(1),
        foci: vec![0.08],
        transmit_f_number: Some(4.0),
        receive_f_number: Some(1.5),
        gain: Some(0.0),
        tgc: Some(Tgc::sliders(&[0.0; 8]).expect("the test is valid")),
        dynamic_range: Some(60.0),
        grey_map: Some(GreyMap::Linear),
        views: Some(1),
        view_angle: None,
        noise: None,
    };
    let (plain, grey) = imaged(&transducer, &usual, &tissue(0.0));
    let (again, same) = imaged(&transducer, &with(&set, &usual, &transducer), &tissue(0.0));
    assert_eq!(plain.envelope, again.envelope);
    assert_eq!(grey, same);
}

#[test]
fn gain_shifts_the_picture_of_speckle_by_its_decibels() {
    let transducer = l11_5v();
    // So wide that nothing is black or white.
    let wide = Settings {
        dynamic_range: 120.0,
        ..small(&transducer)
    };
    let mean = |gain: f64| {
        let controls = Controls {
            gain: Some(gain),
            ..Controls::default()
        };
        let (_, picture) = imaged(
            &transducer,
            &with(&controls, &wide, &transducer),
            &tissue(0.0),
        );
        // Below the ringing face.
        let inside: Vec<f64> = picture[100 * 200..]
            .iter()
            .copied()
            .filter(|grey| *grey > 0)
            .map(f64::from)
            .collect();
        assert!(inside.iter().all(|grey| *grey < 255.0));
        inside.iter().sum::<f64>() / inside.len() as f64
    };
    for gain in [-9.0, 4.5, 12.0] {
        let shift = 120.0 / 255.0 * (mean(gain) - mean(0.0));
        assert!((shift - gain).abs() < 0.02, "{gain}: {shift}");
    }
}

#[test]
fn the_dynamic_range_and_the_grey_map_follow_their_formulas() {
    let transducer = c5_2();
    let usual = small(&transducer);
    let grey_map = |map: GreyMap, x: f64| match map {
        GreyMap::Linear => x,
        GreyMap::Gamma => x.powf(0.7),
        GreyMap::SCurve => 3.0 * x.powi(2) - 2.0 * x.powi(3),
    };
    for (range, map) in [
        (40.0, GreyMap::Linear),
        (80.0, GreyMap::Linear),
        (60.0, GreyMap::Gamma),
        (50.0, GreyMap::SCurve),
    ] {
        let controls = Controls {
            dynamic_range: Some(range),
            grey_map: Some(map),
            ..Controls::default()
        };
        let settings = with(&controls, &usual, &transducer);
        let (frame, picture) = imaged(&transducer, &settings, &tissue(3.0));
        let b_mode = BMode::new(&transducer, &settings).expect("the test is valid");
        let converter = b_mode.scan_converter(200).expect("the test is valid");
        let levels = converter.values(&frame.envelope, f32::NAN);
        let mut n = 0;
        for (level, grey) in levels.iter().zip(&picture) {
            if !level.is_nan() {
                // White is 32 dB above the speckle of liver.
                let share = ((f64::from(*level) - 32.0) / range + 1.0).clamp(0.0, 1.0);
                let wanted = 255.0 * grey_map(map, share);
                // Greys are rounded before and after the map, whose slope is at most 3.4 at the second one of 256 greys.
                let tolerance = if map == GreyMap::Linear { 1.01 } else { 4.0 };
                assert!(
                    (f64::from(*grey) - wanted).abs() < tolerance,
                    "{map:?} {level}: {grey} {wanted}"
                );
                n += 1;
            }
        }
        assert!(n > 10_000);
    }
}

#[test]
fn tgc_adds_its_interpolated_decibels_at_each_depth() {
    let transducer = c5_2();
    let usual = small(&transducer);
    let (plain, _) = imaged(&transducer, &usual, &tissue(0.0));
    let sliders = [2.0, 0.0, -3.0, 0.0, 6.0, 6.0, 1.0, -4.0];
    let points = [[0.02, -5.0], [0.05, 4.0], [0.11, 10.0]];
    let between = |knots: &[[f64; 2]], depth: f64| {
        let [first, last] = [knots[0], knots[knots.len() - 1]];
        let inside = knots.windows(2).find(|pair| depth < pair[1][0]);
        match inside {
            _ if depth <= first[0] => first[1],
            Some([[z0, g0], [z1, g1]]) => g0 + (g1 - g0) * (depth - z0) / (z1 - z0),
            _ => last[1],
        }
    };
    let spaced = (0..8).map(|i| 0.15 / 7.0 * f64::from(i)).zip(sliders);
    let spaced: Vec<[f64; 2]> = spaced.map(|(depth, gain)| [depth, gain]).collect();
    let cases = [
        (Tgc::sliders(&sliders), spaced),
        (Tgc::new(points.to_vec()), points.to_vec()),
    ];
    for (tgc, knots) in cases {
        let settings = Settings {
            tgc: tgc.expect("the test is valid"),
            ..usual.clone()
        };
        let (frame, _) = imaged(&transducer, &settings, &tissue(0.0));
        for line in [0, 40, 95] {
            for sample in (0..400).step_by(7) {
                let added = f64::from(frame.line(line)[sample] - plain.line(line)[sample]);
                let wanted = between(&knots, sample as f64 * 0.15 / 400.0);
                assert!((added - wanted).abs() < 0.002, "{sample}: {added} {wanted}");
            }
        }
    }
}

#[test]
fn curves_of_gain_are_read_from_text() {
    let read = |text: &str| text.parse::<Tgc>();
    assert_eq!(read("0,-2,4"), Tgc::sliders(&[0.0, -2.0, 4.0]));
    assert_eq!(
        read("0.02=0, 0.1=6"),
        Tgc::new(vec![[0.02, 0.0], [0.1, 6.0]])
    );
    for wrong in [
        "",
        "x",
        "1,,2",
        "0.1=2,0.05=3",
        "0.1=99",
        "0.1=2,3",
        "0.1=nan",
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn noise_has_its_level_where_nothing_echoes() {
    let transducer = l11_5v();
    for noise in [-60.0, -35.0] {
        let controls = Controls {
            noise: Some(noise),
            ..Controls::default()
        };
        let settings = with(&controls, &small(&transducer), &transducer);
        let (frame, _) = imaged(&transducer, &settings, &tissue(f32::NEG_INFINITY));
        let levels = (0..96).flat_map(|line| frame.line(line)[300..].iter().copied());
        let found = speckle_statistics(&levels.collect::<Vec<f32>>()).level;
        assert!((found - noise).abs() < 0.3, "{noise}: {found}");
    }
}

/// The point targets at depths [m].
fn points(transducer: &Transducer, controls: &Controls, depths: &[f64]) -> Vec<PointTarget> {
    let usual = Settings {
        n_lines: 1025,
        ..Settings::bare(transducer)
    };
    let settings = with(controls, &usual, transducer);
    point_targets(transducer, &settings, depths, 0.0).expect("the test is valid")
}

fn focused(foci: &[f64], f_number: f64) -> Controls {
    Controls {
        foci: foci.to_vec(),
        transmit_f_number: Some(f_number),
        ..Controls::default()
    }
}

/// With the aperture of F/2 at any depth the beam is narrowest, relative to a beam with the focus at each depth, at its own focus.
#[test]
fn the_narrowest_beam_moves_with_the_focus() {
    let transducer = l11_5v();
    let depths = [0.015, 0.022, 0.03, 0.038];
    for focus in [0.022, 0.03] {
        let found = points(&transducer, &focused(&[focus], 2.0), &depths);
        let narrowest = found
            .iter()
            .min_by(|a, b| a.lateral.total_cmp(&b.lateral))
            .expect("there are points");
        assert!((narrowest.depth - focus).abs() < 1e-9, "{focus}: {found:?}");
    }
}

/// At the focus of equal apertures the two-way width is 0.886 λ F (Jensen 1991: the Fourier transform of an aperture), with the wavelength of the
/// echo; directivity widens it where F is small.
#[test]
fn at_the_focus_the_width_is_the_wavelength_times_the_f_number() {
    let transducer = l11_5v();
    for f_number in [2.0, 3.0, 4.0] {
        let controls = Controls {
            receive_f_number: Some(f_number),
            ..focused(&[0.03], f_number)
        };
        let found = points(&transducer, &controls, &[0.03])[0];
        let wanted = 0.886 * SPEED / found.frequency * f_number;
        let ratio = found.lateral / wanted;
        assert!((ratio - 1.0).abs() < 0.1, "F/{f_number}: {ratio}");
    }
}

/// Widths are proportional to the wavelength that is sent, if it is sent for several cycles: along the array at the same F-numbers, along the
/// line at the same number of cycles.
#[test]
fn lower_frequencies_give_wider_beams_and_longer_pulses() {
    let transducer = c5_2();
    let at = |frequency: f64, n_cycles: usize| {
        let controls = Controls {
            transmit_frequency: Some(frequency),
            transmit_cycles: Some(n_cycles),
            // So small an aperture that the elements' directivity does not matter.
            receive_f_number: Some(4.0),
            ..Controls::default()
        };
        points(&transducer, &controls, &[0.08])[0]
    };
    let [low, middle, high] = [2.7e6, 3.57e6, 4e6].map(|frequency| at(frequency, 4));
    for (found, frequency) in [(low, 2.7e6), (middle, 3.57e6), (high, 4e6)] {
        assert!(
            (found.frequency / frequency - 1.0).abs() < 0.08,
            "{found:?}"
        );
        // An envelope of four cycles there and the band's own length: 4 λ / 2 at half maximum.
        let length = 4.0 * SPEED / frequency / 2.0;
        assert!(
            (found.axial / length - 1.0).abs() < 0.12,
            "{length} {found:?}"
        );
    }
    for (low, high, sent) in [(low, middle, 3.57 / 2.7), (middle, high, 4.0 / 3.57)] {
        let lateral = low.lateral / high.lateral;
        assert!((lateral / sent - 1.0).abs() < 0.04, "{lateral} {sent}");
        let axial = low.axial / high.axial;
        assert!((axial / sent - 1.0).abs() < 0.08, "{axial} {sent}");
    }
    // One cycle is as wide as the band, which decides the frequency.
    let one = [2.7e6, 4.4e6].map(|frequency| at(frequency, 1));
    assert!(one[0].frequency < one[1].frequency, "{one:?}");
    assert!(one[1].frequency / one[0].frequency < 1.3, "{one:?}");
    assert!(one[0].axial < 0.5 * low.axial, "{one:?} {low:?}");
}

#[test]
fn several_foci_give_each_zone_the_beam_of_its_own_focus() {
    let transducer = l11_5v();
    let foci = [0.012, 0.022, 0.034];
    let all = points(&transducer, &focused(&foci, 2.0), &foci);
    for (focus, found) in foci.iter().zip(&all) {
        let alone = points(&transducer, &focused(&[*focus], 2.0), &[*focus])[0];
        let ratio = found.lateral / alone.lateral;
        assert!((ratio - 1.0).abs() < 0.06, "{focus}: {ratio}");
    }
    let single = points(&transducer, &focused(&[0.022], 2.0), &foci);
    assert!(
        all[2].lateral < 0.9 * single[2].lateral,
        "{all:?} {single:?}"
    );
}

#[test]
fn persistence_is_a_recursive_mean_of_levels() {
    let transducer = l11_5v();
    let frames: Vec<Frame> = (0..4)
        .map(|seed| {
            let settings = Settings {
                speckle_seed: seed,
                ..small(&transducer)
            };
            imaged(&transducer, &settings, &tissue(0.0)).0
        })
        .collect();
    let mut persistence = Persistence::new(0.7).expect("the test is valid");
    for n in 0..frames.len() {
        let averaged = persistence.apply(&frames[n]).clone();
        for index in (0..averaged.envelope.len()).step_by(97) {
            // 0.7^n x_0 + Σ 0.3 · 0.7^(n−k) x_k.
            let term = |k: usize| {
                let weight = if k == 0 { 1.0 } else { 0.3 };
                let power = i32::try_from(n - k).expect("it is small");
                weight * 0.7f64.powi(power) * f64::from(frames[k].envelope[index])
            };
            let wanted: f64 = (0..=n).map(term).sum();
            let found = f64::from(averaged.envelope[index]);
            assert!((found - wanted).abs() < 1e-3, "{n}: {found} {wanted}");
        }
        assert_eq!(averaged.labels, frames[n].labels);
    }
    persistence.restart();
    assert_eq!(persistence.apply(&frames[2]).envelope, frames[2].envelope);
    assert!(Persistence::new(0.99).is_err() && Persistence::new(-0.1).is_err());
}

#[test]
fn what_a_scanner_cannot_do_is_refused_by_name() {
    let transducer = c5_2();
    let refused = |controls: &Controls| {
        let error = controls.applied(Settings::of(&transducer), &transducer);
        error.expect_err("it is out of range").to_string()
    };
    let usual = Controls::default;
    let cases = [
        (
            Controls {
                transmit_frequency: Some(1e6),
                ..usual()
            },
            "transmit frequency is 1000000",
        ),
        (focused(&[0.05, 0.9], 4.0), "transmit focus is 0.9"),
        (focused(&[0.05; 9], 4.0), "further foci is 8"),
        (focused(&[0.05], 0.1), "transmit f-number is 0.1"),
        (
            Controls {
                receive_f_number: Some(99.0),
                ..usual()
            },
            "receive f-number is 99",
        ),
        (
            Controls {
                transmit_cycles: Some(0),
                ..usual()
            },
            "transmit cycles is 0",
        ),
        (
            Controls {
                dynamic_range: Some(1.0),
                ..usual()
            },
            "dynamic range is 1",
        ),
        (
            Controls {
                gain: Some(f64::NAN),
                ..usual()
            },
            "gain is NaN",
        ),
    ];
    for (controls, wanted) in cases {
        let told = refused(&controls);
        assert!(told.contains(wanted), "{told}");
    }
    assert!(GreyMap::by_name("s-curv").is_err());
}

/// A linear array of 38 mm whose receiving aperture is so small that views 12° apart share little of it.
fn steerable() -> (Transducer, Settings) {
    let transducer = l11_5v();
    let usual = Settings {
        n_lines: 160,
        n_samples: 700,
        depth: 0.04,
        ..Settings::bare(&transducer)
    };
    let controls = Controls {
        receive_f_number: Some(4.0),
        ..focused(&[0.025], 5.0)
    };
    let settings = with(&controls, &usual, &transducer);
    (transducer, settings)
}

fn compounded(n_views: usize, degrees: f64, settings: &Settings) -> Settings {
    Settings {
        compounding: Some(Compounding {
            n_views,
            angle: degrees.to_radians(),
        }),
        ..settings.clone()
    }
}

/// Levels in the middle, which all views reach.
fn in_the_middle(frame: &Frame) -> Vec<f32> {
    let lines = (50..110).flat_map(|line| &frame.line(line)[200..550]);
    lines.copied().collect()
}

#[test]
fn compounding_of_independent_views_raises_the_ratio_of_speckle_by_their_root() {
    let (transducer, settings) = steerable();
    let ratio = |settings: &Settings| {
        let mut sum = 0.0;
        for seed in 0..4 {
            let seeded = Settings {
                speckle_seed: seed,
                ..settings.clone()
            };
            let (frame, _) = imaged(&transducer, &seeded, &tissue(0.0));
            sum += speckle_statistics(&in_the_middle(&frame)).snr / 4.0;
        }
        sum
    };
    let one = ratio(&settings);
    assert!((one / 1.91 - 1.0).abs() < 0.06, "{one}");
    let [three, same] =
        [(3, 15.0), (3, 0.6)].map(|(n, degrees)| ratio(&compounded(n, degrees, &settings)));
    assert!((three / (3f64.sqrt() * 1.91) - 1.0).abs() < 0.1, "{three}");
    // Views of nearly one direction have nearly one speckle.
    assert!(same < 1.15 * one, "{same}");
}

#[test]
fn steered_views_meet_at_the_same_places() {
    let (transducer, settings) = steerable();
    let block = Block::points(&[0.02, 0.03], SPEED as f32, 0.0);
    let settings = Settings {
        n_lines: 161,
        ..settings
    };
    let (plain, _) = imaged(&transducer, &settings, &block);
    let (all, _) = imaged(&transducer, &compounded(5, 12.0, &settings), &block);
    for depth in [0.02, 0.03] {
        let sample = (depth / 0.04 * 700.0) as usize;
        let peak = |frame: &Frame| {
            let near = (0..161).flat_map(|line| (sample - 30..sample + 30).map(move |s| [line, s]));
            near.max_by(|a, b| {
                let level = |[line, sample]: [usize; 2]| frame.line(line)[sample];
                level(*a).total_cmp(&level(*b))
            })
            .expect("there are samples")
        };
        let ([line, at], [other, there]) = (peak(&plain), peak(&all));
        assert!(line.abs_diff(other) <= 1 && at.abs_diff(there) <= 2);
        // All views see the point as strong as the middle one does, so the mean is as strong.
        let lost = plain.line(line)[at] - all.line(other)[there];
        assert!((-1.0..2.0).contains(&lost), "{lost}");
    }
}

/// Behind a rod of radius r the lines of all directions are blocked down to r / sin θ below its middle only.
#[test]
fn compounding_fills_the_shadow_behind_the_crossing_of_views() {
    let (transducer, settings) = steerable();
    let rod = BoneRod {
        radius: 0.0015,
        top: 0.008,
    };
    let depths = [0.014, 0.034];
    let level = |settings: &Settings| {
        let found = rod_shadow(&transducer, settings, &rod, &depths).expect("the test is valid");
        let middle = found.iter().filter(|level| level.x.abs() < 1e-9);
        let levels: Vec<f64> = middle.map(|found| found.level).collect();
        [levels[0], levels[1]]
    };
    let (plain, all) = (level(&settings), level(&compounded(3, 15.0, &settings)));
    // At 34 mm two of three views pass the rod: the mean of amplitudes is about 2/3 or -3.5 dB.
    assert!(all[1] > plain[1] + 4.0, "{plain:?} {all:?}");
    assert!((-5.5..-2.0).contains(&all[1]), "{plain:?} {all:?}");
}

#[test]
fn compounding_needs_a_linear_array_and_an_odd_number_of_views() {
    for (transducer, n_views, wanted) in [
        (c5_2(), 3, "linear arrays only"),
        (l11_5v(), 4, "3, 5, 7 or 9"),
    ] {
        let controls = Controls {
            views: Some(n_views),
            ..Controls::default()
        };
        let error = controls.applied(Settings::of(&transducer), &transducer);
        let told = error.expect_err("it is refused").to_string();
        assert!(told.contains(wanted), "{told}");
    }
}

#[test]
fn the_same_frame_is_compounded_on_one_thread() {
    let (transducer, settings) = steerable();
    let settings = Settings {
        noise: -60.0,
        ..compounded(3, 10.0, &settings)
    };
    let (block, rigid) = (tissue(0.0), Rigid::default());
    let view = View::new(&block, &rigid, &Isometry3::identity()).expect("the test is valid");
    let scanner = BMode::new(&transducer, &settings).expect("the test is valid");
    let [all, own] = [scanner.clone(), scanner.on_own_thread()]
        .map(|mut scanner| scanner.frame(&view, 3).envelope.clone());
    assert_eq!(all, own);
}
