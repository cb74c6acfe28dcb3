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
//! Softness, breathing, friction and the torso's pose can be changed at any time, without compiling the scene again ([`variation`]).
//!
//! * [`split`]: MJCF with a shell → MJCF without it.
//! * [`extract`]: compiled model with the shell → [`ShellModel`], with its [`rows`] and its [`breath`].
//! * [`network`], [`couplings`], [`skyline`]: the constant matrices; [`tuning`]: the equation of motion.
//! * [`collide`]: which [`capsules`] touch which geoms, with the torso where [`frame`] says; [`pair`]: contact parameters.
//! * [`contact`], [`bodies`], [`cone`]: contact forces.
//! * [`Shell`]: the state, one per environment.

mod bodies;
mod breath;
mod capsules;
mod cholesky;
mod collide;
mod cone;
mod contact;
mod couplings;
mod extract;
mod frame;
mod model;
mod network;
mod ordering;
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
