//! Contract: a sampled distance field is the distance from its mesh to second order. It is read from its file, or
//! computed again if the file is damaged.

use std::sync::Arc;

use insonate_meshes::{SurfaceTree, TriangleMesh};
use insonate_tissue::TissueError;
use insonate_tissue::tool::{DistanceField, Shape, Tool};
use nalgebra::Vector3;
use proptest::prelude::*;

/// Points spread over a cube of half size 1.
fn points(n: u32) -> impl Iterator<Item = Vector3<f64>> {
    let spread = |i: u32, base: f64| f64::from(i) * base % 1.0 * 2.0 - 1.0;
    // Generalised golden ratios.
    (1..=n).map(move |i| {
        Vector3::new(
            spread(i, 0.8191725),
            spread(i, 0.6710436),
            spread(i, 0.5497005),
        )
    })
}

#[test]
fn a_box_has_its_exact_distance() {
    let half = [0.3, 0.2, 0.1];
    let nearest = SurfaceTree::new(&TriangleMesh::cuboid(half)).unwrap();
    let shape = Shape::Cuboid { half };
    for point in points(5000).map(|p| p * 0.5) {
        let (found, wanted) = (nearest.closest_point(&point), shape.surface(&point));
        assert!((found.distance - wanted.distance).abs() < 1e-14, "{point}");
        assert!((point - found.position).norm() - found.distance.abs() < 1e-14);
        // Normals are discontinuous where two sides are equally near.
        let there = nearest.closest_point(&(point - found.normal * found.distance));
        assert!(there.distance.abs() < 1e-12);
    }
}

#[test]
fn the_error_near_a_sphere_falls_with_the_square_of_the_cell() {
    let radius = 0.1;
    // Finer than the cells: the error of the mesh is 1e-4 of the radius.
    let mesh = TriangleMesh::ellipsoid([radius; 3], 6);
    let errors = [24, 44, 84].map(|resolution| {
        let field = DistanceField::new(&mesh, resolution).unwrap();
        let band = 2.0 * field.cell_width();
        let mut most = [0.0_f64; 2];
        for point in points(40_000).map(|p| p * 0.11) {
            let distance = point.norm() - radius;
            if distance.abs() < band {
                let found = field.surface(&point);
                most[0] = most[0].max((found.distance - distance).abs());
                most[1] = most[1].max((found.normal - point.normalize()).norm());
            }
        }
        (field.cell_width(), most)
    });
    for pair in errors.windows(2) {
        let width = (pair[0].0 / pair[1].0).ln();
        let orders = [0, 1].map(|i| (pair[0].1[i] / pair[1].1[i]).ln() / width);
        // Values are second order, gradients first order.
        assert!((orders[0] - 2.0).abs() < 0.3, "{errors:?}");
        assert!((orders[1] - 1.0).abs() < 0.3, "{errors:?}");
    }
    // h²/(8 R) times 3 directions bounds the error of trilinear values.
    let (width, most) = errors[2];
    assert!(most[0] < 0.375 * width * width / radius, "{errors:?}");
}

#[test]
fn far_from_the_surface_it_is_right_within_a_cell() {
    let half = [0.3, 0.2, 0.1];
    let field = DistanceField::new(&TriangleMesh::cuboid(half), 65).unwrap();
    let shape = Shape::Cuboid { half };
    for point in points(20_000).map(|p| p * 0.36) {
        let (found, wanted) = (field.surface(&point), shape.surface(&point));
        // Outside the grid it is an upper bound.
        let is_in_grid = point
            .iter()
            .zip(half)
            .all(|(x, half)| x.abs() < half + 2.9 * field.cell_width());
        if is_in_grid {
            let error = (found.distance - wanted.distance).abs();
            assert!(error < field.cell_width(), "{point}: {error}");
        } else {
            assert!(found.distance > wanted.distance - 1e-3);
        }
        assert!((found.normal.norm() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn the_normal_is_the_gradient_of_the_distance() {
    let field = DistanceField::new(&TriangleMesh::cylinder(0.1, 0.2, 32), 40).unwrap();
    let step = 1e-7;
    for point in points(500).map(|p| p * 0.4) {
        let found = field.surface(&point);
        let gradient = Vector3::from_fn(|axis, _| {
            let mut side = Vector3::zeros();
            side[axis] = step;
            let at = |point: Vector3<f64>| field.surface(&point).distance;
            (at(point + side) - at(point - side)) / (2.0 * step)
        });
        // A difference across the side of a cell mixes two gradients.
        let apart = (gradient.normalize() - found.normal).norm();
        assert!(
            apart < 1e-5 || gradient.norm() < 0.5,
            "{point}: {gradient} {}",
            found.normal
        );
    }
}

#[test]
fn the_file_is_used_again_unless_it_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("made");
    let mesh = TriangleMesh::ellipsoid([0.1, 0.2, 0.3], 2);
    let made = DistanceField::cached(&mesh, 20, &folder).unwrap();
    let file = || {
        std::fs::read_dir(&folder)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path()
    };
    let whole = std::fs::read(file()).unwrap();
    let check = |wanted: &[u8]| {
        let found = DistanceField::cached(&mesh, 20, &folder).unwrap();
        assert_eq!(found.distances(), made.distances());
        assert_eq!(found.origin(), made.origin());
        assert_eq!((found.shape(), found.reach()), (made.shape(), made.reach()));
        assert_eq!(std::fs::read(file()).unwrap(), wanted);
    };
    check(&whole);
    for at in [0, 20, 50, 70, 200, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        std::fs::write(file(), damaged).unwrap();
        check(&whole);
    }
    for length in [0, 10, 130, whole.len() - 4] {
        std::fs::write(file(), &whole[..length]).unwrap();
        check(&whole);
    }
    // Another resolution has another file.
    DistanceField::cached(&mesh, 21, &folder).unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
}

#[test]
fn threads_do_not_change_it() {
    let mesh = TriangleMesh::ellipsoid([0.1, 0.2, 0.3], 3);
    let [one, three] = [1, 3].map(|n| {
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .unwrap();
        threads.install(|| DistanceField::new(&mesh, 33).unwrap())
    });
    assert_eq!(one.distances(), three.distances());
}

#[test]
fn a_tool_may_be_a_field() {
    let mesh = TriangleMesh::cuboid([0.3, 0.2, 0.1]);
    let field = Arc::new(DistanceField::new(&mesh, 30).unwrap());
    let tool = Tool::new(Shape::Field(field));
    tool.check().unwrap();
    assert!((tool.shape.reach() - 0.14_f64.sqrt()).abs() < 1e-12);
    assert_eq!(tool.after(1.0), tool);
    let below = tool.shape.surface(&Vector3::new(0.0, 0.0, -0.15));
    assert!((below.distance - 0.05).abs() < 1e-6 && below.normal.z < -0.999);
}

#[test]
fn open_meshes_and_wrong_resolutions_are_refused() {
    let mut mesh = TriangleMesh::cuboid([1.0; 3]);
    let error = DistanceField::new(&mesh, 257).unwrap_err();
    assert_eq!(
        error.to_string(),
        "resolution is 257; it must be between 8 and 256"
    );
    mesh.triangles.pop();
    assert!(matches!(
        DistanceField::new(&mesh, 20),
        Err(TissueError::Mesh(_))
    ));
}

proptest! {
    #[test]
    fn the_sign_is_right_at_edges_and_corners(
        x in -1.5..1.5_f64, y in -1.5..1.5_f64, z in -1.5..1.5_f64, which in 0..3_u32,
    ) {
        // A star: sharp edges, out and in.
        let mut mesh = TriangleMesh::cylinder(1.0, 0.5 + 0.1 * f64::from(which), 10);
        for vertex in (2..22).filter(|v| v / 2 % 2 == 0) {
            mesh.positions[vertex][0] *= 0.4;
            mesh.positions[vertex][1] *= 0.4;
        }
        let point = Vector3::new(x, y, z);
        let found = SurfaceTree::new(&mesh).unwrap().signed_distance(&point);
        // Winding number: solid angles of the triangles (Van Oosterom & Strackee 1983).
        let mut angle = 0.0;
        for triangle in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(triangle).map(|corner| corner - point);
            let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
            let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
            angle += 2.0 * a.dot(&b.cross(&c)).atan2(below);
        }
        let is_inside = angle > 2.0 * std::f64::consts::PI;
        prop_assert_eq!(found < 0.0, is_inside, "{} {}", found, angle);
    }
}
