//! Files of plain numbers: safetensors with a description in JSON, a version and a checksum.
//!
//! The header's metadata has one entry, `insonate`, whose text is
//! `{"format": …, "version": …, "sha256": …, "content": {…}}`.
//! The checksum covers the content and every tensor with its name, type and shape.
//! Reading executes no code, and every size is checked against the file size before memory is allocated.

mod checksum;
mod read;
mod tensor;
mod write;

pub(crate) use read::TensorFile;
pub(crate) use tensor::Tensor;
pub(crate) use write::TensorWriter;

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    /// Name, such as `insonate-policy`.
    pub(crate) name: &'static str,
    /// Name for messages, such as `policy`.
    pub(crate) what: &'static str,
    /// Version, incremented if older programs cannot read the layout.
    pub(crate) version: u32,
    /// Oldest version that this program can read.
    pub(crate) oldest: u32,
}

/// The only entry of the header's metadata.
const METADATA_KEY: &str = "insonate";

#[cfg(test)]
mod tests;
