//! A file of a recording on disk, with or without zstd compression.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::PathBuf;

use super::kind;
use crate::source::{self, Hashing};
use crate::{TableError, refuse};

/// Maximum unpacked size of a compressed SQLite file [bytes], which is unpacked in memory.
const MAX_UNPACKED: u64 = 1 << 30;

/// A file of a recording on disk.
pub(crate) struct RecordingFile {
    pub(crate) path: PathBuf,
    /// Name for messages.
    pub(crate) name: String,
    pub(crate) is_packed: bool,
    size: u64,
}

impl RecordingFile {
    pub(super) fn new(path: PathBuf) -> Result<Self, TableError> {
        let name = path.display().to_string();
        let failed = |source| TableError::Read {
            file: name.clone(),
            source,
        };
        let metadata = std::fs::metadata(&path).map_err(failed)?;
        if !metadata.is_file() {
            return Err(refuse(&name, "is not a regular file"));
        }
        if metadata.len() == 0 {
            return Err(refuse(&name, "is empty"));
        }
        Ok(Self {
            is_packed: kind(&path).is_some_and(|(_, is_packed)| is_packed),
            size: metadata.len(),
            path,
            name,
        })
    }

    /// Opens the file for a hash over all parts.
    pub(crate) fn open(&self, hashing: Option<Hashing<File>>) -> Result<Hashing<File>, TableError> {
        let file = File::open(&self.path).map_err(|source| TableError::Read {
            file: self.name.clone(),
            source,
        })?;
        Ok(match hashing {
            Some(hashing) => hashing.of_next(file),
            None => Hashing::new(file),
        })
    }

    /// Decompresses the input if necessary.
    pub(crate) fn unpacked<R: Read>(&self, input: R) -> io::Result<Unpacked<R>> {
        Ok(Unpacked {
            inner: zstd::stream::read::Decoder::new(input)?,
            packed: self.size,
            bytes: 0,
        })
    }

    /// Reads the whole file into memory, decompressed.
    pub(crate) fn unpack(&self, input: impl Read) -> Result<Vec<u8>, TableError> {
        let mut bytes = Vec::new();
        self.unpacked(input)
            .and_then(|input| input.take(MAX_UNPACKED + 1).read_to_end(&mut bytes))
            .map_err(|error| refuse(&self.name, format!("cannot be unpacked: {error}")))?;
        if bytes.len() as u64 > MAX_UNPACKED {
            return Err(refuse(
                &self.name,
                "has more than 1 GiB when it is unpacked: unpack it first",
            ));
        }
        Ok(bytes)
    }
}

/// Decompresses zstd data, and fails if the result is disproportionately large.
pub(crate) struct Unpacked<R: Read> {
    inner: zstd::stream::read::Decoder<'static, BufReader<R>>,
    packed: u64,
    /// Bytes so far.
    bytes: u64,
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.bytes += n as u64;
        source::unpacks_to(self.packed, self.bytes).map_err(io::Error::other)?;
        Ok(n)
    }
}
