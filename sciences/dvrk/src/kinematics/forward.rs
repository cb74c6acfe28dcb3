//! Poses of all link frames and of the tool.

use nalgebra::{IsometryMatrix3, Matrix3, Rotation3, Translation3};

use crate::joints::{JointVector, N_LINKS};
use crate::psm::Psm;

impl Psm {
    /// Poses of all frames in the base frame, in Wang's numbering; index 0 is the base itself.
    pub fn forward_kinematics(&self, q: &JointVector) -> [IsometryMatrix3<f64>; N_LINKS] {
        let mut base_from = [IsometryMatrix3::identity(); N_LINKS];
        for index in 1..N_LINKS {
            let link = &self.links[index];
            base_from[index] = base_from[link.parent] * link.parent_from_link(q);
        }
        base_from
    }

    /// Pose of the tool in the base frame: origin at the tips of the closed jaws, z distal, x along the wrist's yaw axis, as the dVRK reports it.
    ///
    /// The tool points between the jaws: along their mean angle.
    pub fn tool_pose(&self, q: &JointVector) -> IsometryMatrix3<f64> {
        let mut mean = *q;
        mean[5] = 0.5 * (q[5] + q[6]);
        self.forward_kinematics(&mean)[12] * self.jaw_from_tool()
    }

    /// Pose of the tool in a jaw's frame.
    pub(crate) fn jaw_from_tool(&self) -> IsometryMatrix3<f64> {
        let rotation = Matrix3::new(0.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0);
        IsometryMatrix3::from_parts(
            Translation3::new(0.0, -self.geometry.l_clip, 0.0),
            Rotation3::from_matrix_unchecked(rotation),
        )
    }
}
