//! Robots from URDF, compared with forward kinematics from the origins, and from MJCF that only MuJoCo can expand.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use insonate_sim::robot_file::{self, LoadOptions, Package, RobotFileError};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// Origin xyz, rpy and axis of each joint.
const JOINTS: [([f64; 3], [f64; 3], [f64; 3]); 6] = [
    ([0.0, 0.0, 0.15], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
    ([0.0, 0.14, 0.0], [0.0, 1.57, 0.1], [0.0, 1.0, 0.0]),
    ([0.0, -0.12, 0.43], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
    ([0.0, 0.0, 0.39], [0.0, 1.57, 0.0], [0.0, 1.0, 0.0]),
    ([0.0, 0.09, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
    ([0.0, 0.0, 0.095], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
];
const TOOL: ([f64; 3], [f64; 3]) = ([0.0, 0.08, 0.0], [-1.57, 0.0, 0.0]);

fn text(v: [f64; 3]) -> String {
    format!("{} {} {}", v[0], v[1], v[2])
}

/// The arm; joint 6 has no effort.
fn arm(mesh: &str) -> String {
    let inertial = "<inertial><mass value=\"2\"/><inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" izz=\"0.01\"/></inertial>";
    let shape = "<geometry><cylinder radius=\"0.04\" length=\"0.06\"/></geometry>";
    let mut urdf = format!(
        "<robot name=\"six\"><link name=\"base_link\">{inertial}<visual><geometry><mesh filename=\"look.dae\"/></geometry></visual>\
         <collision><geometry><mesh filename=\"{mesh}\"/></geometry></collision></link>"
    );
    for (index, (xyz, rpy, axis)) in JOINTS.iter().enumerate() {
        let number = index + 1;
        let parent = if index == 0 {
            "base_link".to_owned()
        } else {
            format!("link{index}")
        };
        let effort = if number == 6 { "" } else { "effort=\"150\"" };
        write!(
            urdf,
            "<link name=\"link{number}\">{inertial}<collision>{shape}</collision></link>\
             <joint name=\"j{number}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"link{number}\"/>\
             <origin xyz=\"{}\" rpy=\"{}\"/><axis xyz=\"{}\"/><limit lower=\"-3.1\" upper=\"3.1\" {effort} velocity=\"2\"/>\
             <dynamics damping=\"0.5\"/></joint>",
            text(*xyz),
            text(*rpy),
            text(*axis)
        )
        .unwrap();
    }
    urdf + &format!(
        "<link name=\"tool0\"/><joint name=\"tool\" type=\"fixed\"><parent link=\"link6\"/><child link=\"tool0\"/>\
         <origin xyz=\"{}\" rpy=\"{}\"/></joint></robot>",
        text(TOOL.0),
        text(TOOL.1)
    )
}

fn origin(xyz: [f64; 3], rpy: [f64; 3]) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_euler_angles(rpy[0], rpy[1], rpy[2]);
    Isometry3::from_parts(Translation3::from(Vector3::from(xyz)), turn)
}

fn kinematics(q: &[f64]) -> Isometry3<f64> {
    let mut pose = Isometry3::identity();
    for ((xyz, rpy, axis), angle) in JOINTS.iter().zip(q) {
        pose = pose
            * origin(*xyz, *rpy)
            * UnitQuaternion::from_scaled_axis(Vector3::from(*axis) * *angle);
    }
    pose * origin(TOOL.0, TOOL.1)
}

/// A tetrahedron of 5 cm.
fn stl() -> Vec<u8> {
    let corners = [
        [0.0_f32, 0.0, 0.0],
        [0.05, 0.0, 0.0],
        [0.0, 0.05, 0.0],
        [0.0, 0.0, 0.05],
    ];
    let mut bytes = vec![0; 80];
    bytes.extend(4_u32.to_le_bytes());
    for face in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] {
        bytes.extend([0; 12]);
        for corner in face {
            bytes.extend(corners[corner].iter().flat_map(|x: &f32| x.to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn write(folder: &Path, urdf: &str) -> std::path::PathBuf {
    fs::create_dir_all(folder.join("six_description/meshes")).unwrap();
    fs::create_dir_all(folder.join("six_description/urdf")).unwrap();
    fs::write(folder.join("six_description/meshes/base.stl"), stl()).unwrap();
    let file = folder.join("six_description/urdf/six.urdf");
    fs::write(&file, urdf).unwrap();
    file
}

#[test]
fn flange_stands_where_the_origins_put_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(
        folder.path(),
        &arm("package://six_description/meshes/base.stl"),
    );
    let loaded = robot_file::load(&file, "tool0", &LoadOptions::default()).unwrap();
    let said = loaded.notes.join("\n");
    assert!(
        said.contains("package \"six_description\" is taken from"),
        "{said}"
    );
    assert!(
        said.contains("joint \"j6\": -3.1 to 3.1 rad, no effort in the file: 100 N·m are assumed"),
        "{said}"
    );
    assert!(
        said.contains("joint \"j1\": -3.1 to 3.1 rad, effort 150 N·m"),
        "{said}"
    );
    let home = kinematics(&loaded.home_qpos);
    let model = insonate_sim::compile(&loaded.mjcf.to_xml().unwrap()).unwrap();
    let mut data = insonate_sim::MjData::new(model);
    data.qpos_mut().copy_from_slice(&loaded.home_qpos);
    data.forward();
    let tool = data.model().body("tool0").unwrap().id;
    let found = Vector3::from(data.xpos()[tool]);
    assert!(
        (found - home.translation.vector).norm() < 1e-6,
        "{found} {home}"
    );
    assert!(data.model().body("base_link").is_some());
}

fn refusal(urdf: &str, flange: &str, packages: &[Package]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), urdf);
    let options = LoadOptions {
        packages: packages.to_vec(),
        ..LoadOptions::default()
    };
    let error: RobotFileError = robot_file::load(&file, flange, &options).unwrap_err();
    error.to_string()
}

#[test]
fn errors_name_the_problem() {
    let good = arm("package://six_description/meshes/base.stl");
    assert!(refusal(&good, "tool9", &[]).contains("there is no link \"tool9\""));
    assert!(
        refusal(&arm("package://other/base.stl"), "tool0", &[])
            .contains("give its folder as package other=DIR")
    );
    assert!(refusal(&arm("../meshes/base.stl"), "tool0", &[]).contains("it lies outside"));
    assert!(refusal(&arm("base.dae"), "tool0", &[]).contains("must be .stl or .obj"));
    let floating = good.replacen("revolute", "floating", 1);
    assert!(
        refusal(&floating, "tool0", &[]).contains("joint \"j1\": type \"floating\" is not read")
    );
    let word = good.replacen("upper=\"3.1\"", "upper=\"far\"", 1);
    assert!(refusal(&word, "tool0", &[]).contains("joint \"j1\": limit upper: \"far\""));
    let mimic = good.replacen("<dynamics", "<mimic joint=\"j2\"/><dynamics", 1);
    assert!(refusal(&mimic, "tool0", &[]).contains("joint \"j1\": mimic"));
    assert!(
        refusal(
            &good.replace("<robot", "<robot><xacro:macro/>"),
            "tool0",
            &[]
        )
        .contains("xacro ")
    );
}

#[test]
fn packages_lie_where_the_option_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), &arm("package://meshes_elsewhere/base.stl"));
    let elsewhere = folder.path().join("store");
    fs::create_dir(&elsewhere).unwrap();
    let options = LoadOptions {
        packages: vec![Package {
            name: "meshes_elsewhere".to_owned(),
            folder: elsewhere.clone(),
        }],
        ..LoadOptions::default()
    };
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5284\n";
    fs::write(elsewhere.join("base.stl"), pointer).unwrap();
    let error = robot_file::load(&file, "tool0", &options).unwrap_err();
    assert!(error.to_string().contains("Git LFS pointer"), "{error}");
    fs::write(elsewhere.join("base.stl"), stl()).unwrap();
    robot_file::load(&file, "tool0", &options).unwrap();
}

#[test]
fn a_continuous_joint_has_no_limits() {
    let folder = tempfile::tempdir().unwrap();
    let turning =
        arm("package://six_description/meshes/base.stl").replacen("revolute", "continuous", 1);
    let file = write(folder.path(), &turning);
    let loaded = robot_file::load(&file, "tool0", &LoadOptions::default()).unwrap();
    let said = loaded.notes.join("\n");
    assert!(
        said.contains("joint \"j1\": no limits, effort 150 N·m"),
        "{said}"
    );
    let model = insonate_sim::compile(&loaded.mjcf.to_xml().unwrap()).unwrap();
    let joint = |name: &str| model.joint(name).unwrap().id;
    assert!(!model.jnt_limited()[joint("j1")] && model.jnt_limited()[joint("j2")]);
    // The efforts in the file are the motors' limits.
    let range = model.actuator_ctrlrange()[0];
    assert!(
        (range[0] + 150.0).abs() < 1e-9 && (range[1] - 150.0).abs() < 1e-9,
        "{range:?}"
    );
}

/// Two joints and a tool.
const ARM: &str = r#"<mujoco model="two"><compiler angle="degree"/><default><geom mass="1"/><default class="thin"><geom size="0.01"/></default></default>
<worldbody><body name="base"><geom name="foot" size="0.05"/>
<body name="link1" pos="0 0 0.2"><joint name="j1" axis="0 0 1" range="-170 170" actuatorfrcrange="-50 50"/><geom size="0.05"/>
<body name="link2" pos="0.3 0 0"><joint name="j2" axis="0 1 0" range="-90 90" actuatorfrcrange="-40 40"/><geom class="thin"/></body></body></body>
</worldbody><contact><exclude body1="base" body2="link2"/></contact></mujoco>"#;

fn cell(prefix: &str) -> String {
    format!(
        r#"<mujoco model="cell"><asset><model name="two" file="arms/two.xml"/></asset><worldbody><geom type="plane" size="1 1 1"/>
        <frame pos="0 0 0.4"><attach model="two" body="base" {prefix}/></frame></worldbody></mujoco>"#
    )
}

#[test]
fn attached_models_are_joined_by_mujoco() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("arms")).unwrap();
    fs::write(folder.path().join("arms/two.xml"), ARM).unwrap();
    let file = folder.path().join("cell.xml");
    for (prefix, link) in [
        (r#"prefix="left_""#, "left_link2"),
        (r#"prefix="""#, "link2"),
        ("", "link2"),
    ] {
        fs::write(&file, cell(prefix)).unwrap();
        let robot = robot_file::load(&file, link, &LoadOptions::default()).unwrap();
        let model = insonate_sim::compile(&robot.mjcf.to_xml().unwrap()).unwrap();
        assert_eq!(model.ffi().nu, 2, "{prefix}");
        let joint = link.replace("link2", "j2");
        let id = model.joint(&joint).unwrap().id;
        let range = model.jnt_range()[id];
        assert!(
            (range[1] - std::f64::consts::FRAC_PI_2).abs() < 1e-5,
            "{range:?}"
        );
        let body = model.body(link).unwrap().id;
        assert!((model.body_pos()[body][0] - 0.3).abs() < 1e-12);
        assert!((model.body_mass()[body] - 1.0).abs() < 1e-12);
    }
}

#[test]
fn attached_models_stay_in_the_root() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("cell")).unwrap();
    fs::create_dir(folder.path().join("arms")).unwrap();
    fs::write(folder.path().join("arms/two.xml"), ARM).unwrap();
    let file = folder.path().join("cell/cell.xml");
    fs::write(&file, cell("").replace("arms/two", "../arms/two")).unwrap();
    let outside = robot_file::load(&file, "link2", &LoadOptions::default()).unwrap_err();
    assert!(outside.to_string().contains("two.xml"), "{outside}");
    let options = LoadOptions {
        root: Some(folder.path().to_owned()),
        ..LoadOptions::default()
    };
    robot_file::load(&file, "link2", &options).unwrap();
    // A model that attaches itself never ends.
    let itself = cell("").replace("arms/two.xml", "cell.xml");
    fs::write(&file, itself).unwrap();
    let endless = robot_file::load(&file, "link2", &options).unwrap_err();
    assert!(
        endless.to_string().contains("more than 64 models"),
        "{endless}"
    );
}

#[test]
fn replicas_are_made_by_mujoco() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arm.xml");
    let screws = r#"<replicate count="6" euler="0 0 60"><geom size="0.004" pos="0.06 0 0.1" contype="0" conaffinity="0" mass="0"/></replicate>"#;
    fs::write(
        &file,
        ARM.replace(
            r#"<geom name="foot""#,
            &format!("{screws}<geom name=\"foot\""),
        ),
    )
    .unwrap();
    let robot = robot_file::load(&file, "link2", &LoadOptions::default()).unwrap();
    let model = insonate_sim::compile(&robot.mjcf.to_xml().unwrap()).unwrap();
    let screws: Vec<f64> = (0..model.ffi().ngeom as usize)
        .filter(|&geom| (model.geom_size()[geom][0] - 0.004).abs() < 1e-12)
        .map(|geom| {
            model.geom_pos()[geom][1]
                .atan2(model.geom_pos()[geom][0])
                .to_degrees()
        })
        .collect();
    assert_eq!(screws.len(), 6);
    for (number, angle) in screws.iter().enumerate() {
        let off = (angle - 60.0 * number as f64).rem_euclid(360.0);
        assert!(off.min(360.0 - off) < 1e-3, "{screws:?}");
    }
}
