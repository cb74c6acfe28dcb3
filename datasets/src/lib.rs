//! Demonstrations: recorded episodes as the files that imitation learners read, and logs as [`mcap`]; pure Rust, without MuJoCo.
//!
//! [`Format::Robomimic`] is one HDF5 file, [`Format::LeRobot`] a folder of Parquet files with PNG pictures.
//! [`DatasetWriter`] writes both, [`read`] reads both, also those of others that have one vector of observations.
//! Files are untrusted: sizes are checked before memory is taken, and nothing in a file ends the program.

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
