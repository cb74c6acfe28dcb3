//! In place of the container, in builds without the feature `mcap`: no log can be begun.

use std::collections::BTreeMap;
use std::convert::Infallible;

use super::schemas::Schema;

/// The error of a build without the feature `mcap`.
#[derive(Debug, thiserror::Error)]
#[error(
    "this build of insonate does not write MCAP logs: build it with the feature `bags`, as `cargo build --release` and `cargo xtask run --full` do"
)]
pub struct LogError(());

/// A container that cannot exist.
pub(super) struct Container(Infallible);

impl Container {
    pub(super) fn new(_: &str) -> Result<Self, LogError> {
        Err(LogError(()))
    }

    pub(super) fn add_channel(&mut self, _: &str, _: Schema, _: &str) -> Result<u16, LogError> {
        match self.0 {}
    }

    pub(super) fn add_metadata(
        &mut self,
        _: &str,
        _: BTreeMap<String, String>,
    ) -> Result<(), LogError> {
        match self.0 {}
    }

    pub(super) fn add_message(&mut self, _: (u16, u32), _: u64, _: &[u8]) -> Result<(), LogError> {
        match self.0 {}
    }

    pub(super) fn finish(self) -> Result<Vec<u8>, LogError> {
        match self.0 {}
    }
}
