//! Contract: shells that overlap are one solid, and a shell within another is a cavity, independent of their order and orientation.

use insonate_meshes::{MeshError, MeshSpace, ShellSolid, TriangleMesh};
use nalgebra::Vector3;

/// Maximum distance between an icosphere of four subdivisions and the exact sphere [m].
const FACETS: f64 = 1e-4;

/// Directions away from a point.
const DIRECTIONS: [[f64; 3]; 8] = [
    [1.0, 0.0, 0.0],
    [-1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, -1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.0, 0.0, -1.0],
    [0.6, 0.0, 0.8],
    [-0.6, 0.8, 0.0],
];

type Ball = ([f64; 3], f64);

fn ball((center, radius): Ball, is_inward: bool) -> TriangleMesh {
    let mut mesh = TriangleMesh::ellipsoid([radius; 3], 4)
        .map(|[x, y, z]| [x + center[0], y + center[1], z + center[2]]);
    if is_inward {
        mesh.flip();
    }
    mesh
}

fn joined(parts: &[TriangleMesh]) -> TriangleMesh {
    let mut all = TriangleMesh::default();
    for part in parts {
        let first = all.positions.len() as u32;
        all.positions.extend(&part.positions);
        let triangles = part.triangles.iter();
        all.triangles
            .extend(triangles.map(|corners| corners.map(|corner| corner + first)));
    }
    all
}

/// Compares a solid with exact balls. `is_inside` decides from the depth of a point in each ball [m].
fn compare(balls: &[Ball], is_inside: impl Fn(&[f64]) -> bool) {
    let n = balls.len();
    for order in 0..2 {
        for facing in 0..1 << n {
            let mut parts: Vec<TriangleMesh> = (0..n)
                .map(|index| ball(balls[index], facing >> index & 1 == 1))
                .collect();
            if order == 1 {
                parts.reverse();
            }
            let solid = ShellSolid::new(&joined(&parts)).expect("all shells are closed");
            assert_eq!(solid.n_shells(), n);
            let mut n_inside = 0;
            for index in 0..21 * 21 * 21 {
                let place = [index % 21, index / 21 % 21, index / 441];
                let point = Vector3::from(place.map(|n| 0.0021 * f64::from(n) - 0.0207));
                let depths = balls
                    .iter()
                    .map(|(center, radius)| radius - (point - Vector3::from(*center)).norm());
                let depths: Vec<f64> = depths.collect();
                let nearest = depths.iter().fold(f64::MAX, |near, d| near.min(d.abs()));
                if nearest < FACETS {
                    continue;
                }
                let distance = solid.distance(&point);
                assert_eq!(
                    distance < 0.0,
                    is_inside(&depths),
                    "{point:?} {distance} order {order} facing {facing:b}"
                );
                // No surface lies within that distance.
                let free = distance.abs() - FACETS;
                for away in DIRECTIONS.map(|way| point + free.max(0.0) * Vector3::from(way)) {
                    let depths: Vec<f64> = balls
                        .iter()
                        .map(|(center, radius)| radius - (away - Vector3::from(*center)).norm())
                        .collect();
                    let is_clear = depths.iter().all(|depth| depth.abs() > FACETS);
                    assert!(!is_clear || is_inside(&depths) == (distance < 0.0));
                }
                n_inside += usize::from(distance < 0.0);
            }
            assert!(n_inside > 100);
        }
    }
}

#[test]
fn shells_that_overlap_are_one_solid() {
    let balls = [([0.0; 3], 0.012), ([0.01, 0.0, 0.0], 0.012)];
    compare(&balls, |depths| depths.iter().any(|depth| *depth > 0.0));
}

#[test]
fn shells_apart_are_filled() {
    let balls = [([-0.01, 0.0, 0.0], 0.008), ([0.01, 0.0, 0.0], 0.008)];
    compare(&balls, |depths| depths.iter().any(|depth| *depth > 0.0));
}

#[test]
fn a_shell_within_another_is_a_cavity_and_one_within_that_is_solid() {
    let balls = [
        ([0.0; 3], 0.018),
        ([0.002, 0.0, 0.0], 0.012),
        ([0.003, 0.001, 0.0], 0.006),
    ];
    compare(&balls, |depths| {
        depths.iter().filter(|depth| **depth > 0.0).count() % 2 == 1
    });
}

/// The small ball lies within both others: it is a cavity of their union, and not solid although it lies within two.
#[test]
fn a_shell_within_the_overlap_of_two_is_a_cavity() {
    let balls = [
        ([-0.004, 0.0, 0.0], 0.014),
        ([0.004, 0.0, 0.0], 0.014),
        ([0.0; 3], 0.004),
    ];
    compare(&balls, |depths| {
        (depths[0] > 0.0 || depths[1] > 0.0) && depths[2] < 0.0
    });
}

#[test]
fn shells_are_counted() {
    let parts = [
        ball(([0.0; 3], 0.01), true),
        ball(([0.0; 3], 0.005), true),
        ball(([0.03, 0.0, 0.0], 0.01), false),
    ];
    let solid = ShellSolid::new(&joined(&parts)).unwrap();
    // A cavity that faces inwards is already oriented correctly.
    let counts = [solid.n_shells(), solid.n_cavities(), solid.n_turned()];
    assert_eq!(counts, [3, 1, 1]);
    let normal = solid.normal(&Vector3::new(0.0, 0.0, 0.0101));
    assert!(normal.z.abs() > 0.99, "{normal:?}");
}

#[test]
fn boxes_side_by_side_are_solid() {
    let cuboid = |x: f64| TriangleMesh::cuboid([0.01; 3]).map(|[a, b, c]| [a + x, b, c]);
    let solid = ShellSolid::new(&joined(&[cuboid(0.0), cuboid(0.02)])).unwrap();
    assert_eq!(solid.n_cavities(), 0);
    for x in [0.0, 0.02] {
        assert!(solid.distance(&Vector3::new(x, 0.0, 0.0)) < 0.0);
    }
}

#[test]
fn shells_that_are_open_are_named() {
    let mut open = ball(([0.03, 0.0, 0.0], 0.01), false);
    let whole = open.triangles.len();
    open.triangles.pop();
    let closed = ball(([0.0; 3], 0.01), false);
    let mesh = joined(&[closed, open.clone()]);
    let error = ShellSolid::new(&mesh).unwrap_err();
    let MeshError::Shells { n_shells, faults } = &error else {
        panic!("{error}");
    };
    assert_eq!((*n_shells, faults.len(), faults[0].shell), (2, 1, 1));
    assert_eq!(faults[0].n_triangles, whole - 1);
    let message = error.to_string();
    for named in [
        "1 of 2 shells",
        "shell 2 (",
        "[0.0300, ",
        "the mesh is open",
    ] {
        assert!(message.contains(named), "{message}");
    }
    let alone = ShellSolid::new(&open).unwrap_err();
    assert!(matches!(alone, MeshError::Fault(_)), "{alone}");
}

#[test]
fn headers_give_the_space_of_coordinates() {
    let scratch = tempfile::tempdir().unwrap();
    let mut binary = b"3D Slicer output. SPACE=LPS".to_vec();
    binary.resize(84, b' ');
    for (name, content, wanted) in [
        ("a.stl", &binary[..], Some(MeshSpace::Lps)),
        (
            "b.stl",
            b"solid 3D Slicer output. SPACE=RAS\nfacet",
            Some(MeshSpace::Ras),
        ),
        (
            "c.obj",
            b"# 3D Slicer output. SPACE=LPS\nv 0 0 0\n",
            Some(MeshSpace::Lps),
        ),
        (
            "d.ply",
            b"ply\nformat ascii 1.0\ncomment 3D Slicer output. SPACE=RAS\nend_header\n",
            Some(MeshSpace::Ras),
        ),
        ("e.stl", b"solid part\nfacet normal SPACE=LPS", None),
        ("f.obj", b"o SPACE=LPS\n", None),
        ("g.ply", b"ply\nend_header\ncomment SPACE=LPS\n", None),
    ] {
        let path = scratch.path().join(name);
        std::fs::write(&path, content).unwrap();
        assert_eq!(MeshSpace::read(&path).unwrap(), wanted, "{name}");
    }
    let path = scratch.path().join("h.obj");
    std::fs::write(&path, "# SPACE=scanner\n").unwrap();
    let message = MeshSpace::read(&path).unwrap_err().to_string();
    assert!(
        message.contains("h.obj") && message.contains("SCANNER"),
        "{message}"
    );
}
