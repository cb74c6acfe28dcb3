//! Contract: descriptions of bodies give valid input for both solvers, and the parts of a body add
//! up to the whole.

use std::collections::BTreeSet;
use std::path::Path;

use insonate_meshes::TriangleMesh;
use insonate_tissue::body::{Solid, TissueBody, attach, liver, slab, torso};
use proptest::prelude::*;

const HERE: &str = "";

/// Number of components, and vertices − edges + triangles, which is 2 for a component without handles.
fn topology(mesh: &TriangleMesh) -> (usize, i64) {
    let n = mesh.positions.len();
    let mut root: Vec<usize> = (0..n).collect();
    let mut edges = BTreeSet::new();
    for &[a, b, c] in &mesh.triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            edges.insert([from.min(to), from.max(to)]);
            let [from, to] = [from, to].map(|vertex| {
                let mut vertex = vertex as usize;
                while root[vertex] != vertex {
                    root[vertex] = root[root[vertex]];
                    vertex = root[vertex];
                }
                vertex
            });
            root[from] = to;
        }
    }
    let n_pieces = (0..n).filter(|&vertex| root[vertex] == vertex).count();
    let euler = n as i64 - edges.len() as i64 + mesh.triangles.len() as i64;
    (n_pieces, euler)
}

#[test]
fn presets_have_their_sizes_and_closed_surfaces() {
    for (body, size) in [
        (liver(), [0.18, 0.11, 0.12]),
        (torso(), [0.40, 0.30, 0.20]),
        (slab(), [0.12, 0.12, 0.04]),
    ] {
        let surface = body.solid.surface(Path::new(HERE)).unwrap();
        surface.check_closed().unwrap();
        assert_eq!(topology(&surface), (1, 2), "{}", body.name);
        let [low, high] = surface.bounds();
        for axis in 0..3 {
            let found = high[axis] - low[axis];
            assert!(
                (found / size[axis] - 1.0).abs() < 1e-9,
                "{} {axis}: {found}",
                body.name
            );
        }
    }
}

#[test]
fn particles_and_tetrahedra_fill_the_presets() {
    for (body, width) in [(liver(), 0.008), (torso(), 0.014), (slab(), 0.004)] {
        let volume = body.solid.surface(Path::new(HERE)).unwrap().volume();
        let particles = body.particles(width, 0.5, 1, Path::new(HERE)).unwrap();
        let n = particles.positions.len();
        let total = particles.particle_volume * n as f64;
        assert!((total / volume - 1.0).abs() < 1e-12);
        // Eight per cell, except at the surface.
        let per_cell = width.powi(3) / particles.particle_volume;
        assert!(
            (per_cell / 8.0 - 1.0).abs() < 0.03,
            "{}: {per_cell}",
            body.name
        );
        let tets = body.tetrahedra(width, Path::new(HERE)).unwrap();
        let filled: f64 = tets.mesh.volumes().iter().sum();
        assert!(
            (filled / volume - 1.0).abs() < 0.03,
            "{}: {filled} {volume}",
            body.name
        );
        let quality = tets.mesh.quality();
        assert!(quality.n_inverted == 0 && quality.min_dihedral.to_degrees() >= 10.78);
        tets.mesh.boundary().surface.check_closed().unwrap();
        for materials in [&particles.materials, &tets.materials] {
            for index in 0..body.materials().len() as u16 {
                // Tetrahedra may be coarser than a thin layer.
                let is_thin =
                    body.layers.first().is_some_and(|l| l.thickness < width) || width > 0.003;
                assert!(
                    is_thin || materials.contains(&index),
                    "{} has no {index}",
                    body.name
                );
            }
        }
        for is_fixed in [&particles.is_fixed, &tets.is_fixed] {
            let held = is_fixed.iter().filter(|x| **x).count() as f64 / is_fixed.len() as f64;
            assert!((0.005..0.4).contains(&held), "{}: {held}", body.name);
        }
    }
}

#[test]
fn a_description_goes_to_toml_and_back() {
    for body in [liver(), torso(), slab()] {
        let text = toml::to_string(&body).unwrap();
        assert_eq!(
            TissueBody::from_toml(&text, Path::new("a.toml")).unwrap(),
            body
        );
    }
}

#[test]
fn faults_of_a_description_are_named() {
    let good = toml::to_string(&slab()).unwrap();
    for (from, to, problem) in [
        ("half", "halves", "halves"),
        ("young_modulus", "young", "young"),
        (
            "young_modulus = 12000.0",
            "young_modulus = -1.0",
            "young_modulus",
        ),
        ("name = \"slab\"", "names = \"slab\"", "names"),
    ] {
        assert!(good.contains(from), "{good}");
        let text = good.replacen(from, to, 1);
        let error = TissueBody::from_toml(&text, Path::new("a.toml"))
            .unwrap_err()
            .to_string();
        assert!(error.contains(problem), "{error}");
    }
    let mut body = slab();
    body.layers.clear();
    assert!(body.check().is_err());
    body = slab();
    body.solid = Solid::Ellipsoid {
        half: [0.1, f64::NAN, 0.1],
    };
    let error = body.particles(0.01, 0.0, 0, Path::new(HERE)).unwrap_err();
    assert!(
        error.to_string().starts_with("solid.half[1] is NaN"),
        "{error}"
    );
    body.solid = Solid::Mesh {
        file: "none.stl".into(),
        scale: 1.0,
    };
    let error = body.tetrahedra(0.01, Path::new("folder")).unwrap_err();
    assert!(
        error.to_string().starts_with("folder/none.stl: "),
        "{error}"
    );
}

#[test]
fn layers_go_by_depth() {
    let body = torso();
    let found = [0.001, 0.005, 0.02, 0.08].map(|depth| body.material_at([0.0; 3], depth));
    assert_eq!(found, [0, 1, 2, 3]);
}

proptest! {
    #[test]
    fn ties_are_those_that_a_plain_search_finds(
        a in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 1..40),
        b in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 1..40),
        distance in 0.0..1.0_f64,
    ) {
        let apart = |p: &[f64; 3], q: &[f64; 3]| {
            (0..3).map(|i| (p[i] - q[i]).powi(2)).sum::<f64>().sqrt()
        };
        let mut wanted = Vec::new();
        for (i, p) in a.iter().enumerate() {
            let nearest = (0..b.len()).min_by(|&x, &y| apart(p, &b[x]).total_cmp(&apart(p, &b[y])));
            if let Some(j) = nearest.filter(|&j| apart(p, &b[j]) <= distance) {
                wanted.push([i as u32, j as u32]);
            }
        }
        prop_assert_eq!(attach(&a, &b, distance).unwrap(), wanted);
    }
}

/// The middle of a torso's back, 0.12 m wide, lies on the table.
#[test]
fn a_torso_lies_flat() {
    let surface = torso().solid.surface(Path::new(HERE)).unwrap();
    let back = (0..surface.triangles.len()).filter_map(|triangle| {
        let corners = surface.corners(triangle);
        let centre = corners.iter().sum::<nalgebra::Vector3<f64>>() / 3.0;
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let is_middle = centre.x.abs() < 0.1 && centre.y.abs() < 0.06;
        (is_middle && normal.z < 0.0).then_some(centre.z)
    });
    let heights: Vec<f64> = back.collect();
    assert!(heights.len() > 1000, "{}", heights.len());
    let highest = heights.iter().copied().fold(0.0, f64::max);
    assert!(highest < 1e-4, "{highest}");
}
