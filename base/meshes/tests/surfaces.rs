//! Contract: closed surfaces are distinguished from others, and area, volume and normals match analytic solids.

use std::f64::consts::PI;

use insonate_meshes::{MeshFault, TriangleMesh};
use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;

#[test]
fn volume_and_area_of_a_box_are_exact() {
    let mut mesh = TriangleMesh::cuboid([0.1, 0.2, 0.3]);
    mesh.transform(&Isometry3::translation(3.0, -2.0, 1.0), 1.0);
    assert!((mesh.volume() - 0.048).abs() < 1e-14);
    assert!((mesh.area() - 0.88).abs() < 1e-14);
}

#[test]
fn volume_and_area_of_a_sphere_converge_with_the_square_of_the_edge() {
    let errors = [2, 3, 4].map(|n_subdivisions| {
        let mesh = TriangleMesh::ellipsoid([0.5; 3], n_subdivisions);
        mesh.check_closed().unwrap();
        [mesh.volume() / (PI / 6.0) - 1.0, mesh.area() / PI - 1.0]
    });
    for [coarse, fine] in [[errors[0], errors[1]], [errors[1], errors[2]]] {
        for (coarse, fine) in coarse.into_iter().zip(fine) {
            let order = (coarse / fine).log2();
            assert!((order - 2.0).abs() < 0.1, "{order}");
        }
    }
    // The finest sphere has 2562 vertices.
    assert!(errors[2][0].abs() < 3e-3);
}

#[test]
fn normals_of_a_sphere_are_its_directions() {
    let mesh = TriangleMesh::ellipsoid([0.7; 3], 3);
    for (position, normal) in mesh.positions.iter().zip(mesh.vertex_normals()) {
        let outward = Vector3::from(*position).normalize();
        assert!(outward.dot(&Vector3::from(normal)) > 0.999);
    }
}

#[test]
fn each_fault_is_named() {
    let cube = TriangleMesh::cuboid([1.0; 3]);
    let mut open = cube.clone();
    open.triangles.pop();
    let fault = open.check_closed().unwrap_err();
    let wanted = "edge 4-6 belongs to one triangle only: the mesh is open";
    assert_eq!(fault.to_string(), wanted);
    assert_eq!(
        TriangleMesh::default().check_closed(),
        Err(MeshFault::Empty)
    );

    let mut twisted = cube.clone();
    twisted.triangles[3].swap(0, 1);
    assert!(matches!(
        twisted.check_closed(),
        Err(MeshFault::InconsistentOrientation { .. })
    ));

    let mut crowded = cube.clone();
    crowded.positions.push([9.0; 3]);
    crowded.triangles.push([0, 4, 8]);
    assert!(matches!(
        crowded.check_closed(),
        Err(MeshFault::NonManifoldEdge {
            edge: [0, 4],
            n_triangles: 3
        })
    ));

    let mut wild = cube.clone();
    wild.positions[5][1] = f64::NAN;
    assert!(matches!(
        wild.check_closed(),
        Err(MeshFault::Coordinate { vertex: 5, .. })
    ));

    let mut missing = cube.clone();
    missing.triangles[2][0] = 8;
    assert!(matches!(
        missing.check_closed(),
        Err(MeshFault::IndexOutOfRange {
            triangle: 2,
            vertex: 8,
            ..
        })
    ));

    let mut thin = cube.clone();
    thin.triangles.push([0, 1, 1]);
    assert!(matches!(
        thin.check_closed(),
        Err(MeshFault::Degenerate { triangle: 12, .. })
    ));

    let mut inward = cube.clone();
    inward.flip();
    assert!(matches!(
        inward.check_closed(),
        Err(MeshFault::NoVolume { .. })
    ));
    assert!((inward.into_closed().unwrap().volume() - 8.0).abs() < 1e-12);
}

#[test]
fn the_highest_upward_triangle_is_found_with_its_normal() {
    let mesh = TriangleMesh {
        positions: vec![
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 1.0],
            [0.0, 0.0, -1.0],
            [1.0, 0.0, -1.0],
            [0.0, 1.0, -1.0],
        ],
        triangles: vec![[0, 1, 2], [3, 4, 5]],
    };
    let point = mesh.highest_at(0.25, 0.5).unwrap();
    assert!((point.position[2] - 0.5).abs() < 1e-15);
    let half = 0.5_f64.sqrt();
    assert!((point.normal[1] + half).abs() < 1e-15 && (point.normal[2] - half).abs() < 1e-15);
    assert!(mesh.highest_at(0.8, 0.8).is_none());
    assert_eq!(mesh.bounds(), [[0.0, 0.0, -1.0], [1.0, 1.0, 1.0]]);
}

proptest! {
    #[test]
    fn welding_makes_split_vertices_one(seed in prop::collection::vec(-1.0..1.0_f64, 9)) {
        let mesh = TriangleMesh::cylinder(0.4, 0.3, 11);
        let noise = 1e-5;
        let mut soup = TriangleMesh::default();
        for triangle in 0..mesh.triangles.len() {
            let first = soup.positions.len() as u32;
            for (corner, position) in mesh.corners(triangle).iter().enumerate() {
                let shift = Vector3::from_fn(|axis, _| noise * seed[(3 * corner + axis + triangle) % 9]);
                soup.positions.push((position + shift).into());
            }
            soup.triangles.push([first, first + 1, first + 2]);
        }
        // The tolerance is twice the noise along the diagonal of a cube.
        soup.weld(4e-5);
        prop_assert_eq!(soup.positions.len(), mesh.positions.len());
        prop_assert!(soup.check_closed().is_ok());
        prop_assert!((soup.volume() / mesh.volume() - 1.0).abs() < 1e-3);
    }

    #[test]
    fn volume_and_area_do_not_depend_on_the_pose(x in -5.0..5.0_f64, angle in -3.0..3.0_f64) {
        let mut mesh = TriangleMesh::ellipsoid([0.1, 0.2, 0.3], 2);
        let (volume, area) = (mesh.volume(), mesh.area());
        mesh.transform(&Isometry3::new(Vector3::new(x, -x, 1.0), Vector3::new(angle, 0.2, 0.1)), 2.0);
        prop_assert!((mesh.volume() / volume - 8.0).abs() < 1e-10);
        prop_assert!((mesh.area() / area - 4.0).abs() < 1e-10);
    }
}

#[test]
fn smoothing_removes_folds_and_keeps_the_solid() {
    let smooth = TriangleMesh::ellipsoid([0.1, 0.08, 0.06], 3);
    // Every fifth vertex is moved inwards by a tenth.
    let mut dented = smooth.clone();
    for position in dented.positions.iter_mut().step_by(5) {
        *position = position.map(|x| 0.9 * x);
    }
    let rounded = dented.smoothed(6);
    // Distance from the ellipsoid of the same axes that passes through the mean vertex.
    let roughness = |mesh: &TriangleMesh| {
        let scales: Vec<f64> = mesh
            .positions
            .iter()
            .map(|[x, y, z]| (x / 0.1).hypot(y / 0.08).hypot(z / 0.06))
            .collect();
        let mean = scales.iter().sum::<f64>() / scales.len() as f64;
        let squares: f64 = scales.iter().map(|scale| (scale - mean).powi(2)).sum();
        (squares / scales.len() as f64).sqrt()
    };
    let [before, after] = [roughness(&dented), roughness(&rounded)];
    assert!(before > 0.035 && after < 0.4 * before, "{before} {after}");
    assert!((rounded.volume() / dented.volume() - 1.0).abs() < 0.02);
    assert_eq!(rounded.triangles, smooth.triangles);
    assert_eq!(smooth.smoothed(0), smooth);
}
