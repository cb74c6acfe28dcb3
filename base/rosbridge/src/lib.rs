//! A server of rosbridge's protocol, version 2, over websockets (<https://github.com/RobotWebTools/rosbridge_suite/blob/ros2/ROSBRIDGE_PROTOCOL.md>),
//! without ROS: for `roslibpy`, `roslibjs` and similar clients.
//!
//! A message is a text frame with a JSON object. [`Server`] publishes [`Topic`]s to the clients that subscribe to them, and keeps the last
//! message that a client published on each topic that it takes. The operations `subscribe`, `unsubscribe`, `publish` and `call_service`
//! with `/rosapi/topics` have an effect; compression and fragments are refused.
//!
//! Clients are not trusted: size and time of their messages are limited, browsers only come from pages of this machine, and a client cannot
//! slow the sender down.

mod request;
mod server;
mod topics;

pub use insonate_servers::{Limits, ListenError, Traffic};
pub use request::{MAX_TOPIC, Request};
pub use server::{Server, ServerConfig};
pub use topics::{Command, Topic};
