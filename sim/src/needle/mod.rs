//! A needle in a body of tetrahedra: the bridge between `insonate-needle`, which balances the forces of a needle, and the XPBD worlds of
//! `insonate-tissue`, which deform. Only [`HeldNeedle`], a needle on a robot's flange, uses MuJoCo.
//!
//! [`LayeredBlock`] describes a block of tissue, [`NeedleBody`] is its world as a needle sees it, and [`Insertion`] steps both.
//!
//! A substep of the world comes first, without the needle. Then the needle balances its rows against the new positions, with the inertia
//! of a substep as the compliance of the tissue, and its forces act as impulses of that substep. So the needle is one more constraint of
//! XPBD, solved after all others.

mod block;
mod body;
mod error;
mod held;
mod insertion;
mod mesh;
mod preset;

pub use block::{BlockLayer, LayeredBlock};
pub use body::{NeedleBody, TetPoint};
pub use error::InsertionError;
pub use held::{HeldNeedle, HeldNeedleError};
pub use insertion::{Insertion, Saved};
pub use insonate_needle::{Gauge, NeedleConfig, NeedleError, Report};
pub use preset::{Preset, RESISTANCE};
