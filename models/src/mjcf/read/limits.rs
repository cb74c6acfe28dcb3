//! Resource limits of a document.

use super::options::ReadOptions;
use crate::mjcf::MjcfError;

/// Nesting depth of elements; MuJoCo models reach about 40.
pub(super) const MAX_DEPTH: usize = 256;

/// Nesting depth of includes.
pub(super) const MAX_INCLUDE_DEPTH: usize = 16;

/// Upper limit of the elements in a document.
const MAX_ELEMENTS: u64 = 1_000_000;

/// The remainder of the limits.
pub(super) struct Budget {
    max_bytes: u64,
    bytes: u64,
    elements: u64,
}

impl Budget {
    pub(super) fn new(options: &ReadOptions) -> Self {
        Self {
            max_bytes: options.max_bytes,
            bytes: options.max_bytes,
            elements: MAX_ELEMENTS,
        }
    }

    /// Number of bytes that may still be read.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Consumes bytes of the budget.
    pub(super) fn take_bytes(&mut self, size: u64, path: &str) -> Result<(), MjcfError> {
        match self.bytes.checked_sub(size) {
            Some(left) => {
                self.bytes = left;
                Ok(())
            }
            None => Err(MjcfError::TooLarge {
                path: path.to_owned(),
                what: format!("the size of the document with its files, {size} bytes more,"),
                limit: self.max_bytes,
            }),
        }
    }

    /// Consumes one element of the budget.
    pub(super) fn take_element(&mut self, path: &str) -> Result<(), MjcfError> {
        match self.elements.checked_sub(1) {
            Some(left) => {
                self.elements = left;
                Ok(())
            }
            None => Err(MjcfError::TooLarge {
                path: path.to_owned(),
                what: "the number of elements".to_owned(),
                limit: MAX_ELEMENTS,
            }),
        }
    }
}
