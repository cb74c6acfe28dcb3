//! Soft tissue outside MuJoCo, coupled both ways: geoms of the robot are tools in the tissue, and its wrench on them acts on their bodies.
//!
//! One step of MuJoCo from $t$ to $t + h$: the tools start at the geoms' poses at $t$ and move with their twists at $t$. The tissue takes
//! as many substeps as it needs to $t + h$. The mean wrench of the tissue acts on the bodies as `xfrc_applied` during MuJoCo's step. The
//! tissue gains exactly the momentum that the robot loses.
//!
//! The force is thus one step late. A contact of stiffness $k$ and damping $c$ on a robot with inertia $m$ there stays stable while
//! $h^2 k < m$ and $h c < m$, as for any spring and damper in an explicit step: with 2 ms and 1 kg, up to 250 kN/m and 500 N·s/m.
//!
//! * [`split`]: MJCF with a solid torso → MJCF without it.
//! * [`TissueModel`]: compiled model with the torso → its lattice and material.
//! * [`solver`]: lattice and material → particles or tetrahedra; [`columns`]: tetrahedra → particles.
//! * [`on_gpu`]: the worlds of all states in the memory of one GPU.
//! * [`breath`]: another rate and amplitude than the compiled one.
//! * [`geoms`]: geoms → tools; [`moving_least_squares`]: how the lattice follows the tissue.
//! * [`Coupling`]: the state, one per environment.

mod breath;
mod columns;
mod geoms;
mod model;
mod moving_least_squares;
mod on_gpu;
mod solver;
mod split;
mod state;

pub use model::{SolverKind, TissueModel};
pub use split::{tissue_torso, without_tissue};
pub use state::Coupling;
