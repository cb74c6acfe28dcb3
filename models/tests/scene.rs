//! Contract: every robot with every probe (or its own instrument) and every torso makes one valid, deterministic document with the
//! documented names.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_models::mjcf::Namespace;
use insonate_models::scene::{PROBE, ROBOT};
use insonate_models::torsos::TorsoConfig;
use insonate_models::{Scene, probes, robots, torsos};

fn scenes() -> Vec<Scene> {
    let torsos = || {
        torsos::ALL
            .iter()
            .map(|kind| Some((kind.build)(&TorsoConfig::default()).unwrap()))
    };
    let mut scenes = Vec::new();
    for (_, robot) in robots::ALL {
        for (_, probe) in probes::ALL {
            scenes.extend(
                torsos()
                    .chain([None])
                    .map(|torso| Scene::new(robot(), probe(), torso)),
            );
        }
    }
    scenes
}

#[test]
fn every_combination_is_valid_and_deterministic() {
    for scene in scenes() {
        let xml = scene.to_mjcf().unwrap().to_xml().unwrap();
        assert_eq!(
            xml,
            scene.to_mjcf().unwrap().to_xml().unwrap(),
            "{}",
            scene.name()
        );
        assert!(xml.starts_with(&format!("<mujoco model=\"{}\">", scene.name())));
    }
}

#[test]
fn every_combination_has_the_documented_names() {
    for scene in scenes() {
        let mjcf = scene.to_mjcf().unwrap();
        let sensors = mjcf.names(Namespace::Sensor);
        let carries = scene.robot.flange.is_some();
        for sensor in [
            "force",
            "torque",
            "position",
            "orientation",
            "linear_velocity",
            "angular_velocity",
        ] {
            assert_eq!(
                sensors.contains(&format!("{PROBE}{sensor}").as_str()),
                carries,
                "{}: {sensor}",
                scene.name()
            );
        }
        for joint in scene.robot.mjcf.names(Namespace::Joint) {
            assert!(sensors.contains(&format!("{ROBOT}{joint}/position").as_str()));
            let motor = mjcf.find(Namespace::Actuator, &format!("{ROBOT}{joint}"));
            assert_eq!(motor.is_some(), carries, "{}: {joint}", scene.name());
        }
        let own = if carries {
            "probe/camera"
        } else {
            "robot/instrument"
        };
        for camera in ["front", "side", "top", own] {
            assert!(
                mjcf.find(Namespace::Camera, camera).is_some(),
                "{} has no camera {camera}",
                scene.name()
            );
        }
        assert!(mjcf.find(Namespace::Key, "home").is_some());
        assert_eq!(
            scene.torso.is_some(),
            mjcf.find(Namespace::Body, "torso/torso").is_some()
        );
    }
}

#[test]
fn surface_above_is_in_world_coordinates() {
    for scene in scenes().into_iter().filter(|scene| scene.torso.is_some()) {
        let point = scene.surface_above(0.0, 0.0).unwrap();
        assert!(
            point.position[2] > scene.torso_position[2] + 0.05,
            "{}: {point:?}",
            scene.name()
        );
        assert!(point.normal[2] > 0.9, "{}: {point:?}", scene.name());
        assert!(scene.surface_above(0.6, 0.0).is_none());
    }
}

#[test]
fn invalid_scenes_are_rejected() {
    let mut scene = Scene::new(robots::panda::panda(), probes::c5_2(), None);
    scene.timestep = f64::NAN;
    assert_eq!(
        scene.to_mjcf().unwrap_err().to_string(),
        "timestep is NaN; it must be between 0.00001 and 0.02 s"
    );
    scene.timestep = 0.002;
    scene.robot.flange = Some("hand".to_owned());
    let message = scene.to_mjcf().unwrap_err().to_string();
    assert!(
        message.starts_with("no body, site or frame is called \"robot/hand\""),
        "{message}"
    );
    scene.robot.home_qpos.pop();
    assert!(scene.to_mjcf().is_err());
    let kind = torsos::by_name("flex").unwrap();
    let torso = (kind.build)(&TorsoConfig::default()).unwrap();
    let mut scene = Scene::new(robots::panda::panda(), probes::c5_2(), Some(torso));
    scene.timestep = 0.004;
    let message = scene.to_mjcf().unwrap_err().to_string();
    assert_eq!(
        message,
        "timestep is 0.004 s; it must be at most 0.002 s with a flex torso"
    );
}
