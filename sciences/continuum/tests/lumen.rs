//! Contract: walls of lumens lie in the right places, meshes are closed without self-intersections, and invalid lumens
//! are refused.

use std::collections::HashSet;

use insonate_continuum::lumen::{
    AirwayDepth, CentreLine, MeshLumen, Plane, StraightTube, TPhantom, TubeNetwork, bronchial_tree,
};
use insonate_continuum::{ContinuumError, Lumen, WallPoint};
use insonate_meshes::{MeshFault, SurfaceTree, TriangleMesh};
use nalgebra::Vector3;

fn walls(lumen: &dyn Lumen, point: [f64; 3], within: f64) -> Vec<WallPoint> {
    let mut walls = Vec::new();
    lumen.walls_near(&Vector3::from(point), within, &mut walls);
    walls
}

/// Euler characteristic: 2 for a surface of genus 0 in one piece.
fn euler_characteristic(mesh: &TriangleMesh) -> i64 {
    let n_edges = mesh.triangles.len() * 3 / 2;
    (mesh.positions.len() + mesh.triangles.len()) as i64 - n_edges as i64
}

#[test]
fn planes_and_tubes_have_their_walls_where_they_should() {
    let plane = Plane::new(Vector3::z() * 0.1, Vector3::z() * 2.0).unwrap();
    let [wall] = walls(&plane, [0.3, 0.2, 0.105], 0.01)[..] else {
        panic!("one wall")
    };
    assert!((wall.distance - 0.005).abs() < 1e-15 && wall.normal == Vector3::z());
    assert!(walls(&plane, [0.0, 0.0, 0.2], 0.01).is_empty());

    let tube = StraightTube::new(Vector3::zeros(), Vector3::x(), 0.01).unwrap();
    let near = walls(&tube, [0.5, 0.007, 0.0], 0.02);
    assert_eq!(near.len(), 2);
    assert!((near[0].distance - 0.003).abs() < 1e-15 && (near[1].distance - 0.017).abs() < 1e-15);
    assert!((near[0].normal + Vector3::y()).norm() < 1e-12);
    // On the axis, and behind the wall.
    assert_eq!(walls(&tube, [0.0; 3], 0.02).len(), 2);
    assert!((walls(&tube, [0.0, 0.0, 0.012], 0.01)[0].distance + 0.002).abs() < 1e-15);
}

#[test]
fn a_network_of_one_branch_is_a_tube() {
    let network = TPhantom::default().network().unwrap();
    let radius = network.branches()[0].radius;
    let tube = StraightTube::new(Vector3::zeros(), Vector3::z(), radius).unwrap();
    // Far from the ends of the stem.
    for point in [
        [0.004, 0.001, -0.06],
        [0.0, -0.0149, -0.07],
        [0.016, 0.0, -0.05],
    ] {
        let found = walls(&network, point, 0.04);
        let expected = walls(&tube, point, 0.04)[0];
        assert!(
            (found[0].position - expected.position).norm() < 1e-8,
            "{point:?}"
        );
        assert!((found[0].distance - expected.distance).abs() < 1e-8);
        for wall in &found {
            let own = (Vector3::from(point) - wall.position).dot(&wall.normal);
            assert!((own - wall.distance).abs() < 1e-8);
        }
    }
    // In narrow places walls surround a point.
    assert!(walls(&network, [0.001, 0.002, -0.06], 0.04).len() >= 4);
}

#[test]
fn the_walls_of_a_network_and_of_its_mesh_agree() {
    let network = bronchial_tree(AirwayDepth::Segmental).unwrap();
    let cell_width = 1e-3;
    let lumen = MeshLumen::new(network.mesh(cell_width).unwrap()).unwrap();
    let mut n_compared = 0;
    for branch in network.branches() {
        let across = branch
            .direction()
            .cross(&Vector3::new(0.3, 0.4, 0.5))
            .normalize();
        for share in [0.5, 0.8] {
            let offset = across * (0.5 * branch.radius);
            let point = branch.start.lerp(&branch.end, share) + offset;
            let within = 1.5 * branch.radius;
            let [of_field, of_mesh] =
                [&network as &dyn Lumen, &lumen].map(|lumen| walls(lumen, point.into(), within));
            let (Some(a), Some(b)) = (of_field.first(), of_mesh.first()) else {
                continue;
            };
            // Tolerance for the chords of the narrowest tube, and for the blend near ridges.
            assert!(
                (a.distance - b.distance).abs() < 4e-4,
                "{}: {a:?} {b:?}",
                branch.name
            );
            assert!((lumen.clearance(&point) - b.distance).abs() < 1e-12);
            n_compared += 1;
        }
    }
    assert!(n_compared > 50);
}

#[test]
fn the_meshes_of_t_and_tree_are_closed_in_one_piece_and_do_not_cross_themselves() {
    let tree = bronchial_tree(AirwayDepth::Subsegmental).unwrap();
    let t = TPhantom::default().network().unwrap();
    for (network, cell_width) in [(tree, 1e-3), (t, 3e-3)] {
        let mesh = network.mesh(cell_width).unwrap();
        mesh.check_closed().unwrap();
        SurfaceTree::new(&mesh).unwrap().check_crossing().unwrap();
        // A handle would mean that two airways intersect.
        assert_eq!(euler_characteristic(&mesh), 2);
        let used: HashSet<u32> = mesh.triangles.iter().flatten().copied().collect();
        assert_eq!(used.len(), mesh.positions.len());
        // The volume is that of the tubes, except for ends, overlaps and fillets.
        let volume: f64 = network
            .branches()
            .iter()
            .map(|b| std::f64::consts::PI * b.radius.powi(2) * (b.end - b.start).norm())
            .sum();
        assert!(
            (0.6..1.3).contains(&(mesh.volume() / volume)),
            "{}",
            mesh.volume() / volume
        );
    }
}

#[test]
fn the_tree_has_the_sizes_of_the_literature() {
    let tree = bronchial_tree(AirwayDepth::Subsegmental).unwrap();
    let named = |name: &str| tree.branches().iter().position(|b| b.name == name).unwrap();
    let ends = tree.ends();
    assert_eq!(ends.len(), 36);
    assert!(ends.iter().all(|&end| tree.generation(end) >= 4));
    for (name, length, diameter) in [
        ("trachea", 0.1045, 0.0193),
        ("left main", 0.0508, 0.0140),
        ("right main", 0.0248, 0.0173),
        ("RB9", 0.0101, 0.0058),
        ("LB10a", 0.0090, 0.0044),
    ] {
        let branch = &tree.branches()[named(name)];
        assert!(
            ((branch.end - branch.start).norm() - length).abs() < 1e-12,
            "{name}"
        );
        assert!((2.0 * branch.radius - diameter).abs() < 1e-12, "{name}");
    }
    let angle = |name: &str| {
        let branch = &tree.branches()[named(name)];
        let parent = &tree.branches()[branch.parent.unwrap()];
        branch.direction().angle(&parent.direction()).to_degrees()
    };
    for (name, expected) in [
        ("right main", 25.0),
        ("left main", 45.0),
        ("RB7", 28.0),
        ("LB4b", 35.0),
    ] {
        assert!(
            (angle(name) - expected).abs() < 1e-6,
            "{name}: {}",
            angle(name)
        );
    }
    let line = tree.centre_line(named("RB9a"));
    let summed: f64 = [0.1045, 0.0248, 0.0193, 0.0076, 0.0107, 0.0101, 0.009]
        .iter()
        .sum();
    assert!((line.length() - summed).abs() < 1e-12);
}

#[test]
fn a_centre_line_knows_its_lengths() {
    let line = CentreLine::new(vec![
        Vector3::zeros(),
        Vector3::new(0.0, 0.0, -2.0),
        Vector3::new(1.0, 0.0, -2.0),
    ]);
    assert_eq!(line.length(), 3.0);
    assert_eq!(line.at(2.5), Vector3::new(0.5, 0.0, -2.0));
    assert_eq!(
        (line.at(-1.0), line.at(9.0)),
        (Vector3::zeros(), line.points()[2])
    );
    assert_eq!(line.direction(1.0), -Vector3::z());
    assert_eq!(
        (line.direction(3.0), line.direction(2.0)),
        (Vector3::x(), Vector3::x())
    );
    assert_eq!(line.nearest(&Vector3::new(0.5, 0.25, -2.0)), (2.5, 0.25));
}

#[test]
fn a_user_s_mesh_is_entered_from_above_and_reads_back_unchanged() {
    let network = bronchial_tree(AirwayDepth::Segmental).unwrap();
    let mut bytes = Vec::new();
    let mesh = network.mesh(1.4e-3).unwrap();
    mesh.map(|p| p.map(|x| 1e3 * x))
        .write_ply(&mut bytes, None, None)
        .unwrap();
    let folder = std::env::temp_dir().join(format!("insonate-lumen-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("airways.ply");
    std::fs::write(&path, bytes).unwrap();
    let lumen = MeshLumen::read(&path, 1e-3);
    std::fs::remove_dir_all(&folder).unwrap();
    let entry = lumen.unwrap().entry_from_above(0.02).unwrap();
    // The trachea's axis.
    assert!(entry.xy().norm() < 1e-4, "{entry:?}");
}

#[test]
fn corners_of_a_mesh_show_two_walls() {
    let lumen = MeshLumen::new(TriangleMesh::cuboid([0.05, 0.04, 0.03])).unwrap();
    let near = walls(&lumen, [0.045, 0.037, 0.0], 0.008);
    assert_eq!(near.len(), 2);
    assert!((near[0].distance - 0.003).abs() < 1e-12 && (near[1].distance - 0.005).abs() < 1e-12);
    assert!((near[0].normal + Vector3::y()).norm() < 1e-9);
    // A convex edge seen from free space is one wall: a block outside a hollow block.
    assert_eq!(walls(&lumen, [0.052, 0.0, 0.0], 0.01).len(), 1);
    assert!(walls(&lumen, [f64::NAN, 0.0, 0.0], 0.01).is_empty());
}

#[test]
fn invalid_lumens_are_refused_by_name() {
    let mut open = TriangleMesh::cuboid([0.1; 3]);
    open.triangles.pop();
    assert!(matches!(
        MeshLumen::new(open),
        Err(ContinuumError::Mesh(MeshFault::BoundaryEdge { .. }))
    ));
    // Two boxes that overlap.
    let mut crossing = TriangleMesh::cuboid([0.1; 3]);
    let other = TriangleMesh::cuboid([0.1; 3]).map(|p| p.map(|x| x + 0.05));
    crossing
        .triangles
        .extend(other.triangles.iter().map(|t| t.map(|v| v + 8)));
    crossing.positions.extend(other.positions);
    assert!(matches!(
        MeshLumen::new(crossing),
        Err(ContinuumError::Mesh(MeshFault::Crossing { .. }))
    ));
    // Next to each other they are two lumens in one file.
    let mut apart = TriangleMesh::cuboid([0.1; 3]);
    let other = TriangleMesh::cuboid([0.1; 3]).map(|p| p.map(|x| x + 0.5));
    apart
        .triangles
        .extend(other.triangles.iter().map(|t| t.map(|v| v + 8)));
    apart.positions.extend(other.positions);
    assert!(MeshLumen::new(apart).is_ok());
    let error = MeshLumen::read("nowhere.obj", 1.0).unwrap_err().to_string();
    assert!(error.contains("nowhere.obj"), "{error}");

    let network = bronchial_tree(AirwayDepth::Segmental).unwrap();
    for width in [f64::NAN, 0.0, 1.0, -1e-3] {
        let error = network.mesh(width).unwrap_err().to_string();
        assert!(error.starts_with("cell_width is"), "{error}");
    }
    let mut branches = network.branches().to_vec();
    branches[3].radius = f64::NAN;
    let error = TubeNetwork::new(branches.clone(), 2e-3).unwrap_err();
    assert!(
        error.to_string().contains("branches[3].radius is NaN"),
        "{error}"
    );
    branches[3].radius = 1e-3;
    branches[4].parent = Some(7);
    assert!(TubeNetwork::new(branches, 2e-3).is_err());
    assert!(Plane::new(Vector3::zeros(), Vector3::zeros()).is_err());
    assert!(StraightTube::new(Vector3::zeros(), Vector3::x(), 0.0).is_err());
}

#[test]
fn a_mesh_of_a_million_triangles_is_a_lumen_as_any_other() {
    let mesh = TriangleMesh::ellipsoid([0.2, 0.02, 0.02], 8);
    assert!(mesh.triangles.len() > 1_000_000);
    let lumen = MeshLumen::new(mesh).unwrap();
    for x in [-0.15, 0.0, 0.1] {
        let half_width = 0.02 * (1.0_f64 - (x / 0.2_f64).powi(2)).sqrt();
        let nearest = walls(&lumen, [x, half_width - 1e-3, 0.0], 5e-3)
            .into_iter()
            .map(|wall| wall.distance)
            .fold(f64::INFINITY, f64::min);
        // The wall is slightly oblique.
        assert!((nearest - 1e-3).abs() < 2e-5, "{x}: {nearest}");
    }
}
