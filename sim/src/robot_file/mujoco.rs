//! MuJoCo's own reader and writer of models. The writer keeps six digits of each number.

use std::path::Path;

use mujoco_rs::wrappers::mj_editing::MjSpec;

use super::RobotFileError;
use crate::{loader, log_handler};

/// Largest size of the resulting MJCF of a model [bytes].
const MOST_MJCF: usize = 64 << 20;

/// The MJCF of a text in MJCF or URDF; errors name `path`.
pub(super) fn expand(path: &Path, xml: &str) -> Result<String, RobotFileError> {
    prepare()?;
    save(path, MjSpec::from_xml_string(xml))
}

/// The MJCF of a file in MJCF, with the models that it attaches; errors name `path`.
pub(super) fn expand_file(path: &Path, staged: &Path) -> Result<String, RobotFileError> {
    prepare()?;
    save(path, MjSpec::from_xml(staged))
}

fn prepare() -> Result<(), RobotFileError> {
    loader::load()?;
    log_handler::install();
    log_handler::take();
    Ok(())
}

fn save<E: std::fmt::Display>(
    path: &Path,
    spec: Result<MjSpec, E>,
) -> Result<String, RobotFileError> {
    let mut spec = spec.map_err(|error| RobotFileError::refused(path, "mujoco", error))?;
    let refused = |error| RobotFileError::refused(path, "mujoco", error);
    spec.compile().map_err(refused)?;
    log_handler::take();
    spec.save_xml_string(MOST_MJCF).map_err(refused)
}
