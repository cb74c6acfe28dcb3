//! Contents of one message.

/// Numbers of a message, or of all messages of a topic, one after the other.
#[derive(Clone, Debug)]
pub(super) struct MessageNumbers {
    pub(super) name: String,
    /// Numbers per message; `None`: a single number, not a list.
    pub(super) width: Option<usize>,
    pub(super) values: Vec<f64>,
}

impl MessageNumbers {
    pub(super) fn list(name: &str, width: usize, values: Vec<f64>) -> Self {
        Self {
            name: name.to_owned(),
            width: Some(width),
            values,
        }
    }
}

/// A message.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    /// Time stamp of the sender [ns].
    pub(super) stamp: Option<i64>,
    /// Frame named in the header.
    pub(super) frame: Option<String>,
    /// Frame whose pose the message gives.
    pub(super) child: Option<String>,
    /// Names of the joints whose positions the message gives.
    pub(super) joints: Vec<String>,
    pub(super) parts: Vec<MessageNumbers>,
}
