//! Inverse kinematics in closed form.
//!
//! The wrist's yaw axis y and point w (one jaw length behind the tool point) are known.
//! The pitch axis p is perpendicular to y and to the shaft. The point w and the shaft, which passes the remote centre c, lie in a plane perpendicular to p, so p is along (w - c) × y. The opposite p belongs to a wrist that is folded back, |wrist pitch| > π/2.
//! The pitch point, the shaft and all angles follow from p.

use nalgebra::{IsometryMatrix3, Vector3};

use crate::error::DvrkError;
use crate::joints::JointVector;
use crate::psm::Psm;

/// Distance between wrist and remote centre [m], or sine of the angle between directions, below which the joints of a pose are not unique.
const SINGULAR: f64 = 1e-9;

impl Psm {
    /// Joint positions for the tool pose `base_from_tool` with the jaws `jaw_opening` [rad] apart; the inverse of [`Psm::tool_pose`].
    ///
    /// Joint limits are not checked. Of the two solutions, the one with the wrist beyond the remote centre (insertion above 0.025 m) and not folded back is returned.
    ///
    /// # Errors
    ///
    /// [`DvrkError::Unreachable`] if the wrist's yaw axis points at the remote centre or the wrist is at it, as roll or direction are then undetermined, and for values that are not finite.
    pub fn inverse_kinematics(
        &self,
        base_from_tool: &IsometryMatrix3<f64>,
        jaw_opening: f64,
    ) -> Result<JointVector, DvrkError> {
        let rotation = base_from_tool.rotation;
        let yaw_axis = -(rotation * Vector3::x());
        let distal = rotation * Vector3::z();
        let wrist = base_from_tool.translation.vector - self.geometry.l_clip * distal;
        let from_remote_centre = wrist - self.remote_centre();

        // The pitch axis, and the shaft from the remote centre to the pitch axis.
        let normal = from_remote_centre.cross(&yaw_axis);
        if !(normal.norm() > SINGULAR && jaw_opening.is_finite()) {
            return Err(unreachable(format!(
                "the distance of the wrist's yaw axis from the remote centre is {:e} m; it must be above {SINGULAR:e} m; the jaw opening is {jaw_opening} rad; it must be finite",
                normal.norm()
            )));
        }
        let pitch_axis = normal.normalize();
        let wrist_direction = yaw_axis.cross(&pitch_axis);
        let shaft = from_remote_centre - self.geometry.l_p2y * wrist_direction;
        if !(shaft.norm() > SINGULAR && shaft.norm().is_finite()) {
            return Err(unreachable(format!(
                "the distance of the wrist from the remote centre is {:e} m; it must be above {SINGULAR:e} m",
                shaft.norm()
            )));
        }

        // Yaw, pitch and insertion follow from the shaft.
        let direction = shaft.normalize();
        let mut q = JointVector::zeros();
        q[0] = direction.x.atan2(-direction.z);
        q[1] = -direction.y.clamp(-1.0, 1.0).asin();
        q[2] = shaft.norm() + self.geometry.l_rcc - self.geometry.l_tool;

        // Roll, wrist pitch and wrist yaw follow from the axes, each expressed in the previous frame.
        let in_insertion = self.forward_kinematics(&q)[8].rotation.inverse() * pitch_axis;
        q[3] = in_insertion.x.atan2(-in_insertion.y);
        let in_roll = self.forward_kinematics(&q)[10].rotation.inverse() * wrist_direction;
        q[4] = (-in_roll.x).atan2(in_roll.z);
        let in_pitch =
            self.forward_kinematics(&q)[11].rotation.inverse() * (rotation * Vector3::y());
        let yaw = (-in_pitch.x).atan2(-in_pitch.z);
        q[5] = yaw - 0.5 * jaw_opening;
        q[6] = yaw + 0.5 * jaw_opening;
        Ok(q)
    }
}

fn unreachable(reason: String) -> DvrkError {
    DvrkError::Unreachable {
        frame: "the tool",
        reason,
    }
}
