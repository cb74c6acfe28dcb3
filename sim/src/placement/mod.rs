//! Placement of the probe: position of the skin, pose of the probe on it, and posture of the arm.

mod height_map;
mod skin;

use nalgebra::Vector3;

pub use height_map::{HeightMap, Skin};
pub use skin::SkinPoint;

use crate::arm::Arm;
use crate::ik::{self, IkConfig, PostureMargins};
use crate::readings::ProbeFrame;
use crate::{Physics, Pose, SimError};

/// Preferred properties of a posture along a path; chosen: in a singular posture, the Panda's wrist reached about 8 rad/s.
const MARGINS: PostureMargins = PostureMargins {
    joint_limit_margin: 0.3,
    singular_value: 0.1,
};

/// The arm, the probe's face, and the lateral direction of the probe in the home pose.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbePlacement {
    /// The arm's joints and motors.
    pub arm: Arm,
    /// The probe's face.
    pub probe: ProbeFrame,
    /// Lateral direction of the probe in the home pose, in world; poses deviate from it as little as possible.
    home_lateral: Vector3<f64>,
}

impl ProbePlacement {
    /// The arm and the probe of a scene with the robot at home.
    ///
    /// # Errors
    /// As [`Arm::new`] and [`ProbeFrame::new`].
    pub fn new(physics: &Physics) -> Result<Self, SimError> {
        let probe = ProbeFrame::new(physics.model())?;
        Ok(Self {
            arm: Arm::new(physics.model())?,
            home_lateral: probe.world_from_probe(physics).rotation * Vector3::x(),
            probe,
        })
    }

    /// The probe's pose at a point of the skin, `lift` [m] above it, facing it.
    ///
    /// The array lies across `path`, a direction in world; without it, the array is oriented as in the home pose.
    pub fn pose_on(&self, point: &SkinPoint, lift: f64, path: Option<Vector3<f64>>) -> Pose {
        let lateral = path.map_or(self.home_lateral, |path| point.normal.cross(&path));
        let sign = if lateral.dot(&self.home_lateral) < 0.0 {
            -1.0
        } else {
            1.0
        };
        Pose::with_z_axis(
            point.position + point.normal * lift,
            -point.normal,
            lateral * sign,
        )
    }

    /// Puts the arm at rest with the probe's face at a pose, and sets the force sensor's zero there.
    ///
    /// # Errors
    /// [`SimError::Unreachable`].
    pub fn place(&self, physics: &mut Physics, world_from_probe: &Pose) -> Result<(), SimError> {
        ik::place(physics, &self.arm, &self.probe, world_from_probe)?;
        tare(physics);
        Ok(())
    }

    /// As [`ProbePlacement::place`], at the first pose of a path. The posture lets the arm follow the path, if possible clear of obstacles,
    /// joint limits and singular postures.
    ///
    /// # Errors
    /// [`SimError::Unreachable`].
    ///
    /// # Panics
    /// If the path has no poses.
    pub fn place_with_path(&self, physics: &mut Physics, path: &[Pose]) -> Result<(), SimError> {
        let config = IkConfig {
            margins: Some(MARGINS),
            ..IkConfig::default()
        };
        ik::place_with_path(physics, &self.arm, &self.probe, path, &config)?;
        tare(physics);
        Ok(())
    }
}

fn tare(physics: &mut Physics) {
    if let Some(sensor) = physics.force_torque_mut() {
        sensor.tare();
    }
}
