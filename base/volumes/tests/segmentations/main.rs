//! Tests of reading segmentations.

mod formats;
mod hostile;
mod writers;
