//! Slabs of a large world, whose constraints are solved side by side.
//!
//! Each slab has copies of its points: threads share nothing that any of them writes. In Jacobi sweeps all slabs are solved at once and
//! their sums are added up in the order of the slabs; in Gauss–Seidel sweeps first those that share no points, then those between.
//! Slabs follow from the world alone, so bits do not depend on the number of threads.

use std::ops::Range;

use super::color::color;
use super::config::Sweep;
use super::topology::Topology;

/// Least number of tetrahedra of a slab.
const LEAST_TETS: usize = 600;

/// Least width of a slab, in edges of cubes of six tetrahedra: few points are in more than one, and those of every other slab share none.
const LEAST_WIDTH: f64 = 2.0;

/// Most slabs.
const MOST_SLABS: usize = 32;

/// How the constraints of a world are divided.
#[derive(Debug, Default)]
pub(super) struct Partition {
    /// Of each slab, where it begins and what part it is; empty: all is one part.
    slabs: Vec<(f64, usize)>,
    /// Axis across which slabs are cut.
    axis: usize,
    /// Points of each part in ascending order.
    pub(super) points: Vec<Vec<u32>>,
    /// Parts that are solved at the same time.
    pub(super) phases: Vec<Range<usize>>,
}

impl Partition {
    /// Of the constraints that move any point.
    pub(super) fn new(topology: &Topology, sweep: Sweep, inv_masses: &[f64]) -> Self {
        let moves = |points: &[u32]| {
            let mut points = points.iter();
            points.any(|point| inv_masses[*point as usize] > 0.0)
        };
        let tets = topology.tets.iter().map(|tet| tet.vertices);
        let tets: Vec<[u32; 4]> = tets.filter(|tet| moves(tet)).collect();
        let (axis, n_wide) = longest_axis(topology, &tets);
        let n_slabs = (tets.len() / LEAST_TETS).min(n_wide).min(MOST_SLABS);
        // Of two slabs between which others lie only one is solved at a time.
        let is_sequential = sweep == Sweep::GaussSeidel;
        if n_slabs < if is_sequential { 4 } else { 2 } {
            return Self::default();
        }
        // Powers of two share out evenly.
        let n_slabs = 1 << n_slabs.ilog2();
        let mut middles: Vec<f64> = tets.iter().map(|tet| middle(topology, axis, tet)).collect();
        middles.sort_by(f64::total_cmp);
        let start = |slab: usize| middles[slab * middles.len() / n_slabs];
        let mut partition = Self {
            slabs: (0..n_slabs).map(|slab| (start(slab), slab)).collect(),
            axis,
            points: vec![Vec::new(); n_slabs],
            phases: Vec::new(),
        };
        for list in topology.constraints.all() {
            let all = (0..list.len()).map(|constraint| list.points(constraint));
            for points in all.filter(|points| moves(points)) {
                let slab = partition.part(topology, points);
                partition.points[slab].extend(points);
            }
        }
        for points in &mut partition.points {
            points.sort_unstable();
            points.dedup();
        }
        partition.order(is_sequential, topology.rest.len());
        partition
    }

    /// Numbers the parts phase by phase.
    fn order(&mut self, is_sequential: bool, n_points: usize) {
        let slabs = self.points.iter().map(Vec::as_slice);
        let phases = if is_sequential {
            color(slabs, n_points)
        } else {
            vec![(0..slabs.len() as u32).collect()]
        };
        let mut points = Vec::with_capacity(self.points.len());
        for slabs in phases {
            let first = points.len();
            for slab in slabs.into_iter().map(|slab| slab as usize) {
                self.slabs[slab].1 = points.len();
                points.push(std::mem::take(&mut self.points[slab]));
            }
            self.phases.push(first..points.len());
        }
        self.points = points;
    }

    /// Whether all is one part.
    pub(super) fn is_whole(&self) -> bool {
        self.slabs.is_empty()
    }

    /// Number of parts.
    pub(super) fn n_parts(&self) -> usize {
        self.points.len().max(1)
    }

    /// The part of a constraint between some points.
    pub(super) fn part(&self, topology: &Topology, points: &[u32]) -> usize {
        let middle = middle(topology, self.axis, points);
        let next = self.slabs.partition_point(|(start, _)| *start <= middle);
        self.slabs
            .get(next.saturating_sub(1))
            .map_or(0, |slab| slab.1)
    }
}

/// Mean coordinate of points along an axis [m].
fn middle(topology: &Topology, axis: usize, points: &[u32]) -> f64 {
    let all = points.iter();
    let sum: f64 = all.map(|point| topology.rest[*point as usize][axis]).sum();
    sum / points.len() as f64
}

/// Axis along which tetrahedra extend farthest, and how many slabs of the least width they fill.
fn longest_axis(topology: &Topology, tets: &[[u32; 4]]) -> (usize, usize) {
    let points = || tets.iter().flatten();
    let rest = |point: &u32| topology.rest[*point as usize];
    let low = points().map(rest).reduce(|a, b| a.inf(&b));
    let high = points().map(rest).reduce(|a, b| a.sup(&b));
    let size = high.unwrap_or_default() - low.unwrap_or_default();
    let volume: f64 = topology.tets.iter().map(|tet| tet.volume).sum();
    let edge = (6.0 * volume / topology.tets.len() as f64).cbrt();
    let axis = size.imax();
    (axis, (size[axis] / (LEAST_WIDTH * edge)) as usize)
}

#[cfg(test)]
mod tests {
    use super::super::bench_scene::BenchScene;
    use super::*;

    #[test]
    fn parts_of_a_phase_share_no_points() {
        let scene = BenchScene::new(9729, 10).unwrap();
        let topology = Topology::new(std::slice::from_ref(&scene.body), &[]).unwrap();
        let sweep = Sweep::GaussSeidel;
        let partition = Partition::new(&topology, sweep, &topology.inv_masses);
        assert!(partition.n_parts() >= 4, "{}", partition.n_parts());
        assert!(partition.phases.len() <= 3, "{:?}", partition.phases);
        assert_eq!(partition.phases.last().unwrap().end, partition.n_parts());
        for phase in &partition.phases {
            let mut all: Vec<u32> = partition.points[phase.clone()].concat();
            let n = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), n);
        }
        let all: std::collections::BTreeSet<u32> = partition.points.concat().into_iter().collect();
        assert_eq!(all.len(), topology.rest.len());
    }

    #[test]
    fn small_worlds_are_one_part() {
        let scene = BenchScene::new(1170, 10).unwrap();
        let topology = Topology::new(std::slice::from_ref(&scene.body), &[]).unwrap();
        let sweep = Sweep::GaussSeidel;
        let partition = Partition::new(&topology, sweep, &topology.inv_masses);
        assert!(partition.is_whole());
        assert_eq!(partition.n_parts(), 1);
        assert_eq!(partition.part(&topology, &[0, 1]), 0);
    }
}
