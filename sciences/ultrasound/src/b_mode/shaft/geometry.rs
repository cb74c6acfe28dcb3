//! Sizes and place of a needle.

use insonate_settings::check_range;
use nalgebra::Isometry3;

use crate::UltrasoundError;
use crate::deformation::{Point, Vector};

/// Largest length of a shaft [m].
const MAX_LENGTH: f32 = 1.0;

/// What a needle holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// A stylet of steel: the needle is solid.
    Stylet,
    /// Water or blood.
    Water,
    /// Air, which reflects all sound.
    Air,
}

/// A needle of steel in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaft {
    /// Points of its axis in the world, in order, the last one at the tip [m].
    pub axis: Vec<Point>,
    /// Outer and inner radius [m].
    pub radii: [f32; 2],
    /// What it holds.
    pub filling: Filling,
    /// Echo of its roughness relative to its echo across the beam [dB]. About −25 for a polished needle and −8 for a dimpled one; both are
    /// choices, because published figures of visibility have no scale of pressure.
    pub roughness: f32,
    /// Half the angle of the cone at the tip [rad].
    pub tip_angle: f32,
    /// Seed of its roughness, which moves with it.
    pub seed: u64,
}

impl Shaft {
    /// A polished needle with a conical tip of 30° and a stylet. `axis` in the world [m], `diameters` outside and inside [m].
    pub fn polished(axis: Vec<Point>, diameters: [f64; 2]) -> Self {
        Self {
            axis,
            radii: diameters.map(|diameter| 0.5 * diameter as f32),
            filling: Filling::Stylet,
            roughness: -25.0,
            tip_angle: 15_f32.to_radians(),
            seed: 0,
        }
    }

    /// Checks sizes and places.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`] names the invalid field.
    pub fn check(&self) -> Result<(), UltrasoundError> {
        let [outer, inner] = self.radii.map(f64::from);
        check_range("outer radius of the shaft", outer, [5e-5, 5e-3], "m")?;
        check_range("inner radius of the shaft", inner, [0.0, 0.99 * outer], "m")?;
        let roughness = f64::from(self.roughness);
        check_range("roughness of the shaft", roughness, [-80.0, 0.0], "dB")?;
        let angle = f64::from(self.tip_angle);
        check_range("tip_angle of the shaft", angle, [0.05, 1.57], "rad")?;
        let is_near = |point: &Point| point.iter().all(|x| x.abs() <= 10.0);
        if self.axis.len() < 2 || !self.axis.iter().all(is_near) {
            let n = self.axis.len();
            let allowed = "at least two points, finite and within 10 m of the origin";
            return Err(UltrasoundError::setting("axis of the shaft", n, allowed));
        }
        let pairs = self.axis.windows(2);
        let length: f32 = pairs.map(|pair| (pair[1] - pair[0]).norm()).sum();
        let range = [1e-3, f64::from(MAX_LENGTH)];
        Ok(check_range(
            "length of the shaft",
            f64::from(length),
            range,
            "m",
        )?)
    }

    /// Place and direction of points from the tip back, at equal distances [m], in the probe's frame.
    pub(super) fn places(
        &self,
        probe_from_world: &Isometry3<f32>,
        spacing: f32,
        mut each: impl FnMut(f32, Point, Vector),
    ) {
        let (mut behind, mut next) = (0.0, 0.0);
        for pair in self.axis.windows(2).rev() {
            let [start, end] = [pair[1], pair[0]].map(|point| probe_from_world * point);
            let length = (end - start).norm();
            if length <= 0.0 {
                continue;
            }
            let back = (end - start) / length;
            while next <= behind + length {
                each(next, start + back * (next - behind), -back);
                next += spacing;
            }
            behind += length;
        }
    }
}
