//! Contract: errors of MuJoCo in a user's robot are reported by name before anything is written; for an arm that does not reach the
//! torso, a base position is suggested.

mod command;

use std::path::{Path, PathBuf};

use command::{json, refused};
use insonate::envs::{ResetOptions, settings, tasks};
use insonate::models::mjcf::{Mjcf, Namespace};
use insonate::models::robots;

/// An arm with six hinges. `asset` is next to the worldbody, and `in_elbow` is in the third link.
fn arm(folder: &Path, asset: &str, in_elbow: &str) -> PathBuf {
    let path = folder.join("arm.xml");
    let xml = format!(
        r#"<mujoco model="six"><compiler angle="radian"/>{asset}<worldbody><body name="base">
  <body pos="0 0 0.2"><joint name="a" range="-3 3"/><geom size="0.05"/>
    <body euler="1.5707963 0 0"><joint name="b" axis="0 0 -1" range="-2 2"/><geom size="0.05"/>
      <body name="elbow" pos="0 0.4 0"><joint name="c" axis="0 0 -1" range="-3 3"/>{in_elbow}<geom size="0.05"/>
        <body pos="0 0.3 0" zaxis="0 1 0"><joint name="d" range="-3 3"/><geom size="0.05"/>
          <body pos="0 0 0.1" xyaxes="1 0 0 0 0 -1"><joint name="e" range="-2 2"/><geom size="0.05"/>
            <body pos="0 -0.1 0" axisangle="1 0 0 1.5707963"><joint name="f" range="-3 3"/><geom size="0.03"/>
              <site name="flange"/>
            </body></body></body></body></body></body></body></worldbody></mujoco>"#
    );
    std::fs::write(&path, xml).expect("the folder is writable");
    path
}

#[test]
fn models_that_mujoco_refuses_are_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let flat = r#"<asset><mesh name="plate" vertex="0 0 0 1 0 0 0 1 0 1 1 0 1 2 0" face="0 1 2 1 2 3 2 3 4"/></asset>"#;
    for (asset, in_elbow, problem) in [
        (
            flat,
            r#"<geom type="mesh" mesh="plate"/>"#,
            "mesh 'robot/plate'",
        ),
        (
            "",
            r#"<inertial pos="0 0 0" mass="1" diaginertia="0 0 0"/>"#,
            "element 'robot/elbow'",
        ),
    ] {
        let file = arm(folder.path(), asset, in_elbow);
        let output = folder.path().join("scene.xml");
        let (file, scene) = (file.display(), output.display());
        let line = refused(
            &format!("scene --robot-file {file} --flange flange --output {scene}"),
            1,
        );
        assert!(line.contains(problem), "{line}");
        assert!(!output.exists());
    }
}

#[test]
fn an_arm_out_of_reach_gets_a_base_position() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = arm(folder.path(), "", "");
    let log = folder.path().join("press");
    let press = |position: &str| {
        let (file, log) = (file.display(), log.display());
        format!(
            "press --no-pictures --depth 0.005 --robot-file {file} --flange flange --robot-position {position} --output {log}"
        )
    };
    let line = refused(&press("-1,0,0.8"), 1);
    assert!(line.contains("cannot reach"), "{line}");
    let (_, advised) = line.split_once("--robot-position ").expect(&line);
    let summary = json(&press(advised));
    assert!(summary.is_object(), "{summary}");
}

#[test]
fn a_task_tells_what_was_assumed_of_a_robot_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = arm(folder.path(), "", "");
    let mut given = toml::Table::new();
    for (name, value) in [
        ("scene.robot_file", path.to_str().expect("UTF-8")),
        ("scene.flange", "flange"),
    ] {
        settings::set(&mut given, name, value).expect("a name");
    }
    let kind = tasks::by_name("table-slide").expect("a task");
    let warnings = (kind.build)(&given).expect("the file is a robot").warnings;
    let file = path.display().to_string();
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("no torque limit is stated"))
    );
    assert!(warnings.iter().all(|warning| warning.contains(&file)));
}

#[test]
fn a_task_takes_a_robot_file_and_notices_that_it_has_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("own.xml");
    let mut arm = robots::ur5e::ur5e().mjcf;
    let write = |arm: &Mjcf| {
        let xml = arm.to_xml().expect("it is valid");
        std::fs::write(&path, xml).expect("the folder is writable");
    };
    write(&arm);
    let kind = tasks::by_name("table-slide").expect("a task");
    let flange = robots::ur5e::ur5e().flange.expect("it carries a probe");
    let mut given = toml::Table::new();
    for (name, value) in [
        ("scene.robot_file", path.to_str().expect("UTF-8")),
        ("scene.flange", &flange),
    ] {
        settings::set(&mut given, name, value).expect("a name");
    }
    let factory = (kind.build)(&given).expect("the file is a robot");
    let mut env = factory.make().expect("the task takes it");
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    env.reset(1, &ResetOptions::default(), &mut observation)
        .expect("it starts");
    let recorded = factory.settings;
    let checksum = recorded["scene"]["robot_sha256"].as_str();
    assert!(checksum.is_some_and(|digits| digits.len() == 64));
    let again = (kind.build)(&recorded).expect("the same robot");
    assert_eq!(again.settings, recorded);

    let joint = arm.names(Namespace::Joint)[0].to_owned();
    let joint = arm.find_mut(Namespace::Joint, &joint).expect("its joint");
    joint.set("damping", 7.0);
    write(&arm);
    let line = (kind.build)(&recorded).expect_err("another robot");
    let line = line.to_string();
    assert!(
        line.contains("own.xml") && line.contains("scene.robot_sha256"),
        "{line}"
    );
    let mut accepted = recorded.clone();
    settings::set(&mut accepted, "scene.robot_sha256", "\"\"").expect("a name");
    let accepted = (kind.build)(&accepted).expect("it is accepted");
    assert_ne!(accepted.settings, recorded);

    let mut without_file = toml::Table::new();
    settings::set(&mut without_file, "scene.flange", "tool0").expect("a name");
    let line = (kind.build)(&without_file).expect_err("no file");
    assert!(line.to_string().contains("needs scene.robot_file"));
}
