//! Jacobians of the tool and of every link.

use nalgebra::{IsometryMatrix3, SMatrix, Vector3};

use crate::joints::{JointVector, N_JOINTS, N_LINKS};
use crate::link::Motion;
use crate::psm::Psm;

/// Rows are velocity, then angular velocity, in base axes.
pub(crate) type LinkJacobian = SMatrix<f64, 6, N_JOINTS>;

impl Psm {
    /// Jacobian of the tool at its origin, shape [6, 7]: rows are velocity [m/s] and angular velocity [rad/s] in the base frame per joint velocity.
    ///
    /// The tool points along the mean of the jaws, so each jaw rotates it at half its own speed.
    pub fn tool_jacobian(&self, q: &JointVector) -> SMatrix<f64, 6, N_JOINTS> {
        let mut mean = *q;
        mean[5] = 0.5 * (q[5] + q[6]);
        let base_from = self.forward_kinematics(&mean);
        let tool = base_from[12] * self.jaw_from_tool();
        let mut jacobian = self.point_jacobian(&base_from, 12, &tool.translation.vector);
        let yaw = 0.5 * jacobian.column(5);
        jacobian.set_column(5, &yaw);
        jacobian.set_column(6, &yaw);
        jacobian
    }

    /// Jacobian of `point`, which is given in the base frame and moves with link `link`.
    pub(crate) fn point_jacobian(
        &self,
        base_from: &[IsometryMatrix3<f64>; N_LINKS],
        link: usize,
        point: &Vector3<f64>,
    ) -> LinkJacobian {
        let mut jacobian = LinkJacobian::zeros();
        let mut index = link;
        while index != 0 {
            let frame = &base_from[index];
            if let Some((joint, axis)) = axis_column(self.links[index].motion, frame) {
                let (v, w) = if axis.turns {
                    let arm = point - frame.translation.vector;
                    (axis.vector.cross(&arm), axis.vector)
                } else {
                    (axis.vector, Vector3::zeros())
                };
                for row in 0..3 {
                    jacobian[(row, joint)] += v[row];
                    jacobian[(row + 3, joint)] += w[row];
                }
            }
            index = self.links[index].parent;
        }
        jacobian
    }
}

/// Axis of a link's motion in base axes, per velocity of its joint.
pub(crate) struct Axis {
    pub(crate) vector: Vector3<f64>,
    pub(crate) turns: bool,
}

/// The joint of `motion`, and the axis about or along which it moves.
pub(crate) fn axis_column(
    motion: Motion,
    base_from_link: &IsometryMatrix3<f64>,
) -> Option<(usize, Axis)> {
    let axis = base_from_link.rotation * Vector3::z();
    match motion {
        Motion::Fixed => None,
        Motion::Prismatic { joint } => Some((
            joint,
            Axis {
                vector: axis,
                turns: false,
            },
        )),
        Motion::Revolute { joint, sign } => Some((
            joint,
            Axis {
                vector: sign * axis,
                turns: true,
            },
        )),
    }
}
