//! Broad phase of contact: finds which of sixteen particles may touch a tool.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use nalgebra::Vector3;

use super::chunk::Chunk;
use super::config::MpmConfig;
use crate::lanes::Lanes;
use crate::tool::Tool;

/// Margin of a box in cells, for positions in single precision.
const SLACK: f64 = 0.01;

/// A tool in the form used by the broad phase.
#[derive(Debug)]
pub(super) struct NearTool {
    /// Index of the tool.
    pub(super) index: usize,
    /// Bounding box; `None` for a half-space.
    bounds: Option<RoundedBounds>,
}

/// A box with round edges, in cells of the domain.
#[derive(Debug)]
struct RoundedBounds {
    /// Unit vectors of the tool's frame.
    axes: [[f32; 3]; 3],
    /// Centre along these axes.
    center: [f32; 3],
    half: [f32; 3],
    /// Square of the distance from the box up to which particles may touch.
    reach: f32,
}

impl NearTool {
    /// A tool that touches particles within `reach` [m].
    pub(super) fn new(index: usize, tool: &Tool, reach: f64, config: &MpmConfig) -> Self {
        let width = config.cell_width;
        let bounds = tool.shape.bounds().map(|around| {
            let middle = tool.position + tool.rotation * around.center;
            let middle = (middle - Vector3::from(config.origin)) / width;
            let axes: [Vector3<f64>; 3] =
                std::array::from_fn(|axis| tool.rotation * Vector3::ith(axis, 1.0));
            RoundedBounds {
                axes: axes.map(|axis| axis.map(|x| x as f32).into()),
                center: axes.map(|axis| axis.dot(&middle) as f32),
                half: std::array::from_fn(|axis| (around.half[axis] / width) as f32),
                reach: ((around.radius + reach) / width + SLACK).powi(2) as f32,
            }
        });
        Self { index, bounds }
    }

    /// Bit i is set if particle i may touch the tool.
    #[inline(always)]
    pub(super) fn lanes<L: Lanes>(&self, l: L, chunk: &Chunk) -> u16 {
        let all = ((1u32 << chunk.n) - 1) as u16;
        let Some(around) = &self.bounds else {
            return all;
        };
        let zero = l.splat(0.0);
        let mut square = zero;
        for axis in 0..3 {
            let mut along = l.splat(-around.center[axis]);
            for i in 0..3 {
                let x = l.add(l.load(&chunk.position[i]), l.load(&chunk.displacement[i]));
                along = l.mul_add(l.splat(around.axes[axis][i]), x, along);
            }
            let size = l.max(along, l.sub(zero, along));
            let out = l.max(l.sub(size, l.splat(around.half[axis])), zero);
            square = l.mul_add(out, out, square);
        }
        all & l.less(square, l.splat(around.reach))
    }
}
