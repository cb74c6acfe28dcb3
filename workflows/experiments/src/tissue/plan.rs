//! Settings of a motion.
//!
//! This module and `motions` and `discretized_body` refer to each other: a plan names its motion and body, which are built from the plan.

use insonate_settings::{SettingError, check_ranges};
use insonate_tissue::{Material, TissueError};

use super::BodyKind;
use super::motions::Motion;
use crate::Device;

/// Solver for tissue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TissueSolver {
    /// Particles and a grid: MLS-MPM.
    Mpm,
    /// Tetrahedra with compliant constraints: XPBD.
    Xpbd,
}

impl TissueSolver {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mpm => "mpm",
            Self::Xpbd => "xpbd",
        }
    }
}

/// A motion and its options.
#[derive(Debug, Clone)]
pub struct MotionPlan {
    /// Motion.
    pub motion: &'static Motion,
    /// Solver.
    pub solver: TissueSolver,
    /// Device that computes.
    pub device: Device,
    /// Number of threads; 0 uses one per core.
    pub n_threads: usize,
    /// Body.
    pub body: BodyKind,
    /// Young's modulus, Poisson's ratio and density of a body with one material; not used if there are layers.
    pub material: Material,
    /// Whether the body has layers with their own materials.
    pub layers: bool,
    /// Damping: viscosity over shear modulus [s].
    pub damping_time: f64,
    /// Coulomb's friction coefficient between tissue and parts that do not hold it.
    pub friction: f64,
    /// Number of cells, or of tetrahedra's edges, along the body's longest side.
    pub resolution: usize,
    /// Travel of the tool after it touches or holds the body [m].
    pub travel: f64,
    /// Simulated time [s].
    pub duration: f64,
    /// Number of frames: pictures and timed steps.
    pub n_frames: usize,
    /// Gravity, downwards [m/s²].
    pub gravity: f64,
}

impl MotionPlan {
    /// A motion on its default body with default settings.
    pub fn new(motion: &'static Motion, solver: TissueSolver) -> Self {
        Self::on(motion, solver, motion.bodies[0])
    }

    /// A motion on a given body with default settings.
    pub fn on(motion: &'static Motion, solver: TissueSolver, body: BodyKind) -> Self {
        Self {
            motion,
            solver,
            device: Device::Auto,
            n_threads: 0,
            body,
            material: body.material(),
            layers: false,
            damping_time: 0.005,
            friction: 0.2,
            resolution: match solver {
                TissueSolver::Mpm => 24,
                TissueSolver::Xpbd => 16,
            },
            travel: (motion.travel)(body),
            duration: motion.duration,
            n_frames: 40,
            gravity: 9.81,
        }
    }

    /// Checks that the settings are valid.
    ///
    /// # Errors
    /// [`TissueError::Setting`] with the name of the field.
    pub fn check(&self) -> Result<(), TissueError> {
        let bodies = self.motion.bodies;
        if !bodies.contains(&self.body) {
            let known: Vec<&str> = bodies.iter().map(|body| body.name()).collect();
            let allowed = format!("{} for {}", known.join(" or "), self.motion.name);
            return Err(
                SettingError::new("body", format_args!("{}", self.body.name()), allowed).into(),
            );
        }
        if self.layers && !self.body.has_layers() {
            let allowed = format!("left out: a {} is of one material", self.body.name());
            return Err(SettingError::new("layers", format_args!("given"), allowed).into());
        }
        let Material {
            young_modulus,
            poisson_ratio,
            density,
            ..
        } = self.material;
        let most_travel = 2.0 * (self.motion.travel)(self.body);
        let rows = [
            ("young_modulus", young_modulus, [100.0, 1e7], "Pa"),
            ("poisson_ratio", poisson_ratio, [0.0, 0.49], ""),
            ("density", density, [100.0, 1e4], "kg/m³"),
            ("damping_time", self.damping_time, [0.0, 1.0], "s"),
            ("friction", self.friction, [0.0, 10.0], ""),
            ("resolution", self.resolution as f64, [6.0, 200.0], ""),
            ("travel", self.travel, [1e-4, most_travel], "m"),
            ("duration", self.duration, [0.05, 100.0], "s"),
            ("frames", self.n_frames as f64, [2.0, 60.0], ""),
            ("gravity", self.gravity, [0.0, 100.0], "m/s²"),
            ("threads", self.n_threads as f64, [0.0, 1024.0], ""),
        ];
        Ok(check_ranges("", rows)?)
    }
}
