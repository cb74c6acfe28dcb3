//! Soft torsos: one file each, listed in [`ALL`].

mod breathing;
mod composite;
mod config;
mod constraints;
mod field;
mod flex;
pub mod materials;
pub mod profile;
mod softness;
mod solref;
pub mod tissue;
mod torso;

pub use breathing::Breathing;
pub use composite::{composite, fast};
pub use config::{Shape, TorsoConfig};
pub use constraints::ShellConstraints;
pub use field::SoftnessField;
pub use flex::flex;
pub use softness::Softness;
pub use solref::Solref;
pub use tissue::{mpm, xpbd};
pub use torso::Torso;

use crate::ModelError;

/// A kind of torso.
#[derive(Clone, Copy, Debug)]
pub struct TorsoKind {
    /// Name on the command line.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// Whether its softness can vary over the skin ([`TorsoConfig::field`]).
    pub takes_field: bool,
    /// Builds a torso of this kind.
    pub build: fn(&TorsoConfig) -> Result<Torso, ModelError>,
}

/// All kinds of torsos.
pub const ALL: &[TorsoKind] = &[
    TorsoKind {
        name: "composite",
        summary: "MuJoCo 2.x's composite shell of particles, as in the thesis",
        takes_field: true,
        build: composite,
    },
    TorsoKind {
        name: "fast",
        summary: "the composite shell, stepped outside MuJoCo",
        takes_field: true,
        build: fast,
    },
    TorsoKind {
        name: "flex",
        summary: "a solid of tetrahedra under a skin, MuJoCo's finite elements",
        takes_field: false,
        build: flex,
    },
    TorsoKind {
        name: "mpm",
        summary: "a solid of particles (MLS-MPM), stepped outside MuJoCo",
        takes_field: true,
        build: mpm,
    },
    TorsoKind {
        name: "xpbd",
        summary: "a solid of tetrahedra (XPBD), stepped outside MuJoCo",
        takes_field: true,
        build: xpbd,
    },
];

/// Returns the kind of torso called `name`.
///
/// # Errors
/// [`ModelError::Unknown`] with a list of the known kinds.
pub fn by_name(name: &str) -> Result<&'static TorsoKind, ModelError> {
    ALL.iter()
        .find(|kind| kind.name == name)
        .ok_or_else(|| ModelError::Unknown {
            kind: "torso",
            name: name.to_owned(),
            known: ALL
                .iter()
                .map(|kind| kind.name)
                .collect::<Vec<_>>()
                .join(", "),
        })
}
