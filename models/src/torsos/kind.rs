//! Registry entry of a torso: its name, how it is built, and what it can do.
//!
//! Code outside of the torsos asks for these capabilities and does not compare names, so that a new kind needs no further changes.

use super::config::{Shape, TorsoConfig};
use super::torso::Torso;
use crate::ModelError;
use crate::patients::Physique;

/// A kind of torso.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
pub struct TorsoKind {
    /// Name on the command line.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// Builds a torso of this kind.
    pub build: fn(&TorsoConfig) -> Result<Torso, ModelError>,
    /// What steps the torso.
    pub stepper: Stepper,
    /// What the torso consists of.
    pub structure: TorsoStructure,
    /// Whether its softness can vary over the skin ([`TorsoConfig::field`]).
    pub takes_field: bool,
    /// Whether its default lattice is matched to the probe ([`TorsoConfig::fitted_to_probe`]).
    pub follows_probe: bool,
    /// Whether its default lattice of the shape `human` is finer than the lattice of the thesis.
    pub has_fine_human: bool,
    /// Default spacing of the lattice of an adult patient [m].
    pub adult_spacing: f64,
    /// Default of [`TorsoConfig::reach`] [m]; `None`: all of the torso moves.
    pub active_radius: Option<f64>,
    /// Indentation up to which a press at 20 mm/s into the default torso grows without a jump of the force [m]. Beyond it a probe slips
    /// between the points of a shell, and tetrahedra fold.
    pub max_depth: f64,
    /// Whether a GPU can step it ([`TorsoConfig::device`]).
    pub runs_on_gpu: bool,
    /// Kind with the same equations that is stepped faster; a fit uses it in place of this kind.
    pub faster_twin: Option<&'static str>,
}

/// What steps a torso.
#[derive(Clone, Copy, Debug)]
pub enum Stepper {
    /// MuJoCo: softness, friction and position are fixed when the scene is compiled.
    MuJoCo,
    /// The shell solver next to MuJoCo: softness, friction, position and breathing can change without compilation.
    Shell,
    /// A tissue solver next to MuJoCo: softness and breathing can change without compilation.
    Tissue(TissueMaterial),
}

/// The numbers of a tissue solver's material for a configuration ([`super::tissue::MATERIAL`]).
pub type TissueMaterial = fn(&TorsoConfig) -> [f64; 4];

/// What a torso consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TorsoStructure {
    /// A lattice of points with gaps, held by constraints: `rest`, `neighbors` and `contact` of [`TorsoConfig`].
    Shell,
    /// A solid without gaps.
    Solid,
}

impl TorsoKind {
    /// Whether the torso is a lattice of points that constraints hold.
    pub fn is_shell(&self) -> bool {
        self.structure == TorsoStructure::Shell
    }

    /// The material of a tissue solver for a configuration; `None` for a torso that no tissue solver steps.
    pub fn tissue_material(&self, config: &TorsoConfig) -> Option<[f64; 4]> {
        match self.stepper {
            Stepper::Tissue(material) => Some(material(config)),
            Stepper::MuJoCo | Stepper::Shell => None,
        }
    }

    /// Whether a tissue solver steps the torso.
    pub fn is_tissue(&self) -> bool {
        matches!(self.stepper, Stepper::Tissue(_))
    }

    /// Whether softness, friction, position and breathing can change without compilation.
    pub fn varies_in_place(&self) -> bool {
        matches!(self.stepper, Stepper::Shell)
    }

    /// Whether breathing can change without compilation.
    pub fn breathes_in_place(&self) -> bool {
        !matches!(self.stepper, Stepper::MuJoCo)
    }
}

impl TorsoConfig {
    /// The default torso of a kind for a probe of `thickness` [m], on which the lattice depends if the kind follows the probe.
    ///
    /// The patient is used by the shape `adult` only; `None`: the reference man.
    pub fn default_for(
        kind: &TorsoKind,
        shape: Shape,
        patient: Option<Physique>,
        thickness: f64,
    ) -> Self {
        let config = Self::unfitted(kind, shape, patient);
        if kind.follows_probe {
            config.fitted_to_probe(thickness)
        } else {
            config
        }
    }

    /// The default torso of a kind, with a lattice that does not depend on the probe.
    pub fn unfitted(kind: &TorsoKind, shape: Shape, patient: Option<Physique>) -> Self {
        match shape {
            Shape::Adult => Self::of_patient(patient.unwrap_or_default(), kind.adult_spacing),
            _ if kind.has_fine_human => Self::of_shape(shape),
            _ => Self {
                shape,
                ..Self::default()
            },
        }
    }
}
