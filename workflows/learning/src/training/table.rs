//! Tables of numbers as CSV.

use std::path::Path;

use crate::LearningError;

/// A table with named columns.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) names: Vec<String>,
    /// Values, shape `[n_rows, n_columns]`; NaN for an empty cell.
    pub(super) rows: Vec<Vec<f64>>,
}

impl Table {
    /// Reads a file.
    ///
    /// # Errors
    /// If the file cannot be read, rows differ in length, or a cell is not a number.
    pub(super) fn read(path: &Path) -> Result<Self, LearningError> {
        let reading = |source| LearningError::ReadTable {
            path: path.to_owned(),
            source,
        };
        let mut reader = csv::Reader::from_path(path).map_err(reading)?;
        let names = reader.headers().map_err(reading)?;
        let names = names.iter().map(str::to_owned).collect();
        let number = |cell: &str| match cell {
            "" => Ok(f64::NAN),
            cell => cell.parse(),
        };
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(reading)?;
            let row: Result<_, std::num::ParseFloatError> = record.iter().map(number).collect();
            rows.push(row.map_err(|_| LearningError::Content {
                path: path.to_owned(),
                problem: "has a cell that is not a number".to_owned(),
            })?);
        }
        Ok(Self { names, rows })
    }
}
