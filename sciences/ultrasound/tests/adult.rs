//! Contract: the adult's layers and organs match anatomy, leaps are safe, and indentation by a face is invertible.

use insonate_models::patients::Physique;
use insonate_ultrasound::deformation::{Deformation, Indentation, Point, Rigid, Vector};
use insonate_ultrasound::phantom::{Adult, Phantom, SoftOrgan};
use insonate_ultrasound::transducer::c5_2;
use insonate_ultrasound::{BMode, Settings, View};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

fn name(adult: &Adult, point: &Point) -> &'static str {
    adult.materials()[usize::from(adult.place(point).material)].name
}

#[test]
fn nothing_else_begins_within_the_clearance() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for seed in 0..3 {
        let adult = Adult::new(&Physique::drawn(seed), seed).expect("drawn adults are valid");
        let mut wrong = 0;
        for _ in 0..60_000 {
            let mut within = |low: f32, high: f32| rng.random_range(low..high);
            let point = Point::new(within(-0.18, 0.18), within(-0.3, 0.3), within(-0.02, 0.24));
            let way = Vector::new(within(-1.0, 1.0), within(-1.0, 1.0), within(-1.0, 1.0));
            let place = adult.place(&point);
            let beyond = point + way.normalize() * (0.95 * place.clearance);
            wrong += usize::from(adult.place(&beyond).material != place.material);
        }
        // Tolerance: distances to ellipsoids are of first order, and the skin's depth is interpolated.
        assert!(wrong < 120, "{wrong} of 60000");
    }
}

#[test]
fn a_stretch_ends_where_the_material_does() {
    // Segments of up to 9 mm, on which the skin's depth is taken as monotonic.
    const FINE: f32 = 2e-5;
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for seed in 0..3 {
        let adult = Adult::new(&Physique::drawn(seed), seed).expect("drawn adults are valid");
        let material = |point: &Point| adult.place(point).material;
        let (mut boundaries, mut early, mut late, mut none) = (0, 0, 0, 0);
        for _ in 0..20_000 {
            let mut within = |low: f32, high: f32| rng.random_range(low..high);
            let start = Point::new(within(-0.15, 0.15), within(-0.2, 0.25), within(0.0, 0.22));
            let way = Vector::new(within(-1.0, 1.0), within(-1.0, 1.0), within(-1.0, 1.0));
            let length = within(0.001, 0.009);
            let way = way.normalize() * length;
            let stretch = adult.stretch(&start, &way);
            let at = |far: f32| start + way * (far / length);
            let own = stretch.place.material;
            let free = stretch.share * length;
            // A point on a boundary may belong to either side.
            if own != material(&start) {
                none += 1;
                continue;
            }
            let mut inside = (1..)
                .map(|n| n as f32 * 7.0 * FINE)
                .take_while(|far| *far < free - FINE);
            early += usize::from(inside.any(|far| material(&at(far)) != own));
            if stretch.is_boundary {
                boundaries += 1;
                late += usize::from(material(&at(free + FINE)) == own);
            }
        }
        assert!(boundaries > 1500, "{boundaries} boundaries of 20000 ways");
        // Exceptions: grazing boundaries, and thin layers between two others.
        assert!(early < 60, "{early} of 20000 end earlier");
        assert!(late < boundaries / 50, "{late} of {boundaries} end later");
        assert!(none < 20, "{none} of 20000 begin elsewhere");
    }
}

#[test]
fn below_the_navel_there_are_skin_fat_sheet_and_muscle() {
    for seed in 0..5 {
        let adult = Adult::new(&Physique::drawn(seed), seed).expect("drawn adults are valid");
        let pose = adult
            .probe_pose([0.03, -0.09], 0.0, 0.0)
            .expect("it is on the belly")
            .cast::<f32>();
        let mut met = Vec::new();
        for step in 1..400 {
            let found = name(&adult, &(pose * Point::new(0.0, 0.0, 2e-4 * step as f32)));
            if met.last() != Some(&found) {
                met.push(found);
            }
        }
        assert_eq!(met[..4], ["skin", "fat", "fascia", "muscle"], "{met:?}");
    }
}

#[test]
fn views_show_the_organs_that_they_are_named_after() {
    let adult = Adult::new(&Physique::default(), 3).expect("the reference man is valid");
    let settings = Settings {
        n_lines: 96,
        n_samples: 256,
        ..Settings::of(&c5_2())
    };
    let mut b_mode = BMode::new(&c5_2(), &settings).expect("the settings are valid");
    for (site, wanted) in [
        (
            [-0.09, -0.035],
            vec!["liver", "bile", "blood", "muscle", "fat"],
        ),
        (
            [-0.14, 0.0],
            vec!["liver", "kidney cortex", "kidney sinus", "bone"],
        ),
        ([-0.09, 0.09], vec!["lung", "liver", "bone"]),
        ([0.0, -0.22], vec!["urine"]),
    ] {
        let pose = adult
            .probe_pose(site, std::f64::consts::FRAC_PI_2, 0.013)
            .expect("it is on the skin");
        let pressed = pressed(&adult, &pose);
        let view = View::new(&adult, &pressed, &pose).expect("the pose is valid");
        let frame = b_mode.frame(&view, 0);
        assert!(
            frame.contact_share() > 0.5,
            "{site:?}: {}",
            frame.contact_share()
        );
        for wanted in wanted {
            let index = adult
                .materials()
                .iter()
                .position(|material| material.name == wanted);
            let index = index.expect("the material exists") as u8;
            let n: usize = frame
                .labels
                .iter()
                .map(|label| usize::from(*label == index))
                .sum();
            assert!(n > 20, "{site:?}: {wanted} {n}");
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_patient() {
    let adult = |seed| Adult::new(&Physique::default(), seed).expect("the reference man is valid");
    let places = |adult: &Adult| -> Vec<u8> {
        let point = |n: i32| {
            Point::new(
                -0.1 + 0.002 * (n % 50) as f32,
                -0.05,
                0.05 + 0.002 * (n / 50) as f32,
            )
        };
        (0..2500).map(|n| adult.place(&point(n)).material).collect()
    };
    assert_eq!(places(&adult(4)), places(&adult(4)));
    assert_ne!(places(&adult(4)), places(&adult(5)));
}

/// The adult indented by a C5-2, kinematically.
fn pressed(adult: &Adult, pose: &nalgebra::Isometry3<f64>) -> Indentation<Rigid> {
    Indentation::new(Rigid::default(), adult, &c5_2(), pose, Indentation::DECAY)
        .expect("the depth is valid")
}

#[test]
fn pressed_points_come_back_and_layers_get_thinner() {
    let adult = Adult::new(&Physique::default(), 0).expect("the reference man is valid");
    let pose = adult
        .probe_pose([-0.06, -0.05], 0.3, 0.015)
        .expect("it is on the skin");
    let pressed = pressed(&adult, &pose);
    let world = pose.cast::<f32>();
    for (x, y, z) in [(0.0, 0.0, 0.002), (0.01, 0.004, 0.03), (-0.02, -0.01, 0.1)] {
        let point = world * Point::new(x, y, z);
        let rest = pressed.rest_from_world(&point).expect("it is everywhere");
        let back = pressed.world_from_rest(&rest).expect("it is everywhere");
        assert!((back - point).norm() < 2e-6, "{point} {back}");
    }
    let rest = |z: f32| {
        pressed
            .rest_from_world(&(world * Point::new(0.0, 0.0, z)))
            .expect("it is everywhere")
    };
    let thickness = (rest(0.01) - rest(0.0)).norm();
    assert!((0.012..0.016).contains(&thickness), "{thickness}");
    let wrong = Indentation::new(Rigid::default(), &adult, &c5_2(), &pose, 0.2);
    assert!(wrong.is_err(), "0.2 m fade over more than the body");
    assert!(adult.probe_pose([0.0, 0.0], 0.0, 0.2).is_err());
    assert!(adult.probe_pose([1.0, 0.0], 0.0, 0.0).is_err());
    assert!(adult.probe_pose([f64::NAN, 0.0], 0.0, 0.0).is_err());
}

#[test]
fn the_liver_kidney_view_shows_liver_before_the_kidney_along_its_axis() {
    for seed in 0..5 {
        let adult = Adult::new(&Physique::drawn(seed), seed).expect("drawn adults are valid");
        let pose = adult.liver_kidney_view().expect("there is a view");
        let landmarks = adult.landmarks();
        let kidney = pose.inverse() * landmarks.right_kidney.cast::<f64>();
        // On the probe's axis, within the depth of a curved array.
        assert!(kidney.x.abs() < 1e-5 && kidney.y.abs() < 1e-5, "{kidney}");
        assert!((0.08..0.17).contains(&kidney.z), "{kidney}");
        let axis = pose.rotation.inverse() * landmarks.right_kidney_axis.cast::<f64>();
        assert!((axis.x - 1.0).abs() < 1e-5, "{axis}");
        let down = |z: f64| {
            let point = pose * nalgebra::Point3::new(0.0, 0.0, z);
            name(&adult, &point.cast::<f32>())
        };
        // The first half millimetre outside of the skin.
        assert_eq!([down(-0.0006), down(0.0006)], ["air", "skin"]);
        assert!(down(kidney.z).starts_with("kidney"));
        let is_liver = |mm: i32| down(0.001 * f64::from(mm)) == "liver";
        assert!((1..(1e3 * kidney.z) as i32).any(is_liver), "{seed}");
        // The kidney extends farther along the picture than across it.
        let lateral = |x: f64, y: f64| {
            let point = pose * nalgebra::Point3::new(x, y, kidney.z);
            name(&adult, &point.cast::<f32>()).starts_with("kidney")
        };
        assert!(lateral(0.042, 0.0) && lateral(-0.042, 0.0));
        assert!(!lateral(0.0, 0.042) && !lateral(0.0, -0.042));
    }
}

#[test]
fn the_surface_of_a_kidney_has_its_area_and_separates_it_from_its_surroundings() {
    for seed in 0..3 {
        let adult = Adult::new(&Physique::drawn(seed), seed).expect("drawn adults are valid");
        let surface = adult.surface(SoftOrgan::RightKidney, 2000);
        let surface = surface.expect("as many points are valid");
        let (center, long) = (
            adult.landmarks().right_kidney,
            adult.landmarks().right_kidney_axis,
        );
        let axes = [long, Vector::z(), long.cross(&Vector::z())];
        let half = axes.map(|axis| {
            let along = surface
                .iter()
                .map(|point| axis.dot(&(point.rest - center)).abs());
            f64::from(along.fold(0.0, f32::max))
        });
        // Thomsen's formula has an error of up to 1.061 % of an ellipsoid's area; the outermost point is nearly at the end of each axis.
        let power = half.map(|half| half.powf(1.6075));
        let [a, b, c] = power;
        let area = 4.0 * std::f64::consts::PI * ((a * b + b * c + c * a) / 3.0).powf(1.0 / 1.6075);
        let found: f64 = surface.iter().map(|point| f64::from(point.area)).sum();
        assert!((found / area - 1.0).abs() < 0.02, "{found} {area}");
        for point in &surface {
            let out = (point.rest - center).normalize() * 0.002;
            assert!(name(&adult, &(point.rest - out)).starts_with("kidney"));
            assert!(!name(&adult, &(point.rest + out)).starts_with("kidney"));
        }
    }
}

#[test]
fn a_slice_is_as_thick_as_the_beam_and_as_wide_as_the_array_sees() {
    let adult = Adult::new(&Physique::default(), 0).expect("the reference man is valid");
    let pose = adult
        .probe_pose([0.0, -0.05], 0.0, 0.0)
        .expect("it is skin");
    let rigid = Rigid::default();
    let view = View::new(&adult, &rigid, &pose).expect("the pose is valid");
    let settings = Settings {
        n_lines: 17,
        n_samples: 100,
        depth: 0.1,
        ..Settings::of(&c5_2())
    };
    let b_mode = BMode::new(&c5_2(), &settings).expect("the settings are valid");
    let place = |x: f32, y: f32, z: f32| {
        let rest = pose.cast::<f32>() * Point::new(x, y, z);
        b_mode.sample_of(&view, &rest, 0.0)
    };
    // Line 8 is on the axis; a sample is 1 mm.
    assert_eq!(place(0.0, 0.0, 0.0503), Some([8, 50]));
    assert_eq!(place(0.0, 0.0, 0.1003), None);
    assert_eq!(place(0.0, 0.0, -0.001), None);
    // At its focus of 60 mm, a beam with a 13.5 mm aperture and a wavelength of 0.43 mm is about λF = 2 mm wide.
    assert_eq!(place(0.0, 0.0005, 0.0603), Some([8, 60]));
    assert_eq!(place(0.0, 0.004, 0.0603), None);
    // Lines span 75°, 37.5° to either side of the axis; they meet 49.6 mm above the face.
    let lateral = |angle: f32| {
        let (sin, cos) = angle.to_radians().sin_cos();
        let radius = 0.0496 + 0.05;
        place(radius * sin, 0.0, radius * cos - 0.0496)
    };
    assert_eq!(lateral(36.0).map(|[line, _]| line), Some(16));
    assert_eq!(lateral(-36.0).map(|[line, _]| line), Some(0));
    assert_eq!([lateral(40.0), lateral(-40.0)], [None, None]);
}
