//! Linear equations with a constant sparse matrix that is symmetric and positive definite: factored once, solved in every step.
//!
//! [`Skyline`] is the factor; `many` solves several right sides at once. `cholesky` computes it, in the order of unknowns of `ordering`.

mod cholesky;
mod many;
mod ordering;
mod skyline;

pub use many::SIDES;
pub use skyline::Skyline;
