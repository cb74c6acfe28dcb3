//! Files as bytes: name, detected format, and hash.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::{MAX_FILE_BYTES, refuse};
use crate::TableError;

/// Supported formats of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text: numbers between commas, semicolons, tabs or spaces.
    Csv,
    /// One NumPy array.
    Npy,
    /// A zip archive of NumPy arrays.
    Npz,
    /// Columns with numbers and lists of numbers.
    Parquet,
    /// A tree of data sets.
    Hdf5,
    /// A recording of topics by ROS 2 or Foxglove.
    Mcap,
    /// A recording of topics in SQLite by ROS 2.
    Db3,
    /// A spreadsheet of Excel.
    Xlsx,
    /// A spreadsheet of LibreOffice.
    Ods,
    /// Variables saved by MATLAB.
    Mat,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 10] = [
        Self::Csv,
        Self::Npy,
        Self::Npz,
        Self::Parquet,
        Self::Hdf5,
        Self::Mcap,
        Self::Db3,
        Self::Xlsx,
        Self::Ods,
        Self::Mat,
    ];

    /// Name in a log's source, such as `csv`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::Parquet => "parquet",
            Self::Hdf5 => "hdf5",
            Self::Mcap => "mcap",
            Self::Db3 => "db3",
            Self::Xlsx => "xlsx",
            Self::Ods => "ods",
            Self::Mat => "mat",
        }
    }

    /// File extensions in lower case, without a dot; the usual one comes first.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Csv => &["csv", "txt", "tsv", "dat"],
            Self::Npy => &["npy"],
            Self::Npz => &["npz"],
            Self::Parquet => &["parquet"],
            Self::Hdf5 => &["h5", "hdf5"],
            Self::Mcap => &["mcap"],
            Self::Db3 => &["db3"],
            Self::Xlsx => &["xlsx", "xlsm"],
            Self::Ods => &["ods"],
            Self::Mat => &["mat"],
        }
    }

    /// The format of a path by its extension.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        let has_ending = |format: &Self| format.endings().contains(&ending.as_str());
        Self::ALL.into_iter().find(has_ending)
    }
}

/// Contents of a log as a library opens them for itself.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(feature = "hdf5"),
    expect(
        dead_code,
        reason = "only the library of HDF5 opens contents for itself"
    )
)]
pub(super) enum Stored<'a> {
    File(&'a Path),
    Bytes(&'a [u8]),
}

/// Signature of HDF5 at the start of a file, or after its user block.
pub(super) const HDF5_MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Opens a file that may be a log.
pub(super) fn open(path: &Path, name: &str) -> Result<(Format, File), TableError> {
    let failed = |source| TableError::Read {
        file: name.to_owned(),
        source,
    };
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(refuse(name, "is a folder: name the logs in it"));
    }
    if !metadata.is_file() {
        return Err(refuse(
            name,
            "is not a regular file: save the log to a file first",
        ));
    }
    let ending = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    if let Some(problem) = ending
        .as_ref()
        .and_then(|ending| unread_sheet(ending.to_str()?))
    {
        return Err(refuse(name, problem));
    }
    let format = Format::of(path).ok_or_else(|| {
        refuse(
            name,
            format!(
                "the ending does not say what it is: logs are .{}",
                Format::ALL
                    .map(|format| format.endings().join(", ."))
                    .join(", .")
            ),
        )
    })?;
    if metadata.len() == 0 {
        return Err(refuse(name, "is empty"));
    }
    if metadata.len() > MAX_FILE_BYTES {
        let size = metadata.len();
        return Err(refuse(name, too_large(size)));
    }
    Ok((format, File::open(path).map_err(failed)?))
}

/// Why a spreadsheet with this ending is not read, and how to convert it.
///
/// The library of spreadsheets (calamine 0.38) takes the memory that XLS and XLSB state for their cells, and follows
/// cycles of sectors without end.
fn unread_sheet(ending: &str) -> Option<String> {
    matches!(ending, "xls" | "xlsb").then(|| format!(
        "is a spreadsheet of the kind .{ending}, which is not read because a damaged one can claim cells without limit: save it as .xlsx or .csv, such as with soffice --convert-to xlsx FILE"
    ))
}

/// The size of an open file [bytes].
pub(super) fn size(name: &str, file: &File) -> Result<u64, TableError> {
    match file.metadata() {
        Ok(metadata) => Ok(metadata.len()),
        Err(source) => Err(TableError::Read {
            file: name.to_owned(),
            source,
        }),
    }
}

/// A second handle of an open file.
#[cfg(feature = "parquet")]
pub(super) fn twin(name: &str, file: &File) -> Result<File, TableError> {
    file.try_clone().map_err(|source| TableError::Read {
        file: name.to_owned(),
        source,
    })
}

/// Unpacked size [bytes] up to which the ratio is not checked.
const FREE_SIZE: u64 = 128 << 20;
/// Maximum ratio of unpacked to compressed size beyond [`FREE_SIZE`].
const MAX_RATIO: u64 = 100;

/// Refuses data that would unpack to disproportionately more than its size.
pub(super) fn unpacks_to(packed: u64, unpacked: u64) -> Result<(), String> {
    if unpacked <= FREE_SIZE || unpacked / MAX_RATIO <= packed {
        return Ok(());
    }
    Err(format!(
        "would unpack from {packed} to {unpacked} bytes, more than {MAX_RATIO} times: save it without compression if this is meant"
    ))
}

/// Text of the error for a file that is too large.
pub(super) fn too_large(size: u64) -> String {
    let limit = MAX_FILE_BYTES >> 30;
    format!("has {size} bytes, above the {limit} GiB that a log may have: split the recording")
}

/// The format that the first bytes of a file indicate, if it is clear.
pub(super) fn looks_like(head: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 15] = [
        (b"\x93NUMPY", "a NumPy array: name it .npy"),
        (
            b"PK\x03\x04",
            "a zip archive: an .npz, or a spreadsheet: name it .xlsx or .ods",
        ),
        (b"PK\x05\x06", "an empty zip archive"),
        (b"PAR1", "a Parquet file: name it .parquet"),
        (b"\x89HDF", "an HDF5 file: name it .h5"),
        (b"MATLAB ", "variables that MATLAB saved: name it .mat"),
        (b"\x89MCAP0", "an MCAP recording: name it .mcap"),
        (
            b"SQLite format 3\0",
            "an SQLite file: if ROS 2 made it, name it .db3",
        ),
        (b"\x1f\x8b", "compressed by gzip: unpack it first"),
        (b"(\xb5/\xfd", "compressed by zstd: unpack it first"),
        (
            b"\x80\x04",
            "a Python pickle: it is never executed; save plain arrays with numpy.savez",
        ),
        (
            b"\x80\x05",
            "a Python pickle: it is never executed; save plain arrays with numpy.savez",
        ),
        (b"\xff\xfe", "UTF-16 text: save it as UTF-8"),
        (b"\xfe\xff", "UTF-16 text: save it as UTF-8"),
        (
            b"#ROSBAG",
            "a bag of ROS 1: convert it to ROS 2 (rosbags-convert of PyPI's rosbags)",
        ),
    ];
    let found = MAGIC.iter().find(|(magic, _)| head.starts_with(magic));
    match found {
        Some((_, what)) => Some(what),
        None if head.contains(&0) => Some("binary data"),
        None => None,
    }
}

/// Hashes the data read through it, and fails above [`MAX_FILE_BYTES`].
pub(super) struct Hashing<R> {
    inner: R,
    hash: Sha256,
    bytes: u64,
}

impl<R: Read> Hashing<R> {
    pub(super) fn new(inner: R) -> Self {
        Self {
            inner,
            hash: Sha256::new(),
            bytes: 0,
        }
    }

    /// Continues with another file: hash and size are those of the concatenated files.
    #[cfg(feature = "bags")]
    pub(super) fn of_next<S: Read>(self, inner: S) -> Hashing<S> {
        Hashing {
            inner,
            hash: self.hash,
            bytes: self.bytes,
        }
    }

    /// SHA-256 of all data read, lower-case hexadecimal.
    pub(super) fn finish(self) -> String {
        use std::fmt::Write as _;
        let mut text = String::with_capacity(64);
        for byte in self.hash.finalize() {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.hash.update(&buffer[..n]);
        self.bytes += n as u64;
        if self.bytes > MAX_FILE_BYTES {
            return Err(io::Error::other(too_large(self.bytes)));
        }
        Ok(n)
    }
}
