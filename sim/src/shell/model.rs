//! The constants of a shell.

use super::breath::Breath;
use super::capsules::Capsules;
use super::network::Network;
use super::pair::GeomParams;

/// Geometry, matrices and contact parameters of a shell.
#[derive(Debug)]
pub struct ShellModel {
    /// Names of the nodes' bodies in the scene with the shell inside.
    pub(super) body_names: Vec<String>,
    /// Addresses of the nodes' positions in `qpos` and `qvel` of that scene.
    pub(super) qpos_address: Vec<usize>,
    pub(super) dof_address: Vec<usize>,
    /// Number of capsules among the nodes; the remaining nodes (a breathing oscillator) only move the capsules.
    pub(super) n_capsules: usize,
    /// Body origin at rest in world [m].
    pub(super) rest: Vec<[f64; 3]>,
    /// Direction of motion in world.
    pub(super) axis: Vec<[f64; 3]>,
    /// Capsules at rest: their centres, and their orientation matrices, row-major.
    pub(super) capsules: Capsules,
    pub(super) geom_matrix: Vec<[f64; 9]>,
    /// Radius and half length of the capsules [m].
    pub(super) capsule: [f64; 2],
    /// Radius of the sphere around a capsule [m].
    pub(super) reach: f64,
    /// Whether a capsule whose axis is inside a geom is pressed in its sliding direction, instead of away from the geom's nearest surface.
    pub(super) is_deep_inward: bool,
    /// Contact parameters, equal for all capsules.
    pub(super) params: GeomParams,
    /// Mass of each capsule's body on which gravity acts [kg], shape `[n_capsules]`, and gravity in world [m/s²].
    pub(super) weight: Vec<f64>,
    pub(super) gravity: [f64; 3],
    pub(super) network: Network,
    pub(super) breath: Option<Breath>,
}

impl ShellModel {
    /// Names of the moving parts' bodies, in the order of [`super::Shell::positions`].
    pub fn body_names(&self) -> &[String] {
        &self.body_names[..self.n_capsules]
    }
}
