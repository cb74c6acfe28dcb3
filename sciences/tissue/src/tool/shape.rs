//! Shapes of tools and their signed distances.

use std::sync::Arc;

use insonate_settings::check_ranges;
use nalgebra::Vector3;

use super::{DistanceField, SignedDistance};
use crate::TissueError;

/// A solid in its own frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// A box.
    Cuboid {
        /// Half sizes [m].
        half: [f64; 3],
    },
    /// A rod with round ends along z.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Half length of the straight part [m].
        half_length: f64,
    },
    /// A disc or rod with flat ends along z.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Half length [m].
        half_length: f64,
    },
    /// The half-space below the plane z = 0.
    HalfSpace,
    /// A closed mesh, as a sampled distance field.
    Field(Arc<DistanceField>),
}

/// A box with round edges in a solid's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundedBox {
    /// Centre [m].
    pub(crate) center: Vector3<f64>,
    /// Half sizes along x, y, z [m].
    pub(crate) half: Vector3<f64>,
    /// Radius of the round edges, beyond the half sizes [m].
    pub(crate) radius: f64,
}

impl RoundedBox {
    /// Distance from a point in the solid's frame [m]; zero inside.
    pub(crate) fn distance(&self, point: &Vector3<f64>) -> f64 {
        let out = (point - self.center).abs() - self.half;
        (out.sup(&Vector3::zeros()).norm() - self.radius).max(0.0)
    }
}

impl Shape {
    /// Checks the ranges of the sizes.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub fn check(&self) -> Result<(), TissueError> {
        let sizes: &[(&str, f64)] = match self {
            Self::Sphere { radius } => &[("shape.radius", *radius)],
            Self::Cuboid { half } => &[
                ("shape.half[0]", half[0]),
                ("shape.half[1]", half[1]),
                ("shape.half[2]", half[2]),
            ],
            Self::Capsule {
                radius,
                half_length,
            }
            | Self::Cylinder {
                radius,
                half_length,
            } => &[
                ("shape.radius", *radius),
                ("shape.half_length", *half_length),
            ],
            Self::HalfSpace | Self::Field(_) => &[],
        };
        let rows = sizes.iter();
        let rows = rows.map(|&(field, size)| (field, size, [1e-6, 100.0], "m"));
        Ok(check_ranges("", rows)?)
    }

    /// Radius of a ball around the origin that contains the solid [m].
    pub fn reach(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Cuboid { half } => Vector3::from(*half).norm(),
            Self::Capsule {
                radius,
                half_length,
            } => radius + half_length,
            Self::Cylinder {
                radius,
                half_length,
            } => radius.hypot(*half_length),
            Self::HalfSpace => f64::INFINITY,
            Self::Field(field) => field.reach(),
        }
    }

    /// Bounding box with round edges; `None` for a half-space.
    pub(crate) fn bounds(&self) -> Option<RoundedBox> {
        let around = |half: Vector3<f64>, radius: f64| {
            Some(RoundedBox {
                center: Vector3::zeros(),
                half,
                radius,
            })
        };
        match self {
            Self::Sphere { radius } => around(Vector3::zeros(), *radius),
            Self::Cuboid { half } => around(Vector3::from(*half), 0.0),
            Self::Capsule {
                radius,
                half_length,
            }
            | Self::Cylinder {
                radius,
                half_length,
            } => around(Vector3::z() * *half_length, *radius),
            Self::HalfSpace => None,
            Self::Field(field) => Some(field.bounds()),
        }
    }

    /// Lower bound of the distance from a point in the solid's frame [m], to skip distant points.
    pub(crate) fn least_distance(&self, point: &Vector3<f64>) -> f64 {
        match self {
            Self::Field(field) => field.least_distance(point),
            _ => self.surface(point).distance,
        }
    }

    /// Signed distance at a point in the solid's frame [m], up to rounding that of [`surface`](Self::surface).
    pub(crate) fn distance(&self, point: &Vector3<f64>) -> f64 {
        match self {
            Self::Field(field) => field.distance(point),
            _ => self.surface(point).distance,
        }
    }

    /// Signed distance and normal at a point in the solid's frame [m].
    pub fn surface(&self, point: &Vector3<f64>) -> SignedDistance {
        match self {
            Self::Sphere { radius } => around(point, *radius),
            Self::Capsule {
                radius,
                half_length,
            } => {
                let on_axis = Vector3::z() * point.z.clamp(-half_length, *half_length);
                around(&(point - on_axis), *radius)
            }
            Self::Cuboid { half } => {
                let over = point.abs() - Vector3::from(*half);
                let (distance, normal) = corner([over.x, over.y, over.z]);
                SignedDistance {
                    distance,
                    normal: Vector3::from_fn(|i, _| normal[i].copysign(normal[i] * point[i])),
                }
            }
            Self::Cylinder {
                radius,
                half_length,
            } => {
                let level = point.xy();
                let from_axis = level.norm();
                let over = [from_axis - radius, point.z.abs() - half_length];
                let (distance, [outward, along]) = corner(over);
                let side = level.try_normalize(1e-12).unwrap_or_default() * outward;
                SignedDistance {
                    distance,
                    normal: Vector3::new(side.x, side.y, along.copysign(along * point.z)),
                }
            }
            Self::HalfSpace => SignedDistance {
                distance: point.z,
                normal: Vector3::z(),
            },
            Self::Field(field) => field.surface(point),
        }
    }
}

/// Signed distance from a ball around the origin.
fn around(point: &Vector3<f64>, radius: f64) -> SignedDistance {
    let length = point.norm();
    SignedDistance {
        distance: length - radius,
        normal: point.try_normalize(1e-12).unwrap_or_else(Vector3::z),
    }
}

/// Distance and normal in the first orthant, near a corner of a solid. Each entry is the overshoot beyond the solid
/// along one axis.
fn corner<const N: usize>(over: [f64; N]) -> (f64, [f64; N]) {
    let out = over.map(|x| x.max(0.0));
    let length = out.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 1e-12 {
        return (length, out.map(|x| x / length));
    }
    let mut nearest = 0;
    for i in 1..N {
        if over[i] > over[nearest] {
            nearest = i;
        }
    }
    let mut normal = [0.0; N];
    normal[nearest] = 1.0;
    (over[nearest], normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 5] = [
        Shape::Sphere { radius: 0.3 },
        Shape::Cuboid {
            half: [0.2, 0.1, 0.3],
        },
        Shape::Capsule {
            radius: 0.1,
            half_length: 0.2,
        },
        Shape::Cylinder {
            radius: 0.2,
            half_length: 0.1,
        },
        Shape::HalfSpace,
    ];

    #[test]
    fn the_normal_is_the_gradient_of_the_distance() {
        let step = 1e-6;
        for shape in SHAPES {
            for point in [
                Vector3::new(0.31, -0.22, 0.41),
                Vector3::new(-0.05, 0.06, 0.02),
                Vector3::new(-0.4, 0.01, -0.03),
                Vector3::new(0.01, 0.02, -0.5),
            ] {
                let found = shape.surface(&point);
                let gradient = Vector3::from_fn(|i, _| {
                    let mut side = Vector3::zeros();
                    side[i] = step;
                    let there = |point: Vector3<f64>| shape.surface(&point).distance;
                    (there(point + side) - there(point - side)) / (2.0 * step)
                });
                assert!(
                    (gradient - found.normal).norm() < 1e-5,
                    "{shape:?} {point:?}: {gradient:?} {:?}",
                    found.normal
                );
            }
        }
    }

    #[test]
    fn distances_are_those_of_the_solids() {
        let at = Vector3::new(0.5, 0.0, 0.0);
        let distances = SHAPES.map(|shape| shape.surface(&at).distance);
        let wanted = [0.2, 0.3, 0.4, 0.3, 0.0];
        for (distance, wanted) in distances.into_iter().zip(wanted) {
            assert!((distance - wanted).abs() < 1e-12);
        }
    }
}
