//! Distances to solids along the neck.
//!
//! Each function is negative inside and has a Lipschitz constant of 1: its magnitude is a lower bound of the distance to the surface. The
//! same holds for the maximum of several, which is their intersection.

use crate::deformation::{Point, Vector};

/// Part of a circle in the plane across the neck, with thickness and round ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    /// Centre of the circle: x and z [m].
    pub(super) center: [f32; 2],
    /// Radius [m].
    pub(super) radius: f32,
    /// Half thickness [m].
    pub(super) half: f32,
    /// Sine and cosine of the direction of its centre, from +z towards +x.
    pub(super) middle: [f32; 2],
    /// Sine and cosine of half its angle.
    pub(super) reach: [f32; 2],
}

/// A solid.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// The region less than a depth below the skin, a cylinder with a radius that touches z = 0 from below [m].
    Above { skin: f32, depth: f32 },
    /// The region between two depths below that skin, farther from the median plane than `gap` [m].
    Sheet {
        skin: f32,
        depths: [f32; 2],
        gap: f32,
    },
    /// A cylinder along y: x and z of its axis, and its radius [m].
    Tube { center: [f32; 2], radius: f32 },
    /// An ellipsoid with half axes along x, y, z [m], turned about y, from +z towards +x, by an angle's sine and cosine; an infinite half
    /// axis gives a cylinder.
    Oval {
        center: [f32; 2],
        half: Vector,
        turn: [f32; 2],
    },
    /// An infinite arc along y.
    Band(Arc),
    /// An arc in pieces along y, one of them centred at y = 0: spacing of their centres, and half their length [m].
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
    /// Lower bound of the distance of a point outside; negative inside [m].
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
                // The distance along the shortest axis is a lower bound.
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
