//! The shell of a lattice: its points, their neighbours, and the outer faces between four points each.
//!
//! Points are ordered as in MuJoCo's composites: the last index varies fastest, and interior points are left out.

use std::collections::BTreeMap;

use crate::torsos::TorsoConfig;

/// The outer points of a lattice of `count` points along x, y and z.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lattice {
    count: [usize; 3],
    /// The lowest layer that moves.
    first_layer: usize,
    /// Indices of the shell points, in order, shape `[n_points, 3]`.
    pub(super) points: Vec<[usize; 3]>,
    /// Index in `points` of each triple of lattice indices.
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
            first_layer: 0,
            points,
            order,
        }
    }

    /// The lattice of a torso.
    pub(super) fn of(config: &TorsoConfig) -> Self {
        Self {
            first_layer: first_layer(config),
            ..Self::new(config.count)
        }
    }

    /// Number of moving points of a torso, computed without the lattice.
    pub(super) fn size(config: &TorsoConfig) -> usize {
        let volume = |count: [usize; 3]| count.iter().product::<usize>();
        let ([across, through, along], first) = (config.count, first_layer(config));
        let layers = through - first;
        let inner_layers = layers - if first == 0 { 2 } else { 1 };
        volume([across, layers, along]) - volume([across - 2, inner_layers, along - 2])
    }

    /// Whether the point at `index` moves.
    pub(super) fn moves(&self, index: usize) -> bool {
        self.points[index][1] >= self.first_layer
    }

    /// Indices of the points that move, in order.
    pub(super) fn moving(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.points.len()).filter(|&index| self.moves(index))
    }

    /// Number of points along each axis.
    pub(super) fn count(&self) -> [usize; 3] {
        self.count
    }

    /// The index of an outer point in `points`.
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

    /// The moving neighbours of the point at `index` that are one index higher along x, y or z. MuJoCo's composites couple these.
    pub(super) fn next_neighbors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let point = self.points[index];
        (0..3).filter_map(move |axis| {
            let mut next = point;
            next[axis] += 1;
            let next = self.order.get(&next).copied()?;
            self.moves(next).then_some(next)
        })
    }

    /// The outer faces as four point indices each, counter-clockwise seen from outside.
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

/// Index of the lowest layer that moves.
fn first_layer(config: &TorsoConfig) -> usize {
    let through = config.count[1];
    through - config.soft_layers.unwrap_or(through)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thesis_shell_has_the_counts_that_mujoco_made() {
        let lattice = Lattice::new([9, 4, 11]);
        assert_eq!(
            (lattice.points.len(), Lattice::size(&TorsoConfig::default())),
            (270, 270)
        );
        let edges: usize = (0..270)
            .map(|index| lattice.next_neighbors(index).count())
            .sum();
        assert_eq!(edges, 536);
        assert_eq!(lattice.quads().len(), 268); // Euler characteristic: 270 - 536 + 268 = 2
        assert_eq!(Lattice::suffix(lattice.points[11]), "0_1_0");
        assert_eq!(lattice.coordinates([8, 0, 5]), [1.0, -1.0, 0.0]);
    }

    #[test]
    fn the_soft_layers_have_the_counted_points() {
        for (count, layers) in [([9, 4, 11], 1), ([9, 5, 11], 3), ([3, 3, 3], 3)] {
            let config = TorsoConfig {
                count,
                soft_layers: Some(layers),
                ..TorsoConfig::default()
            };
            let lattice = Lattice::of(&config);
            assert_eq!(
                lattice.moving().count(),
                Lattice::size(&config),
                "{count:?}"
            );
        }
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
