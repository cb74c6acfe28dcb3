//! Ranges and names of settings, and the errors for invalid ones.
//!
//! [`check_range`] tests a number, and [`find`] looks a name up in a registry.

mod names;
mod range;

pub use names::{UnknownName, find, nearest, similar};
pub use range::{SettingError, check_interval, check_range, check_ranges, check_vector};
