//! The part of the world that a probe sees.

use nalgebra::Isometry3;

use super::Point;
use crate::transducer::{ArrayKind, Transducer};

/// Margin of the region above the face, for a coarse skin, and to the sides of the lines [m].
const MARGIN: f32 = 0.02;
/// Margin of the region across the plane, beyond the aperture: half the width of the beam at the greatest depth [m].
const ASIDE: f32 = 0.012;

/// A box in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// Pose of the frame.
    pub world_from_grid: Isometry3<f32>,
    /// Least coordinates [m].
    pub low: Point,
    /// Greatest coordinates [m].
    pub high: Point,
    /// Half width across the axis at the depth of the face's centre [m], and its increase per depth.
    fan: [f32; 2],
}

impl Region {
    /// The region that a transducer sees down to `depth` [m] from a pose of its frame.
    pub fn seen(transducer: &Transducer, world_from_probe: &Isometry3<f64>, depth: f64) -> Self {
        let half_angle = 0.5 * transducer.field_of_view();
        let across = 0.5 * transducer.footprint() + depth * half_angle.sin();
        let above = match transducer.kind {
            ArrayKind::Curvilinear { radius } => radius * (1.0 - half_angle.cos()),
            ArrayKind::Linear | ArrayKind::Phased { .. } => 0.0,
        };
        let aside = 0.5 * transducer.elevation_aperture as f32 + ASIDE;
        let (at_face, slope) = (0.5 * transducer.footprint() as f32, half_angle.tan() as f32);
        Self {
            world_from_grid: world_from_probe.cast(),
            low: Point::new(-(across as f32) - MARGIN, -aside, -(above as f32) - MARGIN),
            high: Point::new(across as f32 + MARGIN, aside, depth as f32 + MARGIN),
            fan: [at_face + above as f32 * slope + MARGIN, slope],
        }
    }

    /// Half width at a depth [m] that contains all lines, with a margin.
    pub(super) fn half_width(&self, depth: f32) -> f32 {
        self.fan[0] + self.fan[1] * depth.max(0.0)
    }
}
