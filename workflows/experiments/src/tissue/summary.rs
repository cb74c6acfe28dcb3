//! Summary of a motion.

use serde::Serialize;

use super::discretized_body::DiscretizedLayer;

/// Statistics of a motion; names contain units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MotionSummary {
    /// Motion.
    pub motion: &'static str,
    /// Solver.
    pub solver: &'static str,
    /// Name of the device.
    pub device: String,
    /// Number of threads in use.
    pub threads: usize,
    /// Body.
    pub body: &'static str,
    /// Number of particles or vertices.
    pub n_points: usize,
    /// Number of particles or tetrahedra.
    pub n_elements: usize,
    /// Width of a cell, or length of a tetrahedron's edge [m].
    pub spacing_m: f64,
    /// Young's modulus [Pa]; `None` if there are layers, like the two below.
    pub young_modulus_pa: Option<f64>,
    /// Poisson's ratio.
    pub poisson_ratio: Option<f64>,
    /// Density [kg/m³].
    pub density_kg_m3: Option<f64>,
    /// Materials of the body: one material, or its layers.
    pub layers: Vec<LayerSummary>,
    /// Maximum force of the tissue on the tool [N].
    pub force_peak_n: f64,
    /// Mean magnitude of the force since the start of the tool's motion [N].
    pub force_mean_n: f64,
    /// Force vector at the maximum [N].
    pub force_at_peak_n: [f64; 3],
    /// Mean force vector over the last tenth of the time [N].
    pub force_at_end_n: [f64; 3],
    /// Travel of the tool [m], measured from where it touches or holds the body at rest; for a press, the depth.
    pub travel_m: f64,
    /// Mass of the tissue [kg].
    pub mass_kg: f64,
    /// Relative change of the mass.
    pub mass_residual: f64,
    /// Maximum difference between the momentum that the tissue gained and the impulses of tools, supports and gravity, relative to
    /// `momentum_exchanged_n_s`.
    pub momentum_residual: f64,
    /// Sum of the magnitudes of the impulses of tools, supports and gravity [N·s].
    pub momentum_exchanged_n_s: f64,
    /// Number of particles or tetrahedra that hold nothing.
    pub n_torn: usize,
    /// Number of connected pieces of the rest, each with at least a hundredth of the body.
    pub n_pieces: usize,
    /// Simulated time [s].
    pub seconds_simulated: f64,
    /// Number of completed frames.
    pub frames: usize,
    /// Steps of the tools per frame; substeps of the solver are shorter.
    pub steps_per_frame: usize,
    /// Mean wall-clock time per frame, without pictures [ms].
    pub ms_per_frame: f64,
    /// Reason if the simulation diverged.
    pub diverged: Option<String>,
    /// Whether the caller ended the motion early.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

/// Summary of a layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerSummary {
    /// Name: skin, fat, muscle, …
    pub name: String,
    /// Young's modulus [Pa].
    pub young_modulus_pa: f64,
    /// Poisson's ratio.
    pub poisson_ratio: f64,
    /// Density [kg/m³].
    pub density_kg_m3: f64,
    /// Number of particles or tetrahedra; 0 if the layer is thinner than their spacing.
    pub n_elements: usize,
}

impl LayerSummary {
    pub(super) fn of(layer: &DiscretizedLayer) -> Self {
        Self {
            name: layer.name.clone(),
            young_modulus_pa: layer.material.young_modulus,
            poisson_ratio: layer.material.poisson_ratio,
            density_kg_m3: layer.material.density,
            n_elements: layer.n_elements,
        }
    }
}
