//! Displacement fields from simulated points.

use insonate_models::probes::c5_2;
use insonate_ultrasound::deformation::{Deformation, DisplacementField, Point, Region, Vector};
use nalgebra::{Isometry3, Matrix3};

/// The region of a probe that looks down from 0.2 m.
fn region() -> Region {
    let down = nalgebra::UnitQuaternion::from_axis_angle(
        &Vector::x_axis().cast::<f64>(),
        std::f64::consts::PI,
    );
    let pose = Isometry3::from_parts(nalgebra::Translation3::new(0.0, 0.0, 0.2), down);
    Region::seen(&c5_2().transducer, &pose, 0.1)
}

/// A block of points 15 mm apart, with small random shifts.
fn block() -> Vec<Point> {
    let point = |n: usize| {
        let place = [n % 21, n / 21 % 9, n / 189].map(|n| 0.015 * n as f32);
        let noise = |k: usize| 0.002 * ((n * (7 + k)) as f32).sin();
        Point::new(
            place[0] - 0.15 + noise(1),
            place[1] - 0.06 + noise(2),
            place[2] + noise(3),
        )
    };
    (0..21 * 9 * 14).map(point).collect()
}

#[test]
fn an_affine_deformation_is_found_from_its_points() {
    let stretch = Matrix3::new(1.1, 0.05, 0.0, 0.0, 0.9, -0.1, 0.02, 0.0, 0.8);
    let shift = Vector::new(0.003, -0.002, 0.01);
    let rest = block();
    let world: Vec<Point> = rest.iter().map(|point| stretch * point + shift).collect();
    let field = DisplacementField::of_solid(&region(), &rest, &world).expect("points are valid");
    let rest_from_world = stretch.try_inverse().expect("it is regular");
    for (x, y, z) in [(0.0, 0.0, 0.15), (0.06, 0.01, 0.1), (-0.05, -0.012, 0.12)] {
        let point = Point::new(x, y, z);
        let wanted = Point::from(rest_from_world * (point - shift).coords);
        let found = field.rest_from_world(&point).expect("it is everywhere");
        // Regularisation reduces the slope by a hundredth over a fraction of the spacing.
        assert!((found - wanted).norm() < 1e-4, "{found} {wanted}");
        let back = field.world_from_rest(&found).expect("it is everywhere");
        assert!((back - point).norm() < 1e-5, "{back} {point}");
    }
    let wanted = rest_from_world.singular_values().max();
    let most = field.max_compression(&Point::new(0.0, 0.0, 0.2));
    assert!((wanted..1.2 * wanted).contains(&most), "{most} {wanted}");
}

#[test]
fn a_dent_in_the_skin_fades_with_depth() {
    let skin = |n: usize| {
        Point::new(
            -0.12 + 0.008 * (n % 31) as f32,
            -0.08 + 0.008 * (n / 31) as f32,
            0.2,
        )
    };
    let rest: Vec<Point> = (0..31 * 21).map(skin).collect();
    let dent = |point: &Point| 0.01 * (-(point.x.hypot(point.y) / 0.03).powi(2)).exp();
    let world: Vec<Point> = rest
        .iter()
        .map(|point| point - Vector::z() * dent(point))
        .collect();
    let field = DisplacementField::of_skin(&region(), &rest, &world).expect("points are valid");
    let risen = |x: f32, z: f32| {
        let point = Point::new(x, 0.0, z);
        field.rest_from_world(&point).expect("it is everywhere").z - z
    };
    assert!(
        (0.0092..=0.01).contains(&risen(0.0, 0.19)),
        "{}",
        risen(0.0, 0.19)
    );
    let half = risen(0.0, 0.19 - 0.035 * std::f32::consts::LN_2);
    assert!((0.0045..0.0052).contains(&half), "{half}");
    assert!(risen(0.0, 0.1) < 0.0013, "{}", risen(0.0, 0.1));
    assert!(risen(0.1, 0.19).abs() < 2e-4, "{}", risen(0.1, 0.19));
}

#[test]
fn invalid_deformations_are_refused() {
    let points = block();
    let field =
        |rest: &[Point], world: &[Point]| DisplacementField::of_solid(&region(), rest, world);
    assert!(field(&points[..3], &points[..3]).is_err());
    assert!(field(&points, &points[1..]).is_err());
    let mut broken = points.clone();
    broken[7].y = f32::NAN;
    let error = field(&points, &broken).expect_err("a point is NaN");
    assert!(error.to_string().contains('7'), "{error}");
}
