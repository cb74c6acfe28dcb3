//! Tables of numbers as CSV.

use std::path::Path;

use anyhow::Context as _;

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
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let reading = || format!("cannot read {}", path.display());
        let mut reader = csv::Reader::from_path(path).with_context(reading)?;
        let names = reader.headers().with_context(reading)?;
        let names = names.iter().map(str::to_owned).collect();
        let number = |cell: &str| match cell {
            "" => Ok(f64::NAN),
            cell => cell.parse(),
        };
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.with_context(reading)?;
            let row: Result<_, _> = record.iter().map(number).collect();
            rows.push(
                row.with_context(|| format!("{} has a cell that is not a number", path.display()))?,
            );
        }
        Ok(Self { names, rows })
    }
}
