//! What torsos are made from.

use serde::{Deserialize, Serialize};

use super::breathing::Breathing;
use super::softness::Softness;
use super::solref::Solref;
use crate::ModelError;

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
