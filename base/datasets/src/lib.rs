//! Demonstrations: recorded episodes as files for imitation learning, and logs as [`mcap`]; pure Rust, without MuJoCo.
//!
//! [`Format::Robomimic`] is one HDF5 file; [`Format::LeRobot`] is a folder of Parquet files with PNG images; [`Format::OpenH`] is a
//! folder of Parquet files and videos. [`DatasetWriter`] writes all, [`read_recording`] reads an episode of each, and [`read`] reads the first two, including files from other programs with one vector of
//! observations. Each format is behind a feature of its name; without the feature it is an error that names it. Files are untrusted: sizes are checked before memory is allocated, and no file can abort the program.

mod demonstration;
mod error;
#[cfg(feature = "lerobot")]
mod lerobot;
#[cfg(any(feature = "lerobot", feature = "robomimic"))]
mod limits;
pub mod mcap;
#[cfg(feature = "lerobot")]
mod picture;
mod read;
mod read_recording;
mod recording;
#[cfg(feature = "robomimic")]
mod robomimic;
mod sink;
#[cfg(feature = "lerobot")]
mod statistics;
mod write;

pub use demonstration::{
    CameraInfo, Dataset, DatasetInfo, Demonstration, EpisodeKind, RigInfo, SignalInfo,
};
pub use error::DatasetError;
pub use read::{ReadOptions, read};
pub use read_recording::read_recording;
pub use recording::{OwnRecording, RecordedColumn, Recording};
pub use write::{DatasetWriter, Format};
