//! Writer of tensor files.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Format, METADATA_KEY, Tensor, checksum::checksum};
use crate::RlError;

/// Tensors to write.
#[derive(Debug, Clone, Default)]
pub(crate) struct TensorWriter {
    tensors: BTreeMap<String, Tensor>,
}

#[derive(Serialize)]
struct Metadata<'a> {
    format: &'a str,
    version: u32,
    sha256: String,
    content: &'a RawValue,
}

impl TensorWriter {
    /// Adds a tensor.
    pub(crate) fn add(&mut self, name: impl Into<String>, tensor: Tensor) {
        self.tensors.insert(name.into(), tensor);
    }

    /// The bytes of the file. The same content gives the same bytes.
    pub(crate) fn bytes(&self, format: Format, content: &impl Serialize) -> Vec<u8> {
        let content = serde_json::value::to_raw_value(content)
            .expect("descriptions have string keys and finite numbers");
        let metadata = Metadata {
            format: format.name,
            version: format.version,
            sha256: checksum(content.get(), &self.tensors),
            content: &content,
        };
        let metadata = serde_json::to_string(&metadata).expect("strings and numbers are JSON");
        // With a single entry, the order of the hash map has no effect.
        let metadata = HashMap::from([(METADATA_KEY.to_owned(), metadata)]);
        safetensors::serialize(self.tensors.iter(), Some(metadata))
            .expect("shapes were checked against lengths")
    }

    /// Writes the file atomically: an existing file is kept until the new one is on the disk.
    ///
    /// # Errors
    /// [`RlError::Write`].
    pub(crate) fn save(
        &self,
        path: &Path,
        format: Format,
        content: &impl Serialize,
    ) -> Result<(), RlError> {
        let bytes = self.bytes(format, content);
        Ok(insonate_files::write(path, &bytes)?)
    }
}
