//! Representations of orientations in columns.

use std::str::FromStr;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::TableError;

/// Maximum deviation of a quaternion's length from 1; rounding to four digits stays far below.
const MAX_LENGTH_ERROR: f64 = 0.01;
/// Maximum angle in radians: one turn, with rounding.
const MAX_ANGLE: f64 = 1.01 * std::f64::consts::TAU;

/// Representation of the orientation of the tool in the frame of the position. Parsed from `xyzw`, `wxyz`,
/// `rotation-vector`, `rpy` or `rpy-deg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrientationKind {
    /// A unit quaternion with the real part last, as in ROS and SciPy.
    Xyzw,
    /// A unit quaternion with the real part first, as in MuJoCo and Eigen's constructor.
    Wxyz,
    /// Axis times angle [rad], as used by Universal Robots.
    RotationVector,
    /// Roll, pitch and yaw [rad] about the fixed axes x, y, z, in this order, as in URDF.
    Rpy,
    /// Roll, pitch and yaw [deg].
    RpyDegrees,
}

impl OrientationKind {
    const ALL: [Self; 5] = [
        Self::Xyzw,
        Self::Wxyz,
        Self::RotationVector,
        Self::Rpy,
        Self::RpyDegrees,
    ];

    /// Name in text form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xyzw => "xyzw",
            Self::Wxyz => "wxyz",
            Self::RotationVector => "rotation-vector",
            Self::Rpy => "rpy",
            Self::RpyDegrees => "rpy-deg",
        }
    }

    /// Number of values.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Xyzw | Self::Wxyz => 4,
            Self::RotationVector | Self::Rpy | Self::RpyDegrees => 3,
        }
    }

    /// The orientation from numbers; `None` for a quaternion of zeros, which recorders write if they have none.
    ///
    /// # Errors
    /// Describes the problem with the numbers.
    pub(super) fn turn(self, numbers: &[f64]) -> Result<Option<UnitQuaternion<f64>>, String> {
        match (self, numbers) {
            (Self::Xyzw, &[x, y, z, w]) | (Self::Wxyz, &[w, x, y, z]) => quaternion([w, x, y, z]),
            (Self::RotationVector, &[x, y, z]) => {
                let vector = Vector3::new(x, y, z);
                small(vector.norm())?;
                Ok(Some(UnitQuaternion::from_scaled_axis(vector)))
            }
            (Self::Rpy, &[roll, pitch, yaw]) => {
                small(roll.abs().max(pitch.abs()).max(yaw.abs()))?;
                Ok(Some(UnitQuaternion::from_euler_angles(roll, pitch, yaw)))
            }
            (Self::RpyDegrees, &[roll, pitch, yaw]) => {
                let [roll, pitch, yaw] = [roll, pitch, yaw].map(f64::to_radians);
                Ok(Some(UnitQuaternion::from_euler_angles(roll, pitch, yaw)))
            }
            _ => Err(format!(
                "has {} numbers, and {} has {}",
                numbers.len(),
                self.name(),
                self.width()
            )),
        }
    }
}

impl FromStr for OrientationKind {
    type Err = TableError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|kind| kind.name() == text);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            TableError::option(
                "--orientation",
                format!("{text} is not known; known are {names}"),
            )
        })
    }
}

fn quaternion([w, x, y, z]: [f64; 4]) -> Result<Option<UnitQuaternion<f64>>, String> {
    let quaternion = Quaternion::new(w, x, y, z);
    let length = quaternion.norm();
    if length == 0.0 {
        return Ok(None);
    }
    if (length - 1.0).abs() > MAX_LENGTH_ERROR || !length.is_finite() {
        return Err(format!(
            "is a quaternion of length {length:.3}, not 1: are these its numbers? --force-frame base leaves the orientation out"
        ));
    }
    Ok(Some(UnitQuaternion::new_normalize(quaternion)))
}

fn small(angle: f64) -> Result<(), String> {
    if angle <= MAX_ANGLE {
        return Ok(());
    }
    Err(format!(
        "reaches an angle of {angle:.3}, more than a turn in radians: are these degrees? --orientation rpy-deg reads roll, pitch and yaw in degrees"
    ))
}
