//! The da Vinci PSM in a scene: its closed mechanism as seven joints, its control, and the force at its tip.
//!
//! * [`PsmArm`] reads and writes the mechanism in the coordinates of [`insonate_dvrk`]: yaw, pitch, insertion, roll, wrist pitch, jaws.
//! * [`model_of`] builds the analytic model from the compiled file, so that control and tests use the arm that is stepped.
//! * [`PdGravity`], [`ComputedTorque`] and [`ToolImpedance`] are control laws over [`JointControl`]; [`MomentumObserver`] estimates the force on the tip.
//! * [`JointMotion`] is the reference that they follow.
//!
//! Friction in MuJoCo is a constraint: it holds below the Coulomb force and slips at exactly that force above.
//! Identified models use `sign(v)` instead, which does not define the friction of a joint at rest.
//! [`PsmStep`] therefore also returns the friction that acted in a step; comparisons of rigid-body torques subtract it.

mod arm;
mod computed_torque;
mod impedance;
mod joint_control;
mod model;
mod momentum_observer;
mod motion;
mod pd_gravity;
mod step;

pub use arm::PsmArm;
pub use computed_torque::{ComputedTorque, ComputedTorqueConfig, frictionless_torque};
pub use impedance::{ToolImpedance, ToolImpedanceConfig};
pub use joint_control::{JointControl, JointLaw};
pub use model::model_of;
pub use momentum_observer::MomentumObserver;
pub use motion::{JointMotion, JointState, LINE_START, SPIRAL_START};
pub use pd_gravity::{PdGravity, PdGravityConfig};
pub use step::PsmStep;

pub use insonate_dvrk as dvrk;
