//! Soft torsos: one file each, listed in [`ALL`].

mod breathing;
mod composite;
mod constraints;
mod flex;
pub mod profile;
mod softness;
mod solref;
pub mod tissue;

use serde::{Deserialize, Serialize};

pub use breathing::Breathing;
pub use composite::{composite, fast};
pub use constraints::ShellConstraints;
pub use flex::flex;
pub use softness::Softness;
pub use solref::Solref;
pub use tissue::{mpm, xpbd};

use insonate_meshes::TriangleMesh;

use crate::ModelError;
use crate::mjcf::Mjcf;

/// A soft torso: its MJCF and what that does not say.
///
/// Its frame: origin at the centre of its footprint, the table's top at z = 0, +z up, +y along the patient, towards the head.
#[derive(Clone, Debug, PartialEq)]
pub struct Torso {
    /// The kind's name, such as `composite`.
    pub name: &'static str,
    /// The model; its root body is called `torso`, and its `option` is what the torso needs to be stable.
    pub mjcf: Mjcf,
    /// The skin at rest, in the torso's frame.
    pub surface: TriangleMesh,
    /// The longest physics step at which the torso is stable [s].
    pub max_timestep: f64,
    /// How many position coordinates the torso has; all are zero at rest.
    pub n_qpos: usize,
    /// What it was made from.
    pub config: TorsoConfig,
}

/// The outline of a torso.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A box.
    Box,
    /// A cylinder of elliptic section, lying along the patient.
    #[default]
    Cylinder,
    /// An ellipsoid.
    Ellipsoid,
    /// A torso's profile from pelvis to chest.
    Human,
}

impl Shape {
    /// Every shape with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("box", Self::Box),
        ("cylinder", Self::Cylinder),
        ("ellipsoid", Self::Ellipsoid),
        ("human", Self::Human),
    ];

    /// The name, such as `cylinder`.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, shape)| *shape == self)
            .map_or("", |(name, _)| name)
    }
}

/// What a torso is made from; every kind of torso takes the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TorsoConfig {
    /// Outline.
    pub shape: Shape,
    /// Lattice points across the patient, through the patient (vertical) and along the patient.
    pub count: [usize; 3],
    /// Distance of neighbouring lattice points [m]; the outer size is `spacing · (count - 1)`.
    pub spacing: f64,
    /// Stiffness and damping.
    pub softness: Softness,
    /// What returns each point of a shell to its rest; `None`: MuJoCo's default, a critically damped 20 ms.
    ///
    /// It carries most of what a probe feels, and that default damps four times as much as tissue: tuned by fitting a scene to a log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<Solref>,
    /// What makes neighbouring points of a shell slide alike; `None`: the numbers of `softness`, as in the thesis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbors: Option<Solref>,
    /// Contact with the skin, in series with the tissue; `None`: MuJoCo's default, a critically damped 20 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Solref>,
    /// Breathing, or none.
    pub breathing: Option<Breathing>,
}

impl Default for TorsoConfig {
    /// The thesis' torso: 9 × 4 × 11 points at 35 mm.
    fn default() -> Self {
        Self {
            shape: Shape::default(),
            count: [9, 4, 11],
            spacing: 0.035,
            softness: Softness::default(),
            rest: None,
            neighbors: None,
            contact: None,
            breathing: None,
        }
    }
}

impl TorsoConfig {
    /// What ties neighbouring points of a shell.
    pub(crate) fn neighbor_solref(&self) -> Solref {
        self.neighbors.unwrap_or(Solref {
            stiffness: self.softness.stiffness,
            damping: self.softness.damping,
        })
    }

    /// The usual lattice of a shape: the thesis' for its own shapes; a finer one for `human`, whose slopes would otherwise open gaps
    /// between the capsules that a probe falls into.
    pub fn of_shape(shape: Shape) -> Self {
        let (count, spacing) = match shape {
            Shape::Human => ([13, 5, 17], 0.0233),
            Shape::Box | Shape::Cylinder | Shape::Ellipsoid => ([9, 4, 11], 0.035),
        };
        Self {
            shape,
            count,
            spacing,
            ..Self::default()
        }
    }

    /// Fails for an invalid configuration.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`], naming the field.
    pub fn check(&self) -> Result<(), ModelError> {
        for count in self.count {
            ModelError::check_range(
                "count",
                count as f64,
                3.0,
                60.0,
                "3 to 60 points along each axis",
            )?;
        }
        ModelError::check_range("spacing", self.spacing, 0.005, 0.2, "0.005 to 0.2 m")?;
        self.softness.check()?;
        for (field, solref) in [
            ("rest", &self.rest),
            ("neighbors", &self.neighbors),
            ("contact", &self.contact),
        ] {
            solref
                .as_ref()
                .map_or(Ok(()), |solref| solref.check(field))?;
        }
        self.breathing.as_ref().map_or(Ok(()), Breathing::check)
    }

    /// Half of the outer size across, through and along the patient [m].
    pub fn half_size(&self) -> [f64; 3] {
        self.count
            .map(|count| 0.5 * self.spacing * (count as f64 - 1.0))
    }
}

/// A kind of torso.
#[derive(Clone, Copy, Debug)]
pub struct TorsoKind {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Makes one.
    pub build: fn(&TorsoConfig) -> Result<Torso, ModelError>,
}

/// Every kind of torso.
pub const ALL: &[TorsoKind] = &[
    TorsoKind {
        name: "composite",
        summary: "MuJoCo 2.x's composite shell of particles, as in the thesis",
        build: composite,
    },
    TorsoKind {
        name: "fast",
        summary: "the composite shell, stepped outside MuJoCo",
        build: fast,
    },
    TorsoKind {
        name: "flex",
        summary: "a solid of tetrahedra under a skin, MuJoCo's finite elements",
        build: flex,
    },
    TorsoKind {
        name: "mpm",
        summary: "a solid of particles (MLS-MPM), stepped beside MuJoCo",
        build: mpm,
    },
    TorsoKind {
        name: "xpbd",
        summary: "a solid of tetrahedra (XPBD), stepped beside MuJoCo",
        build: xpbd,
    },
];

/// The kind of torso called `name`.
///
/// # Errors
/// [`ModelError::Unknown`], listing the known ones.
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
