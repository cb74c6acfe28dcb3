//! The part of the world that a probe sees.

use nalgebra::Isometry3;

use super::Point;
use crate::transducer::{ArrayKind, Transducer};

/// Seen above the face, where a coarse skin may be, and beside the plane [m].
const MARGIN: f32 = 0.02;

/// A box in a frame of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// Pose of the frame.
    pub world_from_grid: Isometry3<f32>,
    /// Least coordinates [m].
    pub low: Point,
    /// Greatest coordinates [m].
    pub high: Point,
}

impl Region {
    /// What a transducer sees down to `depth` [m] from a pose of its frame.
    pub fn seen(transducer: &Transducer, world_from_probe: &Isometry3<f64>, depth: f64) -> Self {
        let half_angle = 0.5 * transducer.field_of_view();
        let across = 0.5 * transducer.footprint() + depth * half_angle.sin();
        let above = match transducer.kind {
            ArrayKind::Curvilinear { radius } => radius * (1.0 - half_angle.cos()),
            ArrayKind::Linear | ArrayKind::Phased { .. } => 0.0,
        };
        let aside = transducer.elevation_aperture as f32 + MARGIN;
        Self {
            world_from_grid: world_from_probe.cast(),
            low: Point::new(-(across as f32) - MARGIN, -aside, -(above as f32) - MARGIN),
            high: Point::new(across as f32 + MARGIN, aside, depth as f32 + MARGIN),
        }
    }
}
