//! Tissue under a probe's face, pushed aside as far as the face reaches in: kinematics, without forces.
//!
//! In the probe's frame a point at $(x, y)$ and depth $t$ below the face was less deep at rest by $w(x, y)\, e^{-t/L}$, where
//! $w$ is how far the face reaches into the skin there and $L$ = [`DECAY`]: layers near the face are pressed thin, deep ones move little.
//! It stands in for a simulated torso where there is none.

use nalgebra::{Isometry3, Vector3};

use super::{Deformation, Point};
use crate::UltrasoundError;
use crate::transducer::{ArrayKind, Transducer};

/// Depth over which the displacement fades to 1/e [m].
const DECAY: f32 = 0.035;
/// Distance over which skin bends up beside the face [m].
const EDGE: f32 = 0.012;
/// Slope of a curved face, along a line that is as slanted.
const SLOPE: f32 = 0.5;
/// The most that is pressed in [m]: tissue must not be turned inside out.
const MOST: f64 = 0.03;

/// A face that is pressed into tissue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Indentation {
    probe_from_world: Isometry3<f32>,
    world_from_probe: Isometry3<f32>,
    /// Radius of the face; infinite where it is flat [m].
    radius: f32,
    half_size: [f32; 2],
    depth: f32,
}

impl Indentation {
    /// Of a transducer whose face is `depth` [m] deeper than the skin at rest.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: a depth outside of 0 to 0.03 m.
    pub fn new(
        transducer: &Transducer,
        world_from_probe: &Isometry3<f64>,
        depth: f64,
    ) -> Result<Self, UltrasoundError> {
        UltrasoundError::check_range("indentation", depth, [0.0, MOST], "m")?;
        let radius = match transducer.kind {
            ArrayKind::Curvilinear { radius } => radius as f32,
            ArrayKind::Linear | ArrayKind::Phased { .. } => f32::INFINITY,
        };
        let arc = 0.5 * transducer.n_elements as f32 * transducer.pitch as f32;
        let across = 0.5 * transducer.elevation_aperture as f32 + 0.003;
        Ok(Self {
            probe_from_world: world_from_probe.inverse().cast(),
            world_from_probe: world_from_probe.cast(),
            radius,
            half_size: [radius.min(1.0) * (arc / radius.min(1.0)).sin(), across],
            depth: depth as f32,
        })
    }

    /// Height of the face over its middle [m], and how far it reaches in [m], at x, y of the probe's frame.
    fn face(&self, point: &Point) -> [f32; 2] {
        let x = point.x.abs().min(self.half_size[0]);
        let height = if self.radius.is_finite() {
            self.radius - (self.radius * self.radius - x * x).max(0.0).sqrt()
        } else {
            0.0
        };
        let beyond = [point.x, point.y].map(f32::abs);
        let out = (beyond[0] - self.half_size[0])
            .max(0.0)
            .hypot((beyond[1] - self.half_size[1]).max(0.0));
        let fade = (-(out / EDGE).powi(2)).exp();
        [height, (self.depth - height).max(0.0) * fade]
    }
}

impl Deformation for Indentation {
    fn rest_from_world(&self, world: &Point) -> Option<Point> {
        let point = self.probe_from_world * world;
        let [height, reach] = self.face(&point);
        let below = (point.z + height).max(0.0);
        let rest = point - Vector3::z() * (reach * (-below / DECAY).exp());
        Some(self.world_from_probe * rest)
    }

    fn world_from_rest(&self, rest: &Point) -> Option<Point> {
        let target = self.probe_from_world * rest;
        let [height, reach] = self.face(&target);
        // z − w e^(−t/L) is the rest depth: it grows with z, as w < L.
        let mut z = target.z + reach;
        for _ in 0..12 {
            let fade = reach * (-(z + height).max(0.0) / DECAY).exp();
            let slope = if z + height > 0.0 {
                1.0 + fade / DECAY
            } else {
                1.0
            };
            z -= (z - fade - target.z) / slope;
        }
        Some(self.world_from_probe * Point::new(target.x, target.y, z))
    }

    fn max_compression(&self, world: &Point) -> f32 {
        let point = self.probe_from_world * world;
        let [height, reach] = self.face(&point);
        // Along the line by 1 + w/L; aslant also by the slope of the face.
        1.0 + (reach / DECAY + SLOPE) * (-(point.z + height).max(0.0) / DECAY).exp()
    }
}
