//! The skin over the shell, for rendering only.
//!
//! One step of Catmull & Clark 1978 (doi:10.1016/0010-4485(78)90110-0) on the outer faces of the shell: every skin vertex is a
//! weighted mean of shell points. The same weights bind the vertex to their bodies, so dents are rounded.

use std::collections::BTreeMap;

use super::SHELL;
use super::lattice::Lattice;
use super::mapping::{Rest, rotation_from_z, shell_from_torso};
use crate::mjcf::{Element, Skin, Value};
use crate::patients::{Bone, DrawnSkin, Trunk};

/// Name of the skin and of its material.
pub(super) const SKIN: &str = "skin";

/// Offset of the skin outside its vertices [m]; it compensates for the shrinkage by smoothing.
const INFLATE: f64 = 0.002;

/// Vertices are rounded to this fraction of a metre.
const STEPS_PER_METRE: f64 = 1e6;

/// Weights of the shell points for a skin vertex; they sum to 1.
type Weights = BTreeMap<usize, f64>;

/// The skin over a shell, bound to the bodies `body_names`, or to the shell body for points without a body.
pub(super) fn skin(lattice: &Lattice, rest: &Rest, body_names: &[Option<String>]) -> Skin {
    let (vertices, triangles) = subdivide(lattice.points.len(), &lattice.quads());
    let positions: Vec<[f64; 3]> = vertices
        .iter()
        .map(|weights| position(weights, &rest.positions))
        .collect();
    Skin::new(SKIN, &positions, &triangles)
        .material(SKIN)
        .inflate(INFLATE)
        .with_all(bones(&vertices, rest, body_names))
}

/// The fine skin over the shell of an adult.
pub(super) fn trunk_skin(
    trunk: &Trunk,
    lattice: &Lattice,
    rest: &Rest,
    body_names: &[Option<String>],
) -> Skin {
    let bones: Vec<Bone> = body_names
        .iter()
        .zip(rest.positions.iter().zip(&rest.axes))
        .map(|(body, (&position, &axis))| match body {
            Some(body) => Bone {
                body: body.clone(),
                position,
                quat: rotation_from_z(axis),
            },
            None => Bone {
                body: SHELL.to_owned(),
                position: [0.0; 3],
                quat: [1.0, 0.0, 0.0, 0.0],
            },
        })
        .collect();
    let count = lattice.count();
    let depth = rest.depth();
    DrawnSkin::new(trunk, count).element(
        SKIN,
        SKIN,
        |position| shell_from_torso(position, depth),
        &bones,
        // The lattice is ordered from head to feet.
        |[across, up, along]| lattice.index([across, up, count[2] - 1 - along]),
    )
}

/// One bone per body, with the vertices that it moves.
fn bones(vertices: &[Weights], rest: &Rest, body_names: &[Option<String>]) -> Vec<Element> {
    let mut carried: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); body_names.len()];
    let mut fixed: (Vec<f64>, Vec<f64>) = Default::default();
    for (vertex, weights) in vertices.iter().enumerate() {
        let mut held = 0.0;
        for (&point, &weight) in weights {
            if body_names[point].is_none() {
                held += weight;
                continue;
            }
            carried[point].0.push(vertex as f64);
            carried[point].1.push(weight);
        }
        if held > 0.0 {
            fixed.0.push(vertex as f64);
            fixed.1.push(held);
        }
    }
    let bone = |body: &str, position: [f64; 3], rotation: [f64; 4], (ids, weights): (_, _)| {
        Element::new("bone")
            .with_attribute("body", body)
            .with_attribute("bindpos", position)
            .with_attribute("bindquat", rotation)
            .with_attribute("vertid", Value::Reals(ids))
            .with_attribute("vertweight", Value::Reals(weights))
    };
    let mut bones: Vec<Element> = carried
        .into_iter()
        .zip(body_names)
        .zip(rest.positions.iter().zip(&rest.axes))
        .filter_map(|((carried, name), (position, axis))| {
            let rotation = rotation_from_z(*axis);
            Some(bone(name.as_ref()?, *position, rotation, carried))
        })
        .collect();
    if !fixed.0.is_empty() {
        bones.push(bone(SHELL, [0.0; 3], [1.0, 0.0, 0.0, 0.0], fixed));
    }
    bones
}

fn position(weights: &Weights, points: &[[f64; 3]]) -> [f64; 3] {
    std::array::from_fn(|axis| {
        let mean: f64 = weights
            .iter()
            .map(|(&point, weight)| weight * points[point][axis])
            .sum();
        (mean * STEPS_PER_METRE).round() / STEPS_PER_METRE
    })
}

/// Refined vertices and triangles of one Catmull–Clark step, counter-clockwise seen from outside.
fn subdivide(n_points: usize, quads: &[[usize; 4]]) -> (Vec<Weights>, Vec<[usize; 3]>) {
    let faces: Vec<Weights> = quads
        .iter()
        .map(|quad| quad.iter().map(|&point| (point, 0.25)).collect())
        .collect();
    // Edges by their end points, with the two adjacent faces.
    let mut edges: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (face, quad) in quads.iter().enumerate() {
        for corner in 0..4 {
            edges.entry(edge(quad, corner)).or_default().push(face);
        }
    }
    let edge_order: BTreeMap<(usize, usize), usize> = edges
        .keys()
        .enumerate()
        .map(|(index, &key)| (key, n_points + index))
        .collect();

    let mut vertices = moved_points(n_points, &faces, quads, &edges);
    vertices.extend(edges.iter().map(|(&(a, b), adjacent)| {
        // The mean of the two ends and the centres of the two faces.
        let mut mean = Weights::from([(a, 0.25), (b, 0.25)]);
        for &face in adjacent {
            accumulate(&mut mean, &faces[face], 0.25);
        }
        mean
    }));
    let first_face = vertices.len();
    vertices.extend(faces);

    let mut triangles = Vec::with_capacity(8 * quads.len());
    for (face, quad) in quads.iter().enumerate() {
        for corner in 0..4 {
            let before = edge_order[&edge(quad, (corner + 3) % 4)];
            let after = edge_order[&edge(quad, corner)];
            let (point, center) = (quad[corner], first_face + face);
            triangles.extend([[point, after, center], [point, center, before]]);
        }
    }
    (vertices, triangles)
}

/// New positions of the old points: (mean of faces + 2 × mean of edge middles + (n - 3) × point) / n, with n faces around the point.
fn moved_points(
    n_points: usize,
    faces: &[Weights],
    quads: &[[usize; 4]],
    edges: &BTreeMap<(usize, usize), Vec<usize>>,
) -> Vec<Weights> {
    let mut valence = vec![0.0; n_points];
    for &point in quads.iter().flatten() {
        valence[point] += 1.0;
    }
    let mut moved: Vec<Weights> = (0..n_points)
        .map(|point| Weights::from([(point, (valence[point] - 3.0) / valence[point])]))
        .collect();
    for (face, quad) in faces.iter().zip(quads) {
        for &point in quad {
            accumulate(&mut moved[point], face, valence[point].powi(-2));
        }
    }
    for &(a, b) in edges.keys() {
        let middle = Weights::from([(a, 0.5), (b, 0.5)]);
        for point in [a, b] {
            accumulate(&mut moved[point], &middle, 2.0 * valence[point].powi(-2));
        }
    }
    moved
}

fn accumulate(sum: &mut Weights, weights: &Weights, factor: f64) {
    for (&point, weight) in weights {
        *sum.entry(point).or_default() += factor * weight;
    }
}

/// The edge after a corner; the point with the lower index comes first.
fn edge(quad: &[usize; 4], corner: usize) -> (usize, usize) {
    let (a, b) = (quad[corner], quad[(corner + 1) % 4]);
    (a.min(b), a.max(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_and_the_mesh_is_closed() {
        let lattice = Lattice::new([3, 4, 5]);
        let (vertices, triangles) = subdivide(lattice.points.len(), &lattice.quads());
        for weights in &vertices {
            assert!((weights.values().sum::<f64>() - 1.0).abs() < 1e-14);
        }
        let mut directed = std::collections::BTreeSet::new();
        for [a, b, c] in triangles {
            for pair in [(a, b), (b, c), (c, a)] {
                assert!(directed.insert(pair));
            }
        }
        assert!(
            directed
                .iter()
                .all(|&(from, to)| directed.contains(&(to, from)))
        );
    }

    #[test]
    fn a_cube_shrinks_as_catmull_and_clark_say() {
        // A corner of the cube [-1, 1]^3 moves to 5/9 along each axis, the middle of an edge to 3/4.
        let lattice = Lattice::new([2, 2, 2]);
        let points: Vec<[f64; 3]> = lattice
            .points
            .iter()
            .map(|&point| lattice.coordinates(point))
            .collect();
        let (vertices, _) = subdivide(8, &lattice.quads());
        let corner = position(&vertices[7], &points);
        assert!(
            corner.iter().all(|x| (x - 5.0 / 9.0).abs() < 1e-6),
            "{corner:?}"
        );
        let middle = position(&vertices[8], &points);
        assert!(middle.contains(&0.0) && middle.iter().any(|x| x.abs() == 0.75));
    }
}
