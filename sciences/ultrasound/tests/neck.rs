//! Contract: the sizes of the neck are within anatomical ranges, leaps are safe, and pictures show vessels, thyroid and trachea as expected.

use std::sync::LazyLock;

use insonate_ultrasound::beam::Focusing;
use insonate_ultrasound::deformation::{Indentation, Point, Rigid, Vector};
use insonate_ultrasound::phantom::{Neck, Phantom};
use insonate_ultrasound::transducer::l12_5;
use insonate_ultrasound::{BMode, Frame, Settings, View};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

fn name(neck: &Neck, [x, y, z]: [f32; 3]) -> &'static str {
    neck.materials()[usize::from(neck.place(&Point::new(x, y, z)).material)].name
}

/// Extent of a material from a place in both directions along an axis [m].
fn extent(neck: &Neck, from: [f32; 3], axis: usize) -> f32 {
    const STEP: f32 = 5e-5;
    let own = name(neck, from);
    let way = |sign: f32| {
        let is_own = |n: &i32| {
            let mut point = from;
            point[axis] += sign * STEP * *n as f32;
            name(neck, point) == own
        };
        (1..2000).take_while(is_own).count() as f32
    };
    STEP * (way(1.0) + way(-1.0))
}

#[test]
fn nothing_else_begins_within_the_clearance() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for seed in 0..10 {
        let neck = Neck::new(seed);
        let (n, mut sum) = (20_000, 0.0);
        for _ in 0..n {
            let mut within = |low: f32, high: f32| rng.random_range(low..high);
            let point = Point::new(
                within(-0.035, 0.035),
                within(-0.035, 0.035),
                within(-0.055, 0.004),
            );
            let place = neck.place(&point);
            sum += f64::from(place.clearance);
            for _ in 0..8 {
                let way = Vector::from_fn(|_, _| within(-1.0, 1.0));
                // Minus rounding errors of single precision.
                let free = (0.98 * place.clearance - 1e-7).max(0.0);
                let beyond = point + way.normalize() * free;
                assert_eq!(
                    neck.place(&beyond).material,
                    place.material,
                    "{seed}: {point}"
                );
            }
        }
        // Safe, and long enough for leaps: layers are 1 to 8 mm thick.
        let mean = sum / f64::from(n);
        assert!((0.0007..0.004).contains(&mean), "{mean}");
    }
}

#[test]
fn normals_match_the_nearest_boundary() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let neck = Neck::new(0);
    let (mut n, mut right) = (0, 0);
    for _ in 0..20_000 {
        let mut within = |low: f32, high: f32| rng.random_range(low..high);
        let point = Point::new(
            within(-0.025, 0.025),
            within(-0.02, 0.02),
            within(-0.045, 0.0),
        );
        let normal = neck.normal(&point);
        assert!((normal.norm() - 1.0).abs() < 1e-4, "{normal}");
        let place = neck.place(&point);
        if place.clearance > 5e-5 {
            continue;
        }
        // Materials around the point: a boundary within one material, such as that between two sheets, does not count.
        let mut around = (0..200).map(|_| {
            let way = Vector::from_fn(|_, _| within(-1.0, 1.0)).normalize();
            neck.place(&(point + 1e-4 * way)).material
        });
        if !around.any(|material| material != place.material) {
            continue;
        }
        // Across the boundary there is another material.
        n += 1;
        let both = [1.0, -1.0].map(|sign| neck.place(&(point + sign * 1e-4 * normal)));
        right += usize::from(both[0].material != both[1].material);
    }
    // Where two boundaries meet, the nearest one may end within the step.
    assert!(n > 300 && right as f32 > 0.97 * n as f32, "{right} of {n}");
}

#[test]
fn sizes_lie_within_those_of_adults() {
    for seed in 0..40 {
        let neck = Neck::new(seed);
        let [width, height, depth] = [0, 1, 2];
        let mut met = Vec::new();
        for step in 0..400 {
            let found = name(&neck, [0.0, 0.0, 2e-4 - 5e-5 * step as f32]);
            if met.last() != Some(&found) {
                met.push(found);
            }
        }
        assert_eq!(met[..4], ["air", "skin", "fat", "fascia"], "{met:?}");
        let front = ["thyroid", "cartilage", "wall", "air"];
        assert_eq!(met[met.len() - 4..], front, "{seed}: {met:?}");
        // Air column: 10 to 25 mm (Breatnach 1984).
        let lumen = extent(&neck, [0.0, 0.0, -0.0205], width);
        assert!((0.010..0.025).contains(&lumen), "{seed}: {lumen}");
        for side in [-1.0, 1.0] {
            // 40 to 60 mm long, 13 to 18 mm deep on average (Rumack & Levine 2018), but dented by neighbouring organs.
            let lobe = [side * 0.014, 0.0, -0.0205];
            assert_eq!(name(&neck, lobe), "thyroid", "{seed}");
            let long = extent(&neck, lobe, height);
            assert!((0.040..0.060).contains(&long), "{seed}: {long}");
            let deep = (11..18).map(|mm| {
                let x = side * 1e-3 * mm as f32;
                extent(&neck, [x, 0.0, -0.0205], depth)
            });
            let deep = deep.fold(0.0, f32::max);
            assert!((0.012..0.018).contains(&deep), "{seed}: {deep}");
            // 6.1 and 6.5 mm on average (Krejza 2006).
            let artery = [side * 0.0205, 0.0, -0.0254];
            assert_eq!(name(&neck, artery), "blood", "{seed}");
            let chords = (-12..=12).map(|n| {
                let adjacent = [artery[0] + 1e-4 * n as f32, artery[1], artery[2]];
                extent(&neck, adjacent, depth)
            });
            let across = chords.fold(0.0, f32::max);
            assert!((0.0056..0.007).contains(&across), "{seed}: {across}");
            let along = extent(&neck, artery, height);
            assert!(along > 0.15, "{seed}: {along}");
            let vein = [side * 0.0265, 0.0, -0.0219];
            assert_eq!(name(&neck, vein), "blood", "{seed}");
        }
        // There is no cartilage between rings.
        let is_ring = |y: f32| {
            let met = (0..600).map(|step| name(&neck, [0.0, y, -5e-5 * step as f32]));
            met.filter(|found| *found == "cartilage").count() > 20
        };
        assert!(is_ring(0.0) && is_ring(0.006) && !is_ring(0.003), "{seed}");
    }
}

#[test]
fn the_same_seed_makes_the_same_neck() {
    let places = |seed: u64| -> Vec<u8> {
        let neck = Neck::new(seed);
        let at = |n: i32| {
            let [x, z] = [n % 100, n / 100].map(|n| 5e-4 * n as f32);
            neck.place(&Point::new(x - 0.025, 0.0, -z)).material
        };
        (0..9000).map(at).collect()
    };
    assert_eq!(places(4), places(4));
    assert_ne!(places(4), places(5));
}

#[test]
fn a_probe_stands_on_the_skin_before_the_neck() {
    let neck = Neck::new(3);
    for x in [-0.03, -0.01, 0.0, 0.02] {
        let pose = neck.probe_pose([x, 0.01], 0.3, 0.0).expect("it is skin");
        let at = |z: f64| {
            let point = pose * nalgebra::Point3::new(0.0, 0.0, z);
            name(&neck, point.cast::<f32>().into())
        };
        assert_eq!([at(-1e-4), at(1e-4)], ["air", "skin"], "{x}");
    }
    assert!(neck.probe_pose([0.04, 0.0], 0.0, 0.0).is_err());
    assert!(neck.probe_pose([0.0, f64::NAN], 0.0, 0.0).is_err());
    assert!(neck.probe_pose([0.0, 0.0], f64::INFINITY, 0.0).is_err());
    assert!(neck.probe_pose([0.0, 0.0], 0.0, 0.02).is_err());
}

/// A frame of the transverse view.
fn frame(seed: u64) -> Frame {
    frame_with(seed, |settings| settings)
}

fn frame_with(seed: u64, change: impl Fn(Settings) -> Settings) -> Frame {
    let (neck, probe) = (Neck::new(seed), l12_5());
    let pose = neck.probe_pose([0.0, 0.0], 0.0, Neck::INDENTATION);
    let pose = pose.expect("it is skin");
    let pressed = Indentation::new(
        Rigid::default(),
        &neck,
        &probe,
        &pose,
        Indentation::<Rigid>::DECAY,
    );
    let pressed = pressed.expect("the depth is valid");
    let view = View::new(&neck, &pressed, &pose).expect("the pose is valid");
    let settings = Settings {
        n_lines: 200,
        n_samples: 600,
        depth: Neck::DEPTH,
        ..Settings::of(&probe)
    };
    let settings = change(settings);
    let mut b_mode = BMode::new(&probe, &settings).expect("the settings are valid");
    b_mode.frame(&view, 0).clone()
}

static FRAME: LazyLock<Frame> = LazyLock::new(|| frame(0));

/// Index of a material.
fn index(wanted: &str) -> u8 {
    let neck = Neck::new(0);
    let mut names = neck.materials().iter().map(|material| material.name);
    names.position(|name| name == wanted).expect("it exists") as u8
}

/// Mean power over samples [dB].
fn level(levels: &[f32]) -> f32 {
    assert!(levels.len() > 100, "{}", levels.len());
    let power = levels.iter().map(|level| 10f32.powf(0.1 * level));
    10.0 * (power.sum::<f32>() / levels.len() as f32).log10()
}

/// Levels of samples of a material that are surrounded by the same material.
fn levels(frame: &Frame, wanted: &str) -> Vec<f32> {
    const AROUND: [usize; 2] = [4, 14];
    let (wanted, n) = (index(wanted), frame.n_samples);
    let is_inner = |line: usize, sample: usize| {
        (line - AROUND[0]..=line + AROUND[0]).all(|line| {
            let labels = &frame.labels[line * n..(line + 1) * n];
            let around = &labels[sample - AROUND[1]..=sample + AROUND[1]];
            around.iter().all(|label| *label == wanted)
        })
    };
    let mut levels = Vec::new();
    for line in AROUND[0]..frame.n_lines - AROUND[0] {
        for sample in AROUND[1]..n - AROUND[1] {
            if is_inner(line, sample) {
                levels.push(frame.line(line)[sample]);
            }
        }
    }
    levels
}

#[test]
fn vessels_are_black_beside_the_thyroid_and_muscles_dark() {
    let [thyroid, blood, muscle] =
        ["thyroid", "blood", "muscle"].map(|name| level(&levels(&FRAME, name)));
    assert!(FRAME.contact_share() > 0.99);
    assert!(thyroid - blood > 20.0, "{thyroid} {blood}");
    assert!(
        (4.0..11.0).contains(&(thyroid - muscle)),
        "{thyroid} {muscle}"
    );
}

#[test]
fn the_trachea_shows_only_reverberations() {
    let thyroid = level(&levels(&FRAME, "thyroid"));
    let mut air = levels(&FRAME, "air");
    air.sort_by(f32::total_cmp);
    let median = air[air.len() / 2];
    assert!(median < thyroid - 30.0, "{median} {thyroid}");
    // Reverberation between wall and face: the wall appears again at twice its depth.
    let line = FRAME.line(FRAME.n_lines / 2);
    let peak = |[from, to]: [usize; 2]| {
        let samples = line.iter().enumerate().take(to).skip(from);
        let peak = samples.max_by(|a, b| a.1.total_cmp(b.1));
        peak.map(|(sample, level)| (sample, *level)).expect("some")
    };
    let labels = &FRAME.labels[FRAME.n_lines / 2 * FRAME.n_samples..];
    let wall = labels.iter().position(|label| *label == index("wall"));
    let wall = wall.expect("there is a trachea");
    let (front, once) = peak([wall, wall + 30]);
    let (again, twice) = peak([2 * front - 20, 2 * front + 20]);
    assert!(again.abs_diff(2 * front) <= 3, "{front} {again}");
    assert!(once > thyroid + 12.0, "{once}");
    assert!(twice < once - 6.0 && twice > median + 20.0, "{twice}");
}

#[test]
fn echoes_behind_a_carotid_are_enhanced() {
    let (mut behind, mut adjacent) = (Vec::new(), Vec::new());
    // A narrow aperture, which the trachea next to the thyroid does not hide.
    let narrow = |settings| Settings {
        focusing: Focusing {
            transmit: None,
            receive_f_number: 8.0,
        },
        ..settings
    };
    for seed in 0..6 {
        let frame = frame_with(seed, narrow);
        let (n, at) = (frame.n_samples, |depth: f64| (depth / frame.step) as usize);
        let [blood, thyroid, cartilage] = ["blood", "thyroid", "cartilage"].map(index);
        let tissue = index("muscle");
        for line in 0..frame.n_lines {
            let labels = &frame.labels[line * n..(line + 1) * n];
            // The artery ends deeper than the vein.
            let last = |wanted: u8, top: f64| {
                let mut samples = (at(top)..at(0.034)).rev();
                samples.find(|&sample| labels[sample] == wanted)
            };
            let through: usize = labels
                .iter()
                .map(|label| usize::from(*label == blood))
                .sum();
            let levels = (at(0.0295)..at(0.0335)).filter(|&sample| {
                let around = &labels[sample - 8..=sample + 8];
                around.iter().all(|label| *label == tissue)
            });
            let levels = levels.map(|sample| frame.line(line)[sample]);
            if last(blood, 0.018).is_some() && (at(0.005)..at(0.007)).contains(&through) {
                behind.extend(levels);
            } else if through == 0 && last(thyroid, 0.018).is_some() && !labels.contains(&cartilage)
            {
                adjacent.extend(levels);
            }
        }
    }
    // One-way attenuation at 8.2 MHz is 1.8 dB/cm in blood and 4.1 in thyroid: about 2.5 dB less over 5 to 6 mm, two-way.
    let more = level(&behind) - level(&adjacent);
    assert!((1.0..5.0).contains(&more), "{more}");
}

#[test]
fn frames_follow_from_the_seed() {
    let [again, other] = [0, 1].map(frame);
    let is_same = |frame: &Frame| {
        (0..frame.n_lines).all(|line| {
            let bits = |frame: &Frame| -> Vec<u32> {
                frame
                    .line(line)
                    .iter()
                    .map(|level| level.to_bits())
                    .collect()
            };
            bits(frame) == bits(&FRAME)
        })
    };
    assert!(is_same(&again) && !is_same(&other));
}
