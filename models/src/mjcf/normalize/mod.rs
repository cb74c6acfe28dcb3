//! Converts a user's document to one that keeps its meaning wherever it is attached.
//!
//! MuJoCo's `compiler` section changes how the rest of a file is read, and [`Mjcf::attach`] drops this section. So its settings are
//! applied first: angles in degrees, Euler sequences, the source of masses, folders of files. Joint limits need no conversion:
//! a file that is valid without `autolimits` has the same meaning with it.

mod angles;
mod compiler;
mod defaults;
mod files;
mod inertia;
mod orientation;

use std::path::Path;

use super::read::Sandbox;
use super::{Mjcf, MjcfError, ReadOptions};
use compiler::Compiler;
pub(crate) use defaults::{Defaults, walk_world};

/// A document that needs no other files and no `compiler` setting except radians.
#[derive(Clone, Debug, PartialEq)]
pub struct StandaloneMjcf {
    /// The document.
    pub mjcf: Mjcf,
    /// Changes that lose information, as notes to the user.
    pub notes: Vec<String>,
}

impl Mjcf {
    /// Reads an MJCF file as [`Mjcf::read`] does and makes it one standalone document: angles in radians, masses independent of
    /// `compiler` settings, meshes embedded in the document, image textures replaced by their mean colour.
    ///
    /// # Errors
    /// The errors of [`Mjcf::read`]; [`MjcfError::Unsupported`] for features that cannot be converted (global coordinates, height field
    /// files, model assets, fitted boxes, some uses of `settotalmass`); [`MjcfError::BadAsset`] for a broken mesh.
    pub fn read_standalone(
        path: &Path,
        options: &ReadOptions,
    ) -> Result<StandaloneMjcf, MjcfError> {
        let mut mjcf = Self::read(path, options)?;
        let sandbox = Sandbox::of_file(path, options)?;
        let mut notes = Vec::new();
        let in_file = |error: MjcfError| error.in_file(&path.display().to_string());
        let compiler = Compiler::of(&mjcf).map_err(in_file)?;
        let defaults = Defaults::of(&mjcf);
        angles::to_radians(&mut mjcf, &compiler, &defaults).map_err(in_file)?;
        inertia::settle(&mut mjcf, &compiler, &defaults, &mut notes).map_err(in_file)?;
        files::inline(
            &mut mjcf, &compiler, &defaults, &sandbox, options, &mut notes,
        )
        .map_err(in_file)?;
        compiler::reset(&mut mjcf);
        mjcf.validate().map_err(in_file)?;
        Ok(StandaloneMjcf { mjcf, notes })
    }
}
