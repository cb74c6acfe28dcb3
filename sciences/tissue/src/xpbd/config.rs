//! Settings of a world of tetrahedra.

use insonate_settings::check_range;

use crate::TissueError;

/// Combination of the corrections of several constraints.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Sweep {
    /// Gauss–Seidel: constraints are solved one after another from the latest positions. Constraints of one colour
    /// share no vertex.
    #[default]
    GaussSeidel,
    /// Jacobi: all constraints are solved from the same positions, each with its share of every vertex's mass (mass
    /// splitting: Tonge, Benevolenski and Voroshilov 2012, doi:10.1145/2185520.2185601). A patch of tetrahedra has
    /// eight shares. Momentum is conserved, and the stiffness converges to the material's as Δt becomes small.
    Jacobi,
    /// Jacobi with averaging: the sum of corrections is divided by the number of constraints of a vertex and multiplied
    /// by a relaxation ω (Macklin et al. 2014, Eq. 15). The result is softer than the material by up to that number.
    /// Momentum is conserved only if all vertices have equally many constraints. Use it to compare with other programs.
    AveragedJacobi {
        /// Relaxation ω.
        relaxation: f64,
    },
}

impl Sweep {
    /// Weight of a patch relative to one of its tetrahedra when constraints share the mass of a point. A patch carries
    /// most of the energy; with this weight both are too soft by about the same factor.
    pub(crate) fn patch_weight(self) -> u32 {
        match self {
            Self::Jacobi => 8,
            Self::GaussSeidel | Self::AveragedJacobi { .. } => 1,
        }
    }
}

/// Settings of [`Xpbd`](super::Xpbd) and [`XpbdBatch`](super::XpbdBatch).
#[derive(Debug, Clone, PartialEq)]
pub struct XpbdConfig {
    /// Longest substep [s].
    pub substep: f64,
    /// Courant limit: greatest part of the height of a neo-Hookean element or patch that a wave may cross in a substep.
    /// Substeps are shortened to satisfy it; infinite: no limit. Elements are softer than their material by about 1 %
    /// at 0.35, by about 3 % at 0.5, and much softer above 1.
    pub max_courant: f64,
    /// Iterations of the solver in a substep; more than one only with [`Sweep::GaussSeidel`]. Iterations help
    /// attachments, springs and contact. For neo-Hookean elements use more substeps, because the gradients of earlier
    /// corrections are not updated.
    pub iterations: u32,
    /// Combination of corrections.
    pub sweep: Sweep,
    /// Gravity [m/s²].
    pub gravity: [f64; 3],
    /// Viscous drag c of the environment [1/s]: a substep scales velocities by 1 − c Δt.
    pub drag: f64,
    /// Greatest speed at which a tool at rest pushes tissue out of itself [m/s]; infinite: within one substep.
    pub push_speed: f64,
    /// Whether tools also touch the faces between vertices. Small tools need it.
    pub face_contact: bool,
    /// Reach [m]: vertices farther than this from all tools except planes, measured at rest, do not move. Infinite: all
    /// vertices move. It requires a single world that cannot tear and planes that do not move.
    pub active_radius: f64,
    /// Speed of a vertex above which the world is stopped as diverged [m/s].
    pub max_speed: f64,
    /// Number of threads of a batch, or of Jacobi sweeps in a large world; 0: one per core. Results do not depend on
    /// it.
    pub n_threads: usize,
}

impl Default for XpbdConfig {
    fn default() -> Self {
        Self {
            substep: 5e-4,
            max_courant: 0.35,
            iterations: 1,
            sweep: Sweep::default(),
            gravity: [0.0, 0.0, -9.81],
            drag: 0.0,
            push_speed: 2.0,
            face_contact: true,
            active_radius: f64::INFINITY,
            max_speed: 100.0,
            n_threads: 0,
        }
    }
}

impl XpbdConfig {
    /// Fails for invalid settings.
    ///
    /// # Errors
    /// [`TissueError::Setting`].
    pub fn check(&self) -> Result<(), TissueError> {
        check_range("substep", self.substep, [1e-7, 1.0], "s")?;
        if self.max_courant != f64::INFINITY {
            check_range("max_courant", self.max_courant, [1e-3, 1e3], "")?;
        }
        let is_sequential = self.sweep == Sweep::GaussSeidel;
        let most = if is_sequential { 1e4 } else { 1.0 };
        check_range("iterations", f64::from(self.iterations), [1.0, most], "")?;
        if let Sweep::AveragedJacobi { relaxation } = self.sweep {
            check_range("sweep.relaxation", relaxation, [1e-3, 2.0], "")?;
        }
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            check_range(
                &format!("gravity.{name}"),
                self.gravity[axis],
                [-1e4, 1e4],
                "m/s²",
            )?;
        }
        check_range("drag", self.drag, [0.0, 1.0 / self.substep], "1/s")?;
        if self.push_speed != f64::INFINITY {
            check_range("push_speed", self.push_speed, [1e-6, 1e6], "m/s")?;
        }
        if self.active_radius != f64::INFINITY {
            check_range("reach", self.active_radius, [1e-6, 1e3], "m")?;
        }
        Ok(check_range(
            "max_speed",
            self.max_speed,
            [1e-3, 1e6],
            "m/s",
        )?)
    }

    /// Checks settings that only a single world supports.
    pub(crate) fn check_whole(&self) -> Result<(), TissueError> {
        if self.active_radius == f64::INFINITY {
            return Ok(());
        }
        Err(TissueError::setting(
            "reach",
            self.active_radius,
            "infinite, except for a single world that cannot tear",
        ))
    }
}
