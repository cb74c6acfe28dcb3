//! Window of moving points around the tools: see [`XpbdConfig::reach`](super::XpbdConfig).
//!
//! The window consists of cubes, half as wide as the reach, whose centres are within reach of a tool, so it changes
//! only when a tool has moved by a large part of a cube. It depends only on the poses of the tools, so a restored state
//! continues like the saved one.

use std::collections::VecDeque;
use std::sync::Arc;

use nalgebra::Vector3;

use super::lane_layout::LaneLayout;
use super::model::Model;
use crate::tool::Tool;

/// Number of recent windows that are cached, for tools that return.
pub(super) const N_KEPT: usize = 4;

/// Cubes, and their recent windows.
#[derive(Debug, Clone)]
pub(super) struct Windows<Y: LaneLayout> {
    reach: f64,
    /// Centres of the cubes, relative to the origin [m]; empty if all points move.
    pub(super) cubes: Vec<Vector3<f64>>,
    /// Bounds of the centres [m].
    extent: [Vector3<f64>; 2],
    /// Index of the cube of each point.
    pub(super) cube_of: Vec<u32>,
    /// Recent windows, the latest first.
    pub(super) kept: VecDeque<(Vec<bool>, Arc<Model<Y>>)>,
    /// Whether the state of the points matches the latest window.
    pub(super) is_set: bool,
}

impl<Y: LaneLayout> Windows<Y> {
    pub(super) fn new(model: &Model<Y>) -> Self {
        let reach = model.config.active_radius;
        let mut windows = Self {
            reach,
            cubes: Vec::new(),
            extent: [Vector3::zeros(); 2],
            cube_of: Vec::new(),
            kept: VecDeque::new(),
            is_set: false,
        };
        if reach == f64::INFINITY {
            return windows;
        }
        let width = 0.5 * reach;
        let mut places: Vec<[i64; 3]> = Vec::new();
        let place = |point: &Vector3<f64>| -> [i64; 3] {
            std::array::from_fn(|axis| (point[axis] / width).floor() as i64)
        };
        places.extend(model.topology.rest.iter().map(place));
        let all = places.clone();
        places.sort_unstable();
        places.dedup();
        let middle = |place: &[i64; 3]| Vector3::from(place.map(|i| (i as f64 + 0.5) * width));
        windows.cubes = places.iter().map(middle).collect();
        let (low, high) = (windows.cubes.iter().copied(), windows.cubes.iter().copied());
        windows.extent = [
            low.reduce(|a, b| a.inf(&b)).unwrap_or_default(),
            high.reduce(|a, b| a.sup(&b)).unwrap_or_default(),
        ];
        let index = |place: &[i64; 3]| places.partition_point(|other| other < place) as u32;
        windows.cube_of = all.iter().map(index).collect();
        windows
    }

    /// Whether each cube is within reach of any tool except planes.
    pub(super) fn near<'a>(
        &self,
        origin: &Vector3<f64>,
        tools: impl Iterator<Item = &'a Tool>,
    ) -> Vec<bool> {
        let mut is_near = vec![false; self.cubes.len()];
        for tool in tools {
            let Some(around) = tool.shape.bounds() else {
                continue;
            };
            let position = tool.position - origin;
            let middle = position + tool.rotation * around.center;
            let farthest = self.reach + around.half.norm() + around.radius;
            // Most tools of a robot are far from all cubes, and most cubes are far from the tool.
            let nearest = middle.sup(&self.extent[0]).inf(&self.extent[1]);
            if (middle - nearest).norm() >= farthest {
                continue;
            }
            let turned = tool.rotation.inverse().to_rotation_matrix();
            for (cube, is_near) in self.cubes.iter().zip(&mut is_near) {
                *is_near |= (cube - middle).norm_squared() < farthest * farthest
                    && around.distance(&(turned * (cube - position))) < self.reach;
            }
        }
        is_near
    }
}
