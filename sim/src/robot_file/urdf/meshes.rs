//! Mesh files of a URDF, copied to a folder where MuJoCo reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use insonate_meshes::git_lfs_pointer;

use super::packages;
use crate::robot_file::{Package, RobotFileError};

/// Largest mesh file [bytes].
const MOST_BYTES: u64 = 256 << 20;

pub(super) struct Meshes<'a> {
    file: &'a Path,
    root: PathBuf,
    packages: BTreeMap<String, PathBuf>,
    staging: &'a Path,
    staged: BTreeMap<PathBuf, PathBuf>,
    notes: BTreeSet<String>,
}

impl<'a> Meshes<'a> {
    pub(super) fn new(
        file: &'a Path,
        root: Option<&Path>,
        given: &[Package],
        staging: &'a Path,
    ) -> Result<Self, RobotFileError> {
        let whole = |folder: &Path, what: &str| {
            folder.canonicalize().map_err(|error| {
                RobotFileError::refused(file, format!("{what} {}", folder.display()), error)
            })
        };
        let root = match root {
            Some(root) => whole(root, "robot root")?,
            None => folder_of(&whole(file, "file")?),
        };
        let mut packages = BTreeMap::new();
        for package in given {
            packages.insert(
                package.name.clone(),
                whole(&package.folder, "package folder")?,
            );
        }
        Ok(Self {
            file,
            root,
            packages,
            staging,
            staged: BTreeMap::new(),
            notes: BTreeSet::new(),
        })
    }

    pub(super) fn into_notes(self) -> BTreeSet<String> {
        self.notes
    }

    /// Path at which MuJoCo finds the mesh that `element` calls `name`.
    pub(super) fn stage(&mut self, element: &str, name: &str) -> Result<PathBuf, RobotFileError> {
        let refused = |problem: String| {
            RobotFileError::refused(
                self.file,
                format!("{element}: mesh filename {name:?}"),
                problem,
            )
        };
        let ending = ending(name);
        if !matches!(ending.as_str(), "stl" | "obj") {
            return Err(refused(format!(
                "a collision mesh must be .stl or .obj, not .{ending}; convert it and name the new file"
            )));
        }
        let (folder, path) = self.resolve(element, name)?;
        let whole = path
            .canonicalize()
            .map_err(|error| refused(format!("{}: {error}", path.display())))?;
        if !whole.starts_with(&folder) {
            return Err(refused(format!("it lies outside {}", folder.display())));
        }
        if let Some(staged) = self.staged.get(&whole) {
            return Ok(staged.clone());
        }
        let size = whole
            .metadata()
            .map_err(|error| refused(error.to_string()))?
            .len();
        if size > MOST_BYTES {
            return Err(refused(format!(
                "the file has {size} bytes; it must have at most {MOST_BYTES} bytes"
            )));
        }
        let bytes = std::fs::read(&whole).map_err(|error| refused(error.to_string()))?;
        if let Some(problem) = git_lfs_pointer(&bytes) {
            return Err(refused(problem));
        }
        let staged = self
            .staging
            .join(format!("mesh_{}.{ending}", self.staged.len()));
        std::fs::write(&staged, bytes).map_err(|error| refused(error.to_string()))?;
        self.staged.insert(whole, staged.clone());
        Ok(staged)
    }

    /// The folder that must contain the mesh, and the path of the mesh.
    fn resolve(&mut self, element: &str, name: &str) -> Result<(PathBuf, PathBuf), RobotFileError> {
        let Some(rest) = name.strip_prefix("package://") else {
            let plain = name.strip_prefix("file://").unwrap_or(name);
            let folder = folder_of(
                &self
                    .file
                    .canonicalize()
                    .unwrap_or_else(|_| self.file.to_owned()),
            );
            return Ok((self.root.clone(), folder.join(plain)));
        };
        let (package, below) = rest.split_once('/').unwrap_or((rest, ""));
        if let Some(folder) = self.packages.get(package) {
            return Ok((folder.clone(), folder.join(below)));
        }
        let file = self
            .file
            .canonicalize()
            .unwrap_or_else(|_| self.file.to_owned());
        let found = packages::find(&file, package).and_then(|folder| folder.canonicalize().ok());
        let Some(folder) = found else {
            return Err(RobotFileError::refused(
                self.file,
                format!("{element}: mesh filename {name:?}"),
                format!(
                    "no folder above the file is the package {package:?}; give its folder as package {package}=DIR"
                ),
            ));
        };
        self.notes.insert(format!(
            "package {package:?} is taken from {}",
            folder.display()
        ));
        self.packages.insert(package.to_owned(), folder.clone());
        Ok((folder.clone(), folder.join(below)))
    }
}

/// Whether MuJoCo reads meshes with this file name.
pub(super) fn is_read(name: &str) -> bool {
    matches!(ending(name).as_str(), "stl" | "obj")
}

fn ending(name: &str) -> String {
    let ending = Path::new(name).extension().unwrap_or_default();
    ending.to_string_lossy().to_ascii_lowercase()
}

fn folder_of(file: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("/")).to_owned()
}
