//! Readers of recorded logs: one file per format; units are converted once, here.
//!
//! A reader lists the columns of a file; [`plan`] selects the wanted ones and their units. The reader then reads
//! those, and [`assemble`] combines them to a [`Log`] and checks that the numbers are plausible. Sizes stated in a
//! file are checked before memory is allocated for them, and no file is executed.
//!
//! Each library of a file format is behind a feature. [`read`] of a file whose feature this build lacks is an error
//! that names the feature.

mod assemble;
#[cfg(feature = "bags")]
mod bag;
mod clock;
mod columns;
mod csv;
mod error;
mod frames;
mod guard;
#[cfg(feature = "hdf5")]
mod hdf5;
pub mod interpolation;
mod joints;
mod log;
mod mat;
#[cfg(feature = "bags")]
mod mcap;
mod missing;
mod names;
mod npy;
mod npz;
mod number;
#[cfg(feature = "spreadsheets")]
mod ods;
mod order;
mod orientation;
mod orientation_kind;
#[cfg(feature = "parquet")]
mod parquet;
mod plan;
mod recording;
mod robot;
#[cfg(feature = "spreadsheets")]
mod sheet;
mod source;
mod split_time;
#[cfg(feature = "bags")]
mod sqlite;
mod timeline;
mod units;

use std::fs::File;
use std::path::Path;

use plan::Request;
use recording::Recording;
use source::Stored;

pub use columns::Columns;
pub use error::TableError;
pub use frames::{ForceFrame, LogFrames};
pub use guard::guarded;
pub use log::{Channel, Log, LogSource, Motion};
pub use orientation_kind::OrientationKind;
#[cfg(feature = "parquet")]
pub use parquet::{check_parquet_column, check_parquet_footer};
pub use plan::ChooseColumns;
pub use robot::{RobotJoint, RobotKinematics, TipPose};
pub use source::Format;
pub use units::Units;

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
    /// none, [`LogFrames`] contains rotations without names: they may apply or not.
    pub force_frame: ForceFrame,
    /// Robot whose kinematics give position and orientation of logs that have joint positions and no position.
    pub robot: Option<RobotKinematics>,
}

/// Reads a log; the format follows from the extension ([`Format::endings`]).
/// A folder is read as one recording of ROS 2, if `metadata.yaml` or the file names (`bag_0.db3`, `bag_1.db3`)
/// identify its files as one.
///
/// # Errors
/// [`TableError`] with the name of the file and the row or column.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Log, TableError> {
    let name = path.display().to_string();
    if let Some(recording) = Recording::of(path, &name)? {
        check(options)?;
        return recording.read(&name, options);
    }
    let (format, file) = source::open(path, &name)?;
    check(options)?;
    match format {
        #[cfg(feature = "bags")]
        Format::Mcap => mcap::read(&name, file, options),
        #[cfg(feature = "bags")]
        Format::Db3 => sqlite::read(&name, path, file, options),
        format => {
            let request = Request {
                options,
                choose: None,
            };
            assemble::log(
                &name,
                read_file(&name, path, format, file, &request)?,
                options,
            )
        }
    }
}

/// Reads columns of numbers that the caller chooses; one series for each, in this order and of equal length, with NaN
/// for a number that is missing. Recordings of topics, which have no columns, are not read.
///
/// `choose` gets the names of all columns, `None` for one without a name, and returns indices, or what is wrong with
/// the names. An array of several columns counts as that many, with names such as `q[0]`.
///
/// # Errors
/// [`TableError`] with the name of the file and the row or column.
pub fn read_columns(path: &Path, choose: &ChooseColumns<'_>) -> Result<Vec<Vec<f64>>, TableError> {
    let name = path.display().to_string();
    let (format, file) = source::open(path, &name)?;
    let request = Request {
        options: &ReadOptions::default(),
        choose: Some(choose),
    };
    Ok(read_file(&name, path, format, file, &request)?.series)
}

/// Reads the wanted columns of a file that is no recording of topics.
fn read_file(
    name: &str,
    path: &Path,
    format: Format,
    file: File,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    match format {
        Format::Csv => csv::read(name, file, request),
        Format::Npy => {
            let size = source::size(name, &file)?;
            npy::read(name, file, size, request)
        }
        Format::Npz => npz::read(name, file, request),
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            let twin = source::twin(name, &file)?;
            parquet::read(name, file, &twin, request)
        }
        #[cfg(feature = "hdf5")]
        Format::Hdf5 => hdf5::read(name, file, Stored::File(path), "hdf5", request),
        #[cfg(feature = "spreadsheets")]
        Format::Xlsx => sheet::read(name, file, request),
        #[cfg(feature = "spreadsheets")]
        Format::Ods => ods::read(name, file, request),
        Format::Mat => mat::read(name, file, Stored::File(path), request),
        #[cfg(feature = "bags")]
        Format::Mcap | Format::Db3 => Err(no_columns(name)),
        #[cfg(not(all(
            feature = "bags",
            feature = "hdf5",
            feature = "parquet",
            feature = "spreadsheets"
        )))]
        format => Err(not_built(name, format)),
    }
}

/// The error for a recording where columns are wanted.
#[cfg(feature = "bags")]
fn no_columns(name: &str) -> TableError {
    refuse(
        name,
        "is a recording of topics, which have no common rows: export the wanted topic as CSV",
    )
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
) -> Result<Log, TableError> {
    check(options)?;
    if bytes.is_empty() {
        return Err(refuse(name, "is empty"));
    }
    let request = Request {
        options,
        choose: None,
    };
    let read = match format {
        Format::Csv => csv::read(name, bytes, &request),
        Format::Npy => npy::read(name, bytes, bytes.len() as u64, &request),
        Format::Npz => npz::read(name, std::io::Cursor::new(bytes), &request),
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            let bytes = bytes::Bytes::copy_from_slice(bytes);
            parquet::read(name, bytes.clone(), &bytes, &request)
        }
        #[cfg(feature = "hdf5")]
        Format::Hdf5 => hdf5::read(name, bytes, Stored::Bytes(bytes), "hdf5", &request),
        #[cfg(feature = "bags")]
        Format::Mcap => return mcap::read(name, bytes, options),
        #[cfg(feature = "bags")]
        Format::Db3 => return sqlite::read_bytes(name, bytes, options),
        #[cfg(feature = "spreadsheets")]
        Format::Xlsx => sheet::read(name, std::io::Cursor::new(bytes), &request),
        #[cfg(feature = "spreadsheets")]
        Format::Ods => ods::read(name, std::io::Cursor::new(bytes), &request),
        Format::Mat => mat::read(name, bytes, Stored::Bytes(bytes), &request),
        #[cfg(not(all(
            feature = "bags",
            feature = "hdf5",
            feature = "parquet",
            feature = "spreadsheets"
        )))]
        format => Err(not_built(name, format)),
    };
    assemble::log(name, read?, options)
}

fn check(options: &ReadOptions) -> Result<(), TableError> {
    match options.rate {
        Some(rate) if !(rate.is_finite() && rate > 0.0) => Err(TableError::option(
            "--rate",
            format!("{rate} is not a sampling rate: give samples per second, such as 500"),
        )),
        _ => Ok(()),
    }
}

/// The error for a file whose library is not in this build.
#[cfg(not(all(
    feature = "bags",
    feature = "hdf5",
    feature = "parquet",
    feature = "spreadsheets"
)))]
fn not_built(file: &str, format: Format) -> TableError {
    let (contents, feature) = match format {
        Format::Csv | Format::Npy | Format::Npz => ("text and arrays", "default"),
        Format::Parquet => ("Parquet", "parquet"),
        Format::Hdf5 | Format::Mat => ("HDF5", "hdf5"),
        Format::Mcap | Format::Db3 => ("recordings of ROS 2 and MCAP", "bags"),
        Format::Xlsx | Format::Ods => ("spreadsheets", "spreadsheets"),
    };
    refuse(
        file,
        format!(
            "this build of insonate does not read {contents}: build it with the feature `{feature}`, as `cargo build --release` and `cargo xtask run --full` do"
        ),
    )
}

/// An error about a file.
fn refuse(file: &str, problem: impl Into<String>) -> TableError {
    refuse_at(file, "", problem)
}

/// An error about a file with the position in it, such as `, row 12`.
fn refuse_at(file: &str, place: impl Into<String>, problem: impl Into<String>) -> TableError {
    TableError::Format {
        file: file.to_owned(),
        place: place.into(),
        problem: problem.into(),
    }
}
