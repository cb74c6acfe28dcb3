//! Solids that lie along the neck: how far a point is outside.
//!
//! Each gives a number that is negative inside and changes by no more than the way between two points: its magnitude is free on all sides,
//! and so is that of the greatest of several, which is what they have in common.

use crate::deformation::{Point, Vector};

/// Part of a circle in the plane across the neck, with thickness and round ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    /// Its circle's x and z [m].
    pub(super) center: [f32; 2],
    /// [m].
    pub(super) radius: f32,
    /// Half of its thickness [m].
    pub(super) half: f32,
    /// Sine and cosine of the direction of its middle, from +z towards +x.
    pub(super) middle: [f32; 2],
    /// Sine and cosine of half of its angle.
    pub(super) reach: [f32; 2],
}

/// A solid.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// What is less than a depth below the skin, which is a cylinder of a radius that touches z = 0 from below [m].
    Above { skin: f32, depth: f32 },
    /// What is between two depths below that skin, farther from the middle plane than `gap` [m].
    Sheet {
        skin: f32,
        depths: [f32; 2],
        gap: f32,
    },
    /// A cylinder along y: x and z of its axis, and its radius [m].
    Tube { center: [f32; 2], radius: f32 },
    /// An ellipsoid whose half axes along x, y, z [m] are turned about y, from +z towards +x, by an angle's sine and cosine; one that is
    /// infinite makes a cylinder.
    Oval {
        center: [f32; 2],
        half: Vector,
        turn: [f32; 2],
    },
    /// An arc along y without end.
    Band(Arc),
    /// An arc in pieces along y, of which one is about y = 0: from middle to middle, and half of their length [m].
    Rings { arc: Arc, spacing: f32, half: f32 },
}

impl Arc {
    fn distance(&self, point: &Point) -> f32 {
        let [x, z] = [point.x - self.center[0], point.z - self.center[1]];
        let [sin, cos] = self.middle;
        let (along, across) = (sin * x + cos * z, (cos * x - sin * z).abs());
        let [sin, cos] = self.reach;
        let to_middle = if cos * across > sin * along {
            (across - self.radius * sin).hypot(along - self.radius * cos)
        } else {
            (across.hypot(along) - self.radius).abs()
        };
        to_middle - self.half
    }
}

/// Depth below a cylindrical skin [m].
fn depth(skin: f32, point: &Point) -> f32 {
    skin - point.x.hypot(point.z + skin)
}

impl Shape {
    /// How far a point is outside, at least; negative inside [m].
    pub(super) fn distance(&self, point: &Point) -> f32 {
        match self {
            Self::Above { skin, depth: end } => depth(*skin, point) - end,
            Self::Sheet {
                skin,
                depths: [start, end],
                gap,
            } => {
                let depth = depth(*skin, point);
                (start - depth).max(depth - end).max(gap - point.x.abs())
            }
            Self::Tube { center, radius } => {
                (point.x - center[0]).hypot(point.z - center[1]) - radius
            }
            Self::Oval {
                center,
                half,
                turn: [sin, cos],
            } => {
                let [x, z] = [point.x - center[0], point.z - center[1]];
                let turned = Vector::new(cos * x - sin * z, point.y, sin * x + cos * z);
                let gauge = turned.component_div(half).norm();
                // No way is shorter than that along the shortest axis.
                (gauge - 1.0) * half.min()
            }
            Self::Band(arc) => arc.distance(point),
            Self::Rings { arc, spacing, half } => {
                let off = point.y - spacing * (point.y / spacing).round();
                arc.distance(point).max(off.abs() - half)
            }
        }
    }
}
