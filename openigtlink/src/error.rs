//! Errors of messages and of the server.

use std::io;

/// A message that is refused, or a server that cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// Fewer bytes than a message has.
    #[error("{found} bytes are no message, {expected} expected")]
    Length {
        /// Bytes that are needed.
        expected: usize,
        /// Bytes that are there.
        found: usize,
    },
    /// A header that no message has.
    #[error("the header has {field} {value}, {allowed} allowed")]
    Header {
        /// Which field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A name that is not text.
    #[error("the header's {field} is not ASCII text")]
    Name {
        /// Which field.
        field: &'static str,
    },
    /// A body that is not what the header says.
    #[error("the body's checksum is {found:#018x}, but the header says {expected:#018x}")]
    Checksum {
        /// The header's.
        expected: u64,
        /// The body's.
        found: u64,
    },
    /// A body that does not fit its type.
    #[error("{kind}: {problem}")]
    Body {
        /// Type of the message.
        kind: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// A port that cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Address and port.
        address: String,
        /// Why.
        source: io::Error,
    },
}
