//! Contract: self-intersections are found, and so are all local minima of the distance to a point.

use insonate_meshes::{MeshFault, SurfaceTree, TriangleMesh};
use nalgebra::Vector3;

fn with(mut mesh: TriangleMesh, other: &TriangleMesh) -> TriangleMesh {
    let n_vertices = mesh.positions.len() as u32;
    let triangles = other.triangles.iter().map(|t| t.map(|v| v + n_vertices));
    mesh.triangles.extend(triangles);
    mesh.positions.extend(&other.positions);
    mesh
}

#[test]
fn a_surface_that_cuts_through_itself_names_the_triangles() {
    let ball = TriangleMesh::ellipsoid([0.1; 3], 3);
    let n_triangles = ball.triangles.len();
    for (shift, crosses) in [(0.05, true), (0.19, true), (0.21, false)] {
        let other = ball.clone().map(|[x, y, z]| [x + shift, y, z]);
        let both = with(ball.clone(), &other);
        match SurfaceTree::new(&both).unwrap().check_crossing() {
            Ok(()) => assert!(!crosses, "{shift}"),
            Err(MeshFault::Crossing { triangles: [a, b] }) => {
                assert!(crosses && a < n_triangles && b >= n_triangles);
            }
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn the_middle_of_a_box_is_nearest_to_all_its_sides() {
    let tree = SurfaceTree::new(&TriangleMesh::cuboid([0.1, 0.2, 0.3])).unwrap();
    let mut found = Vec::new();
    tree.local_minima_within(&Vector3::new(0.01, 0.02, 0.0), 0.31, &mut found);
    let mut distances: Vec<f64> = found.iter().map(|point| point.distance).collect();
    distances.sort_by(f64::total_cmp);
    let expected = [-0.3, -0.3, -0.22, -0.18, -0.11, -0.09];
    assert_eq!(distances.len(), 6);
    for (one, other) in distances.iter().zip(expected) {
        assert!((one - other).abs() < 1e-12, "{distances:?}");
    }
    // For a point outside, beyond an edge, only the edge is found.
    found.clear();
    tree.local_minima_within(&Vector3::new(0.13, 0.24, 0.0), 0.06, &mut found);
    assert_eq!(found.len(), 1);
    assert!((found[0].distance - 0.05).abs() < 1e-12);
}
