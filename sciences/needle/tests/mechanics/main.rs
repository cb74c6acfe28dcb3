//! Needles in bodies with known answers: a foundation of springs, and an infinite elastic solid.
//!
//! Symbols: EI bending stiffness, K lateral foundation [N/m²], λ = (K/4EI)^¼, f friction [N/m], J toughness [J/m²], D outer diameter.

mod bending;
mod bodies;
mod cutting;
mod elastic;
mod friction;
mod limits;
mod rod;
