//! List of the files that commands wrote into a folder, so that the next command can distinguish them from a user's files.
//!
//! The list is a text file: the command on the first line, then one path per line, relative to the folder and separated by `/`.
//! A path that ends with `/` is a folder with its own list.
//! The list is not trusted: paths outside the folder or through a link are ignored.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// File name of the list.
const NAME: &str = ".insonate.files";
/// Maximum size of a list [bytes].
const MAX_SIZE: u64 = 1 << 24;
/// Maximum depth of nested folders.
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
    /// Reads the list of a folder; `None` if the folder has no list.
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

    /// Adds a path to the list of a folder, and creates the list if there is none.
    pub(crate) fn add(folder: &Path, command: &str, entry: &str) -> io::Result<()> {
        let path = folder.join(NAME);
        let begins = !is_file(&path);
        let mut options = OpenOptions::new();
        // Create a new file, so that a link is not followed.
        let mut file = options.append(true).create_new(begins).open(path)?;
        if begins {
            return file.write_all(format!("{command}\n{entry}\n").as_bytes());
        }
        file.write_all(format!("{entry}\n").as_bytes())
    }

    /// Number of listed files that exist.
    pub(crate) fn count(&self, folder: &Path) -> usize {
        self.count_below(folder, 0)
    }

    fn count_below(&self, folder: &Path, depth: usize) -> usize {
        let entries = self.entries.iter().filter_map(|entry| find(folder, entry));
        let count = entries.map(|found| match found {
            ListedEntry::File(_) => 1,
            ListedEntry::Folder(path) if depth < MAX_DEPTH => {
                let list = Self::read(&path).ok().flatten();
                list.map_or(0, |list| list.count_below(&path, depth + 1))
            }
            ListedEntry::Folder(_) => 0,
        });
        count.sum()
    }

    /// Removes the files, the list, and folders that become empty.
    pub(crate) fn clear(&self, folder: &Path) -> io::Result<()> {
        self.clear_below(folder, 0)
    }

    fn clear_below(&self, folder: &Path, depth: usize) -> io::Result<()> {
        for entry in &self.entries {
            match find(folder, entry) {
                Some(ListedEntry::File(path)) => fs::remove_file(path)?,
                Some(ListedEntry::Folder(path)) if depth < MAX_DEPTH => {
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
        // The list is removed last, so that an interrupted clearing can be continued.
        fs::remove_file(folder.join(NAME))
    }
}

/// An entry of a list.
enum ListedEntry {
    File(PathBuf),
    Folder(PathBuf),
}

/// Finds the entry for a path in a folder without following links; `None` if the path leads out of the folder.
fn find(folder: &Path, entry: &str) -> Option<ListedEntry> {
    let (parent, name) = split(entry)?;
    let path = real_folder(folder, parent)?.join(name);
    match fs::symlink_metadata(&path).ok()?.file_type() {
        found if found.is_file() && !entry.ends_with('/') => Some(ListedEntry::File(path)),
        found if found.is_dir() && entry.ends_with('/') => Some(ListedEntry::Folder(path)),
        _ => None,
    }
}

/// The parent folder of a path within a folder.
fn parent_of(folder: &Path, entry: &str) -> Option<PathBuf> {
    let (parent, _) = split(entry)?;
    (!parent.is_empty()).then(|| real_folder(folder, parent))?
}

/// Folders and name of a path; `None` if a part of it is not a plain name.
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

/// Path of nested folders within a folder; `None` if one of them is a link.
fn real_folder(folder: &Path, parts: Vec<&str>) -> Option<PathBuf> {
    parts.into_iter().try_fold(folder.to_owned(), |path, part| {
        let path = path.join(part);
        let found = fs::symlink_metadata(&path).ok()?;
        found.is_dir().then_some(path)
    })
}

/// Removes a folder within another, and then its parents, as long as they are empty.
fn remove_empty(folder: &Path, within: &Path) {
    let mut path = within;
    while path != folder && fs::remove_dir(path).is_ok() {
        let Some(parent) = path.parent() else { return };
        path = parent;
    }
}

/// Whether a path is a regular file and not a link.
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}
