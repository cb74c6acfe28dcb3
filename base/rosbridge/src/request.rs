//! What a client says.

use std::time::Duration;

use serde_json::Value;

/// Longest name of a topic or service [bytes].
pub const MAX_TOPIC: usize = 256;

/// A client's operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Wants the messages of a topic.
    Subscribe {
        /// Name of the topic.
        topic: String,
        /// Shortest time between two messages.
        throttle: Duration,
    },
    /// No longer wants them.
    Unsubscribe {
        /// Name of the topic.
        topic: String,
    },
    /// A message for the server.
    Publish {
        /// Name of the topic.
        topic: String,
        /// The message, an object.
        message: Value,
    },
    /// Asks a service.
    Call {
        /// Name of the service.
        service: String,
        /// What the answer repeats.
        id: Option<String>,
    },
    /// An operation that changes nothing here, such as `advertise`.
    Nothing,
}

impl Request {
    /// Reads the text of a frame.
    ///
    /// # Errors
    /// What is wrong, in words for the client.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
        let operation = value["op"].as_str().ok_or("op is missing")?;
        Ok(match operation {
            "subscribe" => {
                let compression = value["compression"].as_str().unwrap_or("none");
                if compression != "none" {
                    return Err(format!(
                        "compression is {compression:?}; it must be \"none\""
                    ));
                }
                Self::Subscribe {
                    topic: name(&value, "topic")?,
                    throttle: Duration::from_millis(value["throttle_rate"].as_u64().unwrap_or(0)),
                }
            }
            "unsubscribe" => Self::Unsubscribe {
                topic: name(&value, "topic")?,
            },
            "publish" => {
                let topic = name(&value, "topic")?;
                match value {
                    Value::Object(mut fields) => match fields.remove("msg") {
                        Some(message @ Value::Object(_)) => Self::Publish { topic, message },
                        _ => return Err("msg is not an object".to_owned()),
                    },
                    _ => return Err("not an object".to_owned()),
                }
            }
            "call_service" => Self::Call {
                service: name(&value, "service")?,
                id: value["id"].as_str().map(str::to_owned),
            },
            "advertise" | "unadvertise" | "set_level" | "status" => Self::Nothing,
            other => {
                return Err(format!(
                    "op is {other:?}; it must be subscribe, unsubscribe, advertise, unadvertise, publish or call_service"
                ));
            }
        })
    }
}

/// A name, with the slash that roslibpy leaves out.
fn name(value: &Value, field: &str) -> Result<String, String> {
    match value[field].as_str() {
        None | Some("") => Err(format!("{field} is missing")),
        Some(name) if name.len() > MAX_TOPIC => {
            Err(format!("{field} has more than {MAX_TOPIC} bytes"))
        }
        Some(name) if name.starts_with('/') => Ok(name.to_owned()),
        Some(name) => Ok(format!("/{name}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The texts of roslibpy 1.8 for `Topic.subscribe`, `advertise`, `publish` and `Ros.get_topics`.
    #[test]
    fn operations_of_roslibpy_are_read() {
        let subscribe = r#"{"op":"subscribe","id":"subscribe:/PSM1/measured_js:1","type":"sensor_msgs/JointState","topic":"/PSM1/measured_js","compression":"none","throttle_rate":20,"queue_length":0}"#;
        let advertise = r#"{"op":"advertise","id":"advertise:/a:2","type":"a/b","topic":"/a","latch":false,"queue_size":100}"#;
        let publish = r#"{"op":"publish","id":"publish:/a:3","topic":"/a","msg":{"position":[1.5]},"latch":false}"#;
        let call = r#"{"op":"call_service","id":"call_service:/rosapi/topics:4","service":"/rosapi/topics","type":"rosapi/Topics","args":{}}"#;
        let found = [subscribe, advertise, publish, call].map(Request::parse);
        let expected = [
            Request::Subscribe {
                topic: "/PSM1/measured_js".to_owned(),
                throttle: Duration::from_millis(20),
            },
            Request::Nothing,
            Request::Publish {
                topic: "/a".to_owned(),
                message: json!({ "position": [1.5] }),
            },
            Request::Call {
                service: "/rosapi/topics".to_owned(),
                id: Some("call_service:/rosapi/topics:4".to_owned()),
            },
        ];
        assert_eq!(found, expected.map(Ok));
    }

    #[test]
    fn other_texts_are_refused_by_field() {
        let long = "x".repeat(MAX_TOPIC + 1);
        let long = format!(r#"{{"op":"unsubscribe","topic":"{long}"}}"#);
        for (text, word) in [
            ("", "not JSON"),
            ("[1]", "op is missing"),
            (r#"{"op":7}"#, "op is missing"),
            (r#"{"op":"fragment"}"#, "op is \"fragment\""),
            (r#"{"op":"subscribe"}"#, "topic is missing"),
            (
                r#"{"op":"subscribe","topic":"/a","compression":"png"}"#,
                "compression is \"png\"",
            ),
            (r#"{"op":"publish","topic":"/a"}"#, "msg is not an object"),
            (
                r#"{"op":"publish","topic":"/a","msg":[1]}"#,
                "msg is not an object",
            ),
            (r#"{"op":"call_service"}"#, "service is missing"),
            (&long, "more than 256 bytes"),
            (&"[".repeat(10_000), "not JSON"),
        ] {
            let problem = Request::parse(text).expect_err("it is refused");
            assert!(problem.contains(word), "{problem}");
        }
    }
}
