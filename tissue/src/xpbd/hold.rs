//! Vertices that tools hold: grasped ones, and those that have touched a tool of infinite friction.

use nalgebra::Vector3;

/// A vertex held by a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Held {
    pub(super) vertex: u32,
    pub(super) tool: u32,
    /// Whether friction holds it, which lets go when it is finite again.
    pub(super) sticks: bool,
    /// Where, in the tool's frame [m].
    pub(super) at: Vector3<f64>,
}
