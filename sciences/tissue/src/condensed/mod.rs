//! A linear elastic solid that is condensed to its skin: the skin moves in three directions, and a step costs as much as the few points
//! below a tool.
//!
//! Linear finite elements that are fixed at the back give $K u = f$. Forces act on the skin only, so the skin moves by $u_s = C f_s$ with
//! the compliance $C = (K^{-1})_{ss}$, and every other point follows from $u = K^{-1} f$ (Bro-Nielsen and Cotin 1996,
//! doi:10.1111/1467-8659.1530057; James and Pai 1999, doi:10.1145/311535.311542). Columns of $C$ are computed when a tool first
//! touches their vertices, and kept for all worlds of the same body.
//!
//! The tissue is a Kelvin–Voigt solid without inertia, $K (u + \tau \dot u) = f$. An implicit step of length $h$ needs no solution on the
//! mesh: $u^+ = (\tau u + h\,C f^+) / (h + \tau)$.
//!
//! Between tool and skin lies a thin elastic layer: its pressure is its compression times a stiffness per area, and its shear is limited by
//! Coulomb friction. It spreads the force over sample points that are closer together than the vertices, so that forces do not jump when
//! vertices come into contact.
//!
//! * [`elements`]: mesh and material → stiffness matrix.
//! * [`compliance`]: stiffness matrix → columns of the compliance.
//! * [`skin`]: boundary of the mesh → sample points; [`candidates`]: those that tools could touch.
//! * [`layer`]: tractions at the sample points.
//! * [`region`]: vertices near tools, and how they give way.
//! * [`balance`]: forces on these vertices at which the layer's tractions balance the tissue, by [`dense`] equations.
//! * [`world`]: the state and its step; [`snapshot`]: its bytes.

mod balance;
mod candidates;
mod compliance;
mod dense;
pub(crate) mod elements;
mod layer;
mod model;
mod region;
mod skin;
mod snapshot;
mod world;

pub use layer::{Contact, Layer};
pub use model::{CondensedBody, CondensedModel};
pub use world::Condensed;
