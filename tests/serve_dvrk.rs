//! Contract: `serve --dvrk` publishes the PSM's state by CRTK's topics, moves it as clients say, within its limits, and shows the force on its tip.

mod served;

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use served::{Served, start};
use tungstenite::{Message, WebSocket, client};

struct Arm {
    _served: Served,
    socket: WebSocket<TcpStream>,
}

impl Arm {
    /// Starts a server on a free port, connects to it and subscribes.
    fn connect(arguments: &str) -> Self {
        let (served, [address]) = start(arguments);
        let stream = TcpStream::connect(&address).expect("it listens");
        let limit = Some(Duration::from_mins(1));
        stream.set_read_timeout(limit).expect("it succeeds");
        let (mut socket, _) = client(format!("ws://{address}/"), stream).expect("it opens");
        for topic in [
            "measured_js",
            "measured_cp",
            "measured_cf",
            "jaw/measured_js",
            "error",
        ] {
            let request =
                json!({ "op": "subscribe", "topic": format!("/PSM1/{topic}"), "throttle_rate": 0 });
            socket
                .send(Message::text(request.to_string()))
                .expect("it is sent");
        }
        Self {
            _served: served,
            socket,
        }
    }

    fn say(&mut self, topic: &str, message: &Value) {
        let request = json!({ "op": "publish", "topic": format!("/PSM1/{topic}"), "msg": message });
        self.socket
            .send(Message::text(request.to_string()))
            .expect("it is sent");
    }

    /// The first message of a topic with a property.
    fn until(&mut self, topic: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let text = self.socket.read().expect("it goes on");
            let mut message: Value =
                serde_json::from_str(text.to_text().expect("it is text")).expect("it is JSON");
            if message["topic"] == format!("/PSM1/{topic}") && is_so(&message["msg"]) {
                return message["msg"].take();
            }
            assert!(Instant::now() < end, "{message}");
        }
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// The tool's position from yaw, pitch and insertion with a straight wrist: on a line through the remote centre, 0.516 m along y from the
/// origin, at insertion + 0.4162 + 0.0091 + 0.0091 − 0.4318 m (Wang et al. 2019).
fn straight_tool(yaw: f64, pitch: f64, insertion: f64) -> [f64; 3] {
    let along = insertion + 0.4162 + 0.0091 + 0.0091 - 0.4318;
    [
        along * yaw.sin() * pitch.cos(),
        0.516 - along * pitch.sin(),
        -along * yaw.cos() * pitch.cos(),
    ]
}

#[test]
fn the_psm_moves_to_joints_and_poses() {
    let mut arm = Arm::connect("serve --dvrk 0 --torso none --rate 200");
    let target = [0.3, -0.2, 0.14, 0.0, 0.0, 0.0];
    arm.say("servo_jp", &json!({ "position": target }));
    arm.say("jaw/servo_jp", &json!({ "position": [0.5] }));
    let is_there = |message: &Value| {
        let found = message["position"].as_array().expect("an array");
        found.len() == 6
            && found
                .iter()
                .zip(target)
                .all(|(found, wanted)| (number(found) - wanted).abs() < 2e-3)
    };
    let joints = arm.until("measured_js", is_there);
    assert_eq!(joints["name"][2], "outer_insertion");
    arm.until("jaw/measured_js", |jaw| {
        (number(&jaw["position"][0]) - 0.5).abs() < 5e-3
    });
    let [x, y, z] = straight_tool(0.3, -0.2, 0.14);
    let near = |pose: &Value, wanted: [f64; 3]| {
        let at = &pose["pose"]["position"];
        ["x", "y", "z"]
            .iter()
            .zip(wanted)
            .all(|(axis, wanted)| (number(&at[axis]) - wanted).abs() < 2e-3)
    };
    let pose = arm.until("measured_cp", |pose| near(pose, [x, y, z]));
    // The same pose 20 mm further out.
    let mut moved = pose.clone();
    moved["pose"]["position"]["x"] = json!(x + 0.02);
    arm.say("servo_cp", &moved);
    arm.until("measured_cp", |pose| near(pose, [x + 0.02, y, z]));
    // Beyond the limits, and no numbers.
    arm.say(
        "servo_jp",
        &json!({ "position": [9.0, 0.0, 0.1, 0.0, 0.0, 0.0] }),
    );
    let said = arm.until("error", |_| true);
    assert_eq!(said["data"], "/PSM1/servo_jp: brought within limits");
    arm.say("servo_jp", &json!({ "position": [1.0] }));
    let said = arm.until("error", |_| true);
    assert_eq!(said["data"], "/PSM1/servo_jp: position must have 6 numbers");
}

/// A torque on the yaw joint turns it, and ends when the client falls silent.
#[test]
fn torques_move_the_arm_for_a_moment() {
    let mut arm = Arm::connect("serve --dvrk 0 --torso none --rate 200");
    let start = arm.until("measured_js", |_| true);
    let start = number(&start["position"][0]);
    for _ in 0..60 {
        arm.say(
            "servo_jf",
            &json!({ "effort": [1.5, 0.0, 0.0, 0.0, 0.0, 0.0] }),
        );
        arm.until("measured_js", |_| true);
    }
    let turned = arm.until("measured_js", |joints| {
        number(&joints["position"][0]) > start + 0.01
    });
    assert!(number(&turned["velocity"][0]) > 0.0, "{turned}");
    arm.until("measured_js", |joints| {
        number(&joints["velocity"][0]).abs() < 1e-3
    });
}

/// The instrument stands on the rigid table. At rest the force of its insertion motor is that of the table on its tip, but for the dry
/// friction of the drive: 0.448 N (Wang et al. 2019).
#[test]
fn the_force_on_the_tip_is_that_of_the_motor_that_presses() {
    const FRICTION: f64 = 0.448;
    // The remote centre is 0.22 m above the table.
    let mut arm =
        Arm::connect("serve --dvrk 0 --torso none --robot-position -0.56,0,0.72 --rate 200");
    let free = arm.until("measured_cf", |_| true);
    let along = |message: &Value, axis: &str| number(&message["wrench"]["force"][axis]);
    assert!(along(&free, "z").abs() < 1e-9, "{free}");
    arm.say(
        "servo_jp",
        &json!({ "position": [0.0, 0.0, 0.20, 0.0, 0.0, 0.0] }),
    );
    arm.until("measured_js", |joints| {
        (number(&joints["position"][2]) - 0.20).abs() < 1e-3
    });
    for pressed in [4.0, 9.0] {
        let mut said = json!(null);
        for _ in 0..200 {
            arm.say(
                "servo_jf",
                &json!({ "effort": [0.0, 0.0, pressed, 0.0, 0.0, 0.0] }),
            );
            said = arm.until("measured_cf", |_| true);
        }
        let [x, y, z] = ["x", "y", "z"].map(|axis| along(&said, axis));
        // The table pushes up.
        assert!((z - pressed).abs() < FRICTION + 0.05, "{pressed} N: {said}");
        assert!(x.hypot(y) < 0.6, "{pressed} N: {said}");
    }
}
