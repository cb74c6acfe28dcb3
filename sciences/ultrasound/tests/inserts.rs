//! Contract: lesions lie in their organ at seeded places with a level 6 dB below or above it; meshes are filled solids.

use insonate_meshes::TriangleMesh;
use insonate_models::patients::Physique;
use insonate_ultrasound::deformation::{Deformation, Indentation, Point, Rigid, Vector};
use insonate_ultrasound::material::{AIR, LIVER, SOFT_TISSUE, URINE};
use insonate_ultrasound::measure::contrast;
use insonate_ultrasound::phantom::{
    Adult, Block, Insert, Inserts, Lesion, LesionKind, Phantom, Solid, place_lesions,
};
use insonate_ultrasound::transducer::{Transducer, c5_2, l11_5v};
use insonate_ultrasound::{BMode, Frame, Settings, View};
use nalgebra::Isometry3;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const KINDS: [(LesionKind, f64); 3] = [
    (LesionKind::Cyst, f64::NEG_INFINITY),
    (LesionKind::Hypoechoic, -6.0),
    (LesionKind::Hyperechoic, 6.0),
];

fn frame(
    phantom: &dyn Phantom,
    deformation: &dyn Deformation,
    probe: &Transducer,
    pose: &Isometry3<f64>,
) -> (BMode, Frame) {
    let settings = Settings {
        noise: f64::NEG_INFINITY,
        ..Settings::of(probe)
    };
    let mut b_mode = BMode::new(probe, &settings).expect("the test is valid");
    let view = View::new(phantom, deformation, pose).expect("the test is valid");
    let frame = b_mode.frame(&view, 0).clone();
    (b_mode, frame)
}

/// Contrast of samples well within a ball to samples of its organ around it, at the same depths.
fn lesion_contrast(
    (b_mode, frame): &(BMode, Frame),
    lesion: u8,
    host: u8,
    pose: &Isometry3<f64>,
    (center, radius): (Point, f32),
) -> f64 {
    let center = pose.inverse().cast::<f32>() * center;
    let (mut inside, mut around) = (Vec::new(), Vec::new());
    for line in 0..frame.n_lines {
        for sample in 0..frame.n_samples {
            let away = b_mode.point(line, sample) - center;
            let at = line * frame.n_samples + sample;
            if away.z.abs() > 0.5 * radius {
                continue;
            }
            if away.norm() < 0.6 * radius {
                assert_eq!(frame.labels[at], lesion, "labels show it");
                inside.push(frame.envelope[at]);
            } else if (1.4 * radius..3.0 * radius).contains(&away.norm())
                && frame.labels[at] == host
            {
                around.push(frame.envelope[at]);
            }
        }
    }
    assert!(
        inside.len() > 200 && around.len() > 200,
        "{} {}",
        inside.len(),
        around.len()
    );
    contrast(&inside, &around).contrast
}

/// A lesion covers some hundred speckles: their mean power has a deviation of about 0.5 dB.
#[test]
fn lesions_of_a_block_have_their_level() {
    for (kind, level) in KINDS {
        let block = Block::uniform(SOFT_TISSUE);
        let region = [Point::new(-0.008, 0.0, 0.015), Point::new(0.008, 0.0, 0.03)];
        let wanted = [Lesion {
            kind,
            radius: 0.006,
        }];
        let inserts =
            place_lesions(&wanted, &block, "soft tissue", region, 5).expect("there is room");
        let Solid::Ball { center, radius } = inserts[0].solid else {
            panic!("a lesion is a ball");
        };
        let phantom = Inserts::new(Box::new(block), &inserts).expect("the test is valid");
        let pose = Isometry3::identity();
        let seen = frame(&phantom, &Rigid::default(), &l11_5v(), &pose);
        let found = lesion_contrast(&seen, 1, 0, &pose, (center, radius));
        if level.is_finite() {
            assert!((found - level).abs() < 1.5, "{kind:?}: {found} dB");
        } else {
            assert!(found < -25.0, "{kind:?}: {found} dB");
        }
    }
}

#[test]
fn lesions_of_the_adult_lie_in_the_liver_and_are_seen() {
    for (kind, level) in KINDS {
        let adult = Adult::new(&Physique::default(), 0).expect("an adult");
        let bounds = adult.bounds();
        let wanted = [Lesion {
            kind,
            radius: 0.008,
        }];
        let placed =
            |seed| place_lesions(&wanted, &adult, "liver", bounds, seed).expect("there is room");
        // A place in front of the liver, below soft tissue, at which the probe can be placed.
        let found = (0..200).find_map(|seed| {
            let Solid::Ball { center, radius } = placed(seed)[0].solid else {
                panic!("a lesion is a ball");
            };
            let is_liver = |point: Point| {
                adult.materials()[usize::from(adult.place(&point).material)].name == "liver"
            };
            assert!((0..7).all(|n| {
                let way = Vector::new(
                    (n as f32).cos(),
                    (2.0 * n as f32).sin(),
                    (3.0 * n as f32).cos(),
                );
                is_liver(center + radius * way.normalize())
            }));
            let is_below_ribs = center.y < 0.0 && center.z > 0.12;
            is_below_ribs.then_some((seed, center, radius))
        });
        let (seed, center, radius) = found.expect("some lesion lies there");
        let again = placed(seed);
        assert!(matches!(again[0].solid, Solid::Ball { center: other, .. } if other == center));
        let site = [f64::from(center.x), f64::from(center.y)];
        let pose = adult.probe_pose(site, 1.57, 0.013).expect("there is skin");
        // The skin's normal may pass next to the lesion: the plane is moved to its centre.
        let lateral = pose.inverse().cast::<f32>() * center;
        let moved = pose * Isometry3::translation(0.0, f64::from(lateral.y), 0.0);
        let lesion = adult.materials().len() as u8;
        let phantom = Inserts::new(Box::new(adult), &again).expect("the test is valid");
        let (rigid, decay) = (Rigid::default(), Indentation::DECAY);
        let pressed = Indentation::new(rigid, &phantom, &c5_2(), &moved, decay);
        let pressed = pressed.expect("the test is valid");
        let seen = frame(&phantom, &pressed, &c5_2(), &moved);
        // The indentation moved the lesion down by some millimetres.
        let shown = shown_middle(&seen, lesion).expect("the lesion is in the labels");
        let contrast = lesion_contrast(
            &seen,
            lesion,
            8,
            &Isometry3::identity(),
            (shown, 0.8 * radius),
        );
        if level.is_finite() {
            assert!((contrast - level).abs() < 2.5, "{kind:?}: {contrast} dB");
        } else {
            assert!(contrast < -15.0, "{kind:?}: {contrast} dB");
        }
    }
}

/// Centre of a label, in the probe's frame.
fn shown_middle((b_mode, frame): &(BMode, Frame), label: u8) -> Option<Point> {
    let points = (0..frame.labels.len()).filter(|&at| frame.labels[at] == label);
    let points = points.map(|at| b_mode.point(at / frame.n_samples, at % frame.n_samples));
    let (sum, n) = points.fold((Vector::zeros(), 0), |(sum, n), point| {
        (sum + point.coords, n + 1)
    });
    (n > 0).then(|| Point::from(sum / n as f32))
}

#[test]
fn a_mesh_is_what_it_encloses() {
    let mut mesh = TriangleMesh::ellipsoid([0.012, 0.02, 0.008], 4);
    for position in &mut mesh.positions {
        position[2] += 0.03;
    }
    let solid = Solid::mesh(&mesh).expect("it is closed");
    let insert = Insert {
        solid,
        material: LIVER,
    };
    let phantom =
        Inserts::new(Box::new(Block::uniform(SOFT_TISSUE)), &[insert]).expect("the test is valid");
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let gauge = |point: &Point| {
        let unit =
            (point - Point::new(0.0, 0.0, 0.03)).component_div(&Vector::new(0.012, 0.02, 0.008));
        unit.norm()
    };
    for _ in 0..5000 {
        let place = Vector::from_fn(|_, _| rng.random_range(-0.03..0.03f32));
        let point = Point::from(place) + Vector::new(0.0, 0.0, 0.03);
        let found = phantom.place(&point);
        // Facets lie up to 1 % inside of the ellipsoid.
        if (gauge(&point) - 1.0).abs() > 0.01 {
            assert_eq!(found.material == 1, gauge(&point) < 1.0, "{point}");
        }
        let way = Vector::from_fn(|_, _| rng.random_range(-1.0..1.0f32)).normalize();
        let there = phantom.place(&(point + 0.999 * found.clearance * way));
        assert_eq!(there.material, found.material, "{point}");
    }
    // On the side and on top.
    let normal = phantom.normal(&Point::new(0.012, 0.0, 0.03));
    assert!(normal.x.abs() > 0.995, "{normal}");
    let normal = phantom.normal(&Point::new(0.0, 0.0, 0.038));
    assert!(normal.z.abs() > 0.995, "{normal}");
}

#[test]
fn invalid_lesions_and_solids_are_refused() {
    for (text, named) in [
        ("stone", "cyst, hypo or hyper"),
        ("cyst:", "RADIUS"),
        ("cyst:x", "RADIUS"),
        ("hypo:0.5", "radius of a lesion is 0.5"),
        ("hyper:NaN", "radius of a lesion is NaN"),
    ] {
        let refusal = text.parse::<Lesion>().expect_err(text).to_string();
        assert!(refusal.contains(named), "{text}: {refusal}");
    }
    let parsed: Lesion = "hypo:0.012".parse().expect("it is valid");
    assert_eq!(
        (parsed.kind, parsed.radius),
        (LesionKind::Hypoechoic, 0.012)
    );
    let block = Block::layers(&[(AIR, 0.0), (SOFT_TISSUE, 1.0)]);
    let region = [Point::new(-0.01, 0.0, 0.0), Point::new(0.01, 0.0, 0.02)];
    let refused = |organ: &str, radius: f64| {
        let wanted = [Lesion {
            kind: LesionKind::Cyst,
            radius,
        }];
        place_lesions(&wanted, &block, organ, region, 0)
            .expect_err("no such place")
            .to_string()
    };
    assert!(refused("liver", 0.005).contains("one of air, soft tissue"));
    assert!(refused("soft tissue", 0.03).contains("no room"));
    let ball = |center: f32, radius: f32| Insert {
        solid: Solid::Ball {
            center: Point::new(center, 0.0, 0.0),
            radius,
        },
        material: URINE,
    };
    for wrong in [
        ball(f32::NAN, 1.0),
        ball(0.0, 0.0),
        ball(0.0, f32::NAN),
        ball(0.0, f32::INFINITY),
    ] {
        let inserted = Inserts::new(Box::new(block.clone()), &[wrong]);
        assert!(
            inserted
                .err()
                .expect("no ball")
                .to_string()
                .contains("ball")
        );
    }
    let mut open = TriangleMesh::cuboid([0.01; 3]);
    open.triangles.pop();
    let refusal = Solid::mesh(&open).expect_err("it is open").to_string();
    assert!(
        refusal.contains("open") && refusal.contains("organ"),
        "{refusal}"
    );
}
