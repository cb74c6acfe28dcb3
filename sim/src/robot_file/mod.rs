//! A robot from a user's file: MJCF, or URDF by MuJoCo's own reader.

mod error;
mod expand;
mod mujoco;
mod urdf;

use std::path::{Path, PathBuf};

use insonate_models::robots::{self, FileOptions, LoadedRobot};

pub use error::RobotFileError;

/// A folder that `package://NAME/` of a URDF stands for.
#[derive(Clone, Debug)]
pub struct Package {
    /// The package's name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
}

/// What a robot's file may read, and what of it is kept.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Folder below which the files that it names must lie; by default its own folder.
    pub root: Option<PathBuf>,
    /// Leaves out bodies with shapes that the last link carries next to the flange, such as a gripper.
    pub without_tool: bool,
    /// Packages of a URDF; others are looked for in the folders above the file.
    pub packages: Vec<Package>,
}

/// Reads the robot whose body, frame, site or link `flange` carries the probe, with +z out of the flange.
///
/// # Errors
/// [`RobotFileError::Refused`] for a file that is malformed or holds what is not read; [`RobotFileError::Simulation`] without
/// libmujoco, where it is needed; [`RobotFileError::Model`] for what [`robots::from_file`] refuses.
pub fn load(
    path: &Path,
    flange: &str,
    options: &LoadOptions,
) -> Result<LoadedRobot, RobotFileError> {
    let mut file_options = FileOptions {
        root: options.root.clone(),
        without_tool: options.without_tool,
    };
    let is_urdf = urdf::is_urdf(path);
    if !is_urdf && !expand::is_needed(path, options.root.as_deref())? {
        return Ok(robots::from_file(path, flange, &file_options)?);
    }
    let in_folder = |error| RobotFileError::refused(path, "temporary folder", error);
    let folder = tempfile::tempdir().map_err(in_folder)?;
    let (mjcf, mut notes) = if is_urdf {
        urdf::to_mjcf(path, flange, options, folder.path())?
    } else {
        expand::to_mjcf(path, options.root.as_deref(), folder.path())?
    };
    let staged = folder.path().join("robot.xml");
    std::fs::write(&staged, mjcf).map_err(in_folder)?;
    file_options.root = None;
    let mut loaded = robots::from_file(&staged, flange, &file_options)
        .map_err(|error| RobotFileError::staged(path, &staged, &error))?;
    loaded.robot.summary = format!("from {}", path.display()).into();
    notes.append(&mut loaded.notes);
    loaded.notes = notes;
    Ok(loaded)
}
