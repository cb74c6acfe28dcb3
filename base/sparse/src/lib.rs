//! Linear equations with a constant sparse matrix that is symmetric and positive definite: factored once, solved in every step.
//!
//! [`Skyline`] is the factor. `cholesky` computes it, in the order of unknowns of `ordering`.

mod cholesky;
mod ordering;
mod skyline;

pub use skyline::Skyline;
