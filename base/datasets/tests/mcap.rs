//! Contract: logs read back with their topics, schemas and times, in both kinds of messages.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::collections::BTreeMap;

use insonate_datasets::mcap::{Dialect, LogPose, McapLog};
use mcap::MessageStream;
use serde_json::{Map, Value, json};

const POSE: LogPose = LogPose {
    position: [0.1, 0.2, 0.3],
    rotation: [0.0, 1.0, 0.0, 0.0],
};

#[test]
fn messages_come_back_with_topic_schema_and_time() {
    let mut log = McapLog::new(Dialect::Foxglove).unwrap();
    let values: Map<String, Value> = [("force".to_owned(), json!(5.5))].into_iter().collect();
    log.transform(0.0, "world", "probe", &POSE).unwrap();
    log.pose("/probe/pose", 0.5, "world", &POSE).unwrap();
    log.wrench("/probe/wrench", 1.25, "probe", [0.0, 0.0, 5.0], [0.0; 3])
        .unwrap();
    log.image("/camera", 2.0, "camera", "png", &[1, 2, 3])
        .unwrap();
    log.sample("/sample", 3.000_000_001, values).unwrap();
    log.pose("/probe/pose", 4.0, "world", &POSE).unwrap();
    log.joints(5.0, &["robot/a".to_owned()], &[0.25], &[-1.0])
        .unwrap();
    let file = log.finish().unwrap();

    let mut found = Vec::new();
    for message in MessageStream::new(&file).unwrap() {
        let message = message.unwrap();
        let schema = message.channel.schema.as_ref().unwrap();
        assert_eq!(
            (
                schema.encoding.as_str(),
                message.channel.message_encoding.as_str()
            ),
            ("jsonschema", "json")
        );
        let value: Value = serde_json::from_slice(&message.data).unwrap();
        found.push((
            message.channel.topic.clone(),
            schema.name.clone(),
            message.log_time,
            value,
        ));
    }
    let heads: Vec<(&str, &str, u64)> = found
        .iter()
        .map(|(topic, name, time, _)| (topic.as_str(), name.as_str(), *time))
        .collect();
    assert_eq!(
        heads,
        [
            ("/tf", "foxglove.FrameTransform", 0),
            ("/probe/pose", "foxglove.PoseInFrame", 500_000_000),
            ("/probe/wrench", "insonate.Wrench", 1_250_000_000),
            ("/camera", "foxglove.CompressedImage", 2_000_000_000),
            ("/sample", "insonate.Sample", 3_000_000_001),
            ("/probe/pose", "foxglove.PoseInFrame", 4_000_000_000),
            ("/joint_states", "foxglove.JointStates", 5_000_000_000),
        ]
    );
    // Foxglove's quaternions are x, y, z, w.
    assert_eq!(
        found[0].3["rotation"],
        json!({ "x": 1.0, "y": 0.0, "z": 0.0, "w": 0.0 })
    );
    assert_eq!(found[2].3["force"]["z"], 5.0);
    assert_eq!(found[3].3["data"], "AQID");
    assert_eq!(found[4].3["timestamp"], json!({ "sec": 3, "nsec": 1 }));
    assert_eq!(found[4].3["force"], 5.5);
    let joints = json!([{ "name": "robot/a", "position": 0.25, "velocity": -1.0 }]);
    assert_eq!(found[6].3["joints"], joints);
}

/// Decodes a message of ROS 2 by the definition that stands in the file.
struct Decoder<'a> {
    /// Fields of each type, as type and name.
    types: BTreeMap<&'a str, Vec<(&'a str, &'a str)>>,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Decoder<'a> {
    fn new(name: &'a str, text: &'a str, bytes: &'a [u8]) -> Self {
        let mut types = BTreeMap::from([(name, Vec::new())]);
        let mut current = name;
        for line in text.lines().filter(|line| !line.starts_with("====")) {
            if let Some(part) = line.strip_prefix("MSG: ") {
                current = part;
                types.insert(current, Vec::new());
                continue;
            }
            let mut words = line.split(' ');
            let field = (words.next().unwrap(), words.next().unwrap());
            types.get_mut(current).unwrap().push(field);
        }
        // Plain CDR, little-endian.
        assert_eq!(bytes[..4], [0, 1, 0, 0]);
        let bytes = &bytes[4..];
        Self {
            types,
            bytes,
            at: 0,
        }
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        self.at = self.at.next_multiple_of(N);
        self.at += N;
        self.bytes[self.at - N..self.at].try_into().unwrap()
    }

    fn count(&mut self) -> usize {
        u32::from_le_bytes(self.take()) as usize
    }

    fn value(&mut self, kind: &str) -> Value {
        if let Some(element) = kind.strip_suffix("[]") {
            let n = self.count();
            return (0..n).map(|_| self.value(element)).collect();
        }
        match kind {
            "float64" => json!(f64::from_le_bytes(self.take())),
            "int32" => json!(i32::from_le_bytes(self.take())),
            "uint32" => json!(u32::from_le_bytes(self.take())),
            "uint8" => json!(self.take::<1>()[0]),
            "string" => {
                let n = self.count();
                self.at += n;
                let text = &self.bytes[self.at - n..self.at];
                let (zero, text) = text.split_last().unwrap();
                assert_eq!(*zero, 0);
                json!(std::str::from_utf8(text).unwrap())
            }
            message => {
                let fields = self.types[message].clone();
                let fields = fields.into_iter();
                let fields = fields.map(|(kind, name)| (name.to_owned(), self.value(kind)));
                Value::Object(fields.collect())
            }
        }
    }
}

#[test]
fn ros2_messages_are_decoded_by_the_definitions_in_the_file() {
    let mut log = McapLog::new(Dialect::Ros2).unwrap();
    log.transform(1.5, "world", "probe", &POSE).unwrap();
    log.pose("/probe/pose", 2.0, "world", &POSE).unwrap();
    log.wrench(
        "/probe/wrench",
        3.0,
        "probe",
        [1.0, 2.0, 5.0],
        [0.1, 0.2, 0.3],
    )
    .unwrap();
    let names = ["robot/joint1", "robot/j2"].map(str::to_owned);
    log.joints(4.0, &names, &[0.5, -0.5], &[0.0, 2.0]).unwrap();
    log.image("/b_mode", 5.25, "b_mode", "png", &[137, 80, 78])
        .unwrap();
    log.sample("/sample", 6.0, Map::new()).unwrap();
    let values = BTreeMap::from([("pixel_m".to_owned(), "0.001".to_owned())]);
    log.metadata("b_mode", values).unwrap();
    let file = log.finish().unwrap();
    // The header's first text is the profile.
    assert_eq!(file[17..25], *b"\x04\0\0\0ros2");

    let stamp = |sec: u32, nanosec: u32, frame: &str| json!({ "stamp": { "sec": sec, "nanosec": nanosec }, "frame_id": frame });
    let at = json!({ "x": 0.1, "y": 0.2, "z": 0.3 });
    let turn = json!({ "x": 1.0, "y": 0.0, "z": 0.0, "w": 0.0 });
    let expected = [
        (
            "/tf",
            "tf2_msgs/msg/TFMessage",
            json!({ "transforms": [{
            "header": stamp(1, 500_000_000, "world"), "child_frame_id": "probe",
            "transform": { "translation": at, "rotation": turn } }] }),
        ),
        (
            "/probe/pose",
            "geometry_msgs/msg/PoseStamped",
            json!({
            "header": stamp(2, 0, "world"), "pose": { "position": at, "orientation": turn } }),
        ),
        (
            "/probe/wrench",
            "geometry_msgs/msg/WrenchStamped",
            json!({
            "header": stamp(3, 0, "probe"), "wrench": {
                "force": { "x": 1.0, "y": 2.0, "z": 5.0 }, "torque": { "x": 0.1, "y": 0.2, "z": 0.3 } } }),
        ),
        (
            "/joint_states",
            "sensor_msgs/msg/JointState",
            json!({
            "header": stamp(4, 0, ""), "name": names, "position": [0.5, -0.5], "velocity": [0.0, 2.0],
            "effort": [] }),
        ),
        (
            "/b_mode/compressed",
            "sensor_msgs/msg/CompressedImage",
            json!({
            "header": stamp(5, 250_000_000, "b_mode"), "format": "png", "data": [137, 80, 78] }),
        ),
    ];
    let messages = MessageStream::new(&file).unwrap();
    let messages: Vec<_> = messages.map(Result::unwrap).collect();
    assert_eq!(messages.len(), expected.len());
    for (message, (topic, name, value)) in messages.iter().zip(expected) {
        let schema = message.channel.schema.as_ref().unwrap();
        assert_eq!(
            (message.channel.topic.as_str(), schema.name.as_str()),
            (topic, name)
        );
        let encodings = (
            schema.encoding.as_str(),
            message.channel.message_encoding.as_str(),
        );
        assert_eq!(encodings, ("ros2msg", "cdr"));
        let text = std::str::from_utf8(&schema.data).unwrap();
        let mut decoder = Decoder::new(name, text, &message.data);
        assert_eq!(decoder.value(name), value);
        assert_eq!(decoder.at, decoder.bytes.len(), "{topic}");
    }
}
