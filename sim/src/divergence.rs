//! Reasons for which a simulation diverges.

use std::fmt;

/// Contact force above which a simulation of this project is not plausible [N]: a hundred times the force that a robot may press with.
pub const MAX_CONTACT_FORCE: f64 = 1e4;

/// Why a state is no longer usable.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum DivergenceReason {
    /// A joint position is huge or not finite; index into `qpos`.
    Qpos(usize),
    /// A joint velocity is huge or not finite; index into `qvel`.
    Qvel(usize),
    /// A joint acceleration is huge or not finite; index into `qacc`.
    Qacc(usize),
    /// A control is huge or not finite; index into `ctrl`.
    Ctrl(usize),
    /// The state of the `fast` torso's shell is huge or not finite.
    Shell,
    /// A contact force beyond [`MAX_CONTACT_FORCE`] [N].
    ContactForce(f64),
    /// The torso's tissue diverged.
    Tissue(insonate_tissue::Divergence),
}

impl fmt::Display for DivergenceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, index) = match self {
            Self::Qpos(index) => ("qpos", index),
            Self::Qvel(index) => ("qvel", index),
            Self::Qacc(index) => ("qacc", index),
            Self::Ctrl(index) => ("ctrl", index),
            Self::ContactForce(force) => {
                return write!(
                    f,
                    "a contact force of {force:.0} N is beyond {MAX_CONTACT_FORCE:.0} N"
                );
            }
            Self::Tissue(reason) => return write!(f, "the torso's tissue: {reason}"),
            Self::Shell => return f.write_str("the torso's shell is not finite or beyond 1e10"),
        };
        write!(f, "{what}[{index}] is not finite or beyond 1e10")
    }
}

/// The simulation diverged; it stays stopped until the next reset.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the simulation diverged at {time:.4} s: {reason}")]
pub struct Divergence {
    /// The first quantity that went out of bounds.
    pub reason: DivergenceReason,
    /// Simulated time before the step that failed [s].
    pub time: f64,
}
