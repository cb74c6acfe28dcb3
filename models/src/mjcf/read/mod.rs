//! Reads a user's MJCF.
//!
//! The files are untrusted. Their resource use is limited ([`ReadOptions`]), they may only refer to files below one folder, and
//! XML features that MJCF does not use are not interpreted (no DTD, no entities except the five of XML).
//! Every element is checked against the schema while it is read, so that errors contain `file:line`.

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
    /// Repeated sections are merged as in MuJoCo. Comments and text between elements are dropped. Numbers keep all bits.
    /// Units and file names stay as written: [`Mjcf::read_standalone`] converts them.
    ///
    /// # Errors
    /// The document is not well-formed, is not MJCF, is too large, leaves the root folder, or fails [`Mjcf::validate`].
    pub fn read(path: &Path, options: &ReadOptions) -> Result<Self, MjcfError> {
        let sandbox = Sandbox::of_file(path, options)?;
        let mut budget = Budget::new(options);
        let source = source::load(path, &mut budget)?;
        let root = text::read_document(Parser::new(Some(&sandbox), &mut budget), &source)?;
        let mjcf = Self::from_root(root);
        mjcf.validate()
            .map_err(|error| error.in_file(&source.label))?;
        Ok(mjcf)
    }

    /// Reads MJCF from a text. Messages call it `name`.
    ///
    /// Included files are searched in [`ReadOptions::root`]. If there is no root, includes are not allowed.
    ///
    /// # Errors
    /// The errors of [`Mjcf::read`].
    pub fn read_str(xml: &str, name: &str, options: &ReadOptions) -> Result<Self, MjcfError> {
        let sandbox = options
            .root
            .as_deref()
            .map(Sandbox::of_folder)
            .transpose()?;
        let mut budget = Budget::new(options);
        let source = source::from_bytes(xml.as_bytes().to_vec(), name, &mut budget)?;
        let root = text::read_document(Parser::new(sandbox.as_ref(), &mut budget), &source)?;
        let mjcf = Self::from_root(root);
        mjcf.validate().map_err(|error| error.in_file(name))?;
        Ok(mjcf)
    }
}
