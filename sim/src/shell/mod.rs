//! The `fast` torso: the composite shell taken out of MuJoCo and stepped beside it, with the same dynamics.
//!
//! A composite torso is some hundred slide joints tied by soft equalities.
//! All of their impedances are constant, so MuJoCo's soft-constraint dynamics (Todorov 2014, doi:10.1109/ICRA.2014.6907751;
//! MuJoCo documentation, "Computation") of the shell alone are linear: with the equality Jacobian $J$, regularisation $R$,
//! stiffness $k$ and damping $b$ of the rows,
//!
//! $$ (M + J^T R^{-1} J)\, a = f - J^T R^{-1} (b J v + k J q) $$
//!
//! The matrix on the left never changes: it is factored once per model ([`network`]).
//! What is left for each step is the contact with the robot: some ten small cones ([`cone`]), solved together with the robot's own
//! inertia, exactly as MuJoCo's solver would with the shell inside.
//! The result goes to the robot as `xfrc_applied`, so force sensors read it.
//!
//! A shell can be made softer, breathe otherwise, become slippery or be moved as a whole at any time, without compiling its scene
//! anew ([`variation`]).
//!
//! * [`split`]: MJCF with a shell → MJCF without it.
//! * [`extract`]: compiled model with the shell → [`ShellModel`], with its [`rows`] and its [`breath`].
//! * [`network`], [`couplings`], [`skyline`]: the constant matrices; [`tuning`]: what one shell changes in their equation.
//! * [`collide`]: which capsules touch which geoms, with the torso standing where [`frame`] says.
//! * [`contact`], [`bodies`], [`cone`]: contact forces.
//! * [`Shell`]: the state, one per environment.

mod bodies;
mod breath;
mod capsules;
mod collide;
mod cone;
mod contact;
mod couplings;
mod extract;
mod frame;
mod model;
mod network;
mod pair;
mod rows;
mod settings;
mod skyline;
mod split;
mod state;
mod tuning;
mod variation;

pub use model::ShellModel;
pub use settings::ShellSolref;
pub use split::{fast_torso, without_shell};
pub use state::Shell;
