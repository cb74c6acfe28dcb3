//! NumPy's `.npz`: a zip archive of arrays, addressed by name.
//!
//! Names of members are only compared, never used as paths. The stated size of a member is checked against its
//! compressed size, and reading stops at the stated size.

use std::io::{self, Read, Seek};

use zip::ZipArchive;
use zip::read::ZipFile;

use super::npy::Header;
use super::plan::{Field, Pick, Request};
use super::source::{self, Hashing};
use super::{assemble, refuse, refuse_at};
use crate::TableError;

/// Maximum number of arrays in a file.
const MAX_MEMBERS: usize = 1024;

/// A readable array.
struct Member {
    /// Index in the archive.
    index: usize,
    name: String,
    /// Header, or why it cannot be read.
    header: Result<Header, String>,
    /// Number of the first field, and number of fields.
    first: usize,
    count: usize,
}

/// Reads a log from an archive.
pub(super) fn read(
    file: &str,
    mut input: impl Read + Seek,
    request: &Request<'_>,
) -> Result<assemble::Read, TableError> {
    let sha256 = hash(file, &mut input)?;
    let mut archive = ZipArchive::new(input).map_err(|error| {
        refuse(
            file,
            format!("is not a readable zip archive ({error}): was it cut off?"),
        )
    })?;
    let (members, fields) = members(file, &mut archive)?;
    let plan = request.plan(file, &fields)?;
    let mut series = vec![Vec::new(); plan.picks.len()];
    let mut length: Option<(&str, usize)> = None;
    for member in &members {
        let wanted: Vec<usize> = (0..plan.picks.len())
            .filter(|at| {
                (member.first..member.first + member.count).contains(&plan.picks[*at].field)
            })
            .collect();
        if wanted.is_empty() {
            continue;
        }
        let header = match &member.header {
            Ok(header) => header,
            Err(problem) => {
                let place = format!(", array \"{}\"", member.name);
                return Err(refuse_at(file, place, problem.clone()));
            }
        };
        match length {
            Some((other, rows)) if rows != header.rows() => {
                return Err(refuse(
                    file,
                    format!(
                        "array \"{other}\" has {rows} rows and \"{}\" has {}: they are not of one log",
                        member.name,
                        header.rows()
                    ),
                ));
            }
            _ => length = Some((&member.name, header.rows())),
        }
        let picks: Vec<&Pick> = wanted.iter().map(|at| &plan.picks[*at]).collect();
        let read = read_member(file, &mut archive, member, header, &picks)?;
        for (at, values) in wanted.into_iter().zip(read) {
            series[at] = values;
        }
    }
    Ok(assemble::Read {
        plan,
        series,
        notes: Vec::new(),
        sha256,
        format: "npz",
        has_episode: false,
    })
}

/// Hashes the whole file, which must start like a zip archive.
fn hash(file: &str, input: &mut (impl Read + Seek)) -> Result<String, TableError> {
    let failed = |source| TableError::Read {
        file: file.to_owned(),
        source,
    };
    let mut head = Vec::with_capacity(4096);
    input
        .by_ref()
        .take(4096)
        .read_to_end(&mut head)
        .map_err(failed)?;
    if !head.starts_with(b"PK") {
        let what = source::looks_like(&head).unwrap_or("something else");
        return Err(refuse(file, format!("is not a zip archive but {what}")));
    }
    input.rewind().map_err(failed)?;
    let mut hashing = Hashing::new(input.by_ref());
    io::copy(&mut hashing, &mut io::sink()).map_err(failed)?;
    let sha256 = hashing.finish();
    input.rewind().map_err(failed)?;
    Ok(sha256)
}

/// Arrays and their columns.
fn members<R: Read + Seek>(
    file: &str,
    archive: &mut ZipArchive<R>,
) -> Result<(Vec<Member>, Vec<Field>), TableError> {
    if archive.len() > MAX_MEMBERS {
        let n = archive.len();
        return Err(refuse(
            file,
            format!("holds {n} files, above the {MAX_MEMBERS} of a log"),
        ));
    }
    let mut members: Vec<Member> = Vec::new();
    for index in 0..archive.len() {
        let damaged = |error| {
            refuse(
                file,
                format!("its file number {} cannot be read: {error}", index + 1),
            )
        };
        let entry = archive.by_index_raw(index).map_err(damaged)?;
        let name = entry.name_raw();
        let Some(name) = name.strip_suffix(b".npy") else {
            continue;
        };
        let name = String::from_utf8_lossy(name).into_owned();
        drop(entry);
        let header = open(archive, index).and_then(|mut entry| {
            let size = entry.size();
            Header::read(&mut entry, size)
        });
        members.push(Member {
            index,
            name,
            header,
            first: 0,
            count: 0,
        });
    }
    if members.is_empty() {
        return Err(refuse(
            file,
            "holds no NumPy arrays: is it another kind of zip archive?",
        ));
    }
    let lone = members.len() == 1;
    let mut fields = Vec::new();
    for member in &mut members {
        member.first = fields.len();
        let of = member.header.clone().and_then(|header| {
            let structured = header.is_structured();
            header.fields((!(lone && structured)).then_some(member.name.as_str()))
        });
        match of {
            Ok(of) => fields.extend(of),
            Err(problem) if lone => {
                return Err(refuse_at(
                    file,
                    format!(", array \"{}\"", member.name),
                    problem,
                ));
            }
            // Listed by name nevertheless, so that selecting it reports why it cannot be read.
            Err(problem) => {
                member.header = Err(problem);
                fields.push(Field::scalar(Some(member.name.clone())));
            }
        }
        member.count = fields.len() - member.first;
    }
    Ok((members, fields))
}

/// Opens a member with a plausible size.
fn open<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    index: usize,
) -> Result<ZipFile<'_, R>, String> {
    let entry = archive
        .by_index(index)
        .map_err(|error| format!("cannot be unpacked: {error}"))?;
    let (size, packed) = (entry.size(), entry.compressed_size());
    source::unpacks_to(packed, size)?;
    Ok(entry)
}

fn read_member<R: Read + Seek>(
    file: &str,
    archive: &mut ZipArchive<R>,
    member: &Member,
    header: &Header,
    picks: &[&Pick],
) -> Result<Vec<Vec<f64>>, TableError> {
    let refuse_member = |problem| refuse_at(file, format!(", array \"{}\"", member.name), problem);
    let entry = open(archive, member.index).map_err(refuse_member)?;
    let size = entry.size();
    // Reading one byte more than stated detects a wrong size without unpacking further.
    let mut entry = entry.take(size.saturating_add(1));
    Header::read(&mut entry, size).map_err(refuse_member)?;
    header.series(file, &mut entry, picks, member.first)
}
