//! Contract: logs read back with their topics, schemas and times.

use insonate_datasets::mcap::{LogPose, McapLog};
use mcap::MessageStream;
use serde_json::{Map, Value, json};

const POSE: LogPose = LogPose {
    position: [0.1, 0.2, 0.3],
    rotation: [0.0, 1.0, 0.0, 0.0],
};

#[test]
fn messages_come_back_with_topic_schema_and_time() {
    let mut log = McapLog::new().unwrap();
    let values: Map<String, Value> = [("force".to_owned(), json!(5.5))].into_iter().collect();
    log.transform(0.0, "world", "probe", &POSE).unwrap();
    log.pose("/probe/pose", 0.5, "world", &POSE).unwrap();
    log.wrench("/probe/wrench", 1.25, "probe", [0.0, 0.0, 5.0], [0.0; 3])
        .unwrap();
    log.image("/camera", 2.0, "camera", "png", &[1, 2, 3])
        .unwrap();
    log.sample("/sample", 3.000_000_001, values).unwrap();
    log.pose("/probe/pose", 4.0, "world", &POSE).unwrap();
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
}
