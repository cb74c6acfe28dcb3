//! What all worlds of equal topology share, packed for the lanes.

use super::config::{Sweep, XpbdConfig};
use super::constraint::ConstraintSet;
use super::lane_layout::LaneLayout;
use super::neighbors::Neighbors;
use super::pack;
use super::tear::TearGroup;
use super::topology::{Face, Topology};

/// A face of the surface in each lane.
#[derive(Debug)]
pub(super) struct FaceGroup<Y: LaneLayout> {
    pub(super) vertices: [Y::Vertex; 3],
}

/// All that worlds of equal topology share.
#[derive(Debug)]
pub(super) struct Model<Y: LaneLayout> {
    pub(super) config: XpbdConfig,
    pub(super) topology: Topology,
    /// Number of rows of points. Lanes without a constraint take a point that does not move, after all others.
    pub(super) n_rows: usize,
    /// 1 where a point moves, else 0.
    pub(super) movable: Vec<Y::Number>,
    /// Share of the sum of a point's corrections by which Jacobi sweeps move it.
    pub(super) shares: Vec<Y::Number>,
    /// Constraints by kind, in the order in which they are solved.
    pub(super) constraints: Vec<Box<dyn ConstraintSet<Y>>>,
    pub(super) faces: Vec<FaceGroup<Y>>,
    /// Tetrahedra as tearing reads them, and what is around them; empty where nothing can tear.
    pub(super) tear_groups: Vec<TearGroup<Y>>,
    pub(super) neighbors: Neighbors,
}

impl<Y: LaneLayout> Model<Y> {
    pub(super) fn new(config: XpbdConfig, topology: Topology) -> Self {
        let n_points = topology.rest.len();
        let n_rows = n_points / Y::WIDTH + 1;
        let shares = topology.shares(config.sweep);
        let inv_masses: Vec<f64> = shares.iter().map(|[inv_mass, _]| *inv_mass).collect();
        let by_color = config.sweep == Sweep::GaussSeidel;
        let tearable = if topology.tears {
            topology.tets.as_slice()
        } else {
            &[]
        };
        Self {
            n_rows,
            movable: pack::per_point::<Y>(n_rows, n_points, |i| {
                f64::from(u8::from(topology.inv_masses[i] > 0.0))
            }),
            shares: pack::per_point::<Y>(n_rows, n_points, |i| shares[i][1]),
            constraints: topology.constraints.pack(by_color, &inv_masses),
            faces: pack::rows::<Y, Face, _>(&topology.faces, &inv_masses, |packer| FaceGroup {
                vertices: [0, 1, 2].map(|k| packer.point::<Y>(|face| face.vertices[k])),
            }),
            tear_groups: pack::rows::<Y, _, _>(tearable, &inv_masses, TearGroup::pack),
            neighbors: Neighbors::new(&topology),
            config,
            topology,
        }
    }

    /// Number of substeps in a time [s].
    pub(super) fn n_substeps(&self, time: f64) -> usize {
        let crossing = self.config.max_courant * self.topology.crossing_time;
        let longest = self.config.substep.min(crossing);
        (time / longest - 1e-9).ceil().max(0.0) as usize
    }
}
