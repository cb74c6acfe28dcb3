//! What one topic recorded.

use super::{json, ros};
use crate::formats::MAX_SAMPLES;

/// Numbers of a message, or of all messages of a topic, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) name: String,
    /// How many a message has; `None`: one, and no list.
    pub(super) width: Option<usize>,
    pub(super) values: Vec<f64>,
}

/// A message.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    /// When its sender says that it was [ns].
    pub(super) stamp: Option<i64>,
    pub(super) parts: Vec<Part>,
}

/// How messages are encoded.
#[derive(Clone, Debug)]
enum Encoding {
    Cdr(Vec<ros::Member>),
    Json,
}

/// A topic whose messages have numbers.
#[derive(Clone, Debug)]
pub(in crate::formats) struct Topic {
    name: String,
    encoding: Encoding,
    /// When messages were recorded, and when they say that they were [ns].
    pub(super) recorded: Vec<i64>,
    pub(super) stamps: Vec<i64>,
    pub(super) parts: Vec<Part>,
}

impl Topic {
    /// A topic of this type and encoding, where its messages can be of use.
    pub(in crate::formats) fn new(name: &str, type_name: &str, encoding: &str) -> Option<Self> {
        let encoding = match encoding {
            "cdr" => Encoding::Cdr(ros::members(type_name)?),
            "json" => Encoding::Json,
            _ => return None,
        };
        Some(Self {
            name: name.to_owned(),
            encoding,
            recorded: Vec::new(),
            stamps: Vec::new(),
            parts: Vec::new(),
        })
    }

    /// Adds a message, recorded at a time [ns].
    pub(in crate::formats) fn push(&mut self, recorded: i64, bytes: &[u8]) -> Result<(), String> {
        let message = match &self.encoding {
            Encoding::Cdr(members) => ros::read(members, bytes)?,
            Encoding::Json => json::read(bytes)?,
        };
        if self.recorded.len() >= MAX_SAMPLES {
            return Err(format!("has more than {MAX_SAMPLES} messages"));
        }
        if self.recorded.is_empty() {
            self.parts = message.parts;
        } else {
            let alike = |(ours, theirs): (&Part, &Part)| {
                ours.name == theirs.name && ours.width == theirs.width
            };
            if self.parts.len() != message.parts.len()
                || !self.parts.iter().zip(&message.parts).all(alike)
            {
                let n = self.recorded.len() + 1;
                return Err(format!("its message {n} has other members than the first"));
            }
            for (ours, theirs) in self.parts.iter_mut().zip(message.parts) {
                ours.values.extend(theirs.values);
            }
        }
        self.recorded.push(recorded);
        self.stamps.extend(message.stamp);
        Ok(())
    }

    /// What it is called.
    pub(in crate::formats) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it has messages.
    pub(in crate::formats) fn has_messages(&self) -> bool {
        !self.recorded.is_empty()
    }

    /// Whether every message says when it was: no header was left empty.
    pub(super) fn is_stamped(&self) -> bool {
        self.stamps.len() == self.recorded.len() && self.stamps.iter().all(|stamp| *stamp > 0)
    }
}
