//! Stencils: the part of a cut lattice tetrahedron that is inside.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::lattice::Lattice;
use crate::mesh::TetMesh;
use crate::mesh::tetrahedra::volume;

/// Steps of the search for a cut point.
const SEARCH_STEPS: usize = 6;

pub(super) struct Cutter<'a> {
    lattice: &'a Lattice,
    /// Index of the cut point of each edge between a positive and a negative vertex. Cut points follow the vertices of
    /// the lattice.
    cuts: HashMap<[usize; 2], usize>,
    cut_points: Vec<Vector3<f64>>,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(
        lattice: &'a Lattice,
        points: &[Vector3<f64>],
        depths: &[f64],
        depth: impl Fn(&Vector3<f64>) -> f64,
    ) -> Self {
        let mut cutter = Self {
            lattice,
            cuts: HashMap::new(),
            cut_points: Vec::new(),
        };
        for vertex in (0..points.len()).filter(|&vertex| depths[vertex] > 0.0) {
            lattice.for_each_neighbour(vertex, |other, _| {
                if depths[other] < 0.0 {
                    let ends = [vertex, other];
                    let cut = search(ends.map(|v| points[v]), ends.map(|v| depths[v]), &depth);
                    cutter.cuts.insert(sorted(ends), cutter.cut_points.len());
                    cutter.cut_points.push(cut);
                }
            });
        }
        cutter
    }

    /// Cut point of an edge.
    pub(super) fn cut(&self, a: usize, b: usize) -> Option<Vector3<f64>> {
        let index = self.cuts.get(&sorted([a, b]))?;
        Some(self.cut_points[*index])
    }

    fn cut_index(&self, a: usize, b: usize) -> usize {
        self.lattice.n_vertices() + self.cuts[&sorted([a, b])]
    }

    /// Adds the stencil of a tetrahedron. Each vertex has a sign: + inside, 0 on the surface, −
    /// outside.
    pub(super) fn add_stencil(
        &mut self,
        tet: [usize; 4],
        points: &[Vector3<f64>],
        depths: &[f64],
        tets: &mut Vec<[usize; 4]>,
    ) {
        let with = |is: fn(f64) -> bool| tet.into_iter().filter(move |&v| is(depths[v]));
        let positive: Vec<usize> = with(|depth| depth > 0.0).collect();
        let negative: Vec<usize> = with(|depth| depth < 0.0).collect();
        let zero: Vec<usize> = with(|depth| depth == 0.0).collect();
        let cut = |a, b| self.cut_index(a, b);
        let point = |v: usize| {
            points
                .get(v)
                .copied()
                .unwrap_or_else(|| self.cut_points[v - points.len()])
        };
        let mut add = |parts: &[[usize; 4]]| {
            for &[a, b, c, d] in parts {
                let is_positive = volume(&[a, b, c, d].map(point)) > 0.0;
                tets.push(if is_positive {
                    [a, b, c, d]
                } else {
                    [b, a, c, d]
                });
            }
        };
        match (positive.as_slice(), negative.as_slice()) {
            ([], _) => {}
            (_, []) => add(&[tet]),
            (&[u], negative) => {
                let mut part = [u; 4];
                let rest = negative.iter().map(|&w| cut(u, w)).chain(zero);
                part.iter_mut()
                    .skip(1)
                    .zip(rest)
                    .for_each(|(entry, v)| *entry = v);
                add(&[part]);
            }
            (&[u, v], &[w]) => {
                let top = zero[0];
                let [cu, cv] = [cut(u, w), cut(v, w)];
                if self.diagonal_from(u, v, w) {
                    add(&[[top, u, v, cv], [top, u, cv, cu]]);
                } else {
                    add(&[[top, u, v, cu], [top, v, cv, cu]]);
                }
            }
            (&[u, v], &[w, x]) => {
                let ends = [[u, cut(u, w), cut(u, x)], [v, cut(v, w), cut(v, x)]];
                // By the parity rule the diagonal of u, v, x starts at the other end, so one is left for the surface.
                let is_from_u = self.diagonal_from(u, v, w);
                add(&prism(ends, [is_from_u, !is_from_u, is_from_u]));
            }
            (&[u, v, w], &[x]) => {
                let ends = [[u, v, w], [cut(u, x), cut(v, x), cut(w, x)]];
                let diagonals = [[u, v], [v, w], [w, u]].map(|[a, b]| self.diagonal_from(a, b, x));
                add(&prism(ends, diagonals));
            }
            _ => {}
        }
    }

    /// Whether the diagonal of the quadrilateral u, v, cut of vw, cut of uw starts at u. This depends on the face
    /// alone, so both of its tetrahedra agree.
    ///
    /// If one cut edge is short and one is long, the diagonal runs from the lattice end of the short edge to the cut of
    /// the long edge. If both are short, the parity rule decides: it starts at u if an even number of its coordinates
    /// are greater than those of the cut of vw.
    fn diagonal_from(&self, u: usize, v: usize, w: usize) -> bool {
        match (self.lattice.is_long(u, w), self.lattice.is_long(v, w)) {
            (true, false) => false,
            (false, true) => true,
            _ => {
                let [u, v, w] = [u, v, w].map(|vertex| self.lattice.coordinates(vertex));
                let is_greater = |axis: &usize| 2 * u[*axis] > v[*axis] + w[*axis];
                (0..3).filter(is_greater).count() % 2 == 0
            }
        }
    }

    /// The mesh of the tetrahedra, with only the vertices that they use.
    pub(super) fn into_mesh(self, points: &[Vector3<f64>], tets: &[[usize; 4]]) -> TetMesh {
        let mut new_index = vec![u32::MAX; points.len() + self.cut_points.len()];
        for &vertex in tets.iter().flatten() {
            new_index[vertex] = 0;
        }
        let mut positions = Vec::new();
        for (index, point) in new_index
            .iter_mut()
            .zip(points.iter().chain(&self.cut_points))
        {
            if *index == 0 {
                *index = positions.len() as u32;
                positions.push((*point).into());
            }
        }
        TetMesh {
            positions,
            tets: tets.iter().map(|tet| tet.map(|v| new_index[v])).collect(),
        }
    }
}

fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// Splits a prism between the triangles a and b into three tetrahedra. Side i lies between corners i and i + 1. Its
/// diagonal starts at corner i of a, or else of b; the diagonals must not form a cycle.
fn prism([a, b]: [[usize; 3]; 2], from_a: [bool; 3]) -> [[usize; 4]; 3] {
    for (a, b, is_from) in [(a, b, from_a), (b, a, from_a.map(|x| !x))] {
        for k in 0..3 {
            let (next, last) = ((k + 1) % 3, (k + 2) % 3);
            // Both diagonals meet at corner k: one starts there, on its own side, and one ends there,
            // on the previous side.
            if is_from[k] && !is_from[last] {
                let [[p, q, r], [s, t, u]] = if is_from[next] {
                    [[a[next], a[last], b[last]], [a[next], b[last], b[next]]]
                } else {
                    [[a[next], a[last], b[next]], [a[last], b[last], b[next]]]
                };
                return [[a[k], b[0], b[1], b[2]], [a[k], p, q, r], [a[k], s, t, u]];
            }
        }
    }
    unreachable!("two of the three diagonals meet because they form no cycle")
}

/// Finds the zero of the depth between two points (Illinois variant of the false position method).
fn search(
    [mut a, mut b]: [Vector3<f64>; 2],
    [mut at_a, mut at_b]: [f64; 2],
    depth: &impl Fn(&Vector3<f64>) -> f64,
) -> Vector3<f64> {
    let mut cut = a;
    for _ in 0..SEARCH_STEPS {
        cut = a + (b - a) * (at_a / (at_a - at_b));
        let found = depth(&cut);
        if found.abs() <= 1e-9 * (b - a).norm() {
            break;
        }
        if found > 0.0 {
            (a, at_a) = (cut, found);
            at_b *= 0.5;
        } else {
            (b, at_b) = (cut, found);
            at_a *= 0.5;
        }
    }
    cut
}
