//! The points of a flex torso and the tetrahedra between them.
//!
//! A lattice of `count` points fills the unit block $(u, v, w) \in [-1, 1] \times [-1, 1] \times [0, 1]$:
//! across, along and upwards. A [`Shape`] bends the block into a torso with a flat back.
//! Every cell is cut into six tetrahedra around its diagonal (Kuhn's subdivision), in the same way in every cell. So all points
//! inside have the same neighbours, and the tissue has the same stiffness everywhere.

use crate::patients::Trunk;
use crate::torsos::{Shape, profile};

/// Ratio of the height of the flanks to the height of the midline.
const FLANK: f64 = 0.45;
/// Fraction of the arch that the section covers towards its tip; 1 would end it in a vertical, degenerate flank.
const REACH: f64 = 0.9;
/// Inset of the flanks at the table and at their upper edge, relative to the half-width.
const TUCK: f64 = 0.06;
/// Rounding of an ellipsoid's square plan; 0.5 would make it an ellipse with degenerate corners.
const PLAN_ROUNDING: f64 = 0.35;

/// A solid block that is filled by a lattice and bent into a torso.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Shape.
    pub(super) shape: Shape,
    /// Half-width, height and half-length [m].
    pub(super) size: [f64; 3],
    /// The trunk into which an adult's block is bent, before it is scaled to `size`.
    pub(super) trunk: Option<Trunk>,
}

impl Block {
    /// The point at `(u, v, w)` of the block, in the torso's frame [m].
    pub(super) fn point(&self, [u, v, w]: [f64; 3]) -> [f64; 3] {
        let [half_width, height, half_length] = self.size;
        if let Some(trunk) = &self.trunk {
            let [whole_width, whole_height, whole_length] = trunk.half_size();
            let [x, y, z] = trunk.point([u, w, v]);
            return [
                x * half_width / whole_width,
                y * half_length / whole_length,
                z * height / (2.0 * whole_height),
            ];
        }
        let (x, y, top) = match self.shape {
            Shape::Box => return [half_width * u, half_length * v, height * w],
            Shape::Cylinder => (u, v, (1.0 - (REACH * u).powi(2)).sqrt()),
            Shape::Ellipsoid => {
                let radius2 = u * u + v * v - u * u * v * v;
                let round = |a: f64, b: f64| a * (1.0 - PLAN_ROUNDING * b * b).sqrt();
                let top = (1.0 - REACH.powi(2) * radius2).sqrt();
                (round(u, v), round(v, u), top)
            }
            Shape::Human | Shape::Adult => {
                (profile::half_width(v) * u, v, profile::arch(REACH * u))
            }
        };
        let thickness = if self.shape == Shape::Human {
            profile::thickness(v)
        } else {
            1.0
        };
        let tuck = 1.0 - TUCK * (u * (2.0 * w - 1.0)).powi(2);
        let rise = thickness * (FLANK + (1.0 - FLANK) * top);
        [half_width * x * tuck, half_length * y, height * w * rise]
    }
}

/// A lattice of points and the tetrahedra between them.
#[derive(Clone, Debug)]
pub(in crate::torsos) struct Lattice {
    /// Numbers of points across, upwards and along.
    pub(super) count: [usize; 3],
    /// Positions in the torso's frame [m], shape `[n_points, 3]`; the index across varies slowest, the index along fastest.
    pub(super) points: Vec<[f64; 3]>,
    /// Point indices, shape `[n_tetrahedra, 4]`. The volumes are positive.
    pub(super) tetrahedra: Vec<[usize; 4]>,
}

impl Lattice {
    /// Fills `block` with `count` points across, upwards and along.
    pub(super) fn fill(block: &Block, count: [usize; 3]) -> Self {
        let step = |index: usize, axis: usize| index as f64 / (count[axis] as f64 - 1.0);
        let mut points = Vec::with_capacity(count.iter().product());
        for i in 0..count[0] {
            for j in 0..count[1] {
                for k in 0..count[2] {
                    let uvw = [2.0 * step(i, 0) - 1.0, 2.0 * step(k, 2) - 1.0, step(j, 1)];
                    points.push(block.point(uvw));
                }
            }
        }
        let mut lattice = Self {
            count,
            points,
            tetrahedra: Vec::new(),
        };
        lattice.tetrahedra = lattice.cut();
        lattice
    }

    /// The index of point `(i, j, k)`.
    pub(super) fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.count[1] + j) * self.count[2] + k
    }

    /// The indices `(i, j, k)` of a point.
    pub(super) fn place(&self, index: usize) -> [usize; 3] {
        let [_, through, along] = self.count;
        [
            index / (through * along),
            index / along % through,
            index % along,
        ]
    }

    /// Whether a point rests on the table.
    pub(super) fn is_pinned(&self, index: usize) -> bool {
        self.place(index)[1] == 0
    }

    /// The triangles of the upper face, counter-clockwise seen from above, shape `[n_triangles, 3]`.
    pub(super) fn top(&self) -> Vec<[usize; 3]> {
        let high = self.count[1] - 1;
        let cells =
            (0..self.count[0] - 1).flat_map(|i| (0..self.count[2] - 1).map(move |k| (i, k)));
        cells
            .flat_map(|(i, k)| {
                let corner = |di: usize, dk: usize| self.index([i + di, high, k + dk]);
                let (a, b, c, d) = (corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
                [[a, b, c], [a, c, d]]
            })
            .collect()
    }

    /// Cuts every cell into six tetrahedra, one for each order of axes in which a path along edges can cross the cell.
    fn cut(&self) -> Vec<[usize; 4]> {
        const PATHS: [[usize; 3]; 6] = [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ];
        let [across, through, along] = self.count.map(|count| count - 1);
        let mut tetrahedra = Vec::with_capacity(6 * across * through * along);
        for i in 0..across {
            for j in 0..through {
                for k in 0..along {
                    tetrahedra.extend(PATHS.map(|path| self.follow([i, j, k], path)));
                }
            }
        }
        tetrahedra
    }

    /// The tetrahedron of the corners on a path from the cell's first corner to its last.
    fn follow(&self, mut at: [usize; 3], path: [usize; 3]) -> [usize; 4] {
        let mut corners = [self.index(at); 4];
        for (corner, axis) in corners[1..].iter_mut().zip(path) {
            at[axis] += 1;
            *corner = self.index(at);
        }
        if self.volume(corners) < 0.0 {
            corners.swap(1, 2);
        }
        corners
    }

    /// The middle of an element [m].
    pub(super) fn middle<const N: usize>(&self, corners: [usize; N]) -> [f64; 3] {
        [0, 1, 2].map(|axis| {
            let sum: f64 = corners
                .iter()
                .map(|&corner| self.points[corner][axis])
                .sum();
            sum / N as f64
        })
    }

    /// Signed volume of a tetrahedron [m³].
    pub(super) fn volume(&self, corners: [usize; 4]) -> f64 {
        self.edges(corners).determinant() / 6.0
    }

    /// The edges from a tetrahedron's first corner to the others, as columns [m].
    pub(super) fn edges(&self, corners: [usize; 4]) -> nalgebra::Matrix3<f64> {
        let [first, rest @ ..] = corners.map(|corner| nalgebra::Vector3::from(self.points[corner]));
        nalgebra::Matrix3::from_columns(&rest.map(|corner| corner - first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [f64; 3] = [0.13, 0.095, 0.165];

    fn block(shape: Shape) -> Block {
        Block {
            shape,
            size: SIZE,
            trunk: (shape == Shape::Adult)
                .then(|| Trunk::new(&crate::patients::Physique::default())),
        }
    }

    #[test]
    fn the_tetrahedra_of_a_box_fill_it() {
        let block = Block {
            shape: Shape::Box,
            size: SIZE,
            trunk: None,
        };
        let lattice = Lattice::fill(&block, [5, 3, 4]);
        assert_eq!(lattice.points.len(), 60);
        assert_eq!(lattice.tetrahedra.len(), 6 * 4 * 2 * 3);
        let volume: f64 = lattice.tetrahedra.iter().map(|&t| lattice.volume(t)).sum();
        assert!((volume - 4.0 * SIZE[0] * SIZE[1] * SIZE[2]).abs() < 1e-12);
    }

    #[test]
    fn no_shape_turns_a_tetrahedron_inside_out_or_flat() {
        for (&(name, shape), count) in Shape::ALL
            .iter()
            .flat_map(|shape| [[3, 3, 3], [9, 4, 11], [25, 12, 31]].map(|count| (shape, count)))
        {
            let lattice = Lattice::fill(&block(shape), count);
            let mean = 4.0 * SIZE.iter().product::<f64>() / lattice.tetrahedra.len() as f64;
            for &corners in &lattice.tetrahedra {
                let share = lattice.volume(corners) / mean;
                // A trunk is round where the block has edges, so the cells there are flat.
                let least = if shape == Shape::Adult { 0.03 } else { 0.2 };
                assert!(
                    (least..1.6).contains(&share),
                    "{name} {count:?} {corners:?}: {share}"
                );
            }
        }
    }

    #[test]
    fn every_shape_is_symmetric_keeps_to_its_size_and_stands_on_the_table() {
        for &(name, shape) in Shape::ALL {
            let block = block(shape);
            let [x, y, z] = block.point([0.5, 0.3, 0.7]);
            let [mx, my, mz] = block.point([-0.5, 0.3, 0.7]);
            assert!(
                (x + mx).abs() < 1e-15 && (y - my).abs() < 1e-15 && (z - mz).abs() < 1e-15,
                "{name}"
            );
            let lattice = Lattice::fill(&block, [9, 4, 11]);
            for (index, point) in lattice.points.iter().enumerate() {
                assert!(
                    point[0].abs() <= SIZE[0] * 1.02
                        && point[1].abs() <= SIZE[2]
                        && point[2] <= SIZE[1] * 1.02
                );
                assert_eq!(
                    lattice.is_pinned(index),
                    point[2] == 0.0,
                    "{name} {point:?}"
                );
                assert_eq!(lattice.index(lattice.place(index)), index);
            }
        }
    }
}
