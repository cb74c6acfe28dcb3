//! Contract: boundaries, shadows, depths and contact match rays through layers.

use insonate_ultrasound::deformation::{Deformation, Point, Rigid};
use insonate_ultrasound::material::{AIR, BONE, FAT, GEL, MUSCLE, SOFT_TISSUE, URINE};
use insonate_ultrasound::measure::contrast;
use insonate_ultrasound::phantom::{Block, Phantom, Scatterer};
use insonate_ultrasound::transducer::{c5_2, l11_5v, p4_2};
use insonate_ultrasound::{BMode, Frame, Material, Settings, View};
use nalgebra::Isometry3;

const GRAIN: Material = Material {
    attenuation: 0.0,
    ..SOFT_TISSUE
};

fn imaged(block: &Block, settings: &Settings) -> Frame {
    let mut b_mode = BMode::new(&l11_5v(), settings).expect("the test is valid");
    let rigid = Rigid::default();
    let view = View::new(block, &rigid, &Isometry3::identity()).expect("the test is valid");
    b_mode.frame(&view, 0).clone()
}

fn settings() -> Settings {
    Settings {
        n_lines: 257,
        n_samples: 1000,
        depth: 0.04,
        ..Settings::bare(&l11_5v())
    }
}

/// Shown depth of the strongest sample of the central line below a centimetre [m].
fn brightest(frame: &Frame) -> f64 {
    let line = frame.line(128);
    let best = (250..1000)
        .max_by(|a, b| line[*a].total_cmp(&line[*b]))
        .expect("the test is valid");
    best as f64 * frame.step
}

#[test]
fn a_wire_below_fat_is_shown_deeper_by_the_time_that_fat_takes() {
    let wire = Scatterer {
        rest: Point::new(0.0, 0.0, 0.03),
        amplitude: 1e3,
    };
    for (thickness, material) in [(0.0, FAT), (0.02, FAT), (0.02, MUSCLE)] {
        let mut block = Block::layers(&[(material, thickness), (GRAIN, 1.0)]);
        block.scatterers.push(wire);
        let found = brightest(&imaged(&block, &settings()));
        let speed = f64::from(material.speed_of_sound);
        let wanted = 0.03 + f64::from(thickness) * (1540.0 / speed - 1.0);
        assert!((found - wanted).abs() < 5e-5, "{found} {wanted}");
    }
    // In fat only: 1540/1440, 7 % more.
    let mut block = Block::uniform(FAT);
    block.scatterers.push(wire);
    let found = brightest(&imaged(&block, &settings()));
    assert!((found / 0.03 - 1.0694).abs() < 0.002, "{found}");
}

/// Behind a rod of bone of radius r at x, z, the lines within r of x are darker by more than 10 dB.
#[test]
fn a_rib_shadows_the_lines_that_meet_it() {
    let (x, radius) = (0.002, 0.004);
    let block = Block::uniform(GRAIN).with_rod(BONE, [x, 0.015], radius);
    let frame = imaged(&block, &settings());
    let level = |line: usize| {
        let levels = frame.line(line)[600..950].iter();
        levels
            .map(|level| 10f64.powf(0.1 * f64::from(*level)))
            .sum::<f64>()
            / 350.0
    };
    let spacing = l11_5v().span() / 257.0;
    let place = |line: usize| (line as f64 - 128.0) * spacing;
    let dark: Vec<f64> = (10..247)
        .filter(|&line| level(line) < 0.1)
        .map(place)
        .collect();
    let edges = [dark[0], dark[dark.len() - 1]];
    let wanted = [x - radius, x + radius].map(f64::from);
    for (found, wanted) in edges.iter().zip(wanted) {
        assert!((found - wanted).abs() < 0.35e-3, "{edges:?} {wanted}");
    }
    // The front side of bone is bright.
    let front = (0.011 / frame.step).round() as usize;
    let line = 128 + (f64::from(x) / spacing).round() as usize;
    let peak = frame.line(line)[front - 10..front + 10]
        .iter()
        .copied()
        .fold(f32::MIN, f32::max);
    assert!(peak > 20.0, "{peak}");
}

/// Below a cyst, echoes are stronger by the attenuation that is missing on the ways of the elements.
#[test]
fn echoes_below_a_cyst_are_enhanced_by_the_missing_attenuation() {
    let radius = 0.005;
    let clear = Material {
        attenuation: 0.0,
        speed_of_sound: SOFT_TISSUE.speed_of_sound,
        density: SOFT_TISSUE.density,
        ..URINE
    };
    let block = Block::uniform(SOFT_TISSUE).with_rod(clear, [0.0, 0.016], radius);
    let frequency = BMode::new(&l11_5v(), &settings())
        .expect("the test is valid")
        .frequency();
    let (mut below, mut adjacent) = (0.0, 0.0);
    for speckle_seed in 0..8 {
        let frame = imaged(
            &block,
            &Settings {
                speckle_seed,
                ..settings()
            },
        );
        let power = |lines: std::ops::Range<usize>| {
            let levels = lines.flat_map(|line| frame.line(line)[560..760].to_vec());
            let powers: Vec<f64> = levels
                .map(|level| 10f64.powf(0.1 * f64::from(level)))
                .collect();
            powers.iter().sum::<f64>() / powers.len() as f64
        };
        below += power(122..135);
        adjacent += power(20..60);
    }
    let found = 10.0 * (below / adjacent).log10();
    // Mean over elements at F/1.5 and, transmitting, at F/4, of the amplitude that chords of the cyst do not take.
    let loss = 100.0 * 0.5 * 1e-6 * frequency * std::f64::consts::LN_10 / 20.0;
    let mean = |half: f64| {
        let amplitude = |n: i32| {
            let (x, z) = (half * f64::from(n) / 50.0, 0.0264);
            let nearest = x * (z - 0.016) / x.hypot(z);
            let chord = 2.0
                * (f64::from(radius).powi(2) - nearest.powi(2))
                    .max(0.0)
                    .sqrt();
            (loss * chord).exp()
        };
        (-50..=50).map(amplitude).sum::<f64>() / 101.0
    };
    let wanted = 20.0 * (mean(0.0264 / 3.0) * mean(0.003)).log10();
    assert!((found - wanted).abs() < 0.6, "{found} {wanted}");
}

/// For Rayleigh speckle the overlap of logarithms is known: with the power ratio q, gCNR = q^(1/(1−q)) (1/q − 1).
#[test]
fn inclusions_stand_out_as_rayleigh_statistics_say() {
    for step in [-3.0, -6.0, -9.0] {
        let inclusion = Material {
            backscatter: step,
            ..GRAIN
        };
        let block = Block::uniform(GRAIN).with_rod(inclusion, [0.0, 0.024], 0.007);
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for speckle_seed in 0..4 {
            let frame = imaged(
                &block,
                &Settings {
                    speckle_seed,
                    ..settings()
                },
            );
            for line in 0..257 {
                let levels = &frame.line(line)[500..700];
                match line {
                    100..157 => inside.extend_from_slice(levels),
                    10..60 | 197..247 => outside.extend_from_slice(levels),
                    _ => {}
                }
            }
        }
        let found = contrast(&inside, &outside);
        let q = 10f64.powf(0.1 * f64::from(step));
        let gcnr = q.powf(q / (1.0 - q)) * (1.0 - q);
        let cnr = f64::from(step.abs()) / (2f64.sqrt() * 5.57);
        assert!((found.contrast - f64::from(step)).abs() < 0.4, "{found:?}");
        assert!((found.gcnr - gcnr).abs() < 0.04, "{found:?} {gcnr}");
        assert!((found.cnr - cnr).abs() < 0.06, "{found:?} {cnr}");
    }
}

#[test]
fn a_face_in_air_rings_and_shows_nothing_below() {
    // Air covers the half of the face where x < 0: the block is seen from its side.
    let block = Block::layers(&[(AIR, 0.0), (GRAIN, 1.0)]);
    let turned = Rigid {
        world_from_rest: Isometry3::rotation(nalgebra::Vector3::y() * std::f32::consts::FRAC_PI_2),
    };
    let mut b_mode = BMode::new(&l11_5v(), &settings()).expect("the test is valid");
    let view = View::new(&block, &turned, &Isometry3::identity()).expect("the test is valid");
    let frame = b_mode.frame(&view, 0);
    assert!((frame.contact_share() - 0.5).abs() < 0.01);
    let loudest = |line: usize, samples: std::ops::Range<usize>| {
        frame.line(line)[samples]
            .iter()
            .copied()
            .fold(f32::MIN, f32::max)
    };
    assert!(!frame.coupled[40] && loudest(40, 100..200) > 0.0 && loudest(40, 800..1000) < -40.0);
    assert!(frame.coupled[200] && loudest(200, 800..1000) > 0.0);
}

#[test]
fn boundary_echoes_match_the_impedances() {
    let level = |to: Material| {
        let block = Block::layers(&[(GEL, 0.02), (to, 1.0)]);
        let frame = imaged(&block, &settings());
        frame.line(128)[480..520]
            .iter()
            .copied()
            .fold(f32::MIN, f32::max)
    };
    let quiet = |density: f32| Material {
        density,
        backscatter: f32::NEG_INFINITY,
        ..GEL
    };
    let reflection = |density: f32| ((density - 1000.0) / (density + 1000.0)).abs();
    let reference = level(quiet(3000.0)) - 20.0 * reflection(3000.0).log10();
    for density in [1010.0, 1100.0, 500.0, 9000.0] {
        let wanted = reference + 20.0 * reflection(density).log10();
        let found = level(quiet(density));
        assert!((found - wanted).abs() < 0.2, "{density}: {found} {wanted}");
    }
}

/// Below fat, boundaries are shown too deep, where the beam has another width; with few lines, neighbours hardly overlap.
#[test]
fn boundaries_are_as_loud_at_any_depth_and_on_any_number_of_lines() {
    let quiet = |material: Material| Material {
        attenuation: 0.0,
        backscatter: f32::NEG_INFINITY,
        ..material
    };
    let [fat, muscle] = [FAT, MUSCLE].map(|material| material.impedance());
    // A mirror is 40 dB above the speckle of liver.
    let wanted = 40.0 + 20.0 * ((muscle - fat) / (muscle + fat)).log10();
    for n_lines in [9, 33, 257] {
        let settings = Settings {
            n_lines,
            n_samples: 2000,
            depth: 0.01,
            ..settings()
        };
        for depth in [2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 8.0] {
            let block = Block::layers(&[(quiet(FAT), 1e-3 * depth), (quiet(MUSCLE), 1.0)]);
            let frame = imaged(&block, &settings);
            let line = frame.line(n_lines / 2)[300..].iter().copied();
            let found = line.fold(f32::MIN, f32::max);
            assert!(
                (found - wanted).abs() < 0.1,
                "{n_lines}, {depth}: {found} {wanted}"
            );
        }
    }
}

/// A phantom without materials.
struct EmptyPhantom;

impl Phantom for EmptyPhantom {
    fn materials(&self) -> &[Material] {
        &[]
    }

    fn place(&self, _: &Point) -> insonate_ultrasound::phantom::PointMaterial {
        unreachable!("it has no materials")
    }

    fn normal(&self, _: &Point) -> insonate_ultrasound::deformation::Vector {
        unreachable!("it has no materials")
    }
}

#[test]
fn wrong_input_is_refused_by_name() {
    let block = Block::uniform(GRAIN);
    let rigid = Rigid::default();
    let deformation: &dyn Deformation = &rigid;
    let refuse = |phantom: &dyn Phantom, pose: Isometry3<f64>| {
        let view = View::new(phantom, deformation, &pose).map(|_| ());
        view.expect_err("it is wrong").to_string()
    };
    let lost = Isometry3::translation(f64::NAN, 0.0, 0.0);
    assert!(refuse(&block, lost).contains("pose of the probe"));
    assert!(refuse(&EmptyPhantom, Isometry3::identity()).contains("materials of the phantom"));
    for (n_lines, depth, named) in [
        (0, 0.1, "n_lines"),
        (64, f64::NAN, "depth"),
        (64, 9.0, "depth"),
    ] {
        let settings = Settings {
            n_lines,
            depth,
            ..settings()
        };
        let error = BMode::new(&c5_2(), &settings)
            .map(|_| ())
            .expect_err("it is wrong")
            .to_string();
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn probes_far_from_anything_see_black() {
    let block = Block::layers(&[(AIR, 0.0), (GRAIN, 1.0)]);
    for transducer in [c5_2(), p4_2(), l11_5v()] {
        let settings = Settings {
            n_lines: 32,
            n_samples: 128,
            ..Settings::bare(&transducer)
        };
        let mut b_mode = BMode::new(&transducer, &settings).expect("the test is valid");
        let rigid = Rigid::default();
        let far = Isometry3::translation(5.0, 0.0, -5.0);
        let view = View::new(&block, &rigid, &far).expect("the test is valid");
        let frame = b_mode.frame(&view, 0);
        assert_eq!(frame.contact_share(), 0.0);
        assert!(frame.envelope.iter().all(|level| level.is_finite()));
        assert!((0..32).all(|line| frame.line(line)[100..].iter().all(|level| *level < -60.0)));
        let converter = b_mode.scan_converter(64).expect("the test is valid");
        let mut picture = Vec::new();
        converter.picture(b_mode.frame(&view, 1), &mut picture);
        assert_eq!(picture.len(), 64 * 64);
    }
}
