//! The `fast` torso: the composite shell is taken out of MuJoCo and stepped separately, with the same dynamics.
//!
//! A composite torso has hundreds of slide joints tied by soft equalities.
//! All of their impedances are constant, so MuJoCo's soft-constraint dynamics (Todorov 2014, doi:10.1109/ICRA.2014.6907751;
//! MuJoCo documentation, "Computation") of the shell alone are linear: with the equality Jacobian $J$, regularisation $R$,
//! stiffness $k$ and damping $b$ of the rows,
//!
//! $$ (M + J^T R^{-1} J)\, a = f - J^T R^{-1} (b J v + k J q) $$
//!
//! The matrix on the left is constant: it is factored once per model ([`network`]).
//! Each step only has to solve the contact with the robot: about ten small cones ([`cone`]), solved together with the robot's own
//! inertia, exactly as MuJoCo's solver would with the shell inside.
//! The result is applied to the robot as `xfrc_applied`, so force sensors read it.
//!
//! Softness, breathing, friction and the torso's pose can be changed at any time, without recompiling the scene ([`variation`]).
//!
//! * [`split`]: MJCF with a shell → MJCF without it.
//! * [`extract`]: compiled model with the shell → [`ShellModel`], with its [`rows`] and its [`breath`].
//! * [`network`], [`couplings`]: the constant matrices; [`tuning`]: the equation of motion.
//! * [`collide`]: contacts between [`capsules`] and geoms, with the torso's pose from [`frame`]; [`pair`]: contact parameters.
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
mod split;
mod state;
mod tuning;
mod variation;

pub use model::ShellModel;
pub use settings::ShellSolref;
pub use split::{fast_torso, without_shell};
pub use state::Shell;
