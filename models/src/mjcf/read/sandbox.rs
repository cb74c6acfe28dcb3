//! Restricts the files that a document may refer to.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::options::ReadOptions;
use crate::mjcf::MjcfError;
use crate::mjcf::error::abbreviate;

/// Longest file name in a document [bytes].
const LONGEST: usize = 1024;

/// The folder of the main document, and the root folder that contains all its files.
#[derive(Clone, Debug)]
pub(in crate::mjcf) struct Sandbox {
    /// Name of the document in messages.
    document: PathBuf,
    /// Folder of the main file, resolved. MuJoCo searches all files relative to it.
    folder: PathBuf,
    /// Root folder, resolved.
    root: PathBuf,
}

impl Sandbox {
    /// Creates the sandbox of a main file.
    pub(in crate::mjcf) fn of_file(path: &Path, options: &ReadOptions) -> Result<Self, MjcfError> {
        let resolved = canonical(path)?;
        let folder = resolved.parent().unwrap_or(&resolved).to_owned();
        let root = match &options.root {
            Some(root) => canonical(root)?,
            None => folder.clone(),
        };
        if !resolved.starts_with(&root) {
            return Err(outside(path, &path.display().to_string(), &root));
        }
        Ok(Self {
            document: path.to_owned(),
            folder,
            root,
        })
    }

    /// Creates the sandbox of a text whose files are searched in `folder`.
    pub(super) fn of_folder(folder: &Path) -> Result<Self, MjcfError> {
        let root = canonical(folder)?;
        Ok(Self {
            document: PathBuf::from("<string>"),
            folder: root.clone(),
            root,
        })
    }

    /// Resolves a file of the document, relative to `subfolder` of the document's folder. Symbolic links are followed
    /// before the path is compared with the root.
    pub(in crate::mjcf) fn resolve(
        &self,
        subfolder: &str,
        file: &str,
    ) -> Result<PathBuf, MjcfError> {
        if subfolder.len() + file.len() > LONGEST {
            return Err(MjcfError::BadName {
                name: abbreviate(file).into_owned(),
                what: "a file name",
                problem: "it is longer than 1024 bytes",
            });
        }
        let named = self.folder.join(portable(subfolder)).join(portable(file));
        match fs::canonicalize(&named) {
            Ok(resolved) if resolved.starts_with(&self.root) => Ok(resolved),
            Ok(_) => Err(outside(&self.document, file, &self.root)),
            // Also for missing files: a path outside the root is reported as such.
            Err(_) if !without_dots(&named).starts_with(&self.root) => {
                Err(outside(&self.document, file, &self.root))
            }
            Err(source) => Err(MjcfError::Io {
                path: named,
                source,
            }),
        }
    }
}

fn outside(document: &Path, file: &str, root: &Path) -> MjcfError {
    MjcfError::OutsideRoot {
        document: document.to_owned(),
        file: file.to_owned(),
        root: root.to_owned(),
    }
}

fn canonical(path: &Path) -> Result<PathBuf, MjcfError> {
    fs::canonicalize(path).map_err(|source| MjcfError::Io {
        path: path.to_owned(),
        source,
    })
}

/// Replaces backslashes, which separate folders on Windows; MuJoCo accepts both.
fn portable(file: &str) -> String {
    file.replace('\\', "/")
}

/// Removes `.` and `..` from the path without access to the file system.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
