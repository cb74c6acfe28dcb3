//! What both solvers do for a motion.

use insonate_meshes::TriangleMesh;
use insonate_tissue::tool::{Tool, Wrench};
use nalgebra::Vector3;

/// A part as a step begins.
#[derive(Debug, Clone)]
pub(super) struct MovingTool {
    pub(super) tool: Tool,
    pub(super) mode: ToolMode,
}

/// What a part does in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolMode {
    /// Pushes tissue.
    Contact,
    /// Will hold later; touches nothing until then.
    Waiting,
    /// Holds what was within it when it began to.
    Holding,
}

/// The surface of tissue, to be drawn and written.
#[derive(Debug, Clone)]
pub struct TissueSurface {
    /// Closed, facing out, without vertices of no triangle.
    pub mesh: TriangleMesh,
    /// Outward unit normals, shape `[n_vertices, 3]`.
    pub normals: Vec<[f64; 3]>,
    /// Where each vertex lies in a picture of the body at rest, shape `[n_vertices, 2]`.
    pub uvs: Vec<[f64; 2]>,
}

/// What is torn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TornElements {
    /// Particles or tetrahedra that hold nothing any more.
    pub(super) n_torn: usize,
    /// Connected pieces of the rest, of at least a hundredth of the body.
    pub(super) n_pieces: usize,
}

/// Tissue in a world of its own.
pub(super) trait TissueSimulation {
    /// Advances by a time [s]; gives the mean wrench of the tissue on each part, about its origin as it moved.
    fn step(&mut self, parts: &[MovingTool], time: f64) -> anyhow::Result<Vec<Wrench>>;

    /// Device that computes it.
    fn device(&self) -> String;

    /// Threads that it uses.
    fn n_threads(&self) -> usize;

    /// Particles or vertices.
    fn n_points(&self) -> usize;

    /// Particles or tetrahedra.
    fn n_elements(&self) -> usize;

    /// Mass [kg].
    fn mass(&self) -> f64;

    /// Momentum [kg·m/s].
    fn momentum(&self) -> anyhow::Result<Vector3<f64>>;

    /// Impulse that tissue got in the last step from what is neither part nor gravity [N·s].
    fn other_impulse(&self) -> Vector3<f64> {
        Vector3::zeros()
    }

    /// What is torn.
    fn torn(&self) -> anyhow::Result<TornElements>;

    /// The surface of what is not torn.
    fn surface(&self) -> anyhow::Result<TissueSurface>;
}
