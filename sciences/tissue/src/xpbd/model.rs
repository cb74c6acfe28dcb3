//! Data that all worlds of equal topology share, packed for the lanes.

use std::sync::Arc;

use super::config::{Sweep, XpbdConfig};
use super::constraint::ConstraintSet;
use super::lane_layout::LaneLayout;
use super::neighbors::Neighbors;
use super::pack::{self, Packing};
use super::partition::Partition;
use super::tear::TearGroup;
use super::topology::{Face, Topology};

/// A face of the surface in each lane.
#[derive(Debug)]
pub(super) struct FaceGroup<Y: LaneLayout> {
    pub(super) vertices: [Y::Vertex; 3],
}

/// Data that worlds of equal topology share.
#[derive(Debug)]
pub(super) struct Model<Y: LaneLayout> {
    pub(super) config: XpbdConfig,
    pub(super) topology: Arc<Topology>,
    /// Number of rows of points. Lanes without a constraint use a fixed point after all others.
    pub(super) n_rows: usize,
    /// Rows with points that are free, in ascending order.
    pub(super) rows: Vec<u32>,
    /// Inverse masses [1/kg]; 0 for fixed points.
    pub(super) inv_masses: Vec<f64>,
    /// 1 for a movable point, else 0.
    pub(super) movable: Vec<Y::Number>,
    /// Factor by which Jacobi sweeps apply the sum of a point's corrections.
    pub(super) shares: Vec<Y::Number>,
    /// Parts of the world for several threads.
    pub(super) partition: Partition,
    /// Constraints by kind, in the order of the solution.
    pub(super) constraints: Vec<Box<dyn ConstraintSet<Y>>>,
    /// Surface faces that can move, and the same faces packed.
    pub(super) faces: Vec<Face>,
    pub(super) face_groups: Vec<FaceGroup<Y>>,
    /// Tetrahedra for the tearing test, and their neighbours; empty if nothing can tear.
    pub(super) tear_groups: Vec<TearGroup<Y>>,
    pub(super) neighbors: Neighbors,
}

impl<Y: LaneLayout> Model<Y> {
    pub(super) fn new(config: XpbdConfig, topology: Arc<Topology>) -> Self {
        Self::within(config, topology, |_| true)
    }

    /// Model in which the given points are free; the others do not move.
    pub(super) fn within(
        config: XpbdConfig,
        topology: Arc<Topology>,
        is_free: impl Fn(usize) -> bool,
    ) -> Self {
        let n_points = topology.rest.len();
        let n_rows = n_points / Y::WIDTH + 1;
        let free = |i: usize| f64::from(u8::from(is_free(i)));
        let own = topology.inv_masses.iter().enumerate();
        let free_inv_masses: Vec<f64> = own.map(|(i, inv_mass)| inv_mass * free(i)).collect();
        let shares = topology.shares(config.sweep);
        let split = shares.iter().enumerate();
        let inv_masses: Vec<f64> = split.map(|(i, [inv_mass, _])| inv_mass * free(i)).collect();
        let moves = |i: usize| inv_masses.get(i).is_some_and(|inv_mass| *inv_mass > 0.0);
        let is_stepped = |i: usize| i < n_points && is_free(i);
        let rows = (0..n_rows).filter(|row| (0..Y::WIDTH).any(|i| is_stepped(row * Y::WIDTH + i)));
        let faces = topology.faces.iter().filter(|face| {
            let mut vertices = face.vertices.into_iter();
            vertices.any(|vertex| moves(vertex as usize))
        });
        let faces: Vec<Face> = faces.copied().collect();
        let tearable = if topology.tears {
            topology.tets.as_slice()
        } else {
            &[]
        };
        // Blocks of several worlds are already distributed over the threads.
        let partition = match Y::WIDTH {
            1 => Partition::default(),
            _ => Partition::new(&topology, config.sweep, &inv_masses),
        };
        Self {
            n_rows,
            rows: rows.map(|row| row as u32).collect(),
            movable: pack::per_point::<Y>(n_rows, n_points, |i| f64::from(u8::from(moves(i)))),
            shares: pack::per_point::<Y>(n_rows, n_points, |i| shares[i][1]),
            constraints: {
                let by_color = config.sweep == Sweep::GaussSeidel;
                let packing = Packing {
                    inv_masses: &inv_masses,
                    part_points: &partition.points,
                    part_of: &|points| partition.part(&topology, points),
                };
                topology.constraints.pack(by_color, &packing)
            },
            partition,
            face_groups: pack::rows::<Y, Face, _>(&faces, &inv_masses, |packer| FaceGroup {
                vertices: [0, 1, 2].map(|k| packer.point::<Y>(|face| face.vertices[k])),
            }),
            faces,
            tear_groups: pack::rows::<Y, _, _>(tearable, &inv_masses, TearGroup::pack),
            neighbors: Neighbors::new(&topology),
            inv_masses: free_inv_masses,
            config,
            topology,
        }
    }

    /// Whether corrections are summed before they are applied.
    pub(super) fn has_sums(&self) -> bool {
        self.config.sweep != Sweep::GaussSeidel
    }

    /// Longest substep that the settings allow [s].
    pub(super) fn longest_substep(&self) -> f64 {
        let crossing = self.config.max_courant * self.topology.crossing_time;
        self.config.substep.min(crossing)
    }

    /// Number of substeps in a time [s].
    pub(super) fn n_substeps(&self, time: f64) -> usize {
        (time / self.longest_substep() - 1e-9).ceil().max(0.0) as usize
    }
}
