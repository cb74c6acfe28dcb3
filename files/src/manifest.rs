//! What commands wrote into a folder, so that the next command can tell it from a user's files.
//!
//! A text file: the command on the first line, then a path on each, relative to the folder and with `/` between.
//! A path that ends with `/` is a folder with a list of its own.
//! The list is not trusted: what it names outside of the folder, or through a link, is left alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The list's name.
const NAME: &str = ".insonate.files";
/// No list is longer [bytes].
const MAX_SIZE: u64 = 1 << 24;
/// Folders within folders, at most.
const MAX_DEPTH: usize = 8;

/// The list of a folder.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// The command that wrote the files.
    pub(crate) command: String,
    /// Paths within the folder.
    pub(crate) entries: Vec<String>,
}

impl Manifest {
    /// The list of a folder; none where there is none.
    pub(crate) fn read(folder: &Path) -> io::Result<Option<Self>> {
        let path = folder.join(NAME);
        if !is_file(&path) {
            return Ok(None);
        }
        let mut text = String::new();
        let read = File::open(&path)?
            .take(MAX_SIZE + 1)
            .read_to_string(&mut text)?;
        if read as u64 > MAX_SIZE {
            let problem = format!("{} is longer than {MAX_SIZE} bytes", path.display());
            return Err(io::Error::new(ErrorKind::InvalidData, problem));
        }
        let mut lines = text.lines().map(str::to_owned);
        Ok(lines.next().map(|command| Self {
            command,
            entries: lines.collect(),
        }))
    }

    /// Adds a path to a folder's list, and begins the list where there is none.
    pub(crate) fn add(folder: &Path, command: &str, entry: &str) -> io::Result<()> {
        let path = folder.join(NAME);
        let begins = !is_file(&path);
        let mut options = OpenOptions::new();
        // A new file, not the target of a link.
        let mut file = options.append(true).create_new(begins).open(path)?;
        if begins {
            return file.write_all(format!("{command}\n{entry}\n").as_bytes());
        }
        file.write_all(format!("{entry}\n").as_bytes())
    }

    /// How many of the files are there.
    pub(crate) fn count(&self, folder: &Path) -> usize {
        self.count_below(folder, 0)
    }

    fn count_below(&self, folder: &Path, depth: usize) -> usize {
        let entries = self.entries.iter().filter_map(|entry| find(folder, entry));
        let count = entries.map(|found| match found {
            Found::File(_) => 1,
            Found::Folder(path) if depth < MAX_DEPTH => {
                let list = Self::read(&path).ok().flatten();
                list.map_or(0, |list| list.count_below(&path, depth + 1))
            }
            Found::Folder(_) => 0,
        });
        count.sum()
    }

    /// Removes the files and the list, and folders that are empty then.
    pub(crate) fn clear(&self, folder: &Path) -> io::Result<()> {
        self.clear_below(folder, 0)
    }

    fn clear_below(&self, folder: &Path, depth: usize) -> io::Result<()> {
        for entry in &self.entries {
            match find(folder, entry) {
                Some(Found::File(path)) => fs::remove_file(path)?,
                Some(Found::Folder(path)) if depth < MAX_DEPTH => {
                    if let Some(list) = Self::read(&path)? {
                        list.clear_below(&path, depth + 1)?;
                    }
                    remove_empty(folder, &path);
                }
                _ => {}
            }
        }
        for entry in &self.entries {
            if let Some(parent) = parent_of(folder, entry) {
                remove_empty(folder, &parent);
            }
        }
        // Last: a clearing that is cut off is gone on with.
        fs::remove_file(folder.join(NAME))
    }
}

/// What a list names.
enum Found {
    File(PathBuf),
    Folder(PathBuf),
}

/// What a path names in a folder, without following links; none where it leads out of it.
fn find(folder: &Path, entry: &str) -> Option<Found> {
    let (parent, name) = split(entry)?;
    let path = real_folder(folder, parent)?.join(name);
    match fs::symlink_metadata(&path).ok()?.file_type() {
        found if found.is_file() && !entry.ends_with('/') => Some(Found::File(path)),
        found if found.is_dir() && entry.ends_with('/') => Some(Found::Folder(path)),
        _ => None,
    }
}

/// The folder within a folder that a path lies in.
fn parent_of(folder: &Path, entry: &str) -> Option<PathBuf> {
    let (parent, _) = split(entry)?;
    (!parent.is_empty()).then(|| real_folder(folder, parent))?
}

/// Folders and name of a path; none where a part of it is no name.
fn split(entry: &str) -> Option<(Vec<&str>, &str)> {
    let mut parts: Vec<&str> = entry
        .strip_suffix('/')
        .unwrap_or(entry)
        .split('/')
        .collect();
    let is_name = |part: &&str| {
        !part.is_empty() && !matches!(*part, "." | "..") && !part.contains(['\\', ':'])
    };
    let name = parts.iter().all(is_name).then(|| parts.pop())??;
    Some((parts, name))
}

/// Folders within a folder, none of which is a link.
fn real_folder(folder: &Path, parts: Vec<&str>) -> Option<PathBuf> {
    parts.into_iter().try_fold(folder.to_owned(), |path, part| {
        let path = path.join(part);
        let found = fs::symlink_metadata(&path).ok()?;
        found.is_dir().then_some(path)
    })
}

/// Removes a folder within another one, and those around it, as far as they are empty.
fn remove_empty(folder: &Path, within: &Path) {
    let mut path = within;
    while path != folder && fs::remove_dir(path).is_ok() {
        let Some(parent) = path.parent() else { return };
        path = parent;
    }
}

/// Whether a path is a file, and no link to one.
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}
