//! Limits and root folder of a reader.

use std::path::PathBuf;

/// Default of [`ReadOptions::max_bytes`].
const DEFAULT_MAX_BYTES: u64 = 64 << 20;

/// Default of [`ReadOptions::max_asset_bytes`].
const DEFAULT_MAX_ASSET_BYTES: u64 = 256 << 20;

/// Limits of a document and its root folder.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// Folder that must contain all included files, meshes and textures; the default is the folder of the main file.
    pub root: Option<PathBuf>,
    /// Upper limit of the size of a file, and of a document with all its includes [bytes].
    pub max_bytes: u64,
    /// Upper limit of the total size of all meshes and images of a document [bytes].
    pub max_asset_bytes: u64,
    /// Whether [`Mjcf::read_standalone`](super::super::Mjcf::read_standalone) keeps `model` assets, with the resolved paths of their files,
    /// and `attach`. If false, they are an error.
    pub keeps_models: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            root: None,
            max_bytes: DEFAULT_MAX_BYTES,
            max_asset_bytes: DEFAULT_MAX_ASSET_BYTES,
            keeps_models: false,
        }
    }
}
