//! Contract: tetrahedra fill their solid, and their dihedral angles keep the proven bounds of isosurface stuffing.

use std::f64::consts::PI;

use insonate_meshes::{MeshFault, TriangleMesh};
use insonate_tissue::TissueError;
use insonate_tissue::mesh::TetMesh;
use nalgebra::{Rotation3, Vector3};
use proptest::prelude::*;

/// Bounds of isosurface stuffing (Labelle & Shewchuk 2007, Table 1) [°].
const DIHEDRAL: [f64; 2] = [10.78, 164.74];

#[track_caller]
fn check_angles(mesh: &TetMesh) {
    let quality = mesh.quality();
    assert_eq!(quality.n_inverted, 0);
    let angles = [quality.min_dihedral, quality.max_dihedral].map(f64::to_degrees);
    assert!(
        angles[0] >= DIHEDRAL[0] && angles[1] <= DIHEDRAL[1],
        "{angles:?}"
    );
}

#[track_caller]
fn check_shape(mesh: &TetMesh) {
    check_angles(mesh);
    let boundary = mesh.boundary();
    boundary
        .surface
        .check_closed()
        .expect("the boundary is closed");
    let volume: f64 = mesh.volumes().iter().sum();
    assert!((boundary.surface.volume() / volume - 1.0).abs() < 1e-9);
    for (position, &vertex) in boundary.surface.positions.iter().zip(&boundary.vertices) {
        assert_eq!(*position, mesh.positions[vertex as usize]);
    }
}

#[test]
fn a_box_is_filled_exactly() {
    let half = [0.1, 0.05, 0.15];
    let mesh = TetMesh::cuboid(half, 0.0251).unwrap();
    check_shape(&mesh);
    let quality = mesh.quality();
    assert_eq!(mesh.tets.len(), 6 * 8 * 4 * 12);
    assert!((quality.min_dihedral.to_degrees() - 45.0).abs() < 1e-6);
    assert!((quality.max_dihedral.to_degrees() - 90.0).abs() < 1e-6);
    assert!((quality.volume_ratio - 1.0).abs() < 1e-9);
    assert!((mesh.volumes().iter().sum::<f64>() - 6e-3).abs() < 1e-15);
    assert_eq!(mesh.boundary().surface.bounds(), [half.map(|x| -x), half]);
}

#[test]
fn a_ball_is_filled_to_second_order() {
    let radius = 0.1;
    let errors = [0.025, 0.0125, 0.00625].map(|edge| {
        let distance = |point: &Vector3<f64>| point.norm() - radius;
        let mesh = TetMesh::fill(distance, [[-radius; 3], [radius; 3]], edge).unwrap();
        check_shape(&mesh);
        for position in mesh.boundary().surface.positions {
            assert!((Vector3::from(position).norm() - radius).abs() < 1e-3 * edge);
        }
        1.0 - mesh.volumes().iter().sum::<f64>() / (4.0 / 3.0 * PI * radius.powi(3))
    });
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((1.7..2.4).contains(&order), "{errors:?}");
    }
}

#[test]
fn a_closed_mesh_is_filled() {
    for surface in [
        TriangleMesh::cylinder(0.1, 0.2, 40),
        TriangleMesh::ellipsoid([0.1, 0.15, 0.2], 4),
        TriangleMesh::cuboid([0.1, 0.15, 0.2]),
    ] {
        let mesh = TetMesh::from_surface(&surface, 0.02).unwrap();
        check_shape(&mesh);
        // Sharp edges are cut off: at most half an edge squared along each.
        let volume: f64 = mesh.volumes().iter().sum();
        assert!((volume / surface.volume() - 1.0).abs() < 0.02, "{volume}");
    }
}

#[test]
fn angles_keep_their_bounds_at_any_pose_and_width() {
    let rounded = |q: Vector3<f64>| (q.xy().norm() - 0.6).hypot(q.z) - 0.2;
    let cuboid = |q: Vector3<f64>| (q.abs() - Vector3::new(0.5, 0.3, 0.7)).max();
    let ellipsoid = |q: Vector3<f64>| q.component_div(&Vector3::new(0.8, 0.3, 0.5)).norm() - 1.0;
    let solids: [&(dyn Fn(Vector3<f64>) -> f64 + Sync); 3] = [&rounded, &cuboid, &ellipsoid];
    for solid in solids {
        for pose in 0..6 {
            let axis = Vector3::new(0.3, 1.1, -0.7) * f64::from(pose);
            let turn = Rotation3::from_scaled_axis(axis);
            for edge in [0.07, 0.11, 0.16] {
                let mesh = TetMesh::fill(|p| solid(turn * p), [[-1.0; 3], [1.0; 3]], edge);
                check_angles(&mesh.unwrap());
            }
        }
    }
}

#[test]
fn empty_huge_and_undefined_solids_are_refused() {
    let bounds = [[-1.0; 3], [1.0; 3]];
    let nothing = TetMesh::fill(|_| 1.0, bounds, 0.2).unwrap_err();
    assert_eq!(nothing, TissueError::Mesh(MeshFault::Empty));
    let huge = TetMesh::fill(|p| p.norm() - 1.0, bounds, 1e-4).unwrap_err();
    assert!(
        huge.to_string()
            .contains("lattice vertices; it must have at most 20000000"),
        "{huge}"
    );
    let nan = TetMesh::fill(|_| f64::NAN, bounds, 0.2).unwrap_err();
    assert!(nan.to_string().starts_with("distance is"), "{nan}");
    assert!(TetMesh::cuboid([1.0; 3], 1e-300).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn angles_keep_their_bounds_for_solids_as_rough_as_the_tetrahedra(
        waves in prop::collection::vec(-1.0..1.0_f64, 9), shift in -0.5..0.5_f64, edge in 0.1..0.2_f64,
    ) {
        // Sums of waves about as long as an edge, cut by a ball.
        let depth = |p: &Vector3<f64>| {
            let k = |i: usize| Vector3::new(waves[i], waves[i + 1], waves[i + 2]) * (3.0 / edge);
            (k(0).dot(p)).sin() + (k(3).dot(p)).cos() + (k(6).dot(p) + 1.0).sin() + shift
        };
        let mesh = TetMesh::fill(|p| depth(p).max(p.norm() - 0.9), [[-1.0; 3], [1.0; 3]], edge);
        if let Ok(mesh) = mesh {
            check_angles(&mesh);
            // Neighbours agree on the diagonals of shared faces: all inner faces have two tetrahedra.
            let boundary = mesh.boundary().surface;
            // Parts thinner than a tetrahedron may touch along an edge; there are no other faults.
            let found = boundary.check_closed();
            prop_assert!(matches!(found, Ok(()) | Err(MeshFault::NonManifoldEdge { .. })), "{:?}", found);
            let volume: f64 = mesh.volumes().iter().sum();
            prop_assert!((boundary.volume() / volume - 1.0).abs() < 1e-9);
        }
    }
}
