//! Interface of both tissue solvers.

use insonate_meshes::TriangleMesh;
use insonate_tissue::tool::{Tool, Wrench};
use nalgebra::Vector3;

use crate::ExperimentError;

/// A part at the start of a step.
#[derive(Debug, Clone)]
pub(super) struct MovingTool {
    pub(super) tool: Tool,
    pub(super) mode: ToolMode,
}

/// Action of a part during a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolMode {
    /// Pushes tissue.
    Contact,
    /// Holds tissue later; no interaction until then.
    Waiting,
    /// Holds the tissue that was inside when the hold began.
    Holding,
}

/// Surface of the tissue for drawing and export.
#[derive(Debug, Clone)]
pub struct TissueSurface {
    /// Closed mesh that faces out, without unused vertices.
    pub mesh: TriangleMesh,
    /// Outward unit normals, shape `[n_vertices, 3]`.
    pub normals: Vec<[f64; 3]>,
    /// Texture coordinates of each vertex in the body at rest, shape `[n_vertices, 2]`.
    pub uvs: Vec<[f64; 2]>,
}

/// Statistics of torn tissue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TornElements {
    /// Number of particles or tetrahedra that hold nothing.
    pub(super) n_torn: usize,
    /// Number of connected pieces of the rest, each with at least a hundredth of the body.
    pub(super) n_pieces: usize,
}

/// A simulated tissue.
pub(super) trait TissueSimulation {
    /// Advances by a time [s]. Returns the mean wrench of the tissue on each part, about the part's moving origin.
    fn step(&mut self, parts: &[MovingTool], time: f64) -> Result<Vec<Wrench>, ExperimentError>;

    /// Name of the device.
    fn device(&self) -> String;

    /// Number of threads in use.
    fn n_threads(&self) -> usize;

    /// Number of particles or vertices.
    fn n_points(&self) -> usize;

    /// Number of particles or tetrahedra.
    fn n_elements(&self) -> usize;

    /// Mass [kg].
    fn mass(&self) -> f64;

    /// Momentum [kg·m/s].
    fn momentum(&self) -> Result<Vector3<f64>, ExperimentError>;

    /// Impulse on the tissue in the last step that is due neither to parts nor to gravity [N·s].
    fn other_impulse(&self) -> Vector3<f64> {
        Vector3::zeros()
    }

    /// Statistics of torn tissue.
    fn torn(&self) -> Result<TornElements, ExperimentError>;

    /// Surface of the intact tissue.
    fn surface(&self) -> Result<TissueSurface, ExperimentError>;
}
