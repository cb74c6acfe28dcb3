//! Files of plain numbers: safetensors with a description in JSON, a version and a checksum.
//!
//! The header's metadata has one entry, `insonate`, whose text is
//! `{"format": …, "version": …, "sha256": …, "content": {…}}`.
//! The checksum covers the content and every tensor with its name, type and shape.
//! Nothing in such a file is ever executed, and no size is believed before it is checked against the file's own.

mod checksum;
mod read;
mod tensor;
mod write;

pub(crate) use read::TensorFile;
pub(crate) use tensor::{Numbers, Tensor};
pub(crate) use write::TensorWriter;

/// What a file is: a name and the version of its layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    /// Such as `insonate-policy`.
    pub(crate) name: &'static str,
    /// In words, for messages: `policy`.
    pub(crate) what: &'static str,
    /// Raised when older programs could not read the layout.
    pub(crate) version: u32,
}

/// The only entry of the header's metadata.
const METADATA_KEY: &str = "insonate";

#[cfg(test)]
mod tests;
