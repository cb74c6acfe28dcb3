//! Parser state of a document: its open elements and its includes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::Sandbox;
use super::limits::{Budget, MAX_INCLUDE_DEPTH};
use super::merge::add_section;
use super::source::{self, Source};
use crate::mjcf::error::abbreviate;
use crate::mjcf::schema::{NodeId, Schema};
use crate::mjcf::{Element, MjcfError};

/// An element without its end tag yet.
pub(super) struct Open {
    pub(super) element: Element,
    pub(super) node: NodeId,
    pub(super) line: usize,
}

/// Elements of a document with its includes, and what it may still read.
pub(super) struct Parser<'a> {
    pub(super) schema: &'static Schema,
    sandbox: Option<&'a Sandbox>,
    pub(super) budget: &'a mut Budget,
    pub(super) open: Vec<Open>,
    pub(super) root: Option<Element>,
    included: BTreeSet<PathBuf>,
    pub(super) include_depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(sandbox: Option<&'a Sandbox>, budget: &'a mut Budget) -> Self {
        Self {
            schema: Schema::get(),
            sandbox,
            budget,
            open: Vec::new(),
            root: None,
            included: BTreeSet::new(),
            include_depth: 0,
        }
    }

    /// Adds a complete element to its parent.
    pub(super) fn close(&mut self, child: Element) -> Result<(), MjcfError> {
        let depth = self.open.len();
        match self.open.last_mut() {
            None => self.root = Some(child),
            Some(parent) if depth == 1 => add_section(&mut parent.element, child)?,
            Some(parent) => {
                parent.element.add(child);
            }
        }
        Ok(())
    }

    /// Loads a file that is included at most once, and within the folder.
    pub(super) fn load_include(&mut self, file: &str) -> Result<Source, MjcfError> {
        let unsupported = |problem: String| MjcfError::Unsupported {
            element: format!("include {:?}", abbreviate(file)),
            problem,
        };
        let Some(sandbox) = self.sandbox else {
            let problem = "a text without a folder cannot include files; give a root folder";
            return Err(unsupported(problem.to_owned()));
        };
        let path = sandbox.resolve("", file)?;
        if self.include_depth == MAX_INCLUDE_DEPTH {
            let problem = format!("more than {MAX_INCLUDE_DEPTH} files include one another");
            return Err(unsupported(problem));
        }
        if !self.included.insert(path.clone()) {
            let problem = "the file was included before; MuJoCo allows each once";
            return Err(unsupported(problem.to_owned()));
        }
        source::load(&path, self.budget)
    }
}
