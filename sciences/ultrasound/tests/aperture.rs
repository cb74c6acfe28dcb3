//! Contract: an aperture sees past round bone: shadows are as deep as the wave equation has them and as the share of elements that are not
//! hidden says.

use insonate_ultrasound::beam::{Focusing, TransmitFocus};
use insonate_ultrasound::deformation::Rigid;
use insonate_ultrasound::material::{AIR, BONE, SOFT_TISSUE};
use insonate_ultrasound::measure::{BoneRod, rod_shadow};
use insonate_ultrasound::phantom::Block;
use insonate_ultrasound::transducer::{Transducer, c5_2, l11_5v};
use insonate_ultrasound::{BMode, Material, Settings, View};
use nalgebra::{Isometry3, Vector3};

const GRAIN: Material = Material {
    attenuation: 0.0,
    ..SOFT_TISSUE
};

/// Mean power of each line around a depth [m], over seeds.
fn powers(
    transducer: &Transducer,
    settings: &Settings,
    block: &Block,
    depth: f64,
    pose: &Isometry3<f32>,
) -> Vec<f64> {
    let mut powers = vec![0.0; settings.n_lines];
    for speckle_seed in 0..6 {
        let settings = Settings {
            speckle_seed,
            ..settings.clone()
        };
        let mut b_mode = BMode::new(transducer, &settings).expect("the settings are valid");
        let rigid = Rigid {
            world_from_rest: *pose,
        };
        let view = View::new(block, &rigid, &Isometry3::identity()).expect("the pose is valid");
        let frame = b_mode.frame(&view, 0);
        let middle = (depth / frame.step) as usize;
        for (line, power) in powers.iter_mut().enumerate() {
            let levels = frame.line(line)[middle - 40..middle + 40].iter();
            *power += levels
                .map(|level| 10f64.powf(0.1 * f64::from(*level)))
                .sum::<f64>();
        }
    }
    powers
}

/// Level of a line and its three neighbours on both sides relative to other powers [dB].
fn level(powers: &[f64], clear: &[f64], line: usize) -> f64 {
    let sum = |powers: &[f64]| powers[line - 3..=line + 3].iter().sum::<f64>();
    10.0 * (sum(powers) / sum(clear)).log10()
}

/// Places along the array [mm] and two-way levels [dB] 30 mm deep behind a rod of bone with its top at 10 mm: an array of 64 elements, 19 mm
/// and 2.5 MHz, by a wave equation in a plane that was solved for this project, in November 2026.
const WAVES: [[f64; 2]; 7] = [
    [0.0, -6.9],
    [2.0, -7.9],
    [4.0, -8.7],
    [5.0, -7.4],
    [6.0, -4.6],
    [7.0, -2.3],
    [8.0, -0.9],
];

#[test]
fn shadows_of_rods_are_those_of_the_wave_equation() {
    let transducer = Transducer {
        n_elements: 64,
        pitch: 0.297e-3,
        element_width: 0.27e-3,
        center_frequency: 2.5e6,
        band: [1.5e6, 3.5e6],
        ..l11_5v()
    };
    let settings = Settings {
        n_lines: 193,
        n_samples: 1000,
        depth: 0.04,
        focusing: Focusing {
            transmit: Some(TransmitFocus {
                depth: 0.03,
                f_number: 1.5,
            }),
            receive_f_number: 1.5,
        },
        ..Settings::bare(&transducer)
    };
    let of = |block: &Block| powers(&transducer, &settings, block, 0.03, &Isometry3::identity());
    let clear = of(&Block::uniform(GRAIN));
    let rod = of(&Block::uniform(GRAIN).with_rod(BONE, [0.0, 0.012], 0.002));
    let spacing = transducer.span() / 193.0;
    for [x, wanted] in WAVES {
        for side in [-1.0, 1.0] {
            let line = 96.0 + side * 1e-3 * x / spacing;
            let found = level(&rod, &clear, line.round() as usize);
            eprintln!("{x} mm: {found:.1} dB ({wanted})");
            assert!((found - wanted).abs() < 1.5, "{x}: {found} {wanted}");
        }
    }
    let rod = BoneRod {
        radius: 0.002,
        top: 0.01,
    };
    let levels = rod_shadow(&transducer, &settings, &rod, &[0.03]).expect("the rod is valid");
    assert!(levels.iter().all(|found| found.depth == 0.03));
    for [x, wanted] in WAVES {
        for x in [-1e-3 * x, 1e-3 * x] {
            let here = levels.iter().find(|found| (found.x - x).abs() < 1e-6);
            let found = here.expect("a place at each half radius").level;
            assert!((found - wanted).abs() < 1.5, "{x}: {found} {wanted}");
        }
    }
}

#[test]
fn rods_out_of_range_are_refused_by_name() {
    let transducer = c5_2();
    let settings = Settings::bare(&transducer);
    let refused = |radius: f64, top: f64, depth: f64| {
        let rod = BoneRod { radius, top };
        let found = rod_shadow(&transducer, &settings, &rod, &[depth]);
        found.expect_err("it is out of range").to_string()
    };
    let radius = refused(0.1, 0.01, 0.05);
    assert!(radius.contains("radius of the rod"), "{radius}");
    let top = refused(0.002, f64::NAN, 0.05);
    assert!(top.contains("depth of the rod"), "{top}");
    let bottom = refused(0.05, 0.25, 0.05);
    assert!(bottom.contains("bottom of the rod"), "{bottom}");
    let within = refused(0.002, 0.01, 0.012);
    assert!(within.contains("depth of the shadow"), "{within}");
}

/// Share of the elements on straight ways to a point that miss a rod; elements at most `half` from the point's line along the face, or seen
/// within the F-number's cone about their normals.
fn open_share(
    transducer: &Transducer,
    [angle, depth]: [f64; 2],
    rod: [f64; 3],
    sees: impl Fn(f64, f64) -> bool,
) -> f64 {
    let radius = transducer.apex_radius().expect("the array is curved");
    let (x, z) = (
        (radius + depth) * angle.sin(),
        (radius + depth) * angle.cos() - radius,
    );
    let [mut open, mut all] = [0.0; 2];
    for element in transducer.elements() {
        let (dx, dz) = (x - element.x, z - element.z);
        let (sin, cos) = element.tilt.sin_cos();
        let steep = (dx * cos - dz * sin) / (dx * sin + dz * cos);
        if !sees(radius * (element.tilt - angle), steep) {
            continue;
        }
        all += 1.0;
        let share = ((rod[0] - element.x) * dx + (rod[1] - element.z) * dz) / (dx * dx + dz * dz);
        let nearest = (element.x + share * dx - rod[0]).hypot(element.z + share * dz - rod[1]);
        open += if nearest > rod[2] { 1.0 } else { 0.0 };
    }
    open / all
}

#[test]
fn ribs_hide_the_elements_behind_them() {
    let transducer = c5_2();
    let settings = Settings {
        n_samples: 1000,
        depth: 0.1,
        ..Settings::bare(&transducer)
    };
    let depth = 0.08;
    let of = |block: &Block| powers(&transducer, &settings, block, depth, &Isometry3::identity());
    let clear = of(&Block::uniform(GRAIN));
    let rib = of(&Block::uniform(GRAIN).with_rod(BONE, [0.0, 0.019], 0.004));
    let spacing = transducer.span() / 256.0;
    for x in [0.0, 5.0, 10.0, 15.0, 20.0, 25.0] {
        let angle = 1e-3 * x / (transducer.apex_radius().expect("it is curved") + depth);
        let line = (127.5 + angle / spacing).round() as usize;
        let found = level(&rib, &clear, line);
        let share = |sees: &dyn Fn(f64, f64) -> bool| {
            open_share(&transducer, [angle, depth], [0.0, 0.019, 0.004], sees)
        };
        // The focus is at 80 mm, F/4; reception is at F/1.5.
        let sent = share(&|along, _| along.abs() <= 0.01);
        let heard = share(&|_, steep| steep.abs() <= 1.0 / 3.0);
        let wanted = 20.0 * (sent * heard).log10();
        eprintln!("{x} mm: {found:.1} dB ({wanted:.1})");
        assert!((found - wanted).abs() < 2.0, "{x}: {found} {wanted}");
    }
}

/// With half of the face in air, lines at the edge of the contact have half of their elements: 12 dB less, and a little further in all.
#[test]
fn lines_at_the_edge_of_contact_have_half_an_aperture() {
    let transducer = l11_5v();
    let settings = Settings {
        n_lines: 257,
        n_samples: 1000,
        depth: 0.04,
        focusing: Focusing {
            transmit: Some(TransmitFocus {
                depth: 0.025,
                f_number: 2.0,
            }),
            receive_f_number: 2.0,
        },
        ..Settings::bare(&transducer)
    };
    let turn = Isometry3::rotation(Vector3::y() * std::f32::consts::FRAC_PI_2);
    let of = |block: &Block| powers(&transducer, &settings, block, 0.025, &turn);
    let clear = of(&Block::uniform(GRAIN));
    let half = of(&Block::layers(&[(AIR, 0.0), (GRAIN, 1.0)]));
    // Lines from 140 on lie within tissue; apertures at this depth reach 49 lines to either side.
    let edge = level(&half, &clear, 133);
    assert!((-13.0..-7.0).contains(&edge), "{edge}");
    let inside = level(&half, &clear, 200);
    assert!(inside.abs() < 0.5, "{inside}");
}
