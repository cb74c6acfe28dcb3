//! Forward kinematics of a robot, for logs with joint positions, by MuJoCo.

use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use insonate::calibration::formats::{RobotJoint, RobotKinematics, TipPose};
use insonate::models::robots::Robot;
use insonate::sim::names::{self, ObjectType};
use insonate::sim::{Arm, CompiledScene, Physics, Pose};

/// Kinematics from the world of the robot's model to its flange.
pub(super) fn of(robot: &Robot) -> anyhow::Result<RobotKinematics> {
    let flange = robot.flange.as_deref().with_context(|| {
        format!(
            "robot {} has no flange, so its joints give no pose of a probe",
            robot.name
        )
    })?;
    let scene = CompiledScene::compile(&robot.mjcf)?;
    let physics = Physics::from_scene(&scene)?;
    let model = physics.model();
    let tip = Tip::find(&physics, flange)?;
    let arm = Arm::new(model)?;
    let slides = arm.slides(model);
    let joints = arm.joints.iter().zip(&arm.position_range).zip(slides);
    let joints = joints.map(|((joint, range), is_slide)| RobotJoint {
        name: names::name_of(model, ObjectType::Joint, joint.id).to_owned(),
        range: *range,
        is_slide,
    });
    let joints: Vec<RobotJoint> = joints.collect();
    let places: Vec<usize> = arm.joints.iter().map(|joint| joint.qpos).collect();
    let base = format!("the base of {}", robot.name);
    let physics = Mutex::new(physics);
    let pose = move |positions: &[f64]| {
        let mut physics = physics.lock().unwrap_or_else(PoisonError::into_inner);
        let qpos = physics.qpos_mut();
        for (place, position) in places.iter().zip(positions) {
            qpos[*place] = *position;
        }
        physics.forward();
        tip.pose(&physics)
    };
    Ok(RobotKinematics::new(
        &robot.name,
        joints,
        &base,
        flange,
        pose,
    ))
}

/// The body or site that carries the probe.
#[derive(Clone, Copy)]
enum Tip {
    Body(usize),
    Site(usize),
}

impl Tip {
    fn find(physics: &Physics, name: &str) -> anyhow::Result<Self> {
        if let Some(site) = names::try_find(physics.model(), ObjectType::Site, name) {
            return Ok(Self::Site(site));
        }
        Ok(Self::Body(names::find(
            physics.model(),
            ObjectType::Body,
            name,
        )?))
    }

    fn pose(self, physics: &Physics) -> TipPose {
        let data = physics.data();
        match self {
            Self::Body(body) => TipPose {
                position: data.xpos()[body],
                rotation: data.xquat()[body],
            },
            Self::Site(site) => {
                let pose = Pose::from_matrix(data.site_xpos()[site], data.site_xmat()[site]);
                TipPose {
                    position: pose.position.into(),
                    rotation: pose.quat(),
                }
            }
        }
    }
}
