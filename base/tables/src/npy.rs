//! NumPy's `.npy`: one array, either two-dimensional with numbers or with rows of named fields.
//!
//! Format: NumPy Enhancement Proposal 1 (Kern 2007), versions 1 to 3.
//! Arrays of Python objects are pickles: they are refused, because reading one executes it.

use std::io::Read;

use super::plan::{Field, Pick, Request};
use super::source::Hashing;
use super::{MAX_SAMPLES, assemble, refuse, refuse_at};
use crate::TableError;

mod dtype;
mod header;
mod literal;

pub(super) use header::Header;

/// Approximate number of bytes read at once.
const BLOCK: usize = 1 << 18;

/// Reads a log from a file of `size` bytes.
pub(super) fn read(
    file: &str,
    input: impl Read,
    size: u64,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    let mut hashing = Hashing::new(input);
    let refuse_all = |problem| refuse(file, problem);
    let header = Header::read(&mut hashing, size).map_err(refuse_all)?;
    let fields = header.fields(None).map_err(refuse_all)?;
    let plan = request.plan(file, &fields)?;
    let picks: Vec<&Pick> = plan.picks.iter().collect();
    let series = header.series(file, &mut hashing, &picks, 0)?;
    Ok(assemble::Read {
        plan,
        series,
        notes: Vec::new(),
        sha256: hashing.finish(),
        format: "npy",
        has_episode: false,
    })
}

impl Header {
    /// Reads the header of an array in a file of `size` bytes.
    pub(super) fn read(input: &mut dyn Read, size: u64) -> Result<Self, String> {
        header::read(input, size)
    }

    /// Number of rows of the array.
    pub(super) fn rows(&self) -> usize {
        self.rows.unwrap_or(0)
    }

    /// Whether its rows have named fields.
    pub(super) fn is_structured(&self) -> bool {
        self.parts.iter().any(|part| part.name.is_some())
    }

    /// Columns of the array; `name` is the name of the array, if any.
    pub(super) fn fields(&self, name: Option<&str>) -> Result<Vec<Field>, String> {
        if self.rows.is_none() {
            return Err(
                "is not a table: save one row per sample, in at most two dimensions".to_owned(),
            );
        }
        let called = |part: Option<&str>| match (name, part) {
            (Some(name), Some(part)) => Some(format!("{name}.{part}")),
            (name, part) => name.or(part).map(str::to_owned),
        };
        Ok(self
            .parts
            .iter()
            .map(|part| Field {
                name: called(part.name.as_deref()),
                width: part.width,
                time_unit: None,
            })
            .collect())
    }

    /// The wanted series; the fields of this array are numbered from `first`.
    pub(super) fn series(
        &self,
        file: &str,
        input: &mut dyn Read,
        picks: &[&Pick],
        first: usize,
    ) -> Result<Vec<Vec<f64>>, TableError> {
        let rows = self.rows();
        if rows > MAX_SAMPLES {
            return Err(refuse(
                file,
                format!("has {rows} rows, above the {MAX_SAMPLES} of a log: split the recording"),
            ));
        }
        for pick in picks {
            if let Some(problem) = self.parts[pick.field - first].dtype.unreadable() {
                return Err(refuse_at(file, format!(", {}", pick.label), problem));
            }
        }
        let mut series = vec![Vec::with_capacity(rows); picks.len()];
        if self.by_column {
            let part = &self.parts[0];
            for column in 0..part.width.unwrap_or(1) {
                let wanted: Vec<usize> = (0..picks.len())
                    .filter(|at| picks[*at].element == column)
                    .collect();
                self.blocks(file, input, rows, part.dtype.size, |bytes| {
                    for &at in &wanted {
                        series[at].push(part.dtype.number(bytes));
                    }
                })?;
            }
        } else {
            let places: Vec<_> = picks
                .iter()
                .map(|pick| {
                    let part = &self.parts[pick.field - first];
                    (&part.dtype, part.offset + pick.element * part.dtype.size)
                })
                .collect();
            self.blocks(file, input, rows, self.stride, |bytes| {
                for ((dtype, offset), values) in places.iter().zip(&mut series) {
                    values.push(dtype.number(&bytes[*offset..]));
                }
            })?;
        }
        check_end(file, input)?;
        for (pick, values) in picks.iter().zip(&series) {
            assemble::check_finite(file, &pick.label, values)?;
        }
        Ok(series)
    }

    /// Passes `count` items of `size` bytes each to the callback.
    fn blocks(
        &self,
        file: &str,
        input: &mut dyn Read,
        count: usize,
        size: usize,
        mut take: impl FnMut(&[u8]),
    ) -> Result<(), TableError> {
        if size == 0 {
            return Ok(());
        }
        let mut buffer = vec![0u8; (BLOCK / size).max(1) * size];
        let mut left = count * size;
        while left > 0 {
            let n = left.min(buffer.len());
            input.read_exact(&mut buffer[..n]).map_err(|error| {
                refuse(
                    file,
                    format!(
                        "is cut off or damaged within its {} bytes of numbers: {error}",
                        self.bytes
                    ),
                )
            })?;
            buffer[..n].chunks_exact(size).for_each(&mut take);
            left -= n;
        }
        Ok(())
    }
}

/// Reads to the end of the input, where a checksum may fail.
fn check_end(file: &str, input: &mut dyn Read) -> Result<(), TableError> {
    let mut more = [0u8; 1];
    match input.read(&mut more) {
        Ok(0) => Ok(()),
        Ok(_) => Err(refuse(file, "has bytes after its array")),
        Err(error) => Err(refuse(file, format!("is damaged: {error}"))),
    }
}
