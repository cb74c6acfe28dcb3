//! Files that appear whole or not at all.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Writes a file through a temporary one in the same folder, so that no reader sees half of it.
///
/// # Errors
/// When the folder does not exist or cannot be written, naming the path.
pub fn write_file(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(content)?;
        allow_reading(file.as_file())?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Temporary files are private; results are for everybody who may read the folder.
#[cfg(unix)]
fn allow_reading(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn allow_reading(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

/// A folder that an experiment fills.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
}

impl OutputFolder {
    /// Makes the folder, or takes one that is there, and makes sure that it can be written before the experiment runs.
    ///
    /// # Errors
    /// When it cannot be made or written.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(path)
            .with_context(|| format!("cannot create the folder {}", path.display()))?;
        tempfile::NamedTempFile::new_in(path)
            .with_context(|| format!("cannot write into the folder {}", path.display()))?;
        Ok(Self {
            path: path.to_owned(),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes one file in it.
    ///
    /// # Errors
    /// As [`write_file`].
    pub fn write(&self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        write_file(&self.path.join(name), content)
    }
}
