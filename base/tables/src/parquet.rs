//! Apache Parquet, as written by LeRobot: one row per sample, with numbers and lists of numbers.
//!
//! Before the library reads values, [`footer`] and [`pages`] check the sizes that the file states.

use std::io::{self, Read};
use std::sync::Arc;

use parquet::basic::{LogicalType, TimeUnit, Type};
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::plan::{Field, Request};
use super::source::Hashing;
use super::units::{Dimension, Unit};
use super::{MAX_SAMPLES, assemble, guarded, refuse, refuse_at};
use crate::TableError;

mod column;

mod footer;
mod pages;
mod thrift;

pub use footer::check as check_parquet_footer;
pub use pages::check as check_parquet_column;

/// Maximum length of a list.
const MAX_WIDTH: u64 = 4096;

/// Reads a log; `twin` is a second handle of the same file.
pub(super) fn read<R: ChunkReader + 'static>(
    file: &str,
    input: R,
    twin: &R,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    guarded(|| read_checked(file, input, twin, request)).unwrap_or_else(|| {
        let problem =
            "is damaged in a way that the Parquet library cannot tell; write the file again";
        Err(refuse(file, problem))
    })
}

fn read_checked<R: ChunkReader + 'static>(
    file: &str,
    input: R,
    twin: &R,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    let sha256 = hash(file, twin)?;
    footer::check(twin).map_err(|problem| refuse(file, problem))?;
    let damaged = |error: parquet::errors::ParquetError| {
        refuse(file, format!("cannot be read as Parquet: {error}"))
    };
    let reader = SerializedFileReader::new(input).map_err(damaged)?;
    let rows = count_rows(file, &reader)?;
    let leaves = leaves(&reader);
    let fields: Vec<Field> = leaves.iter().map(|leaf| leaf.field.clone()).collect();
    let plan = request.plan(file, &fields)?;
    let mut series = vec![Vec::new(); plan.picks.len()];
    for (field, leaf) in leaves.iter().enumerate() {
        let wanted: Vec<usize> = (0..plan.picks.len())
            .filter(|at| plan.picks[*at].field == field)
            .collect();
        let Some(first) = wanted.first() else {
            continue;
        };
        let label = &plan.picks[*first].label;
        if let Some(problem) = &leaf.unreadable {
            return Err(refuse_at(file, format!(", {label}"), problem.clone()));
        }
        let elements: Vec<usize> = wanted.iter().map(|at| plan.picks[*at].element).collect();
        let source = column::Source {
            file,
            label,
            leaf: leaf.index,
            width: leaf.field.width,
        };
        let read = source.read(&reader, twin, &elements, rows)?;
        for (at, values) in wanted.into_iter().zip(read) {
            series[at] = values;
        }
    }
    for (pick, values) in plan.picks.iter().zip(&series) {
        assemble::check_finite(file, &pick.label, values)?;
    }
    Ok(assemble::Read {
        plan,
        series,
        notes: Vec::new(),
        sha256,
        format: "parquet",
        has_episode: false,
    })
}

fn hash(file: &str, input: &impl ChunkReader) -> Result<String, TableError> {
    let failed = |source| TableError::Read {
        file: file.to_owned(),
        source,
    };
    let whole = input
        .get_read(0)
        .map_err(|error| failed(io::Error::other(error)))?;
    let mut hashing = Hashing::new(whole.take(u64::MAX));
    io::copy(&mut hashing, &mut io::sink()).map_err(failed)?;
    Ok(hashing.finish())
}

/// Total number of rows of all row groups.
fn count_rows<R: ChunkReader + 'static>(
    file: &str,
    reader: &SerializedFileReader<R>,
) -> Result<usize, TableError> {
    reader
        .metadata()
        .row_groups()
        .iter()
        .try_fold(0usize, |rows, group| {
            rows.checked_add(usize::try_from(group.num_rows()).ok()?)
                .filter(|rows| *rows <= MAX_SAMPLES)
        })
        .ok_or_else(|| {
            refuse(
                file,
                format!("says that it has more than the {MAX_SAMPLES} rows of a log"),
            )
        })
}

/// A column of numbers or of another type.
struct Leaf {
    /// Index among all columns of the file.
    index: usize,
    field: Field,
    /// Why it cannot be read as numbers, if so.
    unreadable: Option<String>,
}

/// The columns, each with its name and, for a list, its length in the first row group.
fn leaves<R: ChunkReader + 'static>(reader: &SerializedFileReader<R>) -> Vec<Leaf> {
    let metadata = reader.metadata();
    let width = |index: usize| {
        metadata.row_groups().iter().find_map(|group| {
            let rows = u64::try_from(group.num_rows()).ok().filter(|n| *n > 0)?;
            let values = u64::try_from(group.column(index).num_values()).ok()?;
            Some(values.div_ceil(rows))
        })
    };
    metadata
        .file_metadata()
        .schema_descr()
        .columns()
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let is_list = column.max_rep_level() > 0;
            let width = is_list.then(|| width(index).unwrap_or(0));
            Leaf {
                index,
                field: Field {
                    name: Some(name(column)),
                    width: width.map(|width| width.min(MAX_WIDTH) as usize),
                    time_unit: time_unit(column),
                },
                unreadable: unreadable(column, width),
            }
        })
        .collect()
}

/// The path without the intermediate names of lists: `observation.state.list.element` is `observation.state`.
fn name(column: &Arc<ColumnDescriptor>) -> String {
    let parts = column.path().parts();
    let kept: Vec<&str> = parts
        .iter()
        .enumerate()
        .filter(|(at, part)| {
            *at == 0
                || !matches!(
                    part.as_str(),
                    "list" | "element" | "item" | "array" | "bag" | "array_element"
                )
        })
        .map(|(_, part)| part.as_str())
        .collect();
    kept.join(".")
}

fn time_unit(column: &Arc<ColumnDescriptor>) -> Option<Unit> {
    let (LogicalType::Timestamp(time) | LogicalType::Time(time)) = column.logical_type_ref()?
    else {
        return None;
    };
    let unit = match time.unit {
        TimeUnit::MILLIS => "ms",
        TimeUnit::MICROS => "us",
        TimeUnit::NANOS => "ns",
    };
    Unit::named(unit, Dimension::Time)
}

fn unreadable(column: &Arc<ColumnDescriptor>, width: Option<u64>) -> Option<String> {
    let numbers = matches!(
        column.physical_type(),
        Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE
    ) && !matches!(column.logical_type_ref(), Some(LogicalType::Decimal(_)));
    if !numbers {
        return Some("does not hold plain numbers: convert it to float64".to_owned());
    }
    if let Some(LogicalType::Integer(integer)) = column.logical_type_ref()
        && !integer.is_signed
        && integer.bit_width >= 32
    {
        return Some("holds unsigned integers: convert it to int64 or float64".to_owned());
    }
    if column.max_rep_level() > 1 {
        return Some("holds lists of lists: save it flat".to_owned());
    }
    width
        .filter(|width| *width > MAX_WIDTH)
        .map(|width| format!("holds {width} numbers a row, above the {MAX_WIDTH} of a log"))
}
