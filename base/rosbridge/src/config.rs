//! Topics of a server and limits of its clients.

use std::time::Duration;

/// A topic with the type of its messages, such as `sensor_msgs/JointState`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// Name with a leading slash.
    pub name: String,
    /// Type of the messages.
    pub kind: &'static str,
}

/// Topics of a server and limits of its clients.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// Topics that the server publishes.
    pub published: Vec<Topic>,
    /// Topics that it takes from clients.
    pub taken: Vec<Topic>,
    /// Largest number of clients; further clients are refused.
    pub max_clients: usize,
    /// Largest message of a client [bytes].
    pub max_message: usize,
    /// Longest time from the first byte of a message to its last one, and of the opening handshake.
    pub message_timeout: Duration,
    /// Longest time that a client may stop reading.
    pub write_timeout: Duration,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            published: Vec::new(),
            taken: Vec::new(),
            max_clients: 4,
            max_message: 1 << 16,
            message_timeout: Duration::from_secs(2),
            write_timeout: Duration::from_secs(2),
        }
    }
}
