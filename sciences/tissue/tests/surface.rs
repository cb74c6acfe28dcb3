//! Contract: level sets are closed surfaces that face outwards, and converge to the exact surface with the square of
//! the spacing.

use std::f64::consts::PI;

use insonate_meshes::{MeshFormat, TriangleMesh};
use insonate_tissue::body::{liver, slab};
use insonate_tissue::surface::{
    Isosurface, ParticleCloud, ParticleVolumes, ScalarGrid, SurfaceLevel, marching_cubes,
    particle_surface,
};
use nalgebra::Vector3;
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

/// Fails unless the mesh is closed and every vertex has one ring of triangles.
#[track_caller]
fn check_manifold(mesh: &TriangleMesh) {
    mesh.check_closed().expect("closed");
    let n_rings = rings(mesh);
    assert!(n_rings.iter().all(|&n| n == 1), "a vertex of many rings");
}

/// Number of triangle rings around each vertex, for a mesh whose edges have two triangles each.
fn rings(mesh: &TriangleMesh) -> Vec<usize> {
    // For each vertex, the opposite edges, which are linked to rings.
    let mut links = vec![Vec::new(); mesh.positions.len()];
    for &[a, b, c] in &mesh.triangles {
        for [tip, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
            links[tip as usize].push([from, to]);
        }
    }
    let count = |link: &Vec<[u32; 2]>| {
        let mut left = link.clone();
        let mut n = 0;
        while let Some([first, mut at]) = left.pop() {
            while at != first {
                let next = left
                    .iter()
                    .position(|[from, _]| *from == at)
                    .expect("a ring");
                at = left.swap_remove(next)[1];
            }
            n += 1;
        }
        n
    };
    links.iter().map(count).collect()
}

fn ball(radius: f64, spacing: f64, centre: [f64; 3]) -> Isosurface {
    let n = (2.4 * radius / spacing).ceil() as usize + 1;
    let depth = |at: [f64; 3]| radius - (Vector3::from(at) - Vector3::from(centre)).norm();
    let origin = centre.map(|x| x - 0.5 * spacing * (n - 1) as f64);
    let grid = ScalarGrid::sample(depth, origin, spacing, [n; 3]).expect("a small grid");
    marching_cubes(&grid, 0.0).expect("a field without NaN")
}

#[test]
fn area_and_volume_of_a_ball_converge_with_the_square_of_the_spacing() {
    let radius = 0.1;
    let centre = [0.313, -0.271, 0.117];
    let errors = [10.0, 20.0, 40.0].map(|cells: f64| {
        let found = ball(radius, radius / cells, centre);
        check_manifold(&found.mesh);
        for (at, normal) in found.mesh.positions.iter().zip(&found.normals) {
            let out = Vector3::from(*at) - Vector3::from(centre);
            // The sagitta of a chord, and the least distance of vertices from nodes.
            let most = radius / cells * (0.125 / cells + 1e-3) * 1.5;
            assert!((out.norm() - radius).abs() < most, "{}", out.norm());
            let cos = out.normalize().dot(&Vector3::from(*normal));
            assert!(cos > 1.0 - 0.1 / (cells * cells), "{cos}");
        }
        [
            1.0 - found.mesh.volume() / (4.0 / 3.0 * PI * radius.powi(3)),
            1.0 - found.mesh.area() / (4.0 * PI * radius.powi(2)),
        ]
    });
    // At ten cells per radius.
    assert!(
        errors[0].iter().all(|e| (0.0..0.01).contains(e)),
        "{errors:?}"
    );
    for i in 0..2 {
        for pair in errors.windows(2) {
            let order = (pair[0][i] / pair[1][i]).log2();
            assert!((order - 2.0).abs() < 0.2, "{errors:?}");
        }
    }
}

/// Each cube has the mirror images of the case as neighbours.
#[test]
fn each_case_fits_its_mirror_images() {
    for case in 1..256_usize {
        let value = |at: [f64; 3]| {
            let bits = (0..3).map(|axis| (at[axis] as usize % 2) << axis);
            let corner: usize = bits.sum();
            let is_rim = at.iter().any(|&x| x == 0.0 || x == 7.0);
            if is_rim || case >> corner & 1 == 0 {
                -1.0
            } else {
                0.3
            }
        };
        let grid = ScalarGrid::sample(value, [0.0; 3], 1.0, [8; 3]).unwrap();
        check_manifold(&marching_cubes(&grid, 0.0).unwrap().mesh);
    }
}

#[test]
fn values_at_the_level_make_no_flat_triangles() {
    // Most nodes have exactly the level.
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut grid = ScalarGrid::sample(|_| -1.0, [0.0; 3], 1.0, [12; 3]).unwrap();
    for x in 1..11 {
        for y in 1..11 {
            for z in 1..11 {
                let value = [0.0, 0.0, 0.0, 1e-30, -1e-30, 1.0][rng.random_range(0..6)];
                grid.values[(x * 12 + y) * 12 + z] = value;
            }
        }
    }
    check_manifold(&marching_cubes(&grid, 0.0).unwrap().mesh);
}

#[test]
fn a_plane_at_the_rim_stays_open_there() {
    let grid = ScalarGrid::sample(|[_, _, z]| 1.25 - z, [0.0; 3], 1.0, [4, 5, 3]).unwrap();
    let found = marching_cubes(&grid, 0.0).unwrap();
    assert!((found.mesh.area() - 12.0).abs() < 1e-9);
    assert!(
        found
            .mesh
            .positions
            .iter()
            .all(|at| (at[2] - 1.25).abs() < 1e-6)
    );
    assert!(found.normals.iter().all(|n| *n == [0.0, 0.0, 1.0]));
}

#[test]
fn faults_are_named() {
    let grid = ScalarGrid::sample(|_| 0.0, [0.0; 3], 1.0, [3; 3]).unwrap();
    let mut short = grid.clone();
    short.values.pop();
    let mut nan = grid.clone();
    nan.values[3] = f32::NAN;
    for (error, start) in [
        (
            marching_cubes(&short, 0.0).unwrap_err(),
            "values.len() is 26",
        ),
        (marching_cubes(&nan, 0.0).unwrap_err(), "values is NaN"),
        (marching_cubes(&grid, f64::NAN).unwrap_err(), "level is NaN"),
        (
            ScalarGrid::sample(|_| 0.0, [0.0; 3], 1.0, [1 << 40; 3]).unwrap_err(),
            "n_nodes is",
        ),
    ] {
        assert!(error.to_string().starts_with(start), "{error}");
    }
    assert!(
        marching_cubes(&grid, 0.0)
            .unwrap()
            .mesh
            .triangles
            .is_empty()
    );
    let cloud = |positions| ParticleCloud {
        positions,
        volumes: ParticleVolumes::One(1.0),
        rest_positions: None,
    };
    let two: &[[f64; 3]] = &[[0.0; 3], [1.0; 3]];
    let uneven = ParticleCloud {
        volumes: ParticleVolumes::Each(&[1.0]),
        ..cloud(two)
    };
    let half = SurfaceLevel::Filled(0.5);
    for (cloud, spacing, level, start) in [
        (cloud(&[]), 1.0, half, "no triangle"),
        (cloud(&[[f64::NAN; 3]]), 1.0, half, "positions[0] is [NaN"),
        (cloud(two), 0.0, half, "spacing is 0"),
        (cloud(two), 1e-5, half, "n_nodes is"),
        (cloud(two), 1.0, SurfaceLevel::Filled(1.0), "level is 1"),
        (cloud(two), 10.0, half, "no triangle"),
        (uneven, 1.0, half, "volumes.len() is 1"),
    ] {
        let error = particle_surface(&cloud, spacing, level).unwrap_err();
        assert!(error.to_string().contains(start), "{error}");
    }
}

#[test]
fn particles_of_a_ball_have_its_volume() {
    let radius = 0.05;
    let errors = [0.01, 0.005, 0.0025].map(|spacing: f64| {
        let n = (2.0 * radius / spacing * 2.0) as i32;
        let mut positions = Vec::new();
        for index in 0..n.pow(3) {
            let node = [index % n, index / n % n, index / n / n];
            let at = node.map(|i| (f64::from(i) + 0.5) * spacing / 2.0 - radius + 0.0013);
            if (Vector3::from(at) - Vector3::repeat(0.0013)).norm() < radius {
                positions.push(at);
            }
        }
        let volume = 4.0 / 3.0 * PI * radius.powi(3);
        let cloud = ParticleCloud {
            positions: &positions,
            volumes: ParticleVolumes::One(volume / positions.len() as f64),
            rest_positions: None,
        };
        let found = particle_surface(&cloud, spacing, SurfaceLevel::Filled(0.5)).unwrap();
        check_manifold(&found.mesh);
        let area = found.mesh.area() / (4.0 * PI * radius.powi(2)) - 1.0;
        [found.mesh.volume() / volume - 1.0, area]
    });
    let wider = errors.map(|error| error.map(f64::abs));
    assert!(wider[0][0] < 0.06 && wider[0][1] < 0.06, "{errors:?}");
    assert!(wider[2][0] < 0.01 && wider[2][1] < 0.02, "{errors:?}");
}

#[test]
fn bodies_are_wrapped_in_closed_surfaces_that_can_be_read_back() {
    let folder = tempfile::tempdir().unwrap();
    for (body, width) in [(liver(), 0.006), (slab(), 0.004)] {
        let particles = body.particles(width, 0.5, 3, folder.path()).unwrap();
        // Turned and stretched since.
        let moved: Vec<_> = particles
            .positions
            .iter()
            .map(|[x, y, z]| [-1.1 * y + 2.0, *x, *z])
            .collect();
        let cloud = ParticleCloud {
            positions: &moved,
            volumes: ParticleVolumes::One(1.1 * particles.particle_volume),
            rest_positions: Some(&particles.positions),
        };
        for level in [SurfaceLevel::Filled(0.5), SurfaceLevel::OfGreatest(0.2)] {
            let found = particle_surface(&cloud, width, level).unwrap();
            check_manifold(&found.mesh);
            for ((now, rest), uv) in found
                .mesh
                .positions
                .iter()
                .zip(&found.rest_positions)
                .zip(&found.uvs)
            {
                let [x, y, z] = *rest;
                let there = Vector3::new(-1.1 * y + 2.0, x, z);
                // Vertices outside the outermost particles take the values of these; weights reach 1.5 widths.
                assert!(
                    (there - Vector3::from(*now)).norm() < 1.5 * width,
                    "{now:?} {rest:?}"
                );
                assert!(uv.iter().all(|x| (0.0..=1.0).contains(x)));
            }
            let total = cloud.positions.len() as f64 * 1.1 * particles.particle_volume;
            if level == SurfaceLevel::Filled(0.5) {
                assert!((found.mesh.volume() / total - 1.0).abs() < 0.05);
            }
            let outward = found.mesh.vertex_normals();
            let (mut least, mut mean) = (1.0_f64, 0.0);
            for (a, b) in outward.iter().zip(&found.normals) {
                let cos = Vector3::from(*a).dot(&Vector3::from(*b));
                least = least.min(cos);
                mean += cos / outward.len() as f64;
            }
            assert!(least > 0.0 && mean > 0.95, "{least} {mean}");
            let (normals, uvs) = (Some(&*found.normals), Some(&*found.uvs));
            let (mut obj, mut ply) = (Vec::new(), Vec::new());
            found.mesh.write_obj(&mut obj, normals, uvs).unwrap();
            found.mesh.write_ply(&mut ply, normals, uvs).unwrap();
            for (format, bytes) in [(MeshFormat::Obj, obj), (MeshFormat::Ply, ply)] {
                let read = TriangleMesh::parse(format, &bytes).unwrap();
                assert_eq!(read.triangles, found.mesh.triangles);
                read.check_closed().unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn noise_has_a_manifold_surface(seed in 0..u64::MAX, level in -0.9..0.9_f64, n in 3..14_usize) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut grid = ScalarGrid::sample(|_| -1.0, [0.0; 3], 0.01, [n; 3]).unwrap();
        for (index, value) in grid.values.iter_mut().enumerate() {
            let node = [index / n / n, index / n % n, index % n];
            if node.iter().all(|&i| i > 0 && i + 1 < n) {
                *value = rng.random_range(-1.0..1.0);
            }
        }
        let found = marching_cubes(&grid, level).unwrap();
        if !found.mesh.triangles.is_empty() {
            check_manifold(&found.mesh);
        }
        // The same nodes are still inside.
        let cells: f64 = grid.values.iter().filter(|v| f64::from(**v) > level).count() as f64;
        prop_assert_eq!(cells == 0.0, found.mesh.triangles.is_empty());
    }
}
