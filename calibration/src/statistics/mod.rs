//! Statistics of an estimate: solving, uncertainty, and tests of the residuals.
//!
//! All computations are linear in the number of samples: two million rows are common.

pub(crate) mod bootstrap;
pub(crate) mod hac;
pub(crate) mod inference;
pub(crate) mod least_squares;
pub(crate) mod residuals;
pub(crate) mod robust;
pub(crate) mod tangent;
