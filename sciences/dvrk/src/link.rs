//! A link: pose of its frame relative to its parent, its motion, and its inertia.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{IsometryMatrix3, Matrix3, Rotation3, Translation3, Vector3};

use crate::inertia::Inertia;
use crate::joints::JointVector;

/// Motion of a link with a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motion {
    /// Fixed to its parent.
    Fixed,
    /// Turns about its z axis by `sign` times joint `joint`.
    Revolute {
        /// Index into the joint vector.
        joint: usize,
        /// 1 or -1.
        sign: f64,
    },
    /// Slides along its z axis with joint `joint`.
    Prismatic {
        /// Index into the joint vector.
        joint: usize,
    },
}

/// A link of the arm in modified Denavit-Hartenberg form: parent, then `Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(d)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Name of the link.
    pub name: &'static str,
    /// Index of the parent link, smaller than its own.
    pub parent: usize,
    /// Distance between the z axes [m].
    pub a: f64,
    /// Angle between the z axes [rad].
    pub alpha: f64,
    /// Offset along z at joint position zero [m].
    pub d: f64,
    /// Angle about z at joint position zero [rad].
    pub theta: f64,
    /// Motion with a joint.
    pub motion: Motion,
    /// Its inertia, in its own frame.
    pub inertia: Inertia,
}

impl Link {
    /// Rotation and translation to the parent's frame at joint positions `q`.
    pub fn parent_from_link(&self, q: &JointVector) -> IsometryMatrix3<f64> {
        let (rotation, position) = self.placement(q);
        IsometryMatrix3::from_parts(
            Translation3::from(position),
            Rotation3::from_matrix_unchecked(rotation),
        )
    }

    /// The transform to the parent's frame as a matrix and a vector, for inner loops.
    #[inline]
    pub(crate) fn placement(&self, q: &JointVector) -> (Matrix3<f64>, Vector3<f64>) {
        let (mut theta, mut d) = (self.theta, self.d);
        match self.motion {
            Motion::Fixed => {}
            Motion::Revolute { joint, sign } => theta += sign * q[joint],
            Motion::Prismatic { joint } => d += q[joint],
        }
        let (s, c) = sin_cos(theta);
        let (sa, ca) = sin_cos(self.alpha);
        (
            Matrix3::new(c, -s, 0.0, s * ca, c * ca, -sa, s * sa, c * sa, ca),
            Vector3::new(self.a, -sa * d, ca * d),
        )
    }
}

/// Sine and cosine; exact and fast for quarter turns, which most angles of the table are.
#[inline]
fn sin_cos(angle: f64) -> (f64, f64) {
    if angle == 0.0 {
        (0.0, 1.0)
    } else if angle.abs() == FRAC_PI_2 {
        (angle.signum(), 0.0)
    } else {
        angle.sin_cos()
    }
}
