//! What a motion comes down to.

use serde::Serialize;

use super::discretized_body::DiscretizedLayer;

/// The figures of a motion; names carry their units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MotionSummary {
    /// Motion.
    pub motion: &'static str,
    /// Solver.
    pub solver: &'static str,
    /// Device that computed it.
    pub device: String,
    /// Threads that it used.
    pub threads: usize,
    /// Body.
    pub body: &'static str,
    /// Particles or vertices.
    pub n_points: usize,
    /// Particles or tetrahedra.
    pub n_elements: usize,
    /// Width of a cell, or length of an edge [m].
    pub spacing_m: f64,
    /// Young's modulus [Pa]; none if there are layers, as the two below.
    pub young_modulus_pa: Option<f64>,
    /// Poisson's ratio.
    pub poisson_ratio: Option<f64>,
    /// Density [kg/m³].
    pub density_kg_m3: Option<f64>,
    /// What the body is made of: one material throughout, or its layers.
    pub layers: Vec<LayerSummary>,
    /// Greatest force of the tissue on the tool [N].
    pub force_peak_n: f64,
    /// Its mean size from the start of the tool's motion on [N].
    pub force_mean_n: f64,
    /// Where it pulls at its greatest [N].
    pub force_at_peak_n: [f64; 3],
    /// Its mean over the last tenth of the time [N].
    pub force_at_end_n: [f64; 3],
    /// How far the tool went once it would touch or hold the body at rest [m]; for a press the depth.
    pub travel_m: f64,
    /// Mass of the tissue [kg].
    pub mass_kg: f64,
    /// Change of mass over mass.
    pub mass_residual: f64,
    /// Greatest difference between the momentum that tissue gained and what tools, supports and gravity gave it, over all that was
    /// exchanged.
    pub momentum_residual: f64,
    /// All that was exchanged: impulses of tools, supports and gravity by their sizes [N·s].
    pub momentum_exchanged_n_s: f64,
    /// Particles or tetrahedra that hold nothing any more.
    pub n_torn: usize,
    /// Connected pieces of the rest, of at least a hundredth of the body.
    pub n_pieces: usize,
    /// Simulated time [s].
    pub seconds_simulated: f64,
    /// Frames that were done.
    pub frames: usize,
    /// Steps of the tools in a frame; substeps of the solver are shorter.
    pub steps_per_frame: usize,
    /// Mean wall-clock time of a frame, without pictures [ms].
    pub ms_per_frame: f64,
    /// Why it ended early, if it did.
    pub diverged: Option<String>,
    /// Whether the caller ended it early.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

/// A layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerSummary {
    /// Skin, fat, muscle, …
    pub name: String,
    /// Young's modulus [Pa].
    pub young_modulus_pa: f64,
    /// Poisson's ratio.
    pub poisson_ratio: f64,
    /// Density [kg/m³].
    pub density_kg_m3: f64,
    /// Particles or tetrahedra; 0: it is thinner than they are.
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
