//! The shell of a lattice: which points it has, which are neighbours, which four span an outer face.
//!
//! The order is that of MuJoCo's composites: the last index runs fastest, interior points are left out.

use std::collections::BTreeMap;

/// The outer points of a lattice of `count` points along x, y and z.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lattice {
    count: [usize; 3],
    /// Indices of the shell points, in order, shape `[n_points, 3]`.
    pub(super) points: Vec<[usize; 3]>,
    /// Position of a triple of indices in `points`.
    order: BTreeMap<[usize; 3], usize>,
}

impl Lattice {
    /// The shell of a lattice with at least two points along each axis.
    pub(super) fn new(count: [usize; 3]) -> Self {
        let [across, through, along] = count;
        let is_outer = |point: &[usize; 3]| {
            (0..3).any(|axis| point[axis] == 0 || point[axis] == count[axis] - 1)
        };
        let points: Vec<[usize; 3]> = (0..across)
            .flat_map(|i| (0..through).flat_map(move |j| (0..along).map(move |k| [i, j, k])))
            .filter(is_outer)
            .collect();
        let order = points
            .iter()
            .enumerate()
            .map(|(index, point)| (*point, index))
            .collect();
        Self {
            count,
            points,
            order,
        }
    }

    /// Number of points in the shell of such a lattice, without making it.
    pub(super) fn size(count: [usize; 3]) -> usize {
        let volume = |count: [usize; 3]| count.iter().product::<usize>();
        volume(count) - volume(count.map(|n| n.saturating_sub(2)))
    }

    /// Number of points along each axis.
    pub(super) fn count(&self) -> [usize; 3] {
        self.count
    }

    /// The place of an outer point in `points`.
    pub(super) fn index(&self, point: [usize; 3]) -> usize {
        self.order[&point]
    }

    /// Lattice coordinates of a point, -1 to 1 along each axis.
    pub(super) fn coordinates(&self, point: [usize; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| 2.0 * point[axis] as f64 / (self.count[axis] - 1) as f64 - 1.0)
    }

    /// The name of a point, such as `0_3_10`.
    pub(super) fn suffix(point: [usize; 3]) -> String {
        let [i, j, k] = point;
        format!("{i}_{j}_{k}")
    }

    /// The neighbours of the point at `index` with one higher index, as MuJoCo's composites couple them: along x, y, z.
    pub(super) fn next_neighbors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let point = self.points[index];
        (0..3).filter_map(move |axis| {
            let mut next = point;
            next[axis] += 1;
            self.order.get(&next).copied()
        })
    }

    /// The outer faces, four point indices each, counter-clockwise seen from outside.
    pub(super) fn quads(&self) -> Vec<[usize; 4]> {
        let mut quads = Vec::new();
        for axis in 0..3 {
            // u, v and the axis are a right-handed triple.
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for a in 0..self.count[u] - 1 {
                for b in 0..self.count[v] - 1 {
                    for (level, is_upper) in [(0, false), (self.count[axis] - 1, true)] {
                        let corner = |du: usize, dv: usize| {
                            let mut point = [0; 3];
                            (point[axis], point[u], point[v]) = (level, a + du, b + dv);
                            self.order[&point]
                        };
                        let [p, q, r, s] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                        quads.push(if is_upper { [p, q, r, s] } else { [p, s, r, q] });
                    }
                }
            }
        }
        quads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thesis_shell_has_the_counts_that_mujoco_made() {
        let lattice = Lattice::new([9, 4, 11]);
        assert_eq!(
            (lattice.points.len(), Lattice::size([9, 4, 11])),
            (270, 270)
        );
        let edges: usize = (0..270)
            .map(|index| lattice.next_neighbors(index).count())
            .sum();
        assert_eq!(edges, 536);
        assert_eq!(lattice.quads().len(), 268); // Euler: 270 - 536 + 268 = 2
        assert_eq!(Lattice::suffix(lattice.points[11]), "0_1_0");
        assert_eq!(lattice.coordinates([8, 0, 5]), [1.0, -1.0, 0.0]);
    }

    #[test]
    fn faces_look_outward_and_share_every_edge_once_in_each_direction() {
        let lattice = Lattice::new([3, 4, 5]);
        let mut directed = std::collections::BTreeSet::new();
        for quad in lattice.quads() {
            for corner in 0..4 {
                assert!(directed.insert((quad[corner], quad[(corner + 1) % 4])));
            }
            let [a, b, c, _] = quad
                .map(|index| nalgebra::Vector3::from(lattice.coordinates(lattice.points[index])));
            assert!((b - a).cross(&(c - b)).dot(&(a + c)) > 0.0);
        }
        assert!(
            directed
                .iter()
                .all(|&(from, to)| directed.contains(&(to, from)))
        );
    }
}
