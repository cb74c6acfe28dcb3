//! A robot from a user's file: MJCF, or URDF through MuJoCo's own reader.

mod error;
mod expand;
mod mujoco;
mod urdf;

use std::path::{Path, PathBuf};

use insonate_models::robots::{self, FileOptions, Robot};

pub use error::RobotFileError;

/// Folder for `package://NAME/` of a URDF.
#[derive(Clone, Debug)]
pub struct Package {
    /// Name of the package.
    pub name: String,
    /// Folder of the package.
    pub folder: PathBuf,
}

impl std::str::FromStr for Package {
    type Err = String;

    /// Reads `NAME=FOLDER`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, folder)) if !name.is_empty() && !folder.is_empty() => Ok(Self {
                name: name.to_owned(),
                folder: folder.into(),
            }),
            _ => Err(format!("{text:?} is not NAME=DIR")),
        }
    }
}

/// Options for reading a robot's file.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Folder that must contain all files that the robot's file names; by default its own folder.
    pub root: Option<PathBuf>,
    /// Leaves out bodies with shapes that the last link carries in addition to the flange, such as a gripper.
    pub without_tool: bool,
    /// Packages of a URDF; other packages are searched for in the folders above the file.
    pub packages: Vec<Package>,
}

/// Reads the robot whose body, frame, site or link `flange` carries the probe, with +z out of the flange.
///
/// # Errors
/// [`RobotFileError::Refused`] for a file that is malformed or has unsupported content; [`RobotFileError::Simulation`] if libmujoco is
/// needed and missing; [`RobotFileError::Model`] for errors of [`robots::from_file`].
pub fn load(path: &Path, flange: &str, options: &LoadOptions) -> Result<Robot, RobotFileError> {
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
    let mut robot = robots::from_file(&staged, flange, &file_options)
        .map_err(|error| RobotFileError::staged(path, &staged, &error))?;
    robot.summary = format!("from {}", path.display()).into();
    notes.append(&mut robot.notes);
    robot.notes = notes;
    Ok(robot)
}
