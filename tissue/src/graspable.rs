//! Tissue that tools can grasp.

use nalgebra::Vector3;

use crate::tool::{Tool, Wrench};

/// Tissue whose points, vertices or particles, tools can hold.
pub trait Graspable {
    /// Tools.
    fn tools_mut(&mut self) -> &mut Vec<Tool>;

    /// Mean wrench on a tool over the last step, about its origin.
    fn wrench(&self, tool: usize) -> Wrench;

    /// Lets a tool hold, from the next step on, up to `most` points: those nearest to a point in world [m], within a radius [m], that
    /// move and are not held. Returns their number; 0 also where there is no such tool.
    fn grasp(&mut self, tool: usize, at: Vector3<f64>, radius: f64, most: usize) -> usize;

    /// Releases all that a tool has grasped.
    fn release(&mut self, tool: usize);
}
