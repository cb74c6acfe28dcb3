//! Messages in JSON according to Foxglove's schemas: numbers, and objects with x, y and z, or x, y, z and w.

use serde_json::{Map, Value};

use super::message::{Message, MessageNumbers};
use super::ros;

/// Maximum depth of nested objects.
const DEPTH: usize = 4;

/// Reads a message.
pub(super) fn read(bytes: &[u8]) -> Result<Message, String> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("a message is no JSON: {error}"))?;
    let mut message = Message::default();
    if let Value::Object(members) = &value {
        visit(members, "", DEPTH, &mut message);
    }
    Ok(message)
}

fn visit(members: &Map<String, Value>, path: &str, depth: usize, message: &mut Message) {
    let number = |members: &Map<String, Value>, key: &str| members.get(key)?.as_f64();
    for (key, value) in members {
        let name = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        let (width, values) = match value {
            Value::Number(_) => (None, value.as_f64().into_iter().collect::<Vec<f64>>()),
            Value::Object(inner) => {
                let axes = ["x", "y", "z"].map(|axis| number(inner, axis));
                let seconds = number(inner, "sec");
                let nanoseconds = number(inner, "nsec").or(number(inner, "nanosec"));
                if let (Some(seconds), Some(nanoseconds)) = (seconds, nanoseconds) {
                    message.stamp = Some(seconds as i64 * 1_000_000_000 + nanoseconds as i64);
                    continue;
                } else if let [Some(x), Some(y), Some(z)] = axes {
                    match number(inner, "w") {
                        Some(w) => (Some(4), vec![x, y, z, w]),
                        None => (Some(3), vec![x, y, z]),
                    }
                } else {
                    if depth > 0 {
                        visit(inner, &name, depth - 1, message);
                    }
                    continue;
                }
            }
            Value::String(text) if key == "frame_id" => {
                message.frame = ros::frame(text);
                continue;
            }
            _ => continue,
        };
        message.parts.push(MessageNumbers {
            name,
            width,
            values,
        });
    }
}
