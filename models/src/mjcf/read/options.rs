//! Limits and root folder of a reader.

use std::path::PathBuf;

/// Default of [`ReadOptions::max_bytes`].
const DEFAULT_MAX_BYTES: u64 = 64 << 20;

/// Default of [`ReadOptions::max_asset_bytes`].
const DEFAULT_MAX_ASSET_BYTES: u64 = 256 << 20;

/// What a document may use.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// Folder that all included files, meshes and textures must lie in; by default the folder of the main file.
    pub root: Option<PathBuf>,
    /// Greatest size of a file, and of a document with all it includes [bytes].
    pub max_bytes: u64,
    /// Greatest size of all meshes and images of a document [bytes].
    pub max_asset_bytes: u64,
    /// Lets [`Mjcf::read_standalone`](super::super::Mjcf::read_standalone) keep `model` assets, with the resolved paths of their files,
    /// and `attach`; else they are refused.
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
