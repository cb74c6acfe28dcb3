//! Facts of a recording that its numbers do not hold: the probe, and where probe and camera are at the robot.

use insonate_datasets::RigInfo;
use insonate_envs::Env;
use insonate_envs::ultrasound::{PictureSettings, TorsoScene};
use insonate_models::probes::ArrayKind;
use insonate_sim::names::{ObjectType, find};
use insonate_sim::readings::ProbeFrame;
use insonate_sim::{CompiledScene, Pose};

use super::RecordPlan;

/// The rig of an environment; `None` without a probe on a flange.
pub(super) fn rig(env: &dyn Env, plan: &RecordPlan) -> Option<RigInfo> {
    let torso = env.torso()?;
    let (scene, _) = env.scene()?;
    let camera = plan.cameras.first();
    let world_from_camera = camera.and_then(|camera| fixed_camera(scene, &camera.name));
    let usual = PictureSettings::default();
    let ultrasound = plan.ultrasound.as_ref().unwrap_or(&usual);
    let base_position = torso.scene.robot_position;
    Some(RigInfo {
        robot: torso.scene.robot.name.to_string(),
        probe_type: probe_type(&torso),
        acquisition: acquisition(&torso, ultrasound),
        base_position,
        flange_from_probe: numbers(&flange_from_probe(&torso)?, [0.0; 3]),
        base_from_camera: world_from_camera.map(|pose| numbers(&pose, base_position)),
    })
}

/// Position [m] from an origin with parallel axes, and quaternion xyzw.
fn numbers(pose: &Pose, origin: [f64; 3]) -> [f64; 7] {
    let [x, y, z]: [f64; 3] = pose.position.into();
    let [qw, qx, qy, qz] = pose.quat();
    [x - origin[0], y - origin[1], z - origin[2], qx, qy, qz, qw]
}

/// Pose of a camera that does not move, with x right, y down and z into the picture.
fn fixed_camera(scene: &CompiledScene, name: &str) -> Option<Pose> {
    let model = scene.visual_model();
    let camera = find(model, ObjectType::Camera, name).ok()?;
    if model.cam_bodyid()[camera] != 0 {
        return None;
    }
    // MuJoCo's cameras look along −z, with y up.
    let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = model.cam_mat0()[camera];
    let turned = [xx, -xy, -xz, yx, -yy, -yz, zx, -zy, -zz];
    Some(Pose::from_matrix(model.cam_pos()[camera], turned))
}

fn flange_from_probe(torso: &TorsoScene) -> Option<Pose> {
    let model = torso.physics.model();
    let flange = torso.scene.robot.flange.as_ref()?;
    let flange = find(model, ObjectType::Body, &format!("robot/{flange}")).ok()?;
    let data = torso.physics.data();
    let flange = Pose::from_matrix(data.xpos()[flange], data.xmat()[flange]);
    let probe = ProbeFrame::new(model).ok()?.world_from_probe(torso.physics);
    let back = flange.rotation.inverse();
    Some(Pose {
        position: back * (probe.position - flange.position),
        rotation: back * probe.rotation,
    })
}

/// Name of the probe, which ends with the shape of its array.
fn probe_type(torso: &TorsoScene) -> String {
    let probe = &torso.scene.probe;
    let shape = match probe.transducer.kind {
        ArrayKind::Curvilinear { .. } => "convex",
        ArrayKind::Linear => "linear",
        ArrayKind::Phased { .. } => "phased",
    };
    format!("{}_{shape}", probe.name)
}

/// Transmitted frequency [MHz], number of elements, imaging depth [cm], width of a linear field of view [mm], radius [mm] and angle [°] of a
/// curved one; 0 where the array has none.
fn acquisition(torso: &TorsoScene, ultrasound: &PictureSettings) -> [f64; 6] {
    let transducer = &torso.scene.probe.transducer;
    let transmitted = ultrasound.controls.transmit_frequency;
    let width = match transducer.kind {
        ArrayKind::Linear => 1e3 * transducer.aperture(),
        ArrayKind::Curvilinear { .. } | ArrayKind::Phased { .. } => 0.0,
    };
    let radius = match transducer.kind {
        ArrayKind::Curvilinear { radius } => 1e3 * radius,
        ArrayKind::Linear | ArrayKind::Phased { .. } => 0.0,
    };
    [
        1e-6 * transmitted.unwrap_or(transducer.center_frequency),
        transducer.n_elements as f64,
        1e2 * ultrasound.depth_with(transducer),
        width,
        radius,
        transducer.field_of_view().to_degrees(),
    ]
}
