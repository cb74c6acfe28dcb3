//! HDF5: data sets of numbers, addressed by path, with one row per sample; also robomimic's demonstrations, each of
//! which is a log.

use std::fmt::Display;
use std::io::{self, Read as _};

use hdf5_pure::{DType, Dataset, File, Group};

use super::plan::{Field, Pick, Request};
use super::source::{self, HDF5_MAGIC, Hashing, Stored};
use super::{MAX_SAMPLES, ReadOptions, assemble, guarded, refuse, refuse_at};
use crate::TableError;

/// Maximum number of data sets in a file.
const MAX_SETS: usize = 4096;
/// Maximum depth of nested groups.
const MAX_DEPTH: usize = 8;
/// Maximum number of values in a row.
const MAX_WIDTH: u64 = 4096;
/// Minimum size of a user block [bytes]; larger ones are powers of two times this size.
const MIN_USER_BLOCK: u64 = 512;
/// Bytes read at once.
const BLOCK: usize = 1 << 16;
/// Bytes examined to identify a file.
const HEAD: usize = 128;

/// Reads a log: `stored` has the same contents as `input`; `format` is recorded in the log.
pub(super) fn read(
    file: &str,
    input: impl std::io::Read,
    stored: Stored<'_>,
    format: &'static str,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    let seen = hash(file, input)?;
    guarded(|| {
        let opened = open(stored)
            .map_err(|error| refuse(file, format!("is not a readable HDF5 file: {error}")))?;
        read_opened(file, &opened, seen, format, request)
    })
    .unwrap_or_else(|| {
        let problem = "is damaged in a way that the HDF5 library cannot tell; write the file again";
        Err(refuse(file, problem))
    })
}

fn open(stored: Stored<'_>) -> Result<File, hdf5_pure::Error> {
    match stored {
        Stored::File(path) => File::open_streaming(path),
        Stored::Bytes(bytes) => File::from_bytes(bytes.to_vec()),
    }
}

/// Properties of a file, found while it was hashed.
struct FileDigest {
    sha256: String,
    size: u64,
    /// Whether MATLAB's header text precedes the signature.
    is_matlab: bool,
}

/// Hashes a file, which must have the signature at its start, or after a user block of 512, 1024, 2048, … bytes (HDF5
/// File Format Specification 3.0, II.A).
fn hash(file: &str, input: impl io::Read) -> Result<FileDigest, TableError> {
    let failed = |source| TableError::Read {
        file: file.to_owned(),
        source,
    };
    let mut input = Hashing::new(input);
    let mut head = Vec::new();
    let mut block = Vec::with_capacity(BLOCK);
    let (mut size, mut is_found) = (0u64, false);
    loop {
        block.clear();
        (&mut input)
            .take(BLOCK as u64)
            .read_to_end(&mut block)
            .map_err(failed)?;
        if block.is_empty() {
            break;
        }
        if !is_found {
            // Possible positions are multiples of 512, so a signature never spans two blocks.
            let mut place = 0u64;
            while place < size + block.len() as u64 {
                let here = place.checked_sub(size).map(|here| here as usize);
                let here = here.and_then(|here| block.get(here..));
                is_found |= here.is_some_and(|here| here.starts_with(HDF5_MAGIC));
                place = (2 * place).max(MIN_USER_BLOCK);
            }
        }
        if size == 0 {
            head.extend_from_slice(&block[..block.len().min(HEAD)]);
        }
        size += block.len() as u64;
    }
    if !is_found {
        let what = source::looks_like(&head).unwrap_or("something else");
        return Err(refuse(file, format!("is not an HDF5 file but {what}")));
    }
    Ok(FileDigest {
        sha256: input.finish(),
        size,
        is_matlab: head.starts_with(b"MATLAB "),
    })
}

/// A data set of numbers with one row per sample.
struct Column {
    set: Dataset,
    rows: u64,
    width: Option<usize>,
    /// Whether the numbers of a sample are not contiguous: all first ones, then all second ones.
    is_turned: bool,
}

fn read_opened(
    file: &str,
    opened: &File,
    seen: FileDigest,
    format: &'static str,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    let (group, of_episode) = demonstration(file, &opened.root(), request.options)?;
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    let is_matlab = seen.is_matlab;
    collect(file, &group, "", MAX_DEPTH, &mut |name, set| {
        let Some(column) = column(set, is_matlab) else {
            return true;
        };
        fields.push(Field {
            width: column.width,
            ..Field::scalar(Some(name))
        });
        columns.push(column);
        columns.len() <= MAX_SETS
    })?;
    if columns.is_empty() {
        return Err(refuse(
            file,
            "holds no data sets of numbers with one row a sample",
        ));
    }
    let plan = request.plan(file, &fields)?;
    let series = series(file, &plan.picks, &fields, &columns, seen.size)?;
    Ok(assemble::Read {
        plan,
        series,
        has_episode: of_episode.is_some(),
        notes: of_episode.into_iter().collect(),
        sha256: seen.sha256,
        format,
    })
}

/// The group whose data sets form a log: one of robomimic's demonstrations, with a note, or the whole file.
fn demonstration(
    file: &str,
    root: &Group,
    options: &ReadOptions,
) -> Result<(Group, Option<String>), TableError> {
    let number = |name: &String| name.strip_prefix("demo_")?.parse::<i64>().ok();
    let data = root.group("data");
    let names = data.as_ref().ok().and_then(|data| data.groups().ok());
    let mut numbers: Vec<i64> = names.iter().flatten().filter_map(number).collect();
    numbers.sort_unstable();
    let wanted = match (&numbers[..], options.episode) {
        ([], _) => return Ok((root.clone(), None)),
        ([only], None) => *only,
        (_, Some(wanted)) if numbers.contains(&wanted) => wanted,
        _ => {
            const SHOWN: usize = 10;
            let mut list: Vec<String> = numbers
                .iter()
                .take(SHOWN)
                .map(ToString::to_string)
                .collect();
            if numbers.len() > SHOWN {
                list.push(format!("… ({} in all)", numbers.len()));
            }
            return Err(TableError::option(
                "--episode",
                format!(
                    "{file} holds demonstrations {}: choose one",
                    list.join(", ")
                ),
            ));
        }
    };
    let group = data
        .and_then(|data| data.group(&format!("demo_{wanted}")))
        .map_err(|error| damaged(file, &format!("data/demo_{wanted}"), error))?;
    Ok((group, Some(format!("demonstration {wanted} was read"))))
}

/// Visits the data sets of a group and its subgroups until `visit` ends the traversal.
fn collect(
    file: &str,
    group: &Group,
    path: &str,
    depth: usize,
    visit: &mut dyn FnMut(String, Dataset) -> bool,
) -> Result<(), TableError> {
    let join = |name: &str| {
        if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}/{name}")
        }
    };
    for name in group
        .datasets()
        .map_err(|error| damaged(file, path, error))?
    {
        // Objects that cannot be opened are left out.
        let Ok(set) = group.dataset(&name) else {
            continue;
        };
        if !visit(join(&name), set) {
            return Err(refuse(
                file,
                format!("holds more than {MAX_SETS} data sets"),
            ));
        }
    }
    if depth == 0 {
        return Ok(());
    }
    for name in group.groups().map_err(|error| damaged(file, path, error))? {
        // `#refs#` and `#subsystem#` are internal to MATLAB.
        if let Ok(inner) = group.group(&name)
            && !name.starts_with('#')
        {
            collect(file, &inner, &join(&name), depth - 1, visit)?;
        }
    }
    Ok(())
}

/// A data set as a column; `None` if it is not a table of numbers.
///
/// MATLAB transposes its arrays when it writes them: an n×3 array has the shape 3×n here.
fn column(set: Dataset, is_matlab: bool) -> Option<Column> {
    use DType::{F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    if !matches!(
        set.dtype().ok()?,
        F32 | F64 | I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64
    ) {
        return None;
    }
    let of_matlab = || {
        is_matlab
            || set
                .attrs()
                .is_ok_and(|named| named.contains_key("MATLAB_class"))
    };
    let (rows, width, is_turned) = match set.shape().ok()?[..] {
        // A single row is a column stored horizontally, because a log has several rows.
        [rows] | [1, rows] => (rows, None, false),
        [width, rows] if width <= rows && (2..=MAX_WIDTH).contains(&width) && of_matlab() => {
            (rows, Some(width), true)
        }
        [rows, width] if (1..=MAX_WIDTH).contains(&width) => (rows, Some(width), false),
        _ => return None,
    };
    Some(Column {
        set,
        rows,
        width: width.map(|width| width as usize),
        is_turned,
    })
}

/// The numbers of each pick.
fn series(
    file: &str,
    picks: &[Pick],
    fields: &[Field],
    columns: &[Column],
    size: u64,
) -> Result<Vec<Vec<f64>>, TableError> {
    let name = |field: usize| fields[field].name.as_deref().unwrap_or_default();
    let mut length: Option<(usize, u64)> = None;
    let mut series: Vec<Vec<f64>> = vec![Vec::new(); picks.len()];
    for (field, column) in columns.iter().enumerate() {
        if picks.iter().all(|pick| pick.field != field) {
            continue;
        }
        let place = || format!(", data set \"{}\"", name(field));
        match length {
            Some((other, rows)) if rows != column.rows => {
                return Err(refuse(
                    file,
                    format!(
                        "data set \"{}\" has {rows} rows and \"{}\" has {}: they are not of one log",
                        name(other),
                        name(field),
                        column.rows
                    ),
                ));
            }
            _ => length = Some((field, column.rows)),
        }
        let width = column.width.unwrap_or(1);
        let n = column.rows.saturating_mul(width as u64);
        if column.rows > MAX_SAMPLES as u64 {
            let problem = format!("has {} rows; at most {MAX_SAMPLES}", column.rows);
            return Err(refuse_at(file, place(), problem));
        }
        source::unpacks_to(size, n.saturating_mul(8))
            .map_err(|problem| refuse_at(file, place(), problem))?;
        let values = column
            .set
            .read_f64()
            .map_err(|error| damaged(file, name(field), error))?;
        if values.len() as u64 != n {
            return Err(damaged(
                file,
                name(field),
                "it has other numbers than its shape",
            ));
        }
        for (pick, series) in picks.iter().zip(&mut series) {
            if pick.field == field {
                let (first, step) = if column.is_turned {
                    (pick.element * column.rows as usize, 1)
                } else {
                    (pick.element, width)
                };
                *series = values
                    .iter()
                    .skip(first)
                    .step_by(step)
                    .take(column.rows as usize)
                    .copied()
                    .collect();
                assemble::check_finite(file, &pick.label, series)?;
            }
        }
    }
    Ok(series)
}

fn damaged(file: &str, place: &str, error: impl Display) -> TableError {
    refuse_at(
        file,
        format!(", \"{place}\""),
        format!("cannot be read: {error}"),
    )
}
