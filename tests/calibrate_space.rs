//! Contract: logs in space are calibrated in the frame that a file of windows gives for each, and by the joints of a robot
//! whose kinematics MuJoCo computes. The oracles are the recipe's stiffness and the inverse kinematics of a planar arm.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use insonate::calibration::synthetic::{Law, MotionFrame, Sensor, SyntheticLog, Trajectory};
use insonate::calibration::{Channel, Motion};
use serde_json::Value;

const STIFFNESS: f64 = 1324.17;
/// Lengths of the planar arm's links [m].
const LINKS: [f64; 2] = [0.4, 0.3];

const ARM: &str = r#"<mujoco model="planar">
  <worldbody>
    <body name="base">
      <geom type="cylinder" size="0.05 0.02" mass="1"/>
      <body name="upper">
        <joint name="shoulder" axis="0 -1 0" range="-150 150"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="1"/>
        <body name="fore" pos="0.4 0 0">
          <joint name="elbow" axis="0 -1 0" range="-150 150"/>
          <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="1"/>
          <site name="tip" pos="0.3 0 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="shoulder" ctrlrange="-100 100"/>
    <motor joint="elbow" ctrlrange="-100 100"/>
  </actuator>
</mujoco>"#;

fn calibrate(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_insonate"))
        .current_dir(folder)
        .arg("calibrate")
        .args(arguments)
        .args([
            "--no-simulation",
            "--json",
            "--output",
            "out",
            "--overwrite",
        ])
        .output()
        .expect("the binary starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Expects a failure with this status, and returns the line of the error.
fn refused(folder: &Path, arguments: &[&str], status: i32) -> String {
    let output = calibrate(folder, arguments);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {text}");
    let mut lines = text.lines();
    lines
        .find(|line| line.starts_with("error: "))
        .unwrap()
        .to_owned()
}

/// The stiffness of each log.
fn stiffnesses(folder: &Path, arguments: &[&str]) -> Vec<f64> {
    let output = calibrate(folder, arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        stderr(&output)
    );
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let logs = result["logs"].as_array().unwrap();
    let stiffness = |log: &Value| log["parameters"]["stiffness"]["value"].as_f64().unwrap();
    logs.iter().map(stiffness).collect()
}

/// Times, positions and forces of a press along −z, with little noise.
fn press() -> Vec<(f64, [f64; 3], [f64; 3])> {
    let frame = MotionFrame::Space {
        surface: [0.5, 0.0, 0.12],
        normal: [0.0, 0.0, 1.0],
    };
    let law = Law::KelvinVoigt {
        stiffness: STIFFNESS,
        damping: 17.59,
    };
    let mut log = SyntheticLog::new(law, Trajectory::rich(), frame);
    log.sensor = Sensor {
        force_noise: 2e-4,
        ..Sensor::perfect()
    };
    let log = log.generate();
    let (Motion::Position(Channel::Vector(places)), Channel::Vector(forces)) =
        (log.motion, log.force)
    else {
        panic!("a log in space");
    };
    let rows = log.time.into_iter().zip(places).zip(forces);
    rows.map(|((time, place), force)| (time, place, force))
        .collect()
}

/// The press with an orientation of 90° about x in columns without names; `turned`: whether the force is in that frame.
fn with_orientation(turned: bool) -> String {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let mut text = "time,x,y,z,fx,fy,fz,a,b,c,d\n".to_owned();
    for (time, [x, y, z], [fx, fy, fz]) in press() {
        let [fx, fy, fz] = if turned { [fx, fz, -fy] } else { [fx, fy, fz] };
        let _ = writeln!(text, "{time},{x},{y},{z},{fx},{fy},{fz},{half},{half},0,0");
    }
    text
}

/// The press as angles of the planar arm, by the law of cosines, with the force in the tip's frame.
fn with_joints(header: &str, scale: f64) -> String {
    let [l1, l2] = LINKS;
    let mut text = format!("time,{header},fx,fy,fz\n");
    for (time, [x, _, z], [fx, fy, fz]) in press() {
        let cos = (x * x + z * z - l1 * l1 - l2 * l2) / (2.0 * l1 * l2);
        let elbow = -(1.0 - cos * cos).sqrt().atan2(cos);
        let shoulder = z.atan2(x) - (l2 * elbow.sin()).atan2(l1 + l2 * elbow.cos());
        let (sin, cos) = (shoulder + elbow).sin_cos();
        let [fx, fz] = [fx * cos + fz * sin, fz * cos - fx * sin];
        let [shoulder, elbow] = [scale * shoulder, scale * elbow];
        let _ = writeln!(text, "{time},{shoulder},{elbow},{fx},{fy},{fz}");
    }
    text
}

#[test]
fn a_windows_file_sets_orientation_and_frame_of_each_log() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("tool.csv", &with_orientation(true));
    write("base.csv", &with_orientation(false));
    let columns = "columns = \"position=x:y:z,force=fx:fy:fz,orientation=a:b:c:d\"";
    let table = |kind: &str, frame: &str| {
        let entry = |name: &str, kind: &str, frame: &str| {
            format!("[{name}]\n{columns}\norientation = \"{kind}\"\nforce_frame = \"{frame}\"\n")
        };
        entry("tool", kind, frame) + &entry("base", "wxyz", "base")
    };
    let arguments = ["tool.csv", "base.csv", "--windows", "w.toml"];
    write("w.toml", &table("wxyz", "tool"));
    for stiffness in stiffnesses(folder, &arguments) {
        assert!((stiffness / STIFFNESS - 1.0).abs() < 2e-3, "{stiffness}");
    }
    // The words of the options.
    for (kind, frame, words) in [
        (
            "xwyz",
            "tool",
            "orientation: xwyz is not known; known are xyzw, wxyz",
        ),
        (
            "wxyz",
            "flange",
            "force_frame: flange is not known; known are base and tool",
        ),
    ] {
        write("w.toml", &table(kind, frame));
        let line = refused(folder, &arguments, 1);
        assert!(
            line.contains("w.toml, [tool]") && line.contains(words),
            "{line}"
        );
    }
}

#[test]
fn the_joints_of_a_robots_file_give_the_position() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("arm.xml", ARM);
    write("named.csv", &with_joints("shoulder,elbow", 1.0));
    write("numbered.csv", &with_joints("q1,q2", 1.0));
    write(
        "degrees.csv",
        &with_joints("q1,q2", 180.0 / std::f64::consts::PI),
    );
    let robot = ["--robot-file", "arm.xml", "--flange", "tip"];
    let with = |log: &'static str, more: &[&'static str]| [&[log][..], &robot, more].concat();
    for arguments in [
        with("named.csv", &["numbered.csv", "--force-frame", "tool"]),
        with("numbered.csv", &[]),
        with("degrees.csv", &["--units", "joints=deg"]),
    ] {
        for stiffness in stiffnesses(folder, &arguments) {
            assert!(
                (stiffness / STIFFNESS - 1.0).abs() < 2e-3,
                "{arguments:?}: {stiffness}"
            );
        }
    }
    let line = refused(folder, &["numbered.csv"], 1);
    assert!(
        line.contains("joint positions") && line.contains("--robot-file FILE --flange NAME"),
        "{line}"
    );
    let line = refused(folder, &with("degrees.csv", &[]), 1);
    assert!(
        line.contains("outside its range") && line.contains("--units joints=deg"),
        "{line}"
    );
    let line = refused(folder, &["numbered.csv", "--robot", "panda"], 1);
    assert!(
        line.contains("has 2 joint positions") && line.contains("panda has 7 joints"),
        "{line}"
    );
    let line = refused(folder, &["numbered.csv", "--robot", "psm"], 1);
    assert!(line.contains("psm has no flange"), "{line}");
}

/// Denavit–Hartenberg parameters of the UR5e: a, d [m] and alpha of each joint (Universal Robots, *DH parameters for
/// calculations of kinematics and dynamics*).
const UR5E: [[f64; 3]; 6] = [
    [0.0, 0.1625, std::f64::consts::FRAC_PI_2],
    [-0.425, 0.0, 0.0],
    [-0.3922, 0.0, 0.0],
    [0.0, 0.1333, std::f64::consts::FRAC_PI_2],
    [0.0, 0.0997, -std::f64::consts::FRAC_PI_2],
    [0.0, 0.0996, 0.0],
];

/// Height of the UR5e's flange [m] by the standard convention.
fn ur5e_height(joints: [f64; 6]) -> f64 {
    // Third row of the product of the link transforms.
    let mut row = [0.0, 0.0, 1.0, 0.0];
    for (joint, [a, d, alpha]) in joints.into_iter().zip(UR5E) {
        let ((st, ct), (sa, ca)) = (joint.sin_cos(), alpha.sin_cos());
        let link = [
            [ct, -st * ca, st * sa, a * ct],
            [st, ct * ca, -ct * sa, a * st],
            [0.0, sa, ca, d],
            [0.0, 0.0, 0.0, 1.0],
        ];
        row = [0, 1, 2, 3].map(|column: usize| (0..4).map(|k| row[k] * link[k][column]).sum());
    }
    row[3]
}

/// The force is a spring on the height that the published parameters give.
#[test]
fn a_built_in_robot_moves_as_published() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let names: Vec<String> = (0..6).map(|joint| format!("actual_q_{joint}")).collect();
    let mut text = format!("timestamp,{},fx,fy,fz\n", names.join(","));
    for (time, [_, _, z], [_, _, fz]) in press() {
        // Bisection of the second joint: the arm goes down as it grows.
        let pose = |lift: f64| [0.3, lift, 1.7, -1.9, -1.57, 0.2];
        let (mut low, mut high) = (-1.6, -0.8);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if ur5e_height(pose(middle)) > z {
                low = middle;
            } else {
                high = middle;
            }
        }
        let joints = pose(low).map(|joint| joint.to_string());
        let _ = writeln!(text, "{time},{},0,0,{fz}", joints.join(","));
    }
    std::fs::write(folder.join("ur.csv"), text).unwrap();
    let arguments = [
        "ur.csv",
        "--robot",
        "ur5e",
        "--force-frame",
        "base",
        "--normal",
        "0,0,1",
    ];
    for stiffness in stiffnesses(folder, &arguments) {
        assert!((stiffness / STIFFNESS - 1.0).abs() < 5e-3, "{stiffness}");
    }
}
