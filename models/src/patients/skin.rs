//! The rendered skin over the lattice of a trunk. It is finer than the lattice.
//!
//! Its vertices are samples of [`Trunk::drawn_point`]. Each vertex follows the corners of its lattice cell, with weights that are bilinear
//! in the cell.

use std::collections::BTreeMap;

use super::trunk::Trunk;
use crate::mjcf::{Element, Skin, Value};

/// Upper limit of the distance between vertices of the skin [m].
const FINENESS: f64 = 0.009;

/// Indices of a lattice point: across, upwards, from the crotch to the head.
type LatticeIndex = [usize; 3];

/// A skin over five faces of a lattice. The sixth, the back, lies on the table.
#[derive(Debug, Default)]
pub(crate) struct DrawnSkin {
    /// Vertices at rest in the torso's frame [m], shape `[n_vertices, 3]`.
    pub(crate) positions: Vec<[f64; 3]>,
    /// Lattice points that each vertex follows, with weights.
    pub(crate) weights: Vec<Vec<(LatticeIndex, f64)>>,
    triangles: Vec<[usize; 3]>,
}

impl DrawnSkin {
    /// The skin of a trunk over a lattice of `count` points.
    pub(crate) fn new(trunk: &Trunk, count: [usize; 3]) -> Self {
        let [half_width, _, half_length] = trunk.half_size();
        let cells = count.map(|count| count - 1);
        let widest = (2.4 * half_width / cells[0] as f64).max(2.0 * half_length / cells[2] as f64);
        let parts = (widest / FINENESS).ceil().max(1.0) as usize;
        let mut skin = Self::default();
        let mut known = BTreeMap::new();
        // The axis that is constant on the face, whether it is at its upper end, and the axes that span the face, counter-clockwise from outside:
        // 0 across, 1 upwards, 2 along. In this order, the axes form a left-handed triple.
        for (held, is_far, [first, second]) in [
            (1, true, [0, 2]),
            (0, true, [2, 1]),
            (0, false, [1, 2]),
            (2, true, [1, 0]),
            (2, false, [0, 1]),
        ] {
            for a in 0..cells[first] * parts {
                for b in 0..cells[second] * parts {
                    let mut corner = |da: usize, db: usize| {
                        let mut fine = [0; 3];
                        fine[held] = if is_far { cells[held] * parts } else { 0 };
                        (fine[first], fine[second]) = (a + da, b + db);
                        *known
                            .entry(fine)
                            .or_insert_with(|| skin.add_vertex(trunk, cells, parts, fine))
                    };
                    let [p, q, r, s] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    skin.triangles.extend([[p, q, r], [p, r, s]]);
                }
            }
        }
        skin
    }

    fn add_vertex(
        &mut self,
        trunk: &Trunk,
        cells: LatticeIndex,
        parts: usize,
        fine: LatticeIndex,
    ) -> usize {
        let share = |axis: usize| fine[axis] as f64 / (cells[axis] * parts) as f64;
        let coordinates = [2.0 * share(0) - 1.0, share(1), 2.0 * share(2) - 1.0];
        self.positions.push(trunk.drawn_point(coordinates));
        let mut weights = vec![([0; 3], 1.0)];
        for axis in 0..3 {
            let (cell, rest) = (fine[axis] / parts, fine[axis] % parts);
            let far = rest as f64 / parts as f64;
            let split = weights.into_iter().flat_map(|(place, weight)| {
                let (mut near_place, mut far_place): (LatticeIndex, LatticeIndex) = (place, place);
                (near_place[axis], far_place[axis]) = (cell, cell + 1);
                [
                    (near_place, weight * (1.0 - far)),
                    (far_place, weight * far),
                ]
            });
            weights = split.filter(|&(_, weight)| weight > 0.0).collect();
        }
        self.weights.push(weights);
        self.positions.len() - 1
    }

    /// The skin as an MJCF element. `place_of` transforms a point of the torso's frame to the frame of the bones. `bones` holds the body,
    /// position and orientation of each bone; `bone_of` gives the index of the bone that moves a lattice point.
    pub(crate) fn element(
        &self,
        name: &str,
        material: &str,
        place_of: impl Fn([f64; 3]) -> [f64; 3],
        bones: &[Bone],
        bone_of: impl Fn(LatticeIndex) -> usize,
    ) -> Skin {
        let micrometres = |x: f64| (x * 1e6).round() / 1e6;
        let positions: Vec<[f64; 3]> = self
            .positions
            .iter()
            .map(|&position| place_of(position).map(micrometres))
            .collect();
        let mut carried: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); bones.len()];
        for (vertex, weights) in self.weights.iter().enumerate() {
            for &(place, weight) in weights {
                let (ids, shares) = &mut carried[bone_of(place)];
                ids.push(vertex as f64);
                shares.push((weight * 1e4).round() / 1e4);
            }
        }
        let carried = bones.iter().zip(carried);
        Skin::new(name, &positions, &self.triangles)
            .material(material)
            .with_all(carried.filter(|(_, (ids, _))| !ids.is_empty()).map(
                |(bone, (ids, weights))| {
                    Element::new("bone")
                        .with_attribute("body", bone.body.as_str())
                        .with_attribute("bindpos", bone.position)
                        .with_attribute("bindquat", bone.quat)
                        .with_attribute("vertid", Value::Reals(ids))
                        .with_attribute("vertweight", Value::Reals(weights))
                },
            ))
    }
}

/// A body that moves a part of the skin.
#[derive(Clone, Debug)]
pub(crate) struct Bone {
    pub(crate) body: String,
    pub(crate) position: [f64; 3],
    pub(crate) quat: [f64; 4],
}
