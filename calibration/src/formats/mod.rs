//! Readers of logs: one file per format; units are converted once, here.
//!
//! A reader lists the columns of a file; [`plan`] selects the wanted ones and their units. The reader then reads
//! those, and [`assemble`] combines them to a [`Log`] and checks that the numbers are plausible. Sizes stated in a
//! file are checked before memory is allocated for them, and no file is executed.

mod assemble;
mod bag;
mod clock;
mod columns;
mod csv;
mod hdf5;
mod joints;
mod mat;
mod mcap;
mod missing;
mod names;
mod npy;
mod npz;
mod number;
mod ods;
mod order;
mod orientation;
mod parquet;
mod plan;
mod recording;
mod robot;
mod sheet;
mod source;
mod split_time;
mod sqlite;
mod timeline;
mod units;

use std::path::Path;

use recording::Recording;

pub use columns::Columns;
pub use orientation::OrientationKind;
pub use parquet::{check_parquet_column, check_parquet_footer, guarded};
pub use robot::{RobotJoint, RobotKinematics, TipPose};
pub use source::Format;
pub use units::Units;

use crate::{CalibrationError, ForceFrame, Log};

/// Maximum size of a log [bytes]; split a longer recording.
pub const MAX_FILE_BYTES: u64 = 4 << 30;

/// Maximum number of samples of a log: seven hours at 2 kHz. A few bytes of a compressed file can claim any number.
pub const MAX_SAMPLES: usize = 50_000_000;

/// Options for reading a file. The default follows the header of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// Assignment of columns to quantities; `None`: detected from the names in the header. If given, no other column
    /// is read, except for a time and an orientation named in the header.
    pub columns: Option<Columns>,
    /// Units of the columns. A quantity that is not listed has the unit in its header's name (`_mm`), otherwise SI.
    pub units: Units,
    /// Sampling rate [Hz] for logs without time: sample i was taken at i / rate. Takes precedence over a time column.
    pub rate: Option<f64>,
    /// Selected episode of a file with several (LeRobot's `episode_index`).
    pub episode: Option<i64>,
    /// Representation of the orientation; `None`: from the column names `qx`, `qy`, `qz` and `qw`. A list of four
    /// numbers in an unknown order is not read.
    pub orientation: Option<OrientationKind>,
    /// Frame of the force, if an orientation was recorded. [`ForceFrame::Auto`]: from the log's frames. If the log has
    /// none, [`LogFrames`](crate::LogFrames) contains rotations without names: they may apply or not.
    pub force_frame: ForceFrame,
    /// Robot whose kinematics give position and orientation of logs that have joint positions and no position.
    pub robot: Option<RobotKinematics>,
}

/// Reads a log; the format follows from the extension: `.csv` (also `.txt`, `.tsv`, `.dat`), `.npy`, `.npz`,
/// `.parquet`, `.h5` (also `.hdf5`), `.mcap`, `.db3`, `.mat`, `.xlsx` (also `.xlsm`), `.ods`.
/// A folder is read as one recording of ROS 2, if `metadata.yaml` or the file names (`bag_0.db3`, `bag_1.db3`)
/// identify its files as one.
///
/// # Errors
/// [`CalibrationError`] with the name of the file and the row or column.
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
        Format::Ods => ods::read(&name, file, options),
        Format::Mat => {
            let open = || ::hdf5_pure::File::open_streaming(path);
            mat::read(&name, file, open, options)
        }
    }
}

/// Reads a log from memory; `name` is used in messages and in the log's source.
///
/// # Errors
/// The errors of [`read`].
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
        Format::Ods => ods::read(name, std::io::Cursor::new(bytes), options),
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

/// An error about a file.
fn refuse(file: &str, problem: impl Into<String>) -> CalibrationError {
    refuse_at(file, "", problem)
}

/// An error about a file with the position in it, such as `, row 12`.
fn refuse_at(file: &str, place: impl Into<String>, problem: impl Into<String>) -> CalibrationError {
    CalibrationError::Format {
        file: file.to_owned(),
        place: place.into(),
        problem: problem.into(),
    }
}
