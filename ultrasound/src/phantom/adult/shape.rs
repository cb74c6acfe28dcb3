//! Solids of organs: how far a point is outside.

use crate::deformation::{Point, Vector};

/// Share of an ellipsoid's distance to first order that is surely free.
const SAFE: f32 = 0.45;
/// Share of a tube's distance that is free, as it may grow wider.
const TAPERED: f32 = 0.95;

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
    /// Distance to its surface [m], negative inside, of an ellipsoid to first order; and a distance at which the surface surely is not.
    #[inline]
    pub(super) fn distance(&self, point: &Point) -> [f32; 2] {
        match self {
            Self::Ellipsoid {
                center,
                half,
                turn: [cos, sin],
            } => {
                let p = point - center;
                let p = Vector::new(cos * p.x + sin * p.y, cos * p.y - sin * p.x, p.z);
                let inverse = Vector::new(1.0 / half.x, 1.0 / half.y, 1.0 / half.z);
                let scaled = p.component_mul(&inverse);
                let gauge = scaled.norm();
                let slope = scaled.component_mul(&inverse).norm();
                // No way is shorter than that along the shortest axis.
                let least = (gauge - 1.0).abs() * half.min();
                if slope < 1e-6 {
                    [-half.min(), least]
                } else {
                    let distance = gauge * (gauge - 1.0) / slope;
                    [distance, least.max(SAFE * distance.abs())]
                }
            }
            Self::Tube {
                ends: [start, end],
                radii,
            } => {
                let (along, from) = (end - start, point - start);
                let share = (from.dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
                let radius = radii[0] + share * (radii[1] - radii[0]);
                let distance = (from - share * along).norm() - radius;
                [distance, TAPERED * distance.abs()]
            }
        }
    }

    /// How many times as far as it is the surface may seem to be outside.
    pub(super) fn slack(&self) -> f32 {
        match self {
            // To first order, by up to the slenderness.
            Self::Ellipsoid { .. } => 1.6,
            Self::Tube { .. } => 1.0 / TAPERED,
        }
    }

    /// A point of its surface in a direction of unit length from its centre, as a ball that is stretched has it, and by how much more area
    /// lies there than on the ball of radius 1 [m²]; none of a tube.
    pub(super) fn surface(&self, direction: &Vector) -> Option<(Point, f32)> {
        match self {
            Self::Ellipsoid {
                center,
                half,
                turn: [cos, sin],
            } => {
                let p = direction.component_mul(half);
                let point = center + Vector::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z);
                Some((point, half.product() * direction.component_div(half).norm()))
            }
            Self::Tube { .. } => None,
        }
    }

    /// A ball around it: centre and radius [m].
    pub(super) fn ball(&self) -> (Point, f32) {
        match self {
            Self::Ellipsoid { center, half, .. } => (*center, half.max()),
            Self::Tube {
                ends: [start, end],
                radii,
            } => {
                let along = end - start;
                (
                    start + 0.5 * along,
                    0.5 * along.norm() + radii[0].max(radii[1]),
                )
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
