//! Soft torsos: one file each, listed in [`ALL`].

mod breathing;
mod composite;
mod config;
mod constraints;
mod field;
mod flex;
mod kind;
pub mod materials;
pub mod profile;
mod softness;
mod solref;
pub mod tissue;
mod torso;

pub use breathing::Breathing;
pub use composite::{SHELL_SOLVER, composite, fast};
pub use config::{Device, Shape, TorsoConfig};
pub use constraints::ShellConstraints;
pub use field::SoftnessField;
pub use flex::flex;
pub use kind::{Stepper, TissueMaterial, TorsoKind, TorsoStructure};
pub use softness::Softness;
pub use solref::Solref;
pub use tissue::{elastic, mpm, xpbd};
pub use torso::Torso;

use crate::ModelError;

/// Name that stands for no torso.
pub const NONE: &str = "none";

/// All kinds of torsos.
pub const ALL: &[TorsoKind] = &[
    TorsoKind {
        name: "composite",
        summary: "MuJoCo 2.x's composite shell of particles, as in the thesis",
        build: composite,
        stepper: Stepper::MuJoCo,
        structure: TorsoStructure::Shell,
        takes_field: true,
        // MuJoCo makes a few steps per second with a finer lattice than the thesis'.
        follows_probe: false,
        has_fine_human: true,
        adult_spacing: SHELL_ADULT,
        active_radius: None,
        max_depth: 0.035,
        runs_on_gpu: false,
        faster_twin: Some("fast"),
    },
    TorsoKind {
        name: "fast",
        summary: "the composite shell, stepped outside MuJoCo",
        build: fast,
        stepper: Stepper::Shell,
        structure: TorsoStructure::Shell,
        takes_field: true,
        follows_probe: true,
        has_fine_human: true,
        adult_spacing: SHELL_ADULT,
        active_radius: None,
        max_depth: 0.035,
        runs_on_gpu: false,
        faster_twin: None,
    },
    TorsoKind {
        name: "elastic",
        summary: "a linear elastic solid, its finite elements condensed to the skin",
        build: elastic,
        stepper: Stepper::Tissue(tissue::elastic_material),
        structure: TorsoStructure::Solid,
        takes_field: true,
        follows_probe: false,
        has_fine_human: true,
        adult_spacing: 0.035,
        active_radius: None,
        max_depth: 0.05,
        runs_on_gpu: false,
        faster_twin: None,
    },
    TorsoKind {
        name: "flex",
        summary: "a solid of tetrahedra under a skin, MuJoCo's finite elements",
        build: flex,
        stepper: Stepper::MuJoCo,
        structure: TorsoStructure::Solid,
        takes_field: true,
        follows_probe: false,
        has_fine_human: false,
        adult_spacing: 0.035,
        active_radius: None,
        max_depth: 0.03,
        runs_on_gpu: false,
        faster_twin: None,
    },
    TorsoKind {
        name: "mpm",
        summary: "a solid of particles (MLS-MPM), stepped outside MuJoCo",
        build: mpm,
        stepper: Stepper::Tissue(tissue::mpm_material),
        structure: TorsoStructure::Solid,
        takes_field: true,
        follows_probe: false,
        has_fine_human: true,
        adult_spacing: 0.035,
        active_radius: Some(TISSUE_REACH),
        max_depth: 0.05,
        runs_on_gpu: true,
        faster_twin: None,
    },
    TorsoKind {
        name: "xpbd",
        summary: "a solid of tetrahedra (XPBD), stepped outside MuJoCo",
        build: xpbd,
        stepper: Stepper::Tissue(tissue::xpbd_material),
        structure: TorsoStructure::Solid,
        takes_field: true,
        follows_probe: false,
        has_fine_human: true,
        adult_spacing: 0.03,
        active_radius: Some(TISSUE_REACH),
        max_depth: 0.05,
        runs_on_gpu: true,
        faster_twin: None,
    },
];

/// Spacing of a shell's lattice in an adult [m]: finer than that of a solid, because a shell has gaps.
const SHELL_ADULT: f64 = 0.022;
/// Distance from the probe beyond which tissue hardly moves [m].
const TISSUE_REACH: f64 = 0.1;

/// Names of the kinds that a GPU can step.
pub fn on_gpu() -> Vec<&'static str> {
    let kinds = ALL.iter().filter(|kind| kind.runs_on_gpu);
    kinds.map(|kind| kind.name).collect()
}

/// Returns the kind of torso called `name`.
///
/// # Errors
/// [`ModelError::Unknown`] with a list of the known kinds.
pub fn by_name(name: &str) -> Result<&'static TorsoKind, ModelError> {
    Ok(insonate_settings::find("torso", name, ALL, |kind| {
        kind.name
    })?)
}

/// As [`by_name`]; `None` for the name [`NONE`].
///
/// # Errors
/// Those of [`by_name`].
pub fn by_name_or_none(name: &str) -> Result<Option<&'static TorsoKind>, ModelError> {
    if name == NONE {
        return Ok(None);
    }
    by_name(name).map(Some)
}
