//! The interface between a needle and a body of tissue.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Vector3};

/// A body that a needle enters.
///
/// Points are material: they move with the tissue. Forces act on points by the same weights by which their positions are interpolated, so
/// that force and work are those of the needle.
pub trait Tissue {
    /// A material point.
    type Point: Clone + std::fmt::Debug + PartialEq;

    /// Whether forces last until they are changed, as in a static body. Otherwise a force acts during the current step only, as in a
    /// solver with inertia whose constraints start from zero in each substep.
    const KEEPS_FORCES: bool;

    /// The material point at a position in world [m]; `None` outside the body.
    fn embed(&self, at: Vector3<f64>) -> Option<Self::Point>;

    /// Current position of a point in world [m].
    fn position(&self, point: &Self::Point) -> Vector3<f64>;

    /// Index of the layer of a point, among the layers of the needle.
    fn layer(&self, point: &Self::Point) -> usize;

    /// Displacement of `moved` by a force of 1 N on `pushed`, as [`Self::push`] causes it [m/N], in world axes. The response is symmetric:
    /// exchanging the points transposes it.
    fn response(&self, moved: &Self::Point, pushed: &Self::Point) -> Matrix3<f64>;

    /// Compliance between a shaft of a radius [m] and the points on its axis.
    fn near_field(&self, point: &Self::Point, radius: f64) -> Compliance;

    /// Adds a force in world [N] to those on a point. The points of the body move at once.
    fn push(&mut self, point: &Self::Point, force: Vector3<f64>);
}

/// Compliance of the tissue between a shaft and the points on its axis, which a body of finite resolution does not have.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Compliance {
    /// Lateral displacement by a force per length [m²/N].
    pub lateral: f64,
    /// Axial displacement by a force per length [m²/N].
    pub axial: f64,
    /// Displacement of the tip by a force [m/N].
    pub tip: f64,
}

impl Compliance {
    /// The compliance that makes a line of forces on points of a mesh or grid as soft as a rod of a radius a [m] in incompressible tissue
    /// of shear modulus G [Pa].
    ///
    /// A line of points in elements of size h moves as a rod of radius $r_h$, the core radius, which is 0.2 h to 0.3 h. The displacement of
    /// a rod under a force per length changes with its radius by $\ln(r_h / a) / (4 \pi G)$ laterally and $\ln(r_h / a) / (2 \pi G)$
    /// axially (slender-body solutions of Stokes flow, whose equations are those of an incompressible elastic solid). The tip is a sphere:
    /// $(1/a - 1/r_h) / (6 \pi G)$. Values are 0 for points that
    /// are softer than the rod, because a negative compliance has no stable balance.
    pub fn of_rod(shear_modulus: f64, core_radius: f64, radius: f64) -> Self {
        let log = (core_radius / radius).ln().max(0.0);
        Self {
            lateral: log / (4.0 * PI * shear_modulus),
            axial: log / (2.0 * PI * shear_modulus),
            tip: (1.0 / radius - 1.0 / core_radius).max(0.0) / (6.0 * PI * shear_modulus),
        }
    }

    /// The compliance that makes a force on a point of a free surface as soft as a flat punch of a radius a [m], in tissue of a shear
    /// modulus G [Pa] and of Poisson's ratio ν: a needle before it breaks the surface.
    ///
    /// A rigid flat punch sinks by $F (1 - \nu) / (4 G a)$ (Boussinesq; Sneddon 1965, doi:10.1016/0020-7225(65)90019-4). A force on a
    /// point of a mesh moves it as a punch of the core radius moves. `lateral` and `axial` are those of a rod.
    pub fn of_punch(shear_modulus: f64, poisson_ratio: f64, core_radius: f64, radius: f64) -> Self {
        let near = (1.0 / radius - 1.0 / core_radius).max(0.0);
        Self {
            tip: (1.0 - poisson_ratio) * near / (4.0 * shear_modulus),
            ..Self::of_rod(shear_modulus, core_radius, radius)
        }
    }
}

impl std::ops::Add for Compliance {
    type Output = Self;

    /// The compliance of two shells around the shaft, one outside the other.
    fn add(self, other: Self) -> Self {
        Self {
            lateral: self.lateral + other.lateral,
            axial: self.axial + other.axial,
            tip: self.tip + other.tip,
        }
    }
}
