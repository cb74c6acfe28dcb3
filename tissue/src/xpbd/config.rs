//! Settings of a world of tetrahedra.

use crate::TissueError;
use crate::error::check_range;

/// How corrections of several constraints are combined.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Sweep {
    /// One after another, each from the positions that the last has left; constraints of one colour share no vertex.
    #[default]
    GaussSeidel,
    /// All from the same positions, each constraint with its share of every vertex's mass (mass splitting: Tonge, Benevolenski and
    /// Voroshilov 2012, doi:10.1145/2185520.2185601), eight shares for a patch of tetrahedra. Keeps momentum, and the stiffness of the material as Δt becomes small.
    Jacobi,
    /// All from the same positions, averaged over the constraints of a vertex times a relaxation ω (Macklin et al. 2014, Eq. 15). Softer
    /// than the material by up to their number, and momentum is kept only where all vertices have as many: for comparison with
    /// other programs.
    AveragedJacobi {
        /// Relaxation ω.
        relaxation: f64,
    },
}

impl Sweep {
    /// What a patch counts against a tetrahedron of it, where constraints share the mass of a point: a patch carries most of the energy.
    /// With this much both are about as much too soft.
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
    /// Greatest part of the height of any neo-Hookean element or patch of them that waves may cross in a substep: substeps are shortened
    /// to it; infinite: never. At 0.35, elements are softer than their material by some 1 %, at 0.5 by some 3 %; above 1, much softer.
    pub max_courant: f64,
    /// Iterations of the solver in a substep; more than one only with [`Sweep::GaussSeidel`]. They help attachments, springs and contact;
    /// for neo-Hookean elements take more substeps, as the gradients of earlier corrections are not renewed.
    pub iterations: u32,
    /// How corrections are combined.
    pub sweep: Sweep,
    /// Gravity [m/s²].
    pub gravity: [f64; 3],
    /// Viscous drag c of the surroundings [1/s]: a substep scales velocities by 1 − c Δt.
    pub drag: f64,
    /// Greatest speed at which a tool at rest pushes tissue out of itself [m/s]; infinite: within a substep.
    pub push_speed: f64,
    /// Whether tools also touch the faces between vertices, which small tools need.
    pub face_contact: bool,
    /// Farther than this from all tools but planes, counted at rest, vertices stand still where they are [m]; infinite: all move. Only of
    /// a world alone that cannot tear, and whose planes stand still.
    pub reach: f64,
    /// Speed of a vertex above which a world has diverged [m/s].
    pub max_speed: f64,
    /// Threads of a batch, or of Jacobi sweeps in a large world; 0: one for each core. Results do not depend on it.
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
            reach: f64::INFINITY,
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
        check_range("substep", self.substep, 1e-7, 1.0)?;
        if self.max_courant != f64::INFINITY {
            check_range("max_courant", self.max_courant, 1e-3, 1e3)?;
        }
        let is_sequential = self.sweep == Sweep::GaussSeidel;
        let most = if is_sequential { 1e4 } else { 1.0 };
        check_range("iterations", f64::from(self.iterations), 1.0, most)?;
        if let Sweep::AveragedJacobi { relaxation } = self.sweep {
            check_range("sweep.relaxation", relaxation, 1e-3, 2.0)?;
        }
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            check_range(&format!("gravity.{name}"), self.gravity[axis], -1e4, 1e4)?;
        }
        check_range("drag", self.drag, 0.0, 1.0 / self.substep)?;
        if self.push_speed != f64::INFINITY {
            check_range("push_speed", self.push_speed, 1e-6, 1e6)?;
        }
        if self.reach != f64::INFINITY {
            check_range("reach", self.reach, 1e-6, 1e3)?;
        }
        check_range("max_speed", self.max_speed, 1e-3, 1e6)
    }

    /// Fails for what one world alone can do.
    pub(crate) fn check_whole(&self) -> Result<(), TissueError> {
        if self.reach == f64::INFINITY {
            return Ok(());
        }
        Err(TissueError::setting(
            "reach",
            self.reach,
            "infinite, but for one world alone that cannot tear",
        ))
    }
}
