//! Contract: the arena has the named geoms, cameras and mounts at the documented positions, and every robot with every
//! probe can be attached to it to form a valid document.

#![expect(clippy::unwrap_used, reason = "a missing element fails the test")]

use insonate_models::arena::{Arena, ROBOT_BASE, TABLE_HEIGHT, TABLE_SIZE};
use insonate_models::mjcf::{Mjcf, Namespace};
use insonate_models::{probes, robots};

/// Arena, robot and probe in one document.
fn assemble(robot: &robots::Robot, probe: &probes::Probe) -> Mjcf {
    let arena = Arena::clinic();
    let mut mjcf = arena.mjcf;
    mjcf.attach(&arena.robot_mount, robot.mjcf.clone(), "robot/")
        .unwrap();
    mjcf.attach(
        &format!("robot/{}", robot.flange.as_deref().unwrap()),
        probe.mjcf.clone(),
        "probe/",
    )
    .unwrap();
    mjcf
}

#[test]
fn every_robot_with_a_flange_carries_every_probe() {
    for (robot_name, robot) in robots::ALL {
        if robot().flange.is_none() {
            continue;
        }
        for (probe_name, probe) in probes::ALL {
            let mjcf = assemble(&robot(), &probe());
            let xml = mjcf
                .to_xml()
                .unwrap_or_else(|error| panic!("{robot_name} with {probe_name}: {error}"));
            assert!(
                xml.len() < 600_000,
                "{robot_name} with {probe_name}: {} bytes",
                xml.len()
            );
            for site in ["probe/face_center", "probe/ft", "probe/imaging_plane"] {
                assert!(mjcf.find(Namespace::Site, site).is_some(), "{site}");
            }
            let flange = mjcf.find(Namespace::Body, "robot/flange").unwrap();
            assert_eq!(
                flange.child("body").and_then(|body| body.name()),
                Some("probe/probe")
            );
        }
    }
}

#[test]
fn named_elements_are_at_the_documented_positions() {
    let arena = Arena::default();
    let mjcf = &arena.mjcf;
    assert!(mjcf.to_xml().is_ok(), "{:?}", mjcf.to_xml());
    assert!(mjcf.find(Namespace::Geom, "floor").is_some());
    let table = mjcf.find(Namespace::Geom, "table").unwrap();
    let ([half_x, half_y, half_z], [x, y, z]) =
        (table.array("size").unwrap(), table.array("pos").unwrap());
    assert!(
        (z + half_z - TABLE_HEIGHT).abs() < 1e-12,
        "the table top is at {}",
        z + half_z
    );
    assert!(
        (2.0 * half_x - TABLE_SIZE[0]).abs() < 0.01
            && (2.0 * half_y - TABLE_SIZE[1]).abs() < 0.01
            && x == 0.0
            && y == 0.0
    );
    assert!(
        ROBOT_BASE[0] + 0.15 < -half_x,
        "the pedestal is next to the table"
    );
    let mount = |name: &str| mjcf.find(Namespace::Site, name).unwrap().array("pos");
    assert_eq!(mount(&arena.robot_mount), Some(ROBOT_BASE));
    assert_eq!(mount(&arena.torso_mount), Some([0.0, 0.0, TABLE_HEIGHT]));
}

#[test]
fn cameras_look_at_the_torso() {
    let arena = Arena::clinic();
    assert_eq!(
        arena.mjcf.names(Namespace::Camera),
        ["front", "side", "close", "top"]
    );
    for name in ["front", "side", "close", "top"] {
        let camera = arena.mjcf.find(Namespace::Camera, name).unwrap();
        let (pos, axes) = (
            camera.array::<3>("pos").unwrap(),
            camera.array::<6>("xyaxes").unwrap(),
        );
        let [right, up] = [[axes[0], axes[1], axes[2]], [axes[3], axes[4], axes[5]]];
        let back = [
            right[1] * up[2] - right[2] * up[1],
            right[2] * up[0] - right[0] * up[2],
            right[0] * up[1] - right[1] * up[0],
        ];
        let to_torso = [0.0 - pos[0], 0.0 - pos[1], 0.9 - pos[2]];
        let distance = to_torso.iter().map(|x| x * x).sum::<f64>().sqrt();
        let cosine = -(0..3).map(|i| to_torso[i] * back[i]).sum::<f64>() / distance;
        assert!(
            cosine > 0.99,
            "{name} looks {} degrees past the torso",
            cosine.acos().to_degrees()
        );
    }
}

#[test]
fn surroundings_collide_with_the_probe_but_not_with_each_other() {
    let arena = Arena::clinic();
    let class = arena
        .mjcf
        .find(Namespace::Default, "surroundings")
        .unwrap()
        .child("geom")
        .unwrap();
    assert_eq!(
        (class.array("contype"), class.array("conaffinity")),
        (Some([0.0]), Some([1.0]))
    );
    for name in arena.mjcf.names(Namespace::Geom) {
        let geom = arena.mjcf.find(Namespace::Geom, name).unwrap();
        assert_eq!(geom.text("class"), Some("surroundings"), "{name}");
    }
}
