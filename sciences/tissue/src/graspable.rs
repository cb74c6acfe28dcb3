//! Tissue that tools can grasp.

use nalgebra::Vector3;

use crate::tool::{Tool, Wrench};

/// Tissue whose points, vertices or particles, tools can hold.
pub trait Graspable {
    /// Tools.
    fn tools_mut(&mut self) -> &mut Vec<Tool>;

    /// Mean wrench on a tool over the last step, about its origin.
    fn wrench(&self, tool: usize) -> Wrench;

    /// Lets a tool hold up to `most` points from the next step on: the nearest points within a radius [m] of a position
    /// in the world frame [m] that move and are not held. Returns their number, or 0 if the tool does not exist.
    fn grasp(&mut self, tool: usize, at: Vector3<f64>, radius: f64, most: usize) -> usize;

    /// Releases all points that a tool has grasped.
    fn release(&mut self, tool: usize);
}
