//! State of a rod.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// Poses of the nodes in the world, from the introducer's mouth to the tip.
#[derive(Debug, Clone, PartialEq)]
pub struct RodState {
    /// Length beyond the introducer's mouth [m].
    pub inserted_length: f64,
    /// Positions of the nodes [m], shape [n_nodes, 3].
    pub positions: Vec<Vector3<f64>>,
    /// Rotations of the nodes; x is the tangent.
    pub rotations: Vec<UnitQuaternion<f64>>,
    /// Distances of the nodes along the rod from the tip [m], decreasing to 0.
    pub from_tip: Vec<f64>,
}

impl RodState {
    /// Pose of the last node, x along the rod.
    pub fn world_from_tip(&self) -> Isometry3<f64> {
        self.pose(self.positions.len() - 1)
    }

    /// Pose of the first node, x along the rod.
    pub fn world_from_base(&self) -> Isometry3<f64> {
        self.pose(0)
    }

    /// Point on the centre line at a distance along the rod from its tip [m], within the inserted part (Hermite
    /// interpolation).
    pub fn position_at(&self, from_tip: f64) -> Vector3<f64> {
        let beyond = self.from_tip.partition_point(|place| *place > from_tip);
        let first = beyond.clamp(1, self.positions.len() - 1) - 1;
        let length = self.from_tip[first] - self.from_tip[first + 1];
        let at = ((self.from_tip[first] - from_tip) / length).clamp(0.0, 1.0);
        self.interpolated(first, at).0
    }

    /// A straight rod with nodes at the given distances from the tip.
    pub(crate) fn straight(base: &Isometry3<f64>, from_tip: Vec<f64>) -> Self {
        let inserted_length = from_tip[0];
        let along = base.rotation * Vector3::x();
        let place = |left: &f64| base.translation.vector + along * (inserted_length - left);
        Self {
            inserted_length,
            positions: from_tip.iter().map(place).collect(),
            rotations: vec![base.rotation; from_tip.len()],
            from_tip,
        }
    }

    /// Pose between two nodes, `at` from 0 to 1, on the cubic whose tangents are the nodes' x axes.
    pub(crate) fn interpolated(
        &self,
        first: usize,
        at: f64,
    ) -> (Vector3<f64>, UnitQuaternion<f64>) {
        let rest = 1.0 - at;
        let [start, end] = [first, first + 1].map(|node| self.positions[node]);
        let [from, to] = [first, first + 1].map(|node| self.rotations[node]);
        let length = (end - start).norm();
        let weight = at * at * (3.0 - 2.0 * at);
        let [leaving, arriving] = [from, to].map(|rotation| rotation * Vector3::x() * length);
        let position = start * (1.0 - weight) + end * weight + leaving * (at * rest * rest)
            - arriving * (at * at * rest);
        let turn = (from.inverse() * to).scaled_axis();
        (position, from * UnitQuaternion::from_scaled_axis(turn * at))
    }

    fn pose(&self, node: usize) -> Isometry3<f64> {
        Isometry3::from_parts(
            Translation3::from(self.positions[node]),
            self.rotations[node],
        )
    }
}
