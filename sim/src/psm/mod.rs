//! The da Vinci PSM in a scene: its closed mechanism seen as seven joints, its control, and the force at its tip.
//!
//! * [`PsmArm`] reads and writes the mechanism in the coordinates of [`insonate_dvrk`]: yaw, pitch, insertion, roll, wrist pitch, jaws.
//! * [`model_of`] takes the analytic model out of the compiled file: the very arm that is stepped, for control and for tests.
//! * [`PdGravity`], [`ComputedTorque`] and [`ToolImpedance`] are control laws; [`MomentumObserver`] estimates what pushes the tip.
//! * [`JointMotion`] is what they follow.
//!
//! Friction of MuJoCo is a constraint that holds below the Coulomb force and slips at exactly that force above.
//! Identified models have `sign(v)` instead, which says nothing of a joint at rest.
//! [`PsmStep`] therefore also tells the friction that acted in a step, and comparisons of rigid-body torques take that off.

mod arm;
mod computed_torque;
mod impedance;
mod model;
mod momentum_observer;
mod motion;
mod pd_gravity;
mod step;

pub use arm::PsmArm;
pub use computed_torque::{ComputedTorque, ComputedTorqueConfig, frictionless_torque};
pub use impedance::{ToolImpedance, ToolImpedanceConfig};
pub use model::model_of;
pub use momentum_observer::MomentumObserver;
pub use motion::{JointMotion, JointState, LINE_START, SPIRAL_START};
pub use pd_gravity::{PdGravity, PdGravityConfig};
pub use step::PsmStep;

pub use insonate_dvrk as dvrk;
