//! Conversion of a URDF to MJCF by MuJoCo's own reader.
//!
//! Static links are kept, so a flange may be a fixed link such as `tool0`. The base link stays a separate body.
//! Nothing is written to the user's folders: meshes are first copied to a temporary folder.

mod links;
mod meshes;
mod node;
mod packages;
mod rewrite;

use std::path::Path;

use super::{LoadOptions, RobotFileError, mujoco};

/// Whether `path` ends in `.urdf` or `.xacro`.
pub(super) fn is_urdf(path: &Path) -> bool {
    path.extension().is_some_and(|ending| {
        ending.eq_ignore_ascii_case("urdf") || ending.eq_ignore_ascii_case("xacro")
    })
}

/// The MJCF of a robot, with notes. Meshes must be below the root (by default the file's own folder) or in the folder of a package.
pub(super) fn to_mjcf(
    path: &Path,
    flange: &str,
    options: &LoadOptions,
    folder: &Path,
) -> Result<(String, Vec<String>), RobotFileError> {
    let text = rewrite::read(path)?;
    let mut meshes = meshes::Meshes::new(path, options.root.as_deref(), &options.packages, folder)?;
    let rewrite::Rewritten {
        xml,
        links,
        mut notes,
    } = rewrite::rewrite(path, &text, &mut meshes)?;
    links.check_flange(path, flange)?;
    notes.extend(meshes.into_notes());
    notes.extend(links.notes());
    Ok((mujoco::expand(path, &xml)?, notes))
}
