//! An arm that holds the rod's base on its flange.

use insonate_models::mjcf::{Mjcf, ReadOptions};
use insonate_models::robots::Robot;
use nalgebra::Vector3;

use super::mjcf::MOUNT;
use crate::ik::{self, IkConfig};
use crate::readings::ProbeFrame;
use crate::{Arm, CompiledScene, Physics, Pose, SimError};

/// The control section of a bronchoscope, from flange to the start of the insertion tube.
const HANDLE: &str = r#"<mujoco model="handle"><worldbody><body name="handle">
  <geom type="cylinder" size="0.024 0.02" pos="0 0 0.02" rgba="0.16 0.17 0.19 1" contype="0" conaffinity="0" mass="0.2"/>
  <geom type="capsule" size="0.017 0.03" pos="0 0 0.06" rgba="0.12 0.13 0.15 1" contype="0" conaffinity="0" mass="0.1"/>
  <geom type="cylinder" size="0.009 0.02" pos="0 0 0.11" rgba="0.22 0.42 0.70 1" contype="0" conaffinity="0" mass="0.02"/>
  <site name="face_center" pos="0 0 0.13"/>
</body></worldbody></mujoco>"#;

/// Attaches an arm with the handle at the scene's mount.
pub(super) fn attach(scene: &mut Mjcf, robot: &Robot) -> Result<(), SimError> {
    scene.attach(MOUNT, robot.mjcf.clone(), "robot/")?;
    let handle = Mjcf::read_str(HANDLE, "handle", &ReadOptions::default())?;
    let flange = robot.flange.as_deref().ok_or_else(|| SimError::NoFlange {
        robot: robot.name.to_string(),
    })?;
    scene.attach(&format!("robot/{flange}"), handle, "probe/")?;
    Ok(())
}

/// The arm and the end of the handle.
#[derive(Debug)]
pub(super) struct Carrier {
    arm: Arm,
    end: ProbeFrame,
    /// Start posture of the inverse kinematics.
    home: Vec<f64>,
}

impl Carrier {
    pub(super) fn new(scene: &CompiledScene, robot: &Robot) -> Result<Self, SimError> {
        let model = scene.physics_model();
        Ok(Self {
            arm: Arm::new(model)?,
            end: ProbeFrame::new(model)?,
            home: robot.home_qpos.clone(),
        })
    }

    /// Moves the end of the handle to the first node, aligned with the rod.
    pub(super) fn follow(&self, physics: &mut Physics, nodes: &[Vector3<f64>]) {
        for (joint, position) in self.arm.joints.iter().zip(&self.home) {
            physics.qpos_mut()[joint.qpos] = *position;
        }
        physics.forward();
        let along = (nodes[1] - nodes[0])
            .try_normalize(1e-12)
            .unwrap_or_else(Vector3::z);
        let side = along
            .cross(&Vector3::y())
            .try_normalize(1e-6)
            .unwrap_or_else(Vector3::x);
        let other = along.cross(&side);
        let m = [side, other, along];
        let matrix = [
            m[0].x, m[1].x, m[2].x, m[0].y, m[1].y, m[2].y, m[0].z, m[1].z, m[2].z,
        ];
        let target = Pose::from_matrix(nodes[0].into(), matrix);
        let found = ik::solve(physics, &self.arm, &self.end, &target, &IkConfig::default());
        if let Ok(positions) = found {
            for (joint, position) in self.arm.joints.iter().zip(positions.iter()) {
                physics.qpos_mut()[joint.qpos] = *position;
            }
        }
    }
}
