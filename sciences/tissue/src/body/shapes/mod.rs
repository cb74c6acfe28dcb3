//! Surfaces of organs as level sets of smooth fields, one per file.

mod field;
mod liver;
mod torso;

pub(super) use liver::liver;
pub(super) use torso::torso;
