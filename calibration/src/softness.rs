//! `softness.toml`: what a scene reads, and where it comes from.

/// The file.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftnessFile;
