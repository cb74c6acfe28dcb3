//! Solids of organs: how far a point is outside.

use crate::deformation::{Point, Vector};

/// A solid.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Half axes along x, y, z [m], turned about z by an angle's cosine and sine.
    Ellipsoid {
        center: Point,
        half: Vector,
        turn: [f32; 2],
    },
    /// Between two points, with a radius at each [m].
    Tube { ends: [Point; 2], radii: [f32; 2] },
}

impl Shape {
    /// Distance to its surface [m], negative inside; of an ellipsoid to first order.
    #[inline]
    pub(super) fn distance(&self, point: &Point) -> f32 {
        match self {
            Self::Ellipsoid {
                center,
                half,
                turn: [cos, sin],
            } => {
                let p = point - center;
                let p = Vector::new(cos * p.x + sin * p.y, cos * p.y - sin * p.x, p.z);
                let scaled = p.component_div(half);
                let gauge = scaled.norm();
                let slope = scaled.component_div(half).norm();
                if slope < 1e-6 {
                    -half.min()
                } else {
                    gauge * (gauge - 1.0) / slope
                }
            }
            Self::Tube {
                ends: [start, end],
                radii,
            } => {
                let (along, from) = (end - start, point - start);
                let share = (from.dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
                (from - share * along).norm() - (radii[0] + share * (radii[1] - radii[0]))
            }
        }
    }

    /// The same, larger by a length on all sides [m].
    pub(super) fn grown(&self, by: f32) -> Self {
        match *self {
            Self::Ellipsoid { center, half, turn } => Self::Ellipsoid {
                center,
                half: half.add_scalar(by),
                turn,
            },
            Self::Tube { ends, radii } => Self::Tube {
                ends,
                radii: radii.map(|radius| radius + by),
            },
        }
    }
}
