//! Reading logs: one file per format, units converted once, here.
//!
//! A reader says which columns a file has; [`plan`] finds out which of them are wanted and in which units;
//! the reader reads those; [`assemble`] puts them together as a [`Log`] and looks whether the numbers can be true.
//! Sizes that a file states are checked before memory is allocated for them, and no file is executed.

mod assemble;
mod bag;
mod clock;
mod columns;
mod csv;
mod hdf5;
mod mat;
mod mcap;
mod missing;
mod names;
mod npy;
mod npz;
mod number;
mod order;
mod orientation;
mod parquet;
mod plan;
mod recording;
mod sheet;
mod source;
mod sqlite;
mod timeline;
mod units;

use std::path::Path;

use recording::Recording;

pub use columns::Columns;
pub use orientation::{ForceFrame, OrientationKind};
pub use parquet::{check_parquet_column, check_parquet_footer, guarded};
pub use source::Format;
pub use units::Units;

use crate::{CalibrationError, Log};

/// No log is larger [bytes]; a longer recording is split before.
pub const MAX_FILE_BYTES: u64 = 4 << 30;

/// No log has more samples: seven hours at 2 kHz. A few bytes of a compressed file can claim any number.
pub const MAX_SAMPLES: usize = 50_000_000;

/// What the user says about a file. The default reads what the file's own header says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// Which column is what; `None`: found by the names in the header.
    /// Where it is given, no other column is read, but for a time and an orientation that the header names.
    pub columns: Option<Columns>,
    /// Units of the columns; what is not named has the unit in its header's name (`_mm`), else SI.
    pub units: Units,
    /// Sampling rate [Hz]: sample i was taken at i / rate. For logs without time; where there is a time column too, the rate wins.
    pub rate: Option<f64>,
    /// Which episode of a file that holds several (LeRobot's `episode_index`).
    pub episode: Option<i64>,
    /// How the columns of the orientation are written; `None`: as their names say, `qx`, `qy`, `qz` and `qw`.
    /// A list of four numbers whose order nobody said is not read.
    pub orientation: Option<OrientationKind>,
    /// Which frame the force is in, where an orientation was recorded; `None`: as the log's frames say,
    /// and where it has none, [`LogFrames`](crate::LogFrames) has rotations without names: they are possible, not certain.
    pub force_frame: Option<ForceFrame>,
}

/// Reads a log by its ending: `.csv` (also `.txt`, `.tsv`, `.dat`), `.npy`, `.npz`, `.parquet`, `.h5` (also `.hdf5`), `.mcap`, `.db3`, `.mat`, `.xlsx` (also `.xlsm`).
/// A folder is read as one recording of ROS 2, where its files are said to be one by `metadata.yaml` or their names (`bag_0.db3`, `bag_1.db3`).
///
/// # Errors
/// [`CalibrationError`] that names the file and the row or column.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Log, CalibrationError> {
    let name = path.display().to_string();
    if let Some(recording) = Recording::of(path, &name)? {
        check(options)?;
        return recording.read(&name, options);
    }
    let (format, file) = source::open(path, &name)?;
    check(options)?;
    match format {
        Format::Csv => csv::read(&name, file, options),
        Format::Npy => {
            let size = source::size(&name, &file)?;
            npy::read(&name, file, size, options)
        }
        Format::Npz => npz::read(&name, file, options),
        Format::Parquet => {
            let twin = source::twin(&name, &file)?;
            parquet::read(&name, file, &twin, options)
        }
        Format::Hdf5 => hdf5::read(
            &name,
            file,
            || ::hdf5_pure::File::open_streaming(path),
            "hdf5",
            options,
        ),
        Format::Mcap => mcap::read(&name, file, options),
        Format::Db3 => sqlite::read(&name, path, file, options),
        Format::Xlsx => sheet::read(&name, file, options),
        Format::Mat => {
            let open = || ::hdf5_pure::File::open_streaming(path);
            mat::read(&name, file, open, options)
        }
    }
}

/// Reads a log that is in memory; `name` stands in messages and in the log's source.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(
    name: &str,
    format: Format,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Log, CalibrationError> {
    check(options)?;
    if bytes.is_empty() {
        return Err(refuse(name, "is empty"));
    }
    match format {
        Format::Csv => csv::read(name, bytes, options),
        Format::Npy => npy::read(name, bytes, bytes.len() as u64, options),
        Format::Npz => npz::read(name, std::io::Cursor::new(bytes), options),
        Format::Parquet => {
            let bytes = bytes::Bytes::copy_from_slice(bytes);
            parquet::read(name, bytes.clone(), &bytes, options)
        }
        Format::Hdf5 => {
            let open = || ::hdf5_pure::File::from_bytes(bytes.to_vec());
            hdf5::read(name, bytes, open, "hdf5", options)
        }
        Format::Mcap => mcap::read(name, bytes, options),
        Format::Db3 => sqlite::read_bytes(name, bytes, options),
        Format::Xlsx => sheet::read(name, std::io::Cursor::new(bytes), options),
        Format::Mat => {
            let open = || ::hdf5_pure::File::from_bytes(bytes.to_vec());
            mat::read(name, bytes, open, options)
        }
    }
}

fn check(options: &ReadOptions) -> Result<(), CalibrationError> {
    match options.rate {
        Some(rate) if !(rate.is_finite() && rate > 0.0) => Err(CalibrationError::option(
            "--rate",
            format!("{rate} is not a sampling rate: give samples per second, such as 500"),
        )),
        _ => Ok(()),
    }
}

/// What is wrong with a file.
fn refuse(file: &str, problem: impl Into<String>) -> CalibrationError {
    refuse_at(file, "", problem)
}

/// What is wrong with a file, and where in it, such as `, row 12`.
fn refuse_at(file: &str, place: impl Into<String>, problem: impl Into<String>) -> CalibrationError {
    CalibrationError::Format {
        file: file.to_owned(),
        place: place.into(),
        problem: problem.into(),
    }
}
