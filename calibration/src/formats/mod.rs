//! Reading logs: one file per format, units converted once, here.

use std::path::Path;

use crate::{CalibrationError, Log};

/// What the user says about a file. The default reads what the file's own header says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// Which column is what; `None`: found by the names in the header.
    pub columns: Option<Columns>,
    /// Units of the columns; what is not named has the unit in its header's name (`_mm`), else SI.
    pub units: Units,
    /// Sampling rate [Hz], for logs without time.
    pub rate: Option<f64>,
}

/// `time=1,indentation=3,velocity=4,force=5`, or names of the header; vectors are three joined by `:`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns;

/// `indentation=mm,velocity=mm/s,force=N`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Units;

/// Reads a log by its ending: `.csv`, `.npy`, `.npz`, `.parquet`.
///
/// # Errors
/// [`CalibrationError`] that names the file and the row or column.
pub fn read(_path: &Path, _options: &ReadOptions) -> Result<Log, CalibrationError> {
    unimplemented!()
}
