//! Contract: `serve --foxglove` shows a scan, a policy and the PSM with the topics and schemas of MCAP logs, and shows what 3D Slicer sees.

mod command;
mod served;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::net::TcpStream;
use std::time::Duration;

use insonate::openigtlink::{HEADER_SIZE, Header};
use serde_json::{Value, json};
use served::start;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::{Message, WebSocket, client};

fn stream(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).expect("it listens");
    let limit = Some(Duration::from_mins(1));
    stream.set_read_timeout(limit).expect("it succeeds");
    stream
}

/// A client that subscribes to topics as it learns of them.
struct Viewer {
    socket: WebSocket<TcpStream>,
    wanted: Vec<&'static str>,
    /// What was advertised, by topic.
    channels: BTreeMap<String, Value>,
}

impl Viewer {
    fn connect(address: &str, wanted: &[&'static str]) -> Self {
        let mut request = format!("ws://{address}/")
            .into_client_request()
            .expect("it is an address");
        let offer = "foxglove.sdk.v1".parse().expect("it is text");
        request
            .headers_mut()
            .insert("Sec-WebSocket-Protocol", offer);
        let (socket, _) = client(request, stream(address)).expect("it opens");
        Self {
            socket,
            wanted: wanted.to_vec(),
            channels: BTreeMap::new(),
        }
    }

    /// The next message: its topic, its time [ns], and itself.
    fn next(&mut self) -> (&'static str, u64, Value) {
        loop {
            match self.socket.read().expect("it goes on") {
                Message::Text(text) => {
                    let said: Value = serde_json::from_str(&text).expect("it is JSON");
                    assert!(
                        said["op"] == "serverInfo" || said["op"] == "advertise",
                        "{said}"
                    );
                    for channel in said["channels"].as_array().into_iter().flatten() {
                        self.learn(channel);
                    }
                }
                Message::Binary(bytes) => {
                    assert_eq!(bytes[0], 1, "it is data");
                    let id = u32::from_le_bytes(bytes[1..5].try_into().expect("4"));
                    let time = u64::from_le_bytes(bytes[5..13].try_into().expect("8"));
                    let message = serde_json::from_slice(&bytes[13..]).expect("it is JSON");
                    return (self.wanted[id as usize - 100], time, message);
                }
                _ => {}
            }
        }
    }

    fn learn(&mut self, channel: &Value) {
        let topic = channel["topic"].as_str().expect("a topic").to_owned();
        if let Some(place) = self.wanted.iter().position(|wanted| *wanted == topic) {
            let wish = json!([{ "id": place + 100, "channelId": channel["id"] }]);
            let wish = json!({ "op": "subscribe", "subscriptions": wish });
            let wish = Message::text(wish.to_string());
            self.socket.send(wish).expect("it is sent");
        }
        self.channels.insert(topic, channel.clone());
    }

    /// The first message of each wanted topic.
    fn first(&mut self) -> BTreeMap<&'static str, (u64, Value)> {
        let mut found = BTreeMap::new();
        while found.len() < self.wanted.len() {
            let (topic, time, message) = self.next();
            let said = message["timestamp"].clone();
            let seconds = said["sec"].as_u64().expect("seconds") * 1_000_000_000;
            assert_eq!(seconds + said["nsec"].as_u64().expect("nanoseconds"), time);
            found.entry(topic).or_insert((time, message));
        }
        found
    }

    /// Checks that a message has the fields of its channel's schema, and no others where the schema lists all.
    fn check(&self, topic: &str, name: &str, message: &Value) {
        let channel = &self.channels[topic];
        assert_eq!(
            (
                &channel["encoding"],
                &channel["schemaEncoding"],
                &channel["schemaName"]
            ),
            (&json!("json"), &json!("jsonschema"), &json!(name)),
        );
        let schema = channel["schema"].as_str().expect("a text");
        let schema: Value = serde_json::from_str(schema).expect("it is JSON");
        assert_eq!(schema["title"], name);
        let fields = schema["properties"].as_object().expect("properties");
        for field in fields.keys() {
            assert!(
                message.get(field).is_some(),
                "{topic} has no {field}: {message}"
            );
        }
        if name != "insonate.Sample" {
            let n_fields = message.as_object().map(serde_json::Map::len);
            assert_eq!(n_fields, Some(fields.len()), "{topic}");
        }
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Bytes of base64 (RFC 4648).
fn bytes(text: &str) -> Vec<u8> {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut found = Vec::new();
    let (mut bits, mut n_bits) = (0u32, 0);
    for letter in text.trim_end_matches('=').chars() {
        bits = bits << 6 | letters.find(letter).expect("it is base64") as u32;
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            found.push((bits >> n_bits) as u8);
        }
    }
    found
}

/// Width, height and pixels of a grey PNG.
fn grey(message: &Value) -> (u32, u32, Vec<u8>) {
    assert_eq!(message["format"], "png");
    let file = bytes(message["data"].as_str().expect("a text"));
    let decoder = png::Decoder::new(std::io::Cursor::new(file));
    let mut reader = decoder.read_info().expect("it is a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("it is small")];
    let info = reader.next_frame(&mut pixels).expect("it is whole");
    assert_eq!(info.color_type, png::ColorType::Grayscale);
    (info.width, info.height, pixels)
}

/// Both servers show the same state at the same time: the pixels of a picture, and the probe's position in RAS (right is -x, anterior +z,
/// superior +y, in millimetres).
#[test]
fn a_scan_is_shown_as_3d_slicer_sees_it() {
    const SIZE: usize = 48;
    let (_served, [slicer, foxglove]) = start(
        "serve --openigtlink 0 --foxglove 0 --scan --patient adult --camera none --rate 20 --b-mode --lines 32 --samples 96 --size 48",
    );
    let mut slicer = stream(&slicer);
    let topics = [
        "/b_mode",
        "/joint_states",
        "/probe/pose",
        "/probe/wrench",
        "/sample",
        "/tf",
    ];
    let mut viewer = Viewer::connect(&foxglove, &topics);
    let found = viewer.first();
    for (topic, name) in [
        ("/b_mode", "foxglove.CompressedImage"),
        ("/joint_states", "foxglove.JointStates"),
        ("/probe/pose", "foxglove.PoseInFrame"),
        ("/probe/wrench", "insonate.Wrench"),
        ("/sample", "insonate.Sample"),
        ("/tf", "foxglove.FrameTransform"),
    ] {
        viewer.check(topic, name, &found[topic].1);
    }
    assert_eq!(
        found["/joint_states"].1["joints"].as_array().map(Vec::len),
        Some(7)
    );
    assert!(number(&found["/sample"].1["real_time_factor"]) >= 0.0);
    // Pictures and poses of both servers by their time, in whole 10 µs: time stamps of OpenIGTLink have 32 binary places.
    let (mut pictures, mut positions) = (BTreeMap::new(), BTreeMap::new());
    let (mut n_pictures, mut n_positions) = (0u64, 0);
    while n_pictures < 2 || n_positions < 2 {
        let mut head = [0; HEADER_SIZE];
        slicer.read_exact(&mut head).expect("it succeeds");
        let header = Header::decode(&head).expect("it succeeds");
        let mut body = vec![0; header.body_size as usize];
        slicer.read_exact(&mut body).expect("it succeeds");
        let stamp = u64::from_be_bytes(head[34..42].try_into().expect("8"));
        let time = (stamp as f64 / 4_294_967_296.0 * 1e5).round() as u64;
        if header.device == "BMode" {
            pictures.insert(time, body[body.len() - SIZE * SIZE..].to_vec());
        } else if header.device == "ProbeToRAS" {
            let float = |at: usize| f32::from_be_bytes(body[at..at + 4].try_into().expect("4"));
            positions.insert(time, [36, 40, 44].map(|at| f64::from(float(at))));
        }
        let (topic, time, message) = viewer.next();
        let time = (time as f64 / 1e4).round() as u64;
        if topic == "/b_mode" {
            let (width, height, pixels) = grey(&message);
            assert_eq!((width, height), (48, 48));
            if let Some(sent) = pictures.get(&time) {
                assert_eq!(&pixels, sent);
                // Before contact there is nothing to see.
                n_pictures += u64::from(pixels.iter().any(|pixel| *pixel > 0));
            }
        } else if let (Some(sent), "/probe/pose") = (positions.get(&time), topic) {
            let at = &message["pose"]["position"];
            let [x, y, z] = ["x", "y", "z"].map(|axis| 1000.0 * number(&at[axis]));
            for (found, sent) in [-x, z, y].into_iter().zip(sent) {
                assert!((found - sent).abs() < 1e-2, "{found} {sent}");
            }
            n_positions += 1;
        }
    }
}

#[test]
fn a_policy_shows_what_it_observes_and_does() {
    let (_served, [address]) = start(
        "serve --foxglove 0 --policy zero --task probe-press --camera none --rate 20 --set env.action.mode=hybrid_force",
    );
    let mut viewer = Viewer::connect(&address, &["/sample", "/probe/wrench"]);
    let found = viewer.first();
    viewer.check("/sample", "insonate.Sample", &found["/sample"].1);
    let mut force = 0.0;
    while force < 1.0 {
        let (topic, _, message) = viewer.next();
        if topic == "/probe/wrench" {
            // Of the probe on the tissue, along the beam.
            force = number(&message["force"]["z"]);
        } else {
            let action = message["action"].as_array().expect("an action");
            assert!(action.iter().all(|entry| number(entry) == 0.0));
            let observation = message["observation"].as_array();
            assert!(observation.is_some_and(|entries| !entries.is_empty()));
            assert!(message["reward"].is_number(), "{message}");
        }
    }
}

/// The tool is on a line through the remote centre, 0.516 m along y from the origin, at insertion + 0.4162 + 0.0091 + 0.0091 − 0.4318 m
/// (Wang et al. 2019).
#[test]
fn the_psm_is_shown_in_its_base() {
    let (_served, [foxglove, _]) = start("serve --dvrk 0 --foxglove 0 --torso none --rate 200");
    let topics = ["/joint_states", "/tool/pose", "/tool/wrench"];
    let mut viewer = Viewer::connect(&foxglove, &topics);
    let found = viewer.first();
    viewer.check("/tool/wrench", "insonate.Wrench", &found["/tool/wrench"].1);
    let joints = found["/joint_states"].1["joints"]
        .as_array()
        .expect("a list");
    assert_eq!(
        (joints.len(), &joints[2]["name"], &joints[6]["name"]),
        (7, &json!("outer_insertion"), &json!("jaw"))
    );
    let [yaw, pitch, insertion] = [0, 1, 2].map(|joint| number(&joints[joint]["position"]));
    let along = insertion + 0.4162 + 0.0091 + 0.0091 - 0.4318;
    let expected = [
        along * yaw.sin() * pitch.cos(),
        0.516 - along * pitch.sin(),
        -along * yaw.cos() * pitch.cos(),
    ];
    let pose = &found["/tool/pose"].1;
    assert_eq!(pose["frame_id"], "PSM1_base");
    for (axis, expected) in ["x", "y", "z"].into_iter().zip(expected) {
        let found = number(&pose["pose"]["position"][axis]);
        assert!(
            (found - expected).abs() < 2e-3,
            "{axis}: {found} {expected}"
        );
    }
}

#[test]
fn without_a_port_nothing_is_served() {
    let line = command::refused("serve --scan", 2);
    assert!(
        line.contains("required arguments were not provided"),
        "{line}"
    );
    let line = command::refused("serve --foxglove 70000", 2);
    assert!(line.contains("70000"), "{line}");
}

#[test]
fn it_ends_after_its_duration_and_counts_what_was_done() {
    let served = command::json("serve --foxglove 0 --scan --camera none --duration 0.5");
    assert!(served["frames"].as_u64().is_some_and(|frames| frames > 0));
    assert_eq!(
        (&served["clients"], &served["frames_sent"]),
        (&0.into(), &0.into())
    );
    let said = command::done("serve --foxglove 0 --scan --camera none --duration 0.2");
    assert!(said.contains("0 clients"), "{said}");
}
