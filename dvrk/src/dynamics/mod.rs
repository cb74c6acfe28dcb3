//! Torques: of the whole arm by recursive Newton-Euler, and its mass, Coriolis and gravity terms.
//!
//! M(q) q̈ + C(q, q̇) q̇ + g(q) + friction = τ, with motor inertia in M and the roll spring in g.

mod matrices;
mod newton_euler;
