//! Reads the values of one column, row group by row group.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};

use super::pages;
use crate::{TableError, refuse_at};

/// Approximate number of values decoded at once.
const BATCH: usize = 1 << 16;

/// A column to read.
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    /// Label in messages.
    pub(super) label: &'a str,
    /// Index among the columns of the file.
    pub(super) leaf: usize,
    /// Numbers per row, for a list.
    pub(super) width: Option<usize>,
}

impl Source<'_> {
    /// Reads some of the numbers in each row as series; indices from 0.
    pub(super) fn read<R: ChunkReader + 'static>(
        &self,
        reader: &SerializedFileReader<R>,
        twin: &R,
        elements: &[usize],
        rows: usize,
    ) -> Result<Vec<Vec<f64>>, TableError> {
        let mut series = vec![Vec::new(); elements.len()];
        for (at, group) in reader.metadata().row_groups().iter().enumerate() {
            pages::check(twin, group.column(self.leaf))
                .map_err(|problem| self.refuse_column(&problem))?;
            let column = reader
                .get_row_group(at)
                .and_then(|group| group.get_column_reader(self.leaf))
                .map_err(|error| self.damaged(&error))?;
            let wanted = group.num_rows() as usize;
            let series = &mut series;
            let present = group.column(self.leaf).column_descr().max_def_level();
            match column {
                ColumnReader::Int32ColumnReader(column) => self.group(
                    column,
                    present,
                    |value| f64::from(*value),
                    elements,
                    wanted,
                    series,
                ),
                ColumnReader::Int64ColumnReader(column) => self.group(
                    column,
                    present,
                    |value| *value as f64,
                    elements,
                    wanted,
                    series,
                ),
                ColumnReader::FloatColumnReader(column) => self.group(
                    column,
                    present,
                    |value| f64::from(*value),
                    elements,
                    wanted,
                    series,
                ),
                ColumnReader::DoubleColumnReader(column) => {
                    self.group(column, present, |value| *value, elements, wanted, series)
                }
                _ => Err(self.refuse_column("does not hold plain numbers")),
            }?;
        }
        if series.iter().any(|values| values.len() != rows) {
            return Err(self.refuse_column(&format!(
                "has {} values for the {rows} rows of the file",
                series.first().map_or(0, Vec::len)
            )));
        }
        Ok(series)
    }

    fn group<T: DataType>(
        &self,
        mut column: ColumnReaderImpl<T>,
        present: i16,
        number: impl Fn(&T::T) -> f64,
        elements: &[usize],
        rows: usize,
        series: &mut [Vec<f64>],
    ) -> Result<(), TableError> {
        let width = self.width.unwrap_or(1).max(1);
        let (mut definition, mut repetition, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut left = rows;
        while left > 0 {
            definition.clear();
            repetition.clear();
            values.clear();
            let batch = left.min((BATCH / width).max(1));
            let (records, found, levels) = column
                .read_records(
                    batch,
                    Some(&mut definition),
                    Some(&mut repetition),
                    &mut values,
                )
                .map_err(|error| self.damaged(&error))?;
            if records == 0 {
                return Err(self.refuse_column(&format!(
                    "ends {left} rows before its row group: the file is cut off or damaged"
                )));
            }
            let starts = |level: usize| repetition.get(level).is_none_or(|&level| level == 0);
            let whole = (0..levels).all(|level| starts(level) == (level % width == 0));
            if records <= batch && levels == records * width && found == levels && whole {
                for (element, series) in elements.iter().zip(series.iter_mut()) {
                    series.extend(values.iter().skip(*element).step_by(width).map(&number));
                }
            } else {
                let numbers = Levels {
                    definition: definition.get(..levels).unwrap_or_default(),
                    present,
                    starts: &starts,
                    n: levels,
                };
                let first = series.first().map_or(0, Vec::len);
                let rows =
                    numbers
                        .rows(values.iter().map(&number), width)
                        .map_err(|(row, problem)| {
                            let place = format!(", row {}, {}", first + row, self.label);
                            refuse_at(self.file, place, problem)
                        })?;
                if rows.len() != records * width || records > batch {
                    return Err(self.refuse_column("is damaged: its rows cannot be counted"));
                }
                for (element, series) in elements.iter().zip(series.iter_mut()) {
                    series.extend(rows.iter().skip(*element).step_by(width));
                }
            }
            left -= records;
        }
        Ok(())
    }

    fn damaged(&self, error: &ParquetError) -> TableError {
        self.refuse_column(&format!("cannot be read, the file is damaged: {error}"))
    }

    fn refuse_column(&self, problem: &str) -> TableError {
        refuse_at(self.file, format!(", {}", self.label), problem)
    }
}

/// The levels of a batch of rows (Dremel encoding).
struct Levels<'a> {
    /// Empty if no value can be missing.
    definition: &'a [i16],
    /// Level of a value that is there.
    present: i16,
    /// Whether a row starts at this level.
    starts: &'a dyn Fn(usize) -> bool,
    /// Number of levels.
    n: usize,
}

impl Levels<'_> {
    /// The numbers of all rows, `width` each; NaN for a null. A row without a list has only nulls.
    ///
    /// # Errors
    /// The number of the first row with another number of values, from 1, and the problem.
    fn rows(
        &self,
        mut values: impl Iterator<Item = f64>,
        width: usize,
    ) -> Result<Vec<f64>, (usize, String)> {
        let mut all = Vec::with_capacity(self.n);
        let (mut begin, mut row) = (0, 0);
        for level in 0..=self.n {
            let ends = level == self.n || (self.starts)(level);
            if ends && level > 0 {
                row += 1;
                let numbers = all.len() - begin;
                if numbers == 1 && !self.is_present(level - 1) {
                    all.resize(begin + width, f64::NAN);
                } else if numbers != width {
                    let problem = format!("has {numbers} numbers where other rows have {width}");
                    return Err((row, problem));
                }
                begin = all.len();
            }
            if level < self.n {
                all.push(if self.is_present(level) {
                    let damaged = || (row + 1, "has fewer values than it says".to_owned());
                    values.next().ok_or_else(damaged)?
                } else {
                    f64::NAN
                });
            }
        }
        Ok(all)
    }

    fn is_present(&self, level: usize) -> bool {
        self.definition
            .get(level)
            .is_none_or(|level| *level == self.present)
    }
}
