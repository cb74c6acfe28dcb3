//! Demonstrations: recorded episodes as files for imitation learning, and logs as [`mcap`]; pure Rust, without MuJoCo.
//!
//! [`Format::Robomimic`] is one HDF5 file; [`Format::LeRobot`] is a folder of Parquet files with PNG images.
//! [`DatasetWriter`] writes both, and [`read`] reads both, including files from other programs with one vector of
//! observations. Files are untrusted: sizes are checked before memory is allocated, and no file can abort the program.

mod demonstration;
mod error;
mod lerobot;
mod limits;
pub mod mcap;
mod picture;
mod read;
mod robomimic;
mod statistics;
mod write;

pub use demonstration::{CameraInfo, Dataset, DatasetInfo, Demonstration};
pub use error::DatasetError;
pub use read::{ReadOptions, read};
pub use write::{DatasetWriter, Format};
