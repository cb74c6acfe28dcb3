//! Contract: below a layer of fat, depths, levels and widths of boundaries and a wire in a frame match the wave equation.

mod fdtd;

use std::f64::consts::{PI, TAU};

use fdtd::{Plane, Traces};
use insonate_ultrasound::beam::{Focusing, Pulse};
use insonate_ultrasound::deformation::{Point, Rigid};
use insonate_ultrasound::material::{FAT, GEL, MUSCLE, Material, SOFT_TISSUE};
use insonate_ultrasound::phantom::{Block, Scatterer};
use insonate_ultrasound::transducer::{Transducer, l11_5v};
use insonate_ultrasound::{BMode, Settings, View};
use nalgebra::{Complex, Isometry3};

const SPEED: f64 = 1540.0;
/// Depths of the two boundaries and of the wire between them [m].
const FAT_ENDS: f64 = 3e-3;
const MUSCLE_ENDS: f64 = 7.5e-3;
const WIRE: f64 = 6e-3;
const F_NUMBER: f64 = 1.5;
const HALF_APERTURE: f64 = 3.6e-3;
/// Time of the pulse's peak [s].
const PEAK: f64 = 1e-6;

fn layers() -> [(Material, f32); 3] {
    let still = |material: Material| Material {
        attenuation: 0.0,
        backscatter: f32::NEG_INFINITY,
        ..material
    };
    let ends = [FAT_ENDS, MUSCLE_ENDS, 1.0].map(|end| end as f32);
    [
        (still(FAT), ends[0]),
        (still(MUSCLE), ends[1]),
        (still(GEL), ends[2]),
    ]
}

fn layered(depth: f64) -> [f64; 2] {
    let layers = layers();
    let own = layers.iter().find(|(_, end)| depth < f64::from(*end));
    let (material, _) = own.unwrap_or(&layers[2]);
    [material.speed_of_sound, material.density].map(f64::from)
}

fn uniform(_: f64) -> [f64; 2] {
    [SPEED, f64::from(SOFT_TISSUE.density)]
}

fn simulated_traces(medium: fn(f64) -> [f64; 2], transducer: &Transducer, pulse: &Pulse) -> Traces {
    let plane = Plane {
        medium,
        wire: Some(WIRE),
        depth: 8.2e-3,
        half_aperture: HALF_APERTURE,
        pitch: transducer.pitch,
        element_width: transducer.element_width,
    };
    let carrier = TAU * pulse.mean_frequency();
    let sent = |time: f64| {
        let since = time - PEAK;
        (pulse.envelope(since) * Complex::from_polar(1.0, carrier * since)).re
    };
    // The pulse ends one microsecond after its peak.
    let sent = |time: f64| if time < 2.0 * PEAK { sent(time) } else { 0.0 };
    plane.listen(sent, 13e-6)
}

/// Frequencies of the band, with the spectrum of each element.
struct Spectra {
    frequencies: Vec<f64>,
    elements: Vec<Vec<Complex<f64>>>,
}

/// Spectra of a span of times [s] after the pulse, faded in and out.
fn spectra(traces: &Traces, transducer: &Transducer, span: [f64; 2]) -> Spectra {
    let [low, high] = transducer.band;
    let (middle, band) = (0.5 * (low + high), high - low);
    let frequencies: Vec<f64> = (0..160)
        .map(|n| middle + 1.8 * band * ((f64::from(n) + 0.5) / 160.0 - 0.5))
        .filter(|frequency| *frequency > 1e6)
        .collect();
    let samples: Vec<(usize, f64, f64)> = (0..traces.elements[0].len())
        .filter_map(|n| {
            let time = n as f64 * traces.step - PEAK;
            let share = (time - span[0]) / (span[1] - span[0]);
            let fade = (10.0 * share.min(1.0 - share)).clamp(0.0, 1.0);
            (fade > 0.0).then(|| (n, time, (0.5 * PI * fade).sin().powi(2)))
        })
        .collect();
    let of = |element: &Vec<f32>| -> Vec<Complex<f64>> {
        let at = |frequency: &f64| {
            let turn = |(n, time, fade): &(usize, f64, f64)| {
                Complex::from_polar(fade * f64::from(element[*n]), -TAU * frequency * time)
            };
            samples.iter().map(turn).sum()
        };
        frequencies.iter().map(at).collect()
    };
    Spectra {
        elements: traces.elements.iter().map(of).collect(),
        frequencies,
    }
}

impl Spectra {
    /// The envelope of an element at a time [s], weighted by a power of the frequency.
    fn envelope(&self, element: usize, time: f64, power: f64) -> Complex<f64> {
        let turned =
            self.elements[element]
                .iter()
                .zip(&self.frequencies)
                .map(|(heard, frequency)| {
                    let weight = (frequency / 7.6e6).powf(power);
                    weight * heard * Complex::from_polar(1.0, TAU * frequency * time)
                });
        turned.sum()
    }

    /// Delay and sum of a plane shot, with an aperture that grows with depth; elements at x < 0 receive the same as their mirror images.
    fn beamformed(&self, transducer: &Transducer, x: f64, z: f64) -> f64 {
        let mut sum = Complex::new(0.0, 0.0);
        for index in 0..self.elements.len() {
            for side in [-1.0, 1.0] {
                let place = side * (index as f64 + 0.5) * transducer.pitch;
                if 2.0 * F_NUMBER * (place - x).abs() <= z {
                    let way = z + (place - x).hypot(z);
                    // The echo of a small scatterer grows with the square of the frequency, that of the plane model with the power 3/2.
                    sum += self.envelope(index, way / SPEED, -1.5);
                }
            }
        }
        sum.norm()
    }
}

/// Position and value of a function's maximum between two places, in steps.
fn peak(from: f64, to: f64, step: f64, of: impl Fn(f64) -> f64) -> (f64, f64) {
    let n = ((to - from) / step).round() as usize;
    let all = (0..=n).map(|i| from + i as f64 * step).map(|x| (x, of(x)));
    all.max_by(|a, b| a.1.total_cmp(&b.1)).expect("places")
}

/// Full width at half maximum of a symmetric function with its peak at 0.
fn width(step: f64, of: impl Fn(f64) -> f64) -> f64 {
    let half = 0.5 * of(0.0);
    let outside = (1..200)
        .find(|n| of(f64::from(*n) * step) < half)
        .expect("it falls");
    let [inner, outer] = [outside - 1, outside].map(|n| of(f64::from(n) * step));
    2.0 * step * (f64::from(outside - 1) + (inner - half) / (inner - outer))
}

/// Displayed depth of the wire and its width along the array [m].
fn wire(spectra: &Spectra, transducer: &Transducer, near: f64) -> [f64; 2] {
    let at = |z: f64| spectra.beamformed(transducer, 0.0, z);
    let (z, _) = peak(near - 3e-4, near + 3e-4, 5e-6, at);
    [z, width(2e-5, |x| spectra.beamformed(transducer, x, z))]
}

/// Depth and width of the wire, and depths and levels [dB] of the boundaries, in a frame.
struct FrameFeatures {
    wire: [f64; 2],
    boundaries: [(f64, f64); 2],
}

fn frame_features(block: &Block, near: f64, transducer: &Transducer) -> FrameFeatures {
    let settings = Settings {
        n_lines: 1025,
        n_samples: 1600,
        depth: 9e-3,
        focusing: Focusing {
            transmit: None,
            receive_f_number: F_NUMBER,
        },
        ..Settings::bare(transducer)
    };
    let mut b_mode = BMode::new(transducer, &settings).expect("the settings are valid");
    let rigid = Rigid::default();
    let view = View::new(block, &rigid, &Isometry3::identity()).expect("the pose is valid");
    let frame = b_mode.frame(&view, 0);
    let level =
        |line: usize, z: f64| f64::from(frame.line(line)[(z / frame.step).round() as usize]);
    let middle = |z: f64| level(512, z);
    let (z, _) = peak(near - 3e-4, near + 3e-4, frame.step, middle);
    let spacing = transducer.span() / 1025.0;
    let across = |x: f64| 10f64.powf(0.05 * level((512.0 + x / spacing).round() as usize, z));
    let boundary = |depth: f64| peak(depth - 3e-4, depth + 3e-4, frame.step, middle);
    FrameFeatures {
        wire: [z, width(spacing, across)],
        boundaries: shown_depths().map(boundary),
    }
}

/// Displayed depths of the boundaries, from the travel time of sound.
fn shown_depths() -> [f64; 2] {
    let [fat, muscle] = [FAT, MUSCLE].map(|material| SPEED / f64::from(material.speed_of_sound));
    let first = FAT_ENDS * fat;
    [first, first + (MUSCLE_ENDS - FAT_ENDS) * muscle]
}

fn with_wire(mut block: Block) -> Block {
    block.scatterers.push(Scatterer {
        rest: Point::new(0.0, 0.0, WIRE as f32),
        amplitude: 100.0,
    });
    block
}

/// The L11-5v with almost no lens, as in the plane: nothing converges across the array.
fn flat() -> Transducer {
    Transducer {
        elevation_focus: 0.3,
        ..l11_5v()
    }
}

#[test]
fn fat_over_muscle_looks_as_the_wave_equation_has_it() {
    let transducer = flat();
    let pulse = Pulse::new(&transducer);
    let muscle = SPEED / f64::from(MUSCLE.speed_of_sound);
    let near = shown_depths()[0] + (WIRE - FAT_ENDS) * muscle;
    let frame = frame_features(&with_wire(Block::layers(&layers())), near, &transducer);

    let traces = simulated_traces(layered, &transducer, &pulse);
    let span = [near - 5e-4, near + 5e-4].map(|z| 2.0 * z / SPEED);
    let oracle = wire(&spectra(&traces, &transducer, span), &transducer, near);
    assert!(
        (frame.wire[0] - oracle[0]).abs() < 3e-5,
        "{:?} {oracle:?}",
        frame.wire
    );
    assert!(
        (frame.wire[1] / oracle[1] - 1.0).abs() < 0.1,
        "{:?} {oracle:?}",
        frame.wire
    );

    // Boundaries as the central element receives them: a plane wave that returns.
    let all = spectra(&traces, &transducer, [2e-6, 11e-6]);
    let boundaries = shown_depths().map(|depth| {
        let level = |z: f64| 20.0 * all.envelope(0, 2.0 * z / SPEED, 0.0).norm().log10();
        peak(depth - 3e-4, depth + 3e-4, 5e-6, level)
    });
    for (found, wanted) in frame.boundaries.iter().zip(&boundaries) {
        assert!(
            (found.0 - wanted.0).abs() < 3e-5,
            "{:?} {boundaries:?}",
            frame.boundaries
        );
    }
    let step = |[first, second]: [(f64, f64); 2]| second.1 - first.1;
    let [found, wanted] = [step(frame.boundaries), step(boundaries)];
    assert!((found - wanted).abs() < 0.3, "{found} {wanted} dB");
}

#[test]
fn a_wire_in_one_medium_is_as_wide_as_the_wave_equation_has_it() {
    let transducer = flat();
    let pulse = Pulse::new(&transducer);
    let block = with_wire(Block::points(&[], SPEED as f32, 0.0));
    let frame = frame_features(&block, WIRE, &transducer);
    let traces = simulated_traces(uniform, &transducer, &pulse);
    let span = [WIRE - 5e-4, WIRE + 5e-4].map(|z| 2.0 * z / SPEED);
    let oracle = wire(&spectra(&traces, &transducer, span), &transducer, WIRE);
    assert!(
        (frame.wire[0] - oracle[0]).abs() < 3e-5,
        "{:?} {oracle:?}",
        frame.wire
    );
    assert!(
        (frame.wire[1] / oracle[1] - 1.0).abs() < 0.1,
        "{:?} {oracle:?}",
        frame.wire
    );
}
