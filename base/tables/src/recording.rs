//! Files of a recording of topics: a single file, or those of a rosbag2 folder, with or without zstd compression.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::source::Format;
use super::{ReadOptions, refuse};
#[cfg(feature = "bags")]
use super::{mcap, sqlite};
use crate::{Log, TableError};

/// rosbag2's description of a folder.
const METADATA: &str = "metadata.yaml";
/// Maximum size of this file [bytes].
const MAX_METADATA: u64 = 16 << 20;
/// Maximum number of files in a folder.
const MAX_FILES: usize = 4096;

#[cfg(feature = "bags")]
mod part;

#[cfg(feature = "bags")]
pub(super) use part::RecordingFile;

/// The files of a recording.
#[cfg_attr(
    not(feature = "bags"),
    expect(dead_code, reason = "the error of such a build names no files")
)]
pub(super) struct Recording {
    format: Format,
    files: Vec<PathBuf>,
    notes: Vec<String>,
}

/// The format of a file that may be part of a recording, and whether it is compressed.
fn kind(path: &Path) -> Option<(Format, bool)> {
    let is_packed = path
        .extension()
        .is_some_and(|ending| ending == "zstd" || ending == "zst");
    let inner = if is_packed {
        path.with_extension("")
    } else {
        path.to_owned()
    };
    match Format::of(&inner)? {
        format @ (Format::Db3 | Format::Mcap) => Some((format, is_packed)),
        _ => None,
    }
}

impl Recording {
    /// The recording of a folder or of a compressed file; `None` if the path is another file.
    ///
    /// # Errors
    /// [`TableError`] for a folder that is not a rosbag2 folder.
    pub(super) fn of(path: &Path, name: &str) -> Result<Option<Self>, TableError> {
        if path.is_dir() {
            return Self::of_folder(path, name).map(Some);
        }
        Ok(match kind(path) {
            Some((format, true)) => Some(Self {
                format,
                files: vec![path.to_owned()],
                notes: Vec::new(),
            }),
            _ => None,
        })
    }

    fn of_folder(folder: &Path, name: &str) -> Result<Self, TableError> {
        let failed = |source| TableError::Read {
            file: name.to_owned(),
            source,
        };
        let mut there = BTreeSet::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?.file_name();
            let path = Path::new(&entry);
            if let (Some(_), Some(text)) = (kind(path), entry.to_str()) {
                there.insert(text.to_owned());
            }
            if there.len() > MAX_FILES {
                return Err(refuse(name, format!("has more than {MAX_FILES} files")));
            }
        }
        if there.is_empty() {
            return Err(refuse(
                name,
                "is a folder without recordings of ROS 2 (.db3, .mcap): name the logs in it",
            ));
        }
        let listed = listed(folder, name)?;
        let mut notes = Vec::new();
        let known: Vec<String> = listed
            .iter()
            .filter(|file| there.contains(*file))
            .cloned()
            .collect();
        let files = if known.is_empty() {
            if !is_split(&there) {
                return Err(refuse(
                    name,
                    format!(
                        "is a folder whose files are not said to be one recording by {METADATA}: name the logs in it, {}",
                        there.into_iter().collect::<Vec<_>>().join(", ")
                    ),
                ));
            }
            if !listed.is_empty() {
                notes.push(format!(
                    "{METADATA} names {}, which the folder does not have: its own files were read",
                    listed.join(", ")
                ));
            }
            let mut files: Vec<String> = there.into_iter().collect();
            files.sort_by_key(|file| number(file).map_or(0, |(_, number)| number));
            files
        } else {
            let missing: Vec<String> = listed
                .into_iter()
                .filter(|file| !there.contains(file))
                .collect();
            if !missing.is_empty() {
                notes.push(format!(
                    "{METADATA} names {}, which the folder does not have: the other files were read",
                    missing.join(", ")
                ));
            }
            let others: Vec<&str> = there
                .iter()
                .filter(|file| !known.contains(file))
                .map(String::as_str)
                .collect();
            if !others.is_empty() {
                notes.push(format!(
                    "{METADATA} does not name {}: not read",
                    others.join(", ")
                ));
            }
            known
        };
        let files: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
        let formats: Vec<Format> = files
            .iter()
            .filter_map(|file| kind(file).map(|(format, _)| format))
            .collect();
        if formats.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(refuse(
                name,
                "is a folder with files of SQLite and of MCAP: name the logs in it",
            ));
        }
        if files.len() > 1 {
            notes.push(format!("{} files were read as one recording", files.len()));
        }
        Ok(Self {
            format: formats[0],
            files,
            notes,
        })
    }

    /// Reads the recording as one log.
    #[cfg(feature = "bags")]
    pub(super) fn read(self, name: &str, options: &ReadOptions) -> Result<Log, TableError> {
        let parts = self
            .files
            .into_iter()
            .map(RecordingFile::new)
            .collect::<Result<Vec<RecordingFile>, TableError>>()?;
        match self.format {
            Format::Mcap => mcap::read_parts(name, &parts, self.notes, options),
            _ => sqlite::read_parts(name, &parts, self.notes, options),
        }
    }

    /// The error for a recording, which this build does not read.
    #[cfg(not(feature = "bags"))]
    pub(super) fn read(self, name: &str, _: &ReadOptions) -> Result<Log, TableError> {
        Err(super::not_built(name, self.format))
    }
}

/// The file names that rosbag2 lists for a folder; paths outside of the folder are not accepted.
fn listed(folder: &Path, name: &str) -> Result<Vec<String>, TableError> {
    let file = match File::open(folder.join(METADATA)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => {
            return Err(TableError::Read {
                file: name.to_owned(),
                source,
            });
        }
    };
    let mut text = Vec::new();
    file.take(MAX_METADATA)
        .read_to_end(&mut text)
        .map_err(|source| TableError::Read {
            file: name.to_owned(),
            source,
        })?;
    let text = String::from_utf8_lossy(&text);
    // rosbag2 and related tools write a block list: one file per line.
    let lines = text
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != "relative_file_paths:")
        .skip(1);
    let items = lines.map_while(|line| line.strip_prefix("- "));
    let bare = |item: &str| {
        let item = item.trim().trim_matches(['"', '\'']);
        Path::new(item)
            .file_name()
            .and_then(|file| file.to_str())
            .map(str::to_owned)
    };
    Ok(items.filter_map(bare).take(MAX_FILES).collect())
}

/// `bag_12.db3` → (`bag`, 12).
fn number(file: &str) -> Option<(&str, u64)> {
    let stem = file.split_once(".db3").or(file.split_once(".mcap"))?.0;
    let (stem, number) = stem.rsplit_once('_')?;
    Some((stem, number.parse().ok()?))
}

/// Whether files are named like the parts of one rosbag2 bag.
fn is_split(files: &BTreeSet<String>) -> bool {
    let stems: Option<BTreeSet<&str>> = files
        .iter()
        .map(|file| number(file).map(|(stem, _)| stem))
        .collect();
    files.len() == 1 || stems.is_some_and(|stems| stems.len() == 1)
}
