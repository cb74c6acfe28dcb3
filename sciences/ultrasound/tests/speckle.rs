//! Contract: speckle is fully developed, as fine as the beam, moves with the tissue, and fades with attenuation.

mod pressed;

use insonate_ultrasound::beam::{Pulse, elevation_width, lateral_width};
use insonate_ultrasound::deformation::{Deformation, Rigid};
use insonate_ultrasound::material::SOFT_TISSUE;
use insonate_ultrasound::measure::{attenuation_slope, autocovariance_width, speckle_statistics};
use insonate_ultrasound::phantom::Block;
use insonate_ultrasound::transducer::{Transducer, c5_2, l11_5v, l12_5};
use insonate_ultrasound::{BMode, Frame, Material, Settings, View};
use nalgebra::Isometry3;
use pressed::pressed;

/// Echoes of liver without attenuation.
const GRAIN: Material = Material {
    attenuation: 0.0,
    ..SOFT_TISSUE
};

fn frame(transducer: &Transducer, settings: &Settings, deformation: &dyn Deformation) -> Frame {
    let block = Block::uniform(GRAIN);
    let mut b_mode = BMode::new(transducer, settings).expect("the test is valid");
    let view = View::new(&block, deformation, &Isometry3::identity()).expect("the test is valid");
    b_mode.frame(&view, 0).clone()
}

fn moved(x: f32, y: f32, z: f32) -> Rigid {
    Rigid {
        world_from_rest: Isometry3::translation(x, y, z),
    }
}

/// Small pictures of a small array.
fn small() -> (Transducer, Settings) {
    let transducer = Transducer {
        n_elements: 40,
        ..l11_5v()
    };
    let settings = Settings {
        n_lines: 120,
        n_samples: 800,
        depth: 0.04,
        ..Settings::bare(&transducer)
    };
    (transducer, settings)
}

#[test]
fn amplitudes_are_rayleigh_distributed_and_as_strong_at_every_depth() {
    for transducer in [c5_2(), l12_5()] {
        let settings = Settings {
            n_samples: 768,
            scatterers_per_cell: 14.0,
            ..Settings::bare(&transducer)
        };
        let frame = frame(&transducer, &settings, &Rigid::default());
        let within = |samples: std::ops::Range<usize>| {
            let lines = (12..frame.n_lines - 12).map(|line| &frame.line(line)[samples.clone()]);
            speckle_statistics(&lines.flatten().copied().collect::<Vec<f32>>())
        };
        let all = within(160..760);
        assert!((all.snr - 1.91).abs() < 0.03, "{all:?}");
        assert!((all.log_sd - 5.57).abs() < 0.1, "{all:?}");
        for start in (160..760).step_by(150) {
            let part = within(start..start + 150);
            assert!(part.level.abs() < 0.6, "{start}: {part:?}");
        }
    }
}

/// The autocovariance of the amplitude of Rayleigh speckle is the square of the field's. For a Gaussian with the width w at half maximum it
/// has the width w; for another pulse, the width of the squared autocorrelation of the pulse.
#[test]
fn speckle_is_as_fine_as_the_beam() {
    let (transducer, settings) = small();
    let pulse = Pulse::new(&transducer);
    let lateral = lateral_width(&transducer, &settings.focusing, &pulse, 0.025, 1540.0);
    let (mut across, mut along) = (0.0, 0.0);
    for seed in 0..6 {
        let settings = Settings {
            speckle_seed: seed,
            ..settings.clone()
        };
        let frame = frame(&transducer, &settings, &Rigid::default());
        across += autocovariance_width(&frame, [8, 112], [400, 600], false) / 6.0;
        along += autocovariance_width(&frame, [8, 112], [400, 600], true) / 6.0;
    }
    let across = across * transducer.span() / 120.0;
    let along = along * frame_step(&settings);
    assert!((across / lateral - 1.0).abs() < 0.1, "{across} {lateral}");
    let axial = pulse_autocovariance(&pulse);
    assert!((along / axial - 1.0).abs() < 0.06, "{along} {axial}");
}

/// Width at half maximum of the squared autocorrelation of a pulse, in picture units [m]; PyMUST's speckle has 0.14 to 0.15 mm.
fn pulse_autocovariance(pulse: &Pulse) -> f64 {
    const STEP: f64 = 2e-9;
    let value = |n: i32| pulse.envelope(f64::from(n) * STEP);
    let overlap = |lag: i32| {
        let terms = (-400..400).map(|n| value(n) * value(n + lag).conj());
        terms.sum::<nalgebra::Complex<f64>>().norm_sqr()
    };
    let half = 0.5 * overlap(0);
    let lag = (1..400)
        .find(|&lag| overlap(lag) < half)
        .expect("the test is valid");
    f64::from(2 * lag - 1) * STEP * 1540.0 / 2.0
}

fn frame_step(settings: &Settings) -> f64 {
    settings.depth / settings.n_samples as f64
}

#[test]
fn speckle_fades_as_the_attenuation_says() {
    for (transducer, alpha) in [(c5_2(), 0.5), (l12_5(), 0.7)] {
        let settings = Settings {
            n_lines: 192,
            n_samples: 512,
            ..Settings::bare(&transducer)
        };
        let found = attenuation_slope(&transducer, &settings, alpha).expect("the test is valid");
        assert!((found.slope / alpha - 1.0).abs() < 0.02, "{found:?}");
    }
}

fn amplitudes(frame: &Frame, samples: std::ops::Range<usize>) -> Vec<f64> {
    let lines = (0..frame.n_lines).map(|line| &frame.line(line)[samples.clone()]);
    lines
        .flatten()
        .map(|level| 10f64.powf(0.1 * f64::from(*level)))
        .collect()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let mean = |v: &[f64]| v.iter().sum::<f64>() / n;
    let (p, q) = (mean(a), mean(b));
    let sum =
        |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(a, b)| f(a - p, b - q)).sum::<f64>();
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

/// The correlation of power over a shift δ across the array is exp(−δ²/2σ²), for a beam amplitude of exp(−y²/2σ²).
#[test]
fn speckle_changes_across_the_array_as_its_beam_says() {
    const N_SEEDS: u64 = 12;
    let (transducer, settings) = small();
    let pulse = Pulse::new(&transducer);
    let width = elevation_width(&transducer, &pulse, 0.025, 1540.0);
    let sigma = width / 2.3548;
    for share in [0.3, 0.7, 1.2] {
        let delta = share * sigma;
        let mut found = 0.0;
        for seed in 0..N_SEEDS {
            let settings = Settings {
                speckle_seed: seed,
                ..settings.clone()
            };
            let still = frame(&transducer, &settings, &Rigid::default());
            let shifted = frame(&transducer, &settings, &moved(0.0, delta as f32, 0.0));
            found += 1.0 / N_SEEDS as f64
                * correlation(
                    &amplitudes(&still, 470..530),
                    &amplitudes(&shifted, 470..530),
                );
        }
        let wanted = (-0.5 * share * share).exp();
        assert!((found - wanted).abs() < 0.05, "{share}: {found} {wanted}");
    }
}

/// Displacement along the line [samples] of a window of speckle, from the best correlation with a subsample parabola.
fn tracked(before: &Frame, after: &Frame, [line, sample]: [usize; 2], guess: f64) -> f64 {
    const HALF: [usize; 2] = [14, 40];
    let window = |frame: &Frame, offset: isize| -> Vec<f64> {
        let lines = line - HALF[0]..line + HALF[0];
        let start = (sample as isize + offset) as usize - HALF[1];
        lines
            .flat_map(|line| &frame.line(line)[start..start + 2 * HALF[1]])
            .map(|level| 10f64.powf(0.05 * f64::from(*level)))
            .collect()
    };
    let still = window(before, 0);
    let score = |offset: isize| correlation(&still, &window(after, offset));
    let around = guess.round() as isize;
    let best = (around - 6..=around + 6)
        .max_by(|a, b| score(*a).total_cmp(&score(*b)))
        .expect("the test is valid");
    let [left, middle, right] = [-1, 0, 1].map(|step| score(best + step));
    best as f64 + 0.5 * (left - right) / (left - 2.0 * middle + right)
}

#[test]
fn speckle_of_a_pressed_block_goes_with_it() {
    let (transducer, settings) = small();
    let still = frame(&transducer, &settings, &pressed(0.0));
    let strain = 0.01;
    let squeezed = frame(&transducer, &settings, &pressed(strain));
    let mut errors = Vec::new();
    for sample in (150..650).step_by(50) {
        for line in (30..100).step_by(20) {
            let true_shift = -f64::from(strain) * sample as f64;
            errors.push(tracked(&still, &squeezed, [line, sample], true_shift) - true_shift);
        }
    }
    let bias = errors.iter().sum::<f64>() / errors.len() as f64;
    let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    assert!(bias.abs() < 0.1 && rms < 0.3, "bias {bias}, rms {rms}");
}

#[test]
fn speckle_goes_with_a_body_that_moves() {
    let (transducer, settings) = small();
    let still = frame(&transducer, &settings, &Rigid::default());
    let step = frame_step(&settings);
    // Three lines and 10.4 samples.
    let line = transducer.span() / 120.0;
    let shifted = frame(
        &transducer,
        &settings,
        &moved((3.0 * line) as f32, 0.0, (10.4 * step) as f32),
    );
    for sample in (200..600).step_by(100) {
        let mut back = shifted.clone();
        back.envelope.rotate_left(3 * back.n_samples);
        let found = tracked(&still, &back, [60, sample], 10.4);
        assert!((found - 10.4).abs() < 0.1, "{sample}: {found}");
    }
}

#[test]
fn frames_are_the_same_bits_for_any_number_of_threads() {
    let (transducer, settings) = small();
    let on = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .expect("the test is valid");
        pool.install(|| frame(&transducer, &settings, &pressed(0.02)))
    };
    assert_eq!(on(1).envelope, on(3).envelope);
}
