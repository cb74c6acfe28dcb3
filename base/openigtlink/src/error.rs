//! Errors of messages.

/// A refused message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// The message is too short.
    #[error("the message has {found} bytes, but {expected} are expected")]
    Length {
        /// Required bytes.
        expected: usize,
        /// Actual bytes.
        found: usize,
    },
    /// A field of the header has an invalid value.
    #[error("the header's {field} is {value}; it must be {allowed}")]
    Header {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// Allowed values.
        allowed: &'static str,
    },
    /// A name is not ASCII text.
    #[error("the header's {field} is not ASCII text")]
    Name {
        /// Name of the field.
        field: &'static str,
    },
    /// The body does not match the checksum in the header.
    #[error("the body's checksum is {found:#018x}, but the header says {expected:#018x}")]
    Checksum {
        /// Checksum in the header.
        expected: u64,
        /// Checksum of the body.
        found: u64,
    },
    /// The body does not fit its type.
    #[error("{kind}: {problem}")]
    Body {
        /// Type of the message.
        kind: &'static str,
        /// What is wrong.
        problem: String,
    },
}
