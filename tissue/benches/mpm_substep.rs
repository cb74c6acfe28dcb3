//! Substeps of the particle solver.

fn main() {}
