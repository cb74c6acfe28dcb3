//! Rigid tools: shape, pose, velocity, and the wrench of tissue on them.

mod contact_points;
mod distance_field;
mod filter;
mod shape;
mod signed_distance;

pub use contact_points::ContactPoint;
pub(crate) use contact_points::{ContactPoints, PointImpulse};
pub use distance_field::DistanceField;
pub use filter::WrenchFilter;
pub(crate) use shape::RoundedBox;
pub use shape::Shape;
pub use signed_distance::SignedDistance;

use insonate_settings::check_range;
use nalgebra::{UnitQuaternion, Vector3};

use crate::TissueError;

/// A rigid tool with Coulomb friction.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Shape in the tool's frame.
    pub shape: Shape,
    /// Origin of the tool's frame in the world frame [m].
    pub position: Vector3<f64>,
    /// Orientation of the tool's frame in the world frame.
    pub rotation: UnitQuaternion<f64>,
    /// Velocity of the tool's origin in the world frame [m/s].
    pub linear: Vector3<f64>,
    /// Angular velocity in the world frame [rad/s].
    pub angular: Vector3<f64>,
    /// Coulomb friction coefficient. Infinite: tissue sticks to the tool and never separates.
    pub friction: f64,
    /// Whether steps record the points at which tissue pushes the tool, for
    /// [`SoftTissue::contact_points`](crate::SoftTissue::contact_points). It changes no other result.
    pub records_points: bool,
}

impl Tool {
    /// A tool at rest at the world's origin, without friction.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            position: Vector3::zeros(),
            rotation: UnitQuaternion::identity(),
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
            friction: 0.0,
            records_points: false,
        }
    }

    /// Checks the ranges of sizes, pose and velocities.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub fn check(&self) -> Result<(), TissueError> {
        self.shape.check()?;
        let numbers = [
            ("tool.position", self.position),
            ("tool.linear", self.linear),
            ("tool.angular", self.angular),
            // Not its axis, which is zero for NaN.
            (
                "tool.rotation",
                self.rotation.imag().add_scalar(self.rotation.w),
            ),
        ];
        for (field, vector) in numbers {
            if !vector.iter().all(|x| x.is_finite()) {
                return Err(TissueError::setting(field, vector.as_slice(), "finite"));
            }
        }
        if self.friction == f64::INFINITY {
            return Ok(());
        }
        Ok(check_range(
            "tool.friction",
            self.friction,
            [0.0, 10.0],
            "",
        )?)
    }

    /// Greatest speed of the tool's points within a distance from its origin [m/s].
    pub(crate) fn speed(&self, within: f64) -> f64 {
        self.linear.norm() + self.angular.norm() * self.shape.reach().min(within)
    }

    /// The tool after a time [s] at its current velocity.
    #[must_use]
    pub fn after(&self, time: f64) -> Self {
        Self {
            position: self.position + self.linear * time,
            rotation: UnitQuaternion::from_scaled_axis(self.angular * time) * self.rotation,
            ..self.clone()
        }
    }
}

/// Force and torque of tissue on a tool, about the origin of the tool's frame, in the world frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Force [N].
    pub force: Vector3<f64>,
    /// Torque [N·m].
    pub torque: Vector3<f64>,
}
