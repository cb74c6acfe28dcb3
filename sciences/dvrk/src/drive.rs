//! Forces on a joint in addition to rigid bodies: friction, rotor inertia, spring.
//!
//! A drive moves with a linear combination s = c·q of the joints and needs the force `I s̈ + K s + Fv ṡ + Fc sign(ṡ) + Fo` (Wang et al. 2019, Eq. 5 to 7).

use crate::joints::JointVector;

/// Friction, rotor inertia and spring that move with a linear combination of the joints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drive {
    /// Name of the drive.
    pub name: &'static str,
    /// The combination c: position of the drive per position of each joint.
    pub coefficients: JointVector,
    /// Coulomb friction Fc [N m or N].
    pub coulomb_friction: f64,
    /// Viscous friction Fv [N m s/rad or N s/m].
    pub viscous_friction: f64,
    /// Constant offset of friction and cables Fo [N m or N].
    pub offset: f64,
    /// Inertia of the rotor as seen at the drive [kg m² or kg].
    pub motor_inertia: f64,
    /// Stiffness K of a spring with its rest position at zero [N m/rad].
    pub stiffness: f64,
}

impl Drive {
    /// Friction force at velocity `ds`; Coulomb friction is zero at rest.
    pub fn friction(&self, ds: f64) -> f64 {
        self.coulomb_friction * sign(ds) + self.viscous_friction * ds + self.offset
    }
}

/// Sign as -1, 0 or 1; `f64::signum` never returns 0 for zero.
pub(crate) fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}
