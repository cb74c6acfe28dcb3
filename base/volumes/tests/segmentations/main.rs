//! Tests of reading segmentations.

mod ct;
mod formats;
mod hostile;
mod writers;
