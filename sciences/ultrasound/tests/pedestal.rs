//! Contract: beyond its main lobe the beam along the array has the level of PyMUST's, and fluid between tissue is as hazy.

use insonate_ultrasound::beam::{Focusing, TransmitFocus};
use insonate_ultrasound::deformation::Rigid;
use insonate_ultrasound::material::SOFT_TISSUE;
use insonate_ultrasound::phantom::Block;
use insonate_ultrasound::transducer::{Transducer, c5_2, l11_5v};
use insonate_ultrasound::{BMode, Frame, Material, Settings, View};
use nalgebra::{Isometry3, Vector3};

/// A depth [mm], and levels of points next to a scanline: distance along the array [mm], energy along the scanline relative to a point on it
/// [dB].
type Tail = (f64, [[f64; 2]; 5]);

/// PyMUST 0.1.9 (simulated): one point without attenuation, one cycle transmitted at F/4 with the focus at 80 mm, received at F/1.5. All
/// points are beyond 1.5 widths of the beam.
const C5_2V: [Tail; 3] = [
    (
        40.0,
        [
            [2.5, -17.0],
            [3.0, -20.6],
            [4.0, -26.0],
            [5.0, -31.5],
            [6.0, -36.6],
        ],
    ),
    (
        80.0,
        [
            [2.5, -32.5],
            [3.0, -32.6],
            [4.0, -36.2],
            [5.0, -41.9],
            [6.0, -44.1],
        ],
    ),
    (
        120.0,
        [
            [4.5, -24.1],
            [5.0, -25.7],
            [6.0, -31.4],
            [7.0, -35.0],
            [8.0, -38.5],
        ],
    ),
];
/// The same with the focus at 25 mm.
const L11_5V: [Tail; 2] = [
    (
        15.0,
        [
            [0.7, -21.5],
            [0.8, -24.2],
            [1.0, -28.3],
            [1.2, -31.7],
            [1.5, -36.9],
        ],
    ),
    (
        40.0,
        [
            [0.7, -21.0],
            [0.8, -24.4],
            [1.0, -27.3],
            [1.2, -30.2],
            [1.5, -34.2],
        ],
    ),
];

fn settings(transducer: &Transducer, focus: f64, depth: f64) -> Settings {
    Settings {
        n_lines: 1025,
        n_samples: 2048,
        depth: 1.25 * depth,
        focusing: Focusing {
            transmit: Some(TransmitFocus {
                depth: focus,
                f_number: 4.0,
            }),
            receive_f_number: 1.5,
        },
        ..Settings::bare(transducer)
    }
}

fn frame(
    transducer: &Transducer,
    settings: &Settings,
    block: &Block,
    pose: &Isometry3<f64>,
) -> Frame {
    let mut b_mode = BMode::new(transducer, settings).expect("the settings are valid");
    let rigid = Rigid::default();
    let view = View::new(block, &rigid, pose).expect("the pose is valid");
    b_mode.frame(&view, 0).clone()
}

/// Energy of a line within a twentieth of its length about a depth [m].
fn energy(frame: &Frame, line: usize, depth: f64) -> f64 {
    let half = frame.n_samples / 40;
    let middle = (depth / frame.step) as usize;
    let levels = frame.line(line)[middle - half..middle + half].iter();
    levels
        .map(|level| 10f64.powf(0.1 * f64::from(*level)))
        .sum()
}

fn check(transducer: &Transducer, focus: f64, tails: &[Tail]) {
    for (depth, tail) in tails {
        let depth = 1e-3 * depth;
        let settings = settings(transducer, focus, depth);
        let block = Block::points(&[depth as f32], 1540.0, 0.0);
        let frame = frame(transducer, &settings, &block, &Isometry3::identity());
        let angle = transducer.span() / settings.n_lines as f64;
        let spacing = transducer
            .apex_radius()
            .map_or(angle, |apex| angle * (apex + depth));
        for [x, wanted] in tail {
            let lines = (1e-3 * x / spacing).round() as usize;
            let found = [512 - lines, 512 + lines]
                .map(|line| energy(&frame, line, depth) / energy(&frame, 512, depth));
            let found = 10.0 * (0.5 * (found[0] + found[1])).log10();
            eprintln!("{depth} m, {x} mm: {found:.1} dB ({wanted})");
            assert!(
                (found - wanted).abs() < 3.0,
                "{depth} {x}: {found} {wanted}"
            );
        }
    }
}

#[test]
fn tails_of_a_curved_array_are_those_of_pymust() {
    check(&c5_2(), 0.08, &C5_2V);
}

#[test]
fn tails_of_a_linear_array_are_those_of_pymust() {
    check(&l11_5v(), 0.025, &L11_5V);
}

/// Between tissue on both sides, 5 mm away, fluid has the clutter of the energy that PyMUST's beam has beyond 5 mm.
#[test]
fn fluid_is_as_hazy_as_the_beam_hears_tissue_around_it() {
    let transducer = c5_2();
    let grain = Material {
        attenuation: 0.0,
        ..SOFT_TISSUE
    };
    let fluid = Material {
        backscatter: f32::NEG_INFINITY,
        ..grain
    };
    let slab = Block::layers(&[(grain, -0.005), (fluid, 0.005), (grain, 0.0)]);
    let turn = Isometry3::rotation(Vector3::y() * std::f64::consts::FRAC_PI_2);
    for (depth, wanted) in [(0.04, -29.0), (0.08, -37.0), (0.12, -26.0)] {
        let mut powers = [0.0; 2];
        for speckle_seed in 0..6 {
            let settings = Settings {
                speckle_seed,
                n_lines: 257,
                ..settings(&transducer, 0.08, depth)
            };
            for (power, block) in powers.iter_mut().zip([&slab, &Block::uniform(grain)]) {
                let frame = frame(&transducer, &settings, block, &turn);
                *power += (127..130)
                    .map(|line| energy(&frame, line, depth))
                    .sum::<f64>();
            }
        }
        let found = 10.0 * (powers[0] / powers[1]).log10();
        eprintln!("{depth} m: {found:.1} dB ({wanted})");
        assert!((found - wanted).abs() < 3.0, "{depth}: {found} {wanted}");
    }
}
