//! Vertices held by tools: grasped ones, and vertices that have touched a tool of infinite friction.

use nalgebra::Vector3;

/// A vertex held by a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HeldVertex {
    pub(crate) vertex: u32,
    pub(crate) tool: u32,
    /// Whether infinite friction holds it, in contrast to a grasp.
    pub(crate) sticks: bool,
    /// Position in the tool's frame [m].
    pub(crate) at: Vector3<f64>,
}

/// Up to a number of vertices within a radius [m] of a point, nearest first. Ties go to the lower index.
pub(crate) fn nearest(
    vertices: impl Iterator<Item = (u32, Vector3<f64>)>,
    to: Vector3<f64>,
    radius: f64,
    most: usize,
) -> Vec<u32> {
    let mut near: Vec<(f64, u32)> = vertices
        .map(|(vertex, position)| ((position - to).norm(), vertex))
        .filter(|(distance, _)| *distance <= radius)
        .collect();
    near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    near.truncate(most);
    near.into_iter().map(|(_, vertex)| vertex).collect()
}
