//! Partition of a large world into slabs for Jacobi sweeps. Slabs sum their corrections in
//! parallel.
//!
//! Each slab has copies of its points and sums of their corrections, so threads share no memory that they write. Then
//! the sums are added in the order of the slabs. Slabs depend only on the world, so results do not depend on the number
//! of threads.

use super::config::Sweep;
use super::topology::Topology;

/// Least number of tetrahedra of a slab: smaller slabs cost less to solve than to hand to another
/// thread.
const LEAST_TETS: usize = 1500;

/// Least width of a slab, in edges of cubes of six tetrahedra, so that few points are in two slabs.
const LEAST_WIDTH: f64 = 2.0;

/// Maximum number of slabs.
const MOST_SLABS: usize = 32;

/// Partition of the constraints of a world.
#[derive(Debug, Default)]
pub(super) struct Partition {
    /// Start of each slab [m]; empty if there is one part.
    starts: Vec<f64>,
    /// Axis along which the world is divided.
    axis: usize,
    /// Points of each slab in ascending order.
    pub(super) points: Vec<Vec<u32>>,
}

impl Partition {
    /// Partition of the constraints that move at least one point.
    pub(super) fn new(topology: &Topology, sweep: Sweep, inv_masses: &[f64]) -> Self {
        if sweep == Sweep::GaussSeidel {
            return Self::default();
        }
        let moves = |points: &[u32]| {
            let mut points = points.iter();
            points.any(|point| inv_masses[*point as usize] > 0.0)
        };
        let tets = topology.tets.iter().map(|tet| tet.vertices);
        let tets: Vec<[u32; 4]> = tets.filter(|tet| moves(tet)).collect();
        let (axis, n_edges) = longest_axis(topology, &tets);
        let n_wide = (n_edges / LEAST_WIDTH) as usize;
        let n_slabs = (tets.len() / LEAST_TETS).min(n_wide).min(MOST_SLABS);
        if n_slabs < 2 {
            return Self::default();
        }
        // Powers of two are distributed evenly over threads.
        let n_slabs = 1 << n_slabs.ilog2();
        let mut middles: Vec<f64> = tets.iter().map(|tet| middle(topology, axis, tet)).collect();
        middles.sort_by(f64::total_cmp);
        let start = |slab: usize| middles[slab * middles.len() / n_slabs];
        let mut partition = Self {
            starts: (0..n_slabs).map(start).collect(),
            axis,
            points: vec![Vec::new(); n_slabs],
        };
        for list in topology.constraints.all() {
            let all = (0..list.len()).map(|constraint| list.points(constraint));
            for points in all.filter(|points| moves(points)) {
                let part = partition.part(topology, points);
                partition.points[part].extend(points);
            }
        }
        for points in &mut partition.points {
            points.sort_unstable();
            points.dedup();
        }
        partition
    }

    /// Whether there is only one part.
    pub(super) fn is_whole(&self) -> bool {
        self.starts.is_empty()
    }

    /// Number of parts.
    pub(super) fn n_parts(&self) -> usize {
        self.points.len().max(1)
    }

    /// Part of a constraint between some points.
    pub(super) fn part(&self, topology: &Topology, points: &[u32]) -> usize {
        let middle = middle(topology, self.axis, points);
        let next = self.starts.partition_point(|start| *start <= middle);
        next.saturating_sub(1)
    }
}

/// Mean coordinate of points along an axis [m].
fn middle(topology: &Topology, axis: usize, points: &[u32]) -> f64 {
    let all = points.iter();
    let sum: f64 = all.map(|point| topology.rest[*point as usize][axis]).sum();
    sum / points.len() as f64
}

/// Axis of the greatest extent of the tetrahedra, and the extent in edges of cubes of six tetrahedra.
fn longest_axis(topology: &Topology, tets: &[[u32; 4]]) -> (usize, f64) {
    let points = || tets.iter().flatten();
    let rest = |point: &u32| topology.rest[*point as usize];
    let low = points().map(rest).reduce(|a, b| a.inf(&b));
    let high = points().map(rest).reduce(|a, b| a.sup(&b));
    let size = high.unwrap_or_default() - low.unwrap_or_default();
    let volume: f64 = topology.tets.iter().map(|tet| tet.volume).sum();
    let edge = (6.0 * volume / topology.tets.len() as f64).cbrt();
    let axis = size.imax();
    (axis, size[axis] / edge)
}

#[cfg(test)]
mod tests {
    use super::super::bench_scene::BenchScene;
    use super::*;

    fn partition(n_tets: usize, sweep: Sweep) -> (Topology, Partition) {
        let scene = BenchScene::new(n_tets, 10).unwrap();
        let topology = Topology::new(std::slice::from_ref(&scene.body), &[]).unwrap();
        let partition = Partition::new(&topology, sweep, &topology.inv_masses);
        (topology, partition)
    }

    #[test]
    fn slabs_hold_all_points_and_few_twice() {
        let (topology, partition) = partition(9729, Sweep::Jacobi);
        assert_eq!(partition.n_parts(), 4);
        let mut all = partition.points.concat();
        let n = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), topology.rest.len());
        assert!(n < 13 * all.len() / 10, "{n} {}", all.len());
    }

    #[test]
    fn small_worlds_and_sweeps_in_turn_are_one_part() {
        for (n_tets, sweep) in [(1170, Sweep::Jacobi), (9729, Sweep::GaussSeidel)] {
            let (topology, partition) = partition(n_tets, sweep);
            assert!(partition.is_whole());
            assert_eq!(partition.n_parts(), 1);
            assert_eq!(partition.part(&topology, &[0, 1]), 0);
        }
    }
}
