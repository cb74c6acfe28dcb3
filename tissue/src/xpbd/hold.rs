//! Vertices that tools hold: grasped ones, and those that have touched a tool of infinite friction.

use nalgebra::Vector3;

/// A vertex held by a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Held {
    pub(crate) vertex: u32,
    pub(crate) tool: u32,
    /// Whether friction holds it, which lets go when it is finite again.
    pub(crate) sticks: bool,
    /// Where, in the tool's frame [m].
    pub(crate) at: Vector3<f64>,
}

/// Vertices that are nearest to a point, within a radius [m], at most so many, the nearest first; of those as far the first.
pub(crate) fn nearest(
    vertices: impl Iterator<Item = (u32, Vector3<f64>)>,
    at: Vector3<f64>,
    radius: f64,
    most: usize,
) -> Vec<u32> {
    let mut near: Vec<(f64, u32)> = vertices
        .map(|(vertex, position)| ((position - at).norm(), vertex))
        .filter(|(distance, _)| *distance <= radius)
        .collect();
    near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    near.truncate(most);
    near.into_iter().map(|(_, vertex)| vertex).collect()
}
