//! Reader of tensor files from untrusted sources.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use safetensors::SafeTensors;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{Format, METADATA_KEY, Tensor, checksum::checksum};
use crate::RlError;

/// Maximum file size: 2 GiB.
const MAX_BYTES: u64 = 1 << 31;

/// A file with a matching checksum.
#[derive(Debug)]
pub(crate) struct TensorFile {
    path: PathBuf,
    format: Format,
    content: String,
    tensors: BTreeMap<String, Tensor>,
}

#[derive(Deserialize)]
struct Metadata<'a> {
    format: String,
    version: u32,
    sha256: String,
    #[serde(borrow)]
    content: &'a RawValue,
}

impl TensorFile {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// [`RlError::Io`]; [`RlError::File`] if the file is corrupt, truncated, or of another format or version.
    pub(crate) fn load(path: &Path, format: Format) -> Result<Self, RlError> {
        Self::load_one_of(path, &[format])
    }

    /// Reads and checks a file of one of these formats; see [`TensorFile::format`].
    ///
    /// # Errors
    /// Those of [`TensorFile::load`].
    pub(crate) fn load_one_of(path: &Path, formats: &[Format]) -> Result<Self, RlError> {
        let bytes = read(path)?;
        Self::parse(path, &bytes, formats)
    }

    /// The file's format.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Checks the bytes of a file; `path` is used in messages.
    ///
    /// # Errors
    /// Those of [`TensorFile::load`].
    pub(crate) fn parse(path: &Path, bytes: &[u8], formats: &[Format]) -> Result<Self, RlError> {
        let invalid = |problem: String| RlError::file(path, problem);
        let [first, ..] = formats else {
            return Err(invalid("has an unknown format".to_owned()));
        };
        let what = first.what;
        let views = SafeTensors::deserialize(bytes).map_err(|error| {
            invalid(format!(
                "is not a {what} file, or is truncated or corrupt: {error}"
            ))
        })?;
        let (_, header) = SafeTensors::read_metadata(bytes)
            .map_err(|error| invalid(format!("has a corrupt header: {error}")))?;
        let metadata = header
            .metadata()
            .as_ref()
            .and_then(|metadata| metadata.get(METADATA_KEY))
            .ok_or_else(|| {
                invalid(format!(
                    "is a safetensors file, but not a {what} file of insonate"
                ))
            })?;
        let metadata: Metadata<'_> = serde_json::from_str(metadata)
            .map_err(|error| invalid(format!("has a corrupt description: {error}")))?;
        let mut known = formats.iter().copied();
        let Some(format) = known.find(|format| format.name == metadata.format) else {
            let (found, names) = (metadata.format, formats.iter().map(|format| format.name));
            let names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
            return Err(invalid(format!(
                "is of format {found:?}, not {}",
                names.join(" or ")
            )));
        };
        let known = format.oldest..=format.version;
        if !known.contains(&metadata.version) {
            let (first, last) = known.into_inner();
            return Err(invalid(format!(
                "has version {} of the {what} format; this program reads versions {first} to {last}",
                metadata.version
            )));
        }
        let mut tensors = BTreeMap::new();
        for (name, view) in views.tensors() {
            let tensor = Tensor::of(&view).ok_or_else(|| {
                invalid(format!(
                    "has numbers of type {:?} in {name:?}",
                    view.dtype()
                ))
            })?;
            tensors.insert(name, tensor);
        }
        let content = metadata.content.get();
        if checksum(content, &tensors) != metadata.sha256 {
            return Err(invalid("is corrupt: the checksum does not match".into()));
        }
        Ok(Self {
            path: path.to_owned(),
            format,
            content: content.to_owned(),
            tensors,
        })
    }

    /// Parses the description.
    ///
    /// # Errors
    /// [`RlError::File`] if fields are missing or unknown.
    pub(crate) fn content<T: DeserializeOwned>(&self) -> Result<T, RlError> {
        serde_json::from_str(&self.content).map_err(|error| {
            self.invalid(format!("has a description that cannot be read: {error}"))
        })
    }

    /// Takes a single-precision array of this shape.
    ///
    /// # Errors
    /// [`RlError::File`] if it is missing or of another type or shape.
    pub(crate) fn take_f32(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, RlError> {
        self.check_shape(name, shape)?;
        let numbers = self.take(name)?.to_f32();
        numbers.ok_or_else(|| self.invalid(format!("has {name:?} in another type than F32")))
    }

    /// Takes a double-precision array of this shape.
    ///
    /// # Errors
    /// Those of [`TensorFile::take_f32`].
    pub(crate) fn take_f64(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f64>, RlError> {
        self.check_shape(name, shape)?;
        let numbers = self.take(name)?.to_f64();
        numbers.ok_or_else(|| self.invalid(format!("has {name:?} in another type than F64")))
    }

    /// Takes `n` bytes.
    ///
    /// # Errors
    /// Those of [`TensorFile::take_f32`].
    pub(crate) fn take_bytes(&mut self, name: &str, n: usize) -> Result<Vec<u8>, RlError> {
        self.check_shape(name, &[n])?;
        let bytes = self.take(name)?.into_bytes();
        bytes.ok_or_else(|| self.invalid(format!("has {name:?} in another type than U8")))
    }

    /// Whether the file has an array with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// Takes a text.
    ///
    /// # Errors
    /// [`RlError::File`] if it is missing or not UTF-8.
    pub(crate) fn take_text(&mut self, name: &str) -> Result<String, RlError> {
        String::from_utf8(self.take(name)?.data)
            .map_err(|error| self.invalid(format!("has {name:?} that is not UTF-8: {error}")))
    }

    /// Checks that an array exists and has this shape, without taking it.
    ///
    /// # Errors
    /// [`RlError::File`].
    pub(crate) fn check_shape(&self, name: &str, shape: &[usize]) -> Result<(), RlError> {
        let tensor = self
            .tensors
            .get(name)
            .ok_or_else(|| self.invalid(format!("has no {name:?}")))?;
        if tensor.shape != shape {
            let found = &tensor.shape;
            return Err(self.invalid(format!(
                "has {name:?} of shape {found:?}, expected {shape:?}"
            )));
        }
        Ok(())
    }

    /// Creates an error that names this file.
    pub(crate) fn invalid(&self, problem: impl Into<String>) -> RlError {
        RlError::file(&self.path, problem)
    }

    fn take(&mut self, name: &str) -> Result<Tensor, RlError> {
        self.tensors
            .remove(name)
            .ok_or_else(|| self.invalid(format!("has no {name:?}")))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, RlError> {
    let unreadable = |error| RlError::io(path, "cannot be read")(error);
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(RlError::file(path, "is not a regular file"));
    }
    if metadata.len() > MAX_BYTES {
        let n_bytes = metadata.len();
        return Err(RlError::file(
            path,
            format!("has {n_bytes} bytes, {MAX_BYTES} at most"),
        ));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    Ok(bytes)
}
