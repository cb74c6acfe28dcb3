//! Robots from users' files: the tree with the flange becomes an arm with torque motors, and the rest of the file is removed.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use insonate_models::mjcf::{Element, Mjcf, Namespace};
use insonate_models::robots::{FileOptions, Robot, from_file};
use insonate_models::{Scene, probes};

fn load(xml: &str, flange: &str) -> Result<Robot, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my robot.xml");
    std::fs::write(&path, xml).unwrap();
    from_file(&path, flange, &FileOptions::default()).map_err(|error| error.to_string())
}

/// A scene: a floor, an object, and an arm of two joints on a stand, with a gripper and a spring.
const SCENE: &str = r#"<mujoco model="lab: arm #1">
  <compiler autolimits="true"/>
  <option timestep="0.01"/>
  <default>
    <geom contype="2" conaffinity="1"/>
    <motor gear="50" ctrlrange="-1 1"/>
    <default class="arm">
      <joint armature="0.1" range="-90 30"/>
      <site pos="0 0 0.1" quat="0 1 0 0"/>
    </default>
  </default>
  <asset>
    <texture type="skybox" builtin="flat" width="4" height="4"/>
    <texture name="grid" type="2d" builtin="checker" width="4" height="4"/>
    <material name="floor" texture="grid"/>
    <material name="steel"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="1 1 1" material="floor"/>
    <body name="box"><freejoint/><geom size="0.1"/></body>
    <frame euler="0 0 90">
      <body name="base" pos="0.1 0.2 0.4" childclass="arm">
        <freejoint name="float"/>
        <light pos="0 0 1"/>
        <geom size="0.1" material="steel" contype="0" conaffinity="0"/>
        <body name="upper" pos="0 0 0.2">
          <joint axis="0 1 0"/>
          <geom size="0.1"/>
          <body name="fore" pos="0 0 0.5">
            <joint name="elbow" axis="0 1 0" limited="false" actuatorfrcrange="-7 9"/>
            <geom size="0.1"/>
            <site name="tip"/>
            <body name="finger" pos="0.1 0 0" zaxis="1 0 0">
              <joint name="finger" type="slide" axis="1 0 0" range="-1 1"/>
              <geom size="0.01"/>
              <body name="pad"><joint name="pad" stiffness="3" range="0 2"/><geom size="0.01"/></body>
            </body>
          </body>
        </body>
        <camera name="watcher" mode="targetbody" target="box"/>
      </body>
    </frame>
  </worldbody>
  <contact><exclude body1="upper" body2="fore"/><exclude body1="upper" body2="box"/></contact>
  <tendon><fixed name="grip"><joint joint="finger" coef="1"/></fixed></tendon>
  <actuator>
    <motor joint="elbow"/>
    <position name="elbow_servo" joint="elbow" kp="100" forcerange="-1 1"/>
    <position name="close" tendon="grip" kp="10"/>
  </actuator>
  <sensor><jointpos name="angle" joint="elbow"/><tendonpos name="width" tendon="grip"/><actuatorfrc actuator="close"/></sensor>
  <keyframe>
    <key name="other" qpos="0 0 0 1 0 0 0  0 0 0 1 0 0 0  0 0 0 0"/>
    <key name="home" qpos="0 0 0 1 0 0 0  0 0 0 1 0 0 0  -0.5 0.7 0.02 0.3"/>
  </keyframe>
</mujoco>"#;

#[test]
fn a_scene_becomes_a_robot() {
    let loaded = load(SCENE, "tip").unwrap();
    let robot = &loaded;
    assert_eq!(robot.name, "lab--arm--1");
    assert_eq!(robot.flange.as_deref(), Some("tip"));
    // The unnamed joint and the elbow belong to the arm, the pad is a spring; the base and the finger are fixed.
    assert_eq!(robot.home_qpos, [-0.5, 0.7, 0.3]);
    insta::assert_snapshot!(robot.mjcf.to_xml().unwrap(), @r#"
    <mujoco model="lab: arm #1">
      <compiler angle="radian"/>
      <default>
        <geom contype="2" conaffinity="1"/>
        <default class="arm">
          <joint armature="0.1"/>
          <site pos="0 0 0.1" quat="0 1 0 0"/>
        </default>
      </default>
      <asset>
        <material name="steel"/>
      </asset>
      <worldbody>
        <frame quat="0.7071067811865476 0 0 0.7071067811865475">
          <body name="base" childclass="arm" gravcomp="1">
            <geom size="0.1" material="steel" contype="0" conaffinity="0"/>
            <body name="upper" pos="0 0 0.2" gravcomp="1">
              <joint axis="0 1 0" range="-1.5707963267948966 0.5235987755982988" name="joint_2" type="hinge"/>
              <geom size="0.1" contype="9" conaffinity="4"/>
              <body name="fore" pos="0 0 0.5" gravcomp="1">
                <joint name="elbow" axis="0 1 0" limited="false" actuatorfrcrange="-7 9" range="-90 30" type="hinge"/>
                <geom size="0.1" contype="9" conaffinity="4"/>
                <site name="tip" pos="0 0 0.1" quat="0 1 0 0"/>
                <frame pos="0.1 0 0" zaxis="1 0 0">
                  <body name="finger" pos="0.02 0 0" quat="1 0 0 0" gravcomp="1">
                    <geom size="0.01" contype="9" conaffinity="4"/>
                    <body name="pad" gravcomp="1">
                      <joint name="pad" stiffness="3" range="0 0.03490658503988659" type="hinge"/>
                      <geom size="0.01" contype="9" conaffinity="4"/>
                    </body>
                  </body>
                </frame>
              </body>
            </body>
          </body>
        </frame>
      </worldbody>
      <contact>
        <exclude body1="upper" body2="fore"/>
        <exclude body1="base" body2="upper"/>
      </contact>
      <actuator>
        <motor name="joint_2" joint="joint_2" ctrlrange="-100 100" forcerange="-100 100"/>
        <motor name="elbow" joint="elbow" ctrlrange="-7 9" forcerange="-7 9"/>
      </actuator>
      <sensor>
        <jointpos name="angle" joint="elbow"/>
      </sensor>
    </mujoco>
    "#);
    insta::assert_snapshot!(loaded.notes.join("\n"), @r#"
    not part of the robot: body "box"
    body "base": moved from [0.1, 0.2, 0.4] to the robot's mount
    body "base": the free base is fixed to the mount
    the last link carries body "finger" next to the probe; without_tool leaves it out
    no torque limit is stated for joint_2: 100 N·m is used
    joints that do not move the flange are fixed: finger
    left out with what they refer to: <exclude>, fixed "grip", <actuatorfrc>, camera "watcher", tendonpos "width"
    site "tip": its +z, along which the probe leaves it, points 180° away from the end of the arm; if that is not meant, add <site name="probe_mount" pos="0 0 0.1" quat="1 0 0 0"/> to body "fore" and choose probe_mount as the flange
    "#);
}

#[test]
fn a_loaded_robot_carries_a_probe() {
    let robot = load(SCENE, "tip").unwrap();
    for (_, probe) in probes::ALL {
        let scene = Scene::new(robot.clone(), probe(), None).to_mjcf().unwrap();
        assert!(scene.find(Namespace::Joint, "robot/elbow").is_some());
        assert!(scene.find(Namespace::Actuator, "robot/elbow").is_some());
    }
}

/// An arm with one joint that has these attributes, below a world with this content.
fn arm(joint: &str, sections: &str) -> String {
    format!(
        "<mujoco><compiler angle='radian'/><worldbody><body name='base'><body name='link'><joint name='j' {joint}/>\
         <geom size='0.1'/><site name='flange'/></body></body></worldbody>{sections}</mujoco>"
    )
}

fn torque(joint: &str, actuator: &str) -> ([f64; 2], bool) {
    let loaded = load(
        &arm(joint, &format!("<actuator>{actuator}</actuator>")),
        "flange",
    )
    .unwrap();
    let mjcf: &Mjcf = &loaded.mjcf;
    let motors = mjcf.section("actuator").unwrap().children();
    assert_eq!(motors.len(), 1);
    assert_eq!(motors[0].tag(), "motor");
    assert_eq!(motors[0].get("gear"), None);
    let is_default = loaded
        .notes
        .iter()
        .any(|note| note.contains("no torque limit"));
    (motors[0].array("ctrlrange").unwrap(), is_default)
}

#[test]
fn torque_limits_come_from_the_file() {
    for (joint, actuator, expected) in [
        (
            "",
            "<motor joint='j' ctrlrange='-2 2' gear='10'/>",
            [-20.0, 20.0],
        ),
        (
            "",
            "<motor joint='j' ctrlrange='-2 3' gear='-10'/>",
            [-30.0, 20.0],
        ),
        (
            "",
            "<motor joint='j' ctrlrange='-2 2' forcerange='-1 1'/>",
            [-1.0, 1.0],
        ),
        (
            "",
            "<general joint='j' ctrlrange='-2 2' gainprm='4'/>",
            [-8.0, 8.0],
        ),
        (
            "",
            "<general joint='j' ctrlrange='-2 2' gainprm='4' biastype='affine' forcerange='-3 3'/>",
            [-3.0, 3.0],
        ),
        (
            "",
            "<position joint='j' kp='100' ctrlrange='-2 2' forcerange='-87 87'/>",
            [-87.0, 87.0],
        ),
        (
            "actuatorfrcrange='-5 5'",
            "<motor joint='j' ctrlrange='-9 9'/>",
            [-5.0, 5.0],
        ),
        ("actuatorfrcrange='-5 5'", "", [-5.0, 5.0]),
        (
            "",
            "<motor joint='j' ctrlrange='-2 2'/><motor joint='j' ctrlrange='-3 3'/>",
            [-3.0, 3.0],
        ),
    ] {
        assert_eq!(
            torque(joint, actuator),
            (expected, false),
            "{joint} {actuator}"
        );
    }
    for (joint, actuator) in [
        ("", ""),
        ("", "<position joint='j' ctrlrange='-2 2'/>"),
        (
            "",
            "<motor joint='j' ctrlrange='-2 2' ctrllimited='false'/>",
        ),
        ("", "<motor joint='j' ctrlrange='0 1'/>"),
        ("actuatorfrcrange='-5 5' actuatorfrclimited='false'", ""),
    ] {
        assert_eq!(
            torque(joint, actuator),
            ([-100.0, 100.0], true),
            "{joint} {actuator}"
        );
    }
}

#[test]
fn unsupported_arms_are_rejected() {
    for (xml, flange, expected) in [
        (arm("", ""), "hand", r#"no body, site or frame is called "hand"; the bodies are base, link; the sites are flange"#),
        (arm("", ""), "base", r#"no joint moves the flange "base""#),
        (arm(&"/><joint ".repeat(65), ""), "flange", "the number of joints that move the flange"),
        (arm("type='ball'", ""), "flange", "is a ball joint; an arm must have hinge and slide joints"),
        ("<mujoco/>".to_owned(), "flange", r#"no body, site or frame is called "flange""#),
        (
            "<mujoco><worldbody><site name='flange'/></worldbody></mujoco>".to_owned(),
            "flange",
            "fixed to the world",
        ),
        (
            "<mujoco><worldbody><replicate count='2'><body name='flange'/></replicate></worldbody></mujoco>".to_owned(),
            "flange",
            "elements that MuJoCo expands are not read",
        ),
    ] {
        let error = load(&xml, flange).unwrap_err();
        assert!(error.contains(expected), "{error}\n{expected}");
    }
}

#[test]
fn keyframes_that_do_not_fit_are_not_used() {
    for qpos in ["", "1 2"] {
        let key = if qpos.is_empty() {
            String::new()
        } else {
            format!("<keyframe><key qpos='{qpos}'/></keyframe>")
        };
        let loaded = load(&arm("range='0 3'", &key), "flange").unwrap();
        assert_eq!(loaded.home_qpos, [1.5]);
        let noted = loaded
            .notes
            .iter()
            .any(|note| note.contains("too many positions"));
        assert_eq!(noted, !qpos.is_empty());
    }
}

#[test]
fn a_robot_collides_with_itself_as_before_and_with_the_surroundings() {
    let loaded = load(SCENE, "tip").unwrap();
    let body = loaded.mjcf.find(Namespace::Body, "upper").unwrap();
    let geom: &Element = body.child("geom").unwrap();
    // contype 2 and conaffinity 1, shifted by two bits; bit 0 matches the surroundings' conaffinity of 1.
    assert_eq!(geom.array("contype"), Some([9.0]));
    assert_eq!(geom.array("conaffinity"), Some([4.0]));
    let base = loaded.mjcf.find(Namespace::Body, "base").unwrap();
    assert_eq!(base.child("geom").unwrap().array("contype"), Some([0.0]));
    assert_eq!(geom.get("group"), None);
    // Collision shapes are hidden if the body has visual shapes.
    let looks = arm("", "").replace(
        "<geom size='0.1'/>",
        "<geom size='0.1'/><frame><geom size='0.2' contype='0' conaffinity='0'/></frame>",
    );
    let link = load(&looks, "flange").unwrap().mjcf;
    let link = link.find(Namespace::Body, "link").unwrap();
    assert_eq!(link.child("geom").unwrap().array("group"), Some([3.0]));
    assert_eq!(
        link.child("frame").unwrap().children()[0].get("group"),
        None
    );
}

/// An arm of six hinges as in many products: about z, then y, y, then z, y, z in the wrist; 0.9 m long.
const SIX_JOINTS: &str = r#"<mujoco model="six"><compiler angle="radian"/><worldbody>
  <light/><body name="base">
    <body pos="0 0 0.2"><light/><joint name="a" range="-3 3"/><geom size="0.05"/>
      <body euler="1.5707963 0 0"><joint name="b" axis="0 0 -1" range="-2 2"/><geom size="0.05"/>
        <body pos="0 0.4 0"><joint name="c" axis="0 0 -1" limited="false"/><geom size="0.05"/>
          <body pos="0 0.3 0" zaxis="0 1 0"><joint name="d"/><geom size="0.05"/>
            <body pos="0 0 0.1" xyaxes="1 0 0 0 0 -1"><joint name="e" range="-2 2"/><geom size="0.05"/>
              <body pos="0 -0.1 0" axisangle="1 0 0 1.5707963"><joint name="f" range="-3 3"/><geom size="0.03"/>
                <site name="flange"/>
              </body></body></body></body></body></body></body></worldbody></mujoco>"#;

#[test]
fn an_arm_without_a_keyframe_starts_above_the_table() {
    let loaded = load(SIX_JOINTS, "flange").unwrap();
    assert!(
        loaded
            .notes
            .iter()
            .all(|note| !note.contains("no pose found")),
        "{:?}",
        loaded.notes
    );
    // Other tests compare forward kinematics with MuJoCo. This one checks the limits, and that home is not the middle of the ranges.
    let home = &loaded.home_qpos;
    assert_eq!(home.len(), 6);
    let limits = [
        3.0,
        2.0,
        std::f64::consts::PI,
        std::f64::consts::PI,
        2.0,
        3.0,
    ];
    assert!(
        home.iter().zip(limits).all(|(q, limit)| q.abs() <= limit),
        "{home:?}"
    );
    assert!(home.iter().any(|q| q.abs() > 0.3), "{home:?}");
    assert_eq!(load(SIX_JOINTS, "flange").unwrap().home_qpos, *home);
}

#[test]
fn a_flange_that_does_not_point_out_of_the_arm_is_noted() {
    let note_of = |site: &str| {
        let xml = SIX_JOINTS.replace(r#"<site name="flange"/>"#, site);
        let notes = load(&xml, "flange").unwrap().notes;
        notes
            .into_iter()
            .find(|note| note.contains("away from the end"))
    };
    assert_eq!(note_of(r#"<site name="flange"/>"#), None);
    assert_eq!(note_of(r#"<site name="flange" euler="0.8 0 0"/>"#), None);
    for (turn, angle) in [(r#"euler="0 1.5707963 0""#, 90), (r#"quat="0 1 0 0""#, 180)] {
        let note = note_of(&format!(r#"<site name="flange" pos="0 0 0.05" {turn}/>"#)).unwrap();
        assert!(note.contains(&format!("points {angle}° away")), "{note}");
        let straight = r#"<site name="probe_mount" pos="0 0 0.05" quat="1 0 0 0"/>"#;
        assert!(note.contains(straight), "{note}");
    }
}

#[test]
fn a_last_link_without_inertia_is_noted() {
    let is_noted = |content: &str| {
        let xml = SIX_JOINTS.replace(r#"<geom size="0.03"/>"#, content);
        let notes = load(&xml, "flange").unwrap().notes;
        notes
            .iter()
            .any(|note| note.contains("without mass or inertia"))
    };
    for heavy in [
        r#"<geom size="0.03"/>"#,
        r#"<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>"#,
        r#"<frame><body><geom size="0.03"/></body></frame>"#,
    ] {
        assert!(!is_noted(heavy), "{heavy}");
    }
    for light in [
        "",
        r#"<geom size="0.03" mass="0"/>"#,
        r#"<geom size="0.03"/><inertial pos="0 0 0" mass="1" diaginertia="0 0 0"/>"#,
        r#"<inertial pos="0 0 0" mass="0" diaginertia="1 1 1"/>"#,
        r#"<body><joint stiffness="1"/><geom size="0.03"/></body>"#,
    ] {
        assert!(is_noted(light), "{light}");
    }
}

/// Six joints on `base_link`, which is merged into the world, as MuJoCo does with the URDF of a fixed arm.
fn merged_base(world: &str) -> String {
    format!(
        r#"<mujoco><worldbody>{world}<body name="link_1" pos="0 0 0.33"><joint name="j1" axis="0 0 1"/><geom size="0.05"/>
        <body name="link_2" pos="0 0 0.3"><joint name="j2" axis="0 1 0"/><geom size="0.05"/></body></body></worldbody></mujoco>"#
    )
}

#[test]
fn a_base_that_is_merged_into_the_world_stays_with_the_robot() {
    let world = r#"<geom name="floor" type="plane" size="1 1 1"/><geom name="table" type="box" size="0.4 0.6 0.3" pos="0.8 0 0"/>
        <geom name="foot" type="cylinder" size="0.07 0.05" pos="0 0 0.05"/>"#;
    let robot = load(&merged_base(world), "link_2").unwrap();
    let notes = &robot.notes;
    let base = &robot.mjcf.section("worldbody").unwrap().children()[0];
    assert_eq!((base.tag(), base.name()), ("body", Some("base")));
    assert_eq!(base.child("geom").and_then(Element::name), Some("foot"));
    let link = robot.mjcf.find(Namespace::Body, "link_1").unwrap();
    assert_eq!(link.array("pos"), Some([0.0, 0.0, 0.33]));
    let said = notes.join("\n");
    assert!(
        said.contains(r#"belong to the robot's base: geom "foot""#),
        "{said}"
    );
    assert!(
        said.contains(r#"not part of the robot: geom "table""#),
        "{said}"
    );
    assert!(!said.contains("moved"), "{said}");
}

#[test]
fn a_first_moving_body_keeps_its_position() {
    let robot = load(&merged_base(""), "link_2").unwrap();
    let link = robot.mjcf.find(Namespace::Body, "link_1").unwrap();
    assert_eq!(link.array("pos"), Some([0.0, 0.0, 0.33]));
    let held = merged_base("").replace("<worldbody>", r#"<worldbody><frame pos="1 0 0.8">"#);
    let held = held.replace("</worldbody>", "</frame></worldbody>");
    let robot = load(&held, "link_2").unwrap();
    let notes = &robot.notes;
    let link = robot.mjcf.find(Namespace::Body, "link_1").unwrap();
    assert_eq!(link.array("pos"), Some([0.0, 0.0, 0.33]));
    assert!(
        notes.join("\n").contains("moved from [1.0, 0.0, 0.8]"),
        "{notes:?}"
    );
}

#[test]
fn tools_on_the_last_link_are_reported_and_can_be_removed() {
    let tool = r#"<body name="hand"><geom size="0.02"/><body name="finger"><joint name="grip" type="slide"/><geom size="0.01"/></body></body>
        <body name="tool0"/><site name="flange"/>"#;
    let xml = SIX_JOINTS.replace(r#"<site name="flange"/>"#, tool);
    let robot = load(&xml, "flange").unwrap();
    let notes = &robot.notes;
    assert!(robot.mjcf.find(Namespace::Body, "finger").is_some());
    let said = notes.join("\n");
    assert!(
        said.contains(r#"the last link carries body "hand""#),
        "{said}"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arm.xml");
    std::fs::write(&path, &xml).unwrap();
    let options = FileOptions {
        without_tool: true,
        ..FileOptions::default()
    };
    let robot = from_file(&path, "flange", &options).unwrap();
    let notes = &robot.notes;
    for (body, is_kept) in [("hand", false), ("finger", false), ("tool0", true)] {
        assert_eq!(
            robot.mjcf.find(Namespace::Body, body).is_some(),
            is_kept,
            "{body}"
        );
    }
    assert!(
        notes
            .join("\n")
            .contains(r#"left out as tools: body "hand""#),
        "{notes:?}"
    );
}

/// A tetrahedron with edges of `size`.
fn mesh_file(size: f64) -> String {
    format!(
        "v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
}

#[test]
fn meshes_in_millimetres_are_noticed() {
    let load = |size: f64, geom: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("cover.obj"), mesh_file(size)).unwrap();
        let xml = SIX_JOINTS
            .replacen(
                "<worldbody>",
                r#"<asset><mesh name="cover" file="cover.obj"/></asset><worldbody>"#,
                1,
            )
            .replace(
                r#"<site name="flange"/>"#,
                &format!(r#"<geom type="mesh" mesh="cover" {geom}/><site name="flange"/>"#),
            );
        let path = folder.path().join("arm.xml");
        std::fs::write(&path, xml).unwrap();
        from_file(&path, "flange", &FileOptions::default()).map_err(|error| error.to_string())
    };
    let cure = r#"is it in millimetres? write scale="0.001 0.001 0.001""#;
    let seen = load(80.0, r#"contype="0" conaffinity="0""#)
        .unwrap()
        .notes
        .join("\n");
    assert!(
        seen.contains(r#"mesh "cover": 80.000 m across"#) && seen.contains(cure),
        "{seen}"
    );
    let error = load(80.0, "").unwrap_err();
    assert!(error.contains(cure), "{error}");
    assert!(!load(0.08, "").unwrap().notes.join("\n").contains("across"));
}

#[test]
fn a_flange_hint_is_correct_and_not_repeated() {
    let hints = |xml: &str, flange: &str| {
        let notes = load(xml, flange).unwrap().notes;
        let is_hint = |note: &&String| note.contains("away from the end");
        notes.iter().find(is_hint).cloned()
    };
    // +z is along the axis of the last joint, whose link is offset from the wrist.
    let adjacent = SIX_JOINTS.replace(
        r#"<site name="flange"/>"#,
        r#"<body pos="0.035 0 0"><joint axis="0 0 1"/><geom size="0.03"/><site name="flange"/></body>"#,
    );
    assert_eq!(hints(&adjacent, "flange"), None);
    // The flange is a little behind the origin of the last link, and far in front of the previous link.
    let behind = SIX_JOINTS.replace(
        r#"<site name="flange"/>"#,
        r#"<site name="flange" pos="0 0 -0.03"/>"#,
    );
    assert_eq!(hints(&behind, "flange"), None);
    // After a hint was followed, there is no further hint.
    for turn in [
        r#"euler="0 1.5707963 0""#,
        r#"quat="0 1 0 0""#,
        r#"euler="1.4 0 0""#,
    ] {
        let site = format!(r#"<site name="flange" pos="0 0 0.05" {turn}/>"#);
        let xml = SIX_JOINTS.replace(r#"<site name="flange"/>"#, &site);
        let note = hints(&xml, "flange").expect(turn);
        let (_, rest) = note.split_once("add ").unwrap();
        let (mount, _) = rest.split_once(" to ").unwrap();
        let followed = xml.replace(&site, &format!("{site}{mount}"));
        assert_eq!(hints(&followed, "probe_mount"), None, "{mount}");
    }
    // A slide as last joint gives no direction of the tool.
    let gantry = r#"<mujoco><worldbody><body name="base"><body pos="0.1 0 0"><joint name="x" type="slide" axis="1 0 0"/><geom size="0.03"/>
        <body name="carriage" pos="0.1 0 0"><joint name="z" type="slide"/><geom size="0.03"/><site name="flange" quat="0 1 0 0"/></body>
        </body></body></worldbody></mujoco>"#;
    assert_eq!(hints(gantry, "flange"), None);
}

#[test]
fn radians_in_a_file_of_degrees_are_noticed() {
    let is_noted = |xml: &str| {
        let notes = load(xml, "flange").unwrap().notes;
        notes.iter().any(|note| note.contains("angles in radians"))
    };
    assert!(!is_noted(SIX_JOINTS));
    let degrees = SIX_JOINTS
        .replace(r#"<compiler angle="radian"/>"#, "")
        .replace(r#"limited="false""#, r#"range="-3 3""#)
        .replace(r#"<joint name="d"/>"#, r#"<joint name="d" range="-3 3"/>"#);
    assert!(is_noted(&degrees));
}
