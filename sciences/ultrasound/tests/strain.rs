//! Contract: the strain between two frames of complex lines is the one that their scatterers got.

mod pressed;

use insonate_ultrasound::b_mode::Iq;
use insonate_ultrasound::deformation::{Deformation, Rigid};
use insonate_ultrasound::material::SOFT_TISSUE;
use insonate_ultrasound::measure::{StrainMap, StrainSettings, strain_contrast};
use insonate_ultrasound::phantom::Block;
use insonate_ultrasound::transducer::{Transducer, l11_5v};
use insonate_ultrasound::{BMode, Settings, View};
use nalgebra::{Complex, Isometry3};
use pressed::pressed;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const SPEED: f64 = 1540.0;
const FREQUENCY: f64 = 7.5e6;
const WAVELENGTH: f64 = SPEED / FREQUENCY;
const STEP: f64 = 4.5e-5;
const LINES: usize = 24;
const SAMPLES: usize = 800;

/// Lines of random scatterers, each seen by a Gaussian pulse of 60 % bandwidth, after a displacement [m] of depths [m]. Without beam, grid and filters.
fn lines(displacement: impl Fn(f64) -> f64) -> Iq {
    const N: usize = 2500;
    let end = SAMPLES as f64 * STEP + 0.002;
    // Full width at half of the spectrum's amplitude: σ of the pulse in depth.
    let sigma = 2.0 * (2.0 * std::f64::consts::LN_2).sqrt()
        / (std::f64::consts::TAU * 0.6 * FREQUENCY)
        * SPEED
        / 2.0;
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut values = Vec::with_capacity(2 * LINES * SAMPLES);
    for _ in 0..LINES {
        let mut line = vec![Complex::new(0.0, 0.0); SAMPLES];
        for _ in 0..N {
            let rest = rng.random_range(-0.002..end);
            let amplitude: f64 = rng.random_range(-1.0..1.0);
            let depth = rest + displacement(rest);
            let phase = -std::f64::consts::TAU * FREQUENCY * 2.0 * depth / SPEED;
            let echo = Complex::from_polar(amplitude, phase);
            let first = ((depth - 5.0 * sigma) / STEP).ceil().max(0.0) as usize;
            let last = ((depth + 5.0 * sigma) / STEP)
                .floor()
                .min((SAMPLES - 1) as f64);
            for sample in first..=last.max(0.0) as usize {
                let away = (sample as f64 * STEP - depth) / sigma;
                if let Some(sum) = line.get_mut(sample) {
                    *sum += echo * (-0.5 * away * away).exp();
                }
            }
        }
        values.extend(line.iter().flat_map(|s| [s.re as f32, s.im as f32]));
    }
    Iq {
        n_lines: LINES,
        n_samples: SAMPLES,
        sample_rate: SPEED / (2.0 * STEP),
        center_frequency: FREQUENCY,
        values,
    }
}

fn map(before: &Iq, after: &Iq) -> StrainMap {
    let settings = StrainSettings::of(SPEED, FREQUENCY);
    StrainMap::between(before, after, SPEED, &settings).expect("the test is valid")
}

fn moments(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    [mean, square.sqrt()]
}

/// Strains of windows whose slope is fitted over its whole length.
fn inner(map: &StrainMap) -> impl Iterator<Item = f64> + '_ {
    let edge = 8;
    (0..map.n_lines).flat_map(move |line| {
        let some = &map.line(line)[edge..map.n_windows - edge];
        some.iter().map(|strain| f64::from(*strain))
    })
}

/// The mean within 3 %, the standard deviation below a tenth of the strain, and 5e-4.
#[test]
fn a_uniform_strain_is_found() {
    let before = lines(|_| 0.0);
    for strain in [0.005, 0.01, 0.02] {
        let found = map(&before, &lines(|depth| -strain * depth));
        let [mean, deviation] = moments(inner(&found));
        eprintln!("{strain}: {mean:.6} ± {deviation:.6}");
        assert!((mean / strain - 1.0).abs() < 0.03, "{strain}: {mean}");
        assert!(deviation < 0.1 * strain, "{strain}: {deviation}");
        assert!(deviation < 1e-3, "{strain}: {deviation}");
    }
}

/// Within a hundredth of a wavelength, for shifts of parts of a wavelength and of several.
#[test]
fn a_shift_is_found() {
    let before = lines(|_| 0.0);
    for shift in [0.03 * WAVELENGTH, -0.4 * WAVELENGTH, 1.27 * WAVELENGTH] {
        let found = map(&before, &lines(|_| shift));
        for line in found.displacement.chunks_exact(found.n_windows) {
            // At the ends echoes enter and leave.
            for displacement in &line[4..found.n_windows - 4] {
                let error = f64::from(*displacement) - shift;
                assert!(error.abs() < 0.01 * WAVELENGTH, "{shift}: {displacement}");
            }
        }
        let [mean, deviation] = moments(inner(&found));
        assert!(mean.abs() < 1e-4 && deviation < 2e-4, "{mean} {deviation}");
    }
}

#[test]
fn tissue_at_rest_has_no_strain() {
    let before = lines(|_| 0.0);
    let found = map(&before, &before);
    assert!(found.strain.iter().all(|strain| strain.abs() < 1e-7));
    let is_whole = |share: &f32| (share - 1.0).abs() < 1e-3;
    assert!(found.correlation.iter().all(is_whole));
}

/// Half the strain between 12 and 20 mm: found there and outside, and the windows' depths are right.
#[test]
fn a_stiff_layer_is_found_at_its_depth() {
    let (top, bottom) = (0.012, 0.02);
    let shift = |depth: f64| -0.01 * (depth - 0.5 * (depth.clamp(top, bottom) - top));
    let found = map(&lines(|_| 0.0), &lines(shift));
    let mean = |low: f64, high: f64| {
        let inside =
            |window: &usize| (low..high).contains(&(found.first + *window as f64 * found.step));
        let windows: Vec<usize> = (0..found.n_windows).filter(inside).collect();
        let all =
            (0..found.n_lines).flat_map(|line| windows.iter().map(move |window| (line, *window)));
        moments(all.map(|(line, window)| f64::from(found.line(line)[window])))[0]
    };
    let [layer, below] = [mean(0.0145, 0.0175), mean(0.0235, 0.031)];
    assert!((layer / 0.005 - 1.0).abs() < 0.04, "{layer}");
    assert!((below / 0.01 - 1.0).abs() < 0.03, "{below}");
    // Half-way between both at the boundary, to 0.3 mm.
    let profile = |depth: f64| mean(depth - 2e-4, depth + 2e-4);
    let crossing = (0..100)
        .map(|n| 0.018 + 4e-5 * f64::from(n))
        .find(|&depth| profile(depth) > 0.0075);
    let crossing = crossing.expect("it is crossed");
    assert!((crossing - bottom).abs() < 3e-4, "{crossing}");
}

/// Of numbers without a formula in common with the code: 1, 2, 3 and 5, 6, 7 have means 4 apart and variances of 2/3.
#[test]
fn contrast_is_the_difference_over_the_noise() {
    let found = strain_contrast(&[1.0, 2.0, 3.0], &[5.0, 6.0, 7.0]);
    assert!((found.cnr - 24f64.sqrt()).abs() < 1e-12, "{found:?}");
    assert!(strain_contrast(&[], &[1.0]).cnr.is_nan());
}

fn frame_lines(transducer: &Transducer, settings: &Settings, body: &dyn Deformation) -> Iq {
    let block = Block::uniform(SOFT_TISSUE);
    let mut b_mode = BMode::new(transducer, settings).expect("the test is valid");
    let view = View::new(&block, body, &Isometry3::identity()).expect("the test is valid");
    b_mode.frame(&view, 0);
    b_mode.iq()
}

/// Windows in which the face rings.
const RINGING: usize = 16;

/// The complex lines of frames carry strain and shift: the mean strain within 3 %, the shift within λ/100.
#[test]
fn frames_carry_the_strain_of_their_body() {
    let transducer = Transducer {
        n_elements: 40,
        ..l11_5v()
    };
    let settings = Settings {
        n_lines: 80,
        n_samples: 800,
        depth: 0.036,
        ..Settings::of(&transducer)
    };
    let before = frame_lines(&transducer, &settings, &Rigid::default());
    let wavelength = SPEED / before.center_frequency;
    let windows = StrainSettings::of(SPEED, before.center_frequency);
    let between = |after: &Iq| {
        StrainMap::between(&before, after, SPEED, &windows).expect("the test is valid")
    };
    // Also where the face rings.
    let rest = between(&before);
    assert!(rest.displacement.iter().all(|d| d.abs() < 1e-8));
    let shift = 0.37 * wavelength;
    let moved = Rigid {
        world_from_rest: Isometry3::translation(0.0, 0.0, shift as f32),
    };
    let found = between(&frame_lines(&transducer, &settings, &moved));
    // Windows that correlate, below the ringing of the face.
    let below = |map: &StrainMap, values: &[f32]| -> Vec<f64> {
        let place = |index: usize| index % map.n_windows;
        let is_inner = |index: &usize| (RINGING..map.n_windows - 8).contains(&place(*index));
        let some = (0..values.len()).filter(is_inner);
        let known: Vec<usize> = some
            .clone()
            .filter(|&index| map.correlation[index] > 0.8)
            .collect();
        assert!(
            known.len() as f64 > 0.8 * some.count() as f64,
            "{}",
            known.len()
        );
        known
            .iter()
            .map(|&index| f64::from(values[index]))
            .collect()
    };
    let [mean, deviation] = moments(below(&found, &found.displacement).into_iter());
    eprintln!("{shift:e}: {mean:e} ± {deviation:e}");
    assert!((mean - shift).abs() < 0.005 * wavelength, "{shift}: {mean}");
    assert!(deviation < 0.01 * wavelength, "{deviation}");
    for strain in [0.005, 0.01, 0.02] {
        let found = between(&frame_lines(&transducer, &settings, &pressed(strain)));
        let [mean, deviation] = moments(below(&found, &found.strain).into_iter());
        eprintln!("{strain}: {mean:.6} ± {deviation:.6}");
        assert!(
            (mean / f64::from(strain) - 1.0).abs() < 0.03,
            "{strain}: {mean}"
        );
        assert!(deviation < 0.2 * f64::from(strain), "{strain}: {deviation}");
    }
}

#[test]
fn frames_that_differ_and_windows_that_do_not_fit_are_refused() {
    let before = lines(|_| 0.0);
    let usual = StrainSettings::of(SPEED, FREQUENCY);
    let refused = |after: &Iq, settings: &StrainSettings, field: &str| {
        let found = StrainMap::between(&before, after, SPEED, settings);
        let text = found.expect_err("it is refused").to_string();
        assert!(text.contains(field), "{text}");
    };
    let other = Iq {
        center_frequency: 5e6,
        ..before.clone()
    };
    refused(&other, &usual, "frames");
    let with = |window, slope, overlap| StrainSettings {
        window,
        slope,
        overlap,
        ..usual
    };
    refused(&before, &with(0.049, 0.003, 0.8), "window");
    refused(&before, &with(0.002, 0.09, 0.8), "slope");
    refused(&before, &with(0.002, 0.003, 1.0), "overlap");
    refused(&before, &with(f64::NAN, 0.003, 0.8), "window");
}
