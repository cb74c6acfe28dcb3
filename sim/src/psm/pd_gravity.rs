//! PD with gravity compensation: $\tau = K_p (q_d - q) + K_d (\dot q_d - \dot q) + g(q)$.

use insonate_dvrk::{JointVector, Psm};

use super::{JointControl, JointLaw, JointState};

/// Gains of [`PdGravity`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PdGravityConfig {
    /// Stiffness [N·m/rad, N/m].
    pub stiffness: JointVector,
    /// Damping [N·m·s/rad, N·s/m].
    pub damping: JointVector,
}

impl Default for PdGravityConfig {
    /// For the first three joints, the gains of [`super::ComputedTorqueConfig`] times the inertia in the middle of the workspace.
    /// For the light wrist, gains that overcome its friction.
    fn default() -> Self {
        Self {
            stiffness: JointVector::from([190.0, 190.0, 570.0, 0.5, 2.0, 1.0, 1.0]),
            damping: JointVector::from([14.0, 14.0, 43.0, 2e-3, 2e-3, 2e-3, 2e-3]),
        }
    }
}

/// A spring and a damper on every joint, and the torque that carries the arm's weight.
pub type PdGravity = JointControl<PdGravityConfig>;

impl JointLaw for PdGravityConfig {
    fn torque(
        &self,
        psm: &Psm,
        q: &JointVector,
        dq: &JointVector,
        target: &JointState,
    ) -> JointVector {
        let spring = self.stiffness.component_mul(&(target.q - q));
        let damper = self.damping.component_mul(&(target.dq - dq));
        spring + damper + psm.gravity_torque(q)
    }
}
