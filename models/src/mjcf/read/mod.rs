//! Reading a user's own MJCF.
//!
//! The files are untrusted: what they may use is bounded ([`ReadOptions`]), they may only name files below one folder, and
//! nothing that MJCF never needs is interpreted (no DTD, no entities beyond XML's five).
//! Every element is checked against the schema as it is read, so that errors say `file:line`.

mod limits;
mod lines;
mod merge;
mod options;
mod parse;
mod sandbox;
mod source;
mod text;
mod value;

use std::path::Path;

use super::{Mjcf, MjcfError};
use limits::Budget;
pub use options::ReadOptions;
use parse::Parser;
pub(super) use sandbox::Sandbox;
pub(super) use source::load_bytes;

impl Mjcf {
    /// Reads an MJCF file with the files it includes.
    ///
    /// Repeated sections are merged as MuJoCo merges them, comments and text between elements are dropped, numbers are kept
    /// to the bit. Units and file names stay as written: [`Mjcf::read_standalone`] resolves them.
    ///
    /// # Errors
    /// Anything that is not well-formed, not MJCF, too large, outside the root folder, or that [`Mjcf::validate`] refuses.
    pub fn read(path: &Path, options: &ReadOptions) -> Result<Self, MjcfError> {
        let sandbox = Sandbox::of_file(path, options)?;
        let mut budget = Budget::new(options);
        let source = source::load(path, &mut budget)?;
        let root = Parser::new(Some(&sandbox), &mut budget).document(&source)?;
        let mjcf = Self::from_root(root);
        mjcf.validate()
            .map_err(|error| error.in_file(&source.label))?;
        Ok(mjcf)
    }

    /// Reads MJCF from a text that messages call `name`.
    ///
    /// Files that it includes are looked for in [`ReadOptions::root`]; without a root it may include none.
    ///
    /// # Errors
    /// As [`Mjcf::read`].
    pub fn read_str(xml: &str, name: &str, options: &ReadOptions) -> Result<Self, MjcfError> {
        let sandbox = options
            .root
            .as_deref()
            .map(Sandbox::of_folder)
            .transpose()?;
        let mut budget = Budget::new(options);
        let source = source::from_bytes(xml.as_bytes().to_vec(), name, &mut budget)?;
        let root = Parser::new(sandbox.as_ref(), &mut budget).document(&source)?;
        let mjcf = Self::from_root(root);
        mjcf.validate().map_err(|error| error.in_file(name))?;
        Ok(mjcf)
    }
}
