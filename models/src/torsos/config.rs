//! Configuration of torsos.

use std::sync::Arc;

use insonate_settings::check_range;
use serde::{Deserialize, Serialize};

use super::breathing::Breathing;
use super::field::SoftnessField;
use super::softness::Softness;
use super::solref::Solref;
use crate::ModelError;
use crate::patients::{BodyShape, Physique, Trunk};

/// The shape of a torso.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A box.
    Box,
    /// A cylinder with an elliptic section, along the patient.
    #[default]
    Cylinder,
    /// An ellipsoid.
    Ellipsoid,
    /// The profile of a human torso from pelvis to chest.
    Human,
    /// The trunk of an adult patient of real size, with head, arms and legs.
    Adult,
}

impl Shape {
    /// Every shape with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("box", Self::Box),
        ("cylinder", Self::Cylinder),
        ("ellipsoid", Self::Ellipsoid),
        ("human", Self::Human),
        ("adult", Self::Adult),
    ];

    /// The name, such as `cylinder`.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, shape)| *shape == self)
            .map_or("", |(name, _)| name)
    }

    /// The shape called `name`.
    ///
    /// # Errors
    /// [`ModelError::Unknown`] with a list of the known shapes.
    pub fn by_name(name: &str) -> Result<Self, ModelError> {
        ModelError::find("shape", name, Self::ALL).copied()
    }
}

/// What steps a torso of a tissue solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// The processor.
    #[default]
    Cpu,
    /// A GPU with a driver for Vulkan, Metal or DirectX 12, which may be a software driver.
    Gpu,
}

impl Device {
    /// Every device with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[("cpu", Self::Cpu), ("gpu", Self::Gpu)];

    /// The device called `name`.
    ///
    /// # Errors
    /// [`ModelError::Unknown`] with a list of the known devices.
    pub fn by_name(name: &str) -> Result<Self, ModelError> {
        ModelError::find("device", name, Self::ALL).copied()
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    fn is_cpu(&self) -> bool {
        *self == Self::Cpu
    }
}

/// Configuration of a torso, common to all kinds of torsos.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TorsoConfig {
    /// Shape.
    pub shape: Shape,
    /// Physique of the patient, for the shape `adult`; `None`: the reference man.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patient: Option<Physique>,
    /// Trunk of a patient that was made of a skin, for the shape `adult`; `None`: the trunk of `patient`. It is not part of files of settings.
    #[serde(skip)]
    pub body: Option<Arc<BodyShape>>,
    /// Lattice points across the patient, through the patient (vertical) and along the patient.
    pub count: [usize; 3],
    /// Distance between neighbouring lattice points [m]. The outer size is `spacing · (count - 1)`; for an adult it is the size of the trunk,
    /// over which `count` points are spread.
    pub spacing: f64,
    /// Number of layers of a shell's points, from the front, that are soft and slide along the normal of the skin. The other layers are rigid
    /// and only drawn. `None`: all layers are soft and slide as in MuJoCo's composite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soft_layers: Option<usize>,
    /// Stiffness and damping.
    pub softness: Softness,
    /// Factor of the softness over the skin; `None`: the same everywhere. A `flex` torso does not take it, because MuJoCo's flexes have one
    /// modulus each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<SoftnessField>,
    /// Constraint that returns each point of a shell to its rest position; `None`: MuJoCo's default, a critically damped 20 ms.
    ///
    /// It carries most of the force on a probe, and the default damps four times as much as tissue. Fit a scene to a log to tune it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<Solref>,
    /// Constraint that couples neighbouring points of a shell; `None`: the values of `softness`, as in the thesis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbors: Option<Solref>,
    /// Contact with the skin, in series with the tissue; `None`: MuJoCo's default, a critically damped 20 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Solref>,
    /// Distance from the probe within which a torso of a tissue solver moves [m]. The rest is fixed, which is faster. `None`: all of it moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_radius: Option<f64>,
    /// Upper limit of the substep of an `xpbd` torso [s]; `None`: 0.5 ms, less if damping is high. With 1 ms it is twice as fast, and a constant
    /// force varies by up to 4 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substep: Option<f64>,
    /// What steps a torso of a tissue solver.
    #[serde(skip_serializing_if = "Device::is_cpu")]
    pub device: Device,
    /// Breathing; `None`: the torso does not breathe.
    pub breathing: Option<Breathing>,
}

/// Lower limit of the spacing for [`TorsoConfig::with_max_spacing`], as a fraction of its upper limit.
const FINEST: f64 = 0.85;

impl Default for TorsoConfig {
    /// The torso of the thesis: 9 × 4 × 11 points at 35 mm.
    fn default() -> Self {
        Self {
            shape: Shape::default(),
            patient: None,
            body: None,
            count: [9, 4, 11],
            spacing: 0.035,
            soft_layers: None,
            softness: Softness::default(),
            field: None,
            rest: None,
            neighbors: None,
            contact: None,
            active_radius: None,
            substep: None,
            device: Device::Cpu,
            breathing: None,
        }
    }
}

impl TorsoConfig {
    /// Stiffness and damping of the constraint between neighbouring points of a shell.
    pub(crate) fn neighbor_solref(&self) -> Solref {
        self.neighbors.unwrap_or(Solref {
            stiffness: self.softness.stiffness,
            damping: self.softness.damping,
        })
    }

    /// The default lattice of a shape: the lattice of the thesis for its own shapes, and a finer one for `human`. On its slopes the coarse
    /// lattice would have gaps between the capsules into which a probe falls.
    pub fn of_shape(shape: Shape) -> Self {
        let (count, spacing) = match shape {
            Shape::Human => ([13, 5, 17], 0.0233),
            Shape::Adult => return Self::of_patient(Physique::default(), super::SHELL_ADULT),
            Shape::Box | Shape::Cylinder | Shape::Ellipsoid => ([9, 4, 11], 0.035),
        };
        Self {
            shape,
            count,
            spacing,
            ..Self::default()
        }
    }

    /// An adult patient with a lattice spacing of about `spacing` [m]. The physique is not validated before [`Self::check`].
    pub fn of_patient(physique: Physique, spacing: f64) -> Self {
        Self {
            shape: Shape::Adult,
            patient: Some(physique),
            count: Trunk::new(&physique).count(spacing),
            spacing,
            ..Self::default()
        }
    }

    /// The trunk of a made patient with a lattice spacing of about `spacing` [m].
    pub fn of_body(body: Arc<BodyShape>, spacing: f64) -> Self {
        Self {
            shape: Shape::Adult,
            count: Trunk::Body(body.clone()).count(spacing),
            body: Some(body),
            spacing,
            ..Self::default()
        }
    }

    /// The trunk of the patient; `None` for other shapes.
    pub fn trunk(&self) -> Option<Trunk> {
        (self.shape == Shape::Adult).then(|| match &self.body {
            Some(body) => Trunk::Body(body.clone()),
            None => Trunk::new(&self.patient.unwrap_or_default()),
        })
    }

    /// Physique of the procedural adult; `None` for other shapes and for a made patient.
    pub fn physique(&self) -> Option<Physique> {
        let is_adult = self.shape == Shape::Adult && self.body.is_none();
        is_adult.then(|| self.patient.unwrap_or_default())
    }

    /// Changes the lattice to a spacing of at most `most` [m].
    pub fn with_max_spacing(self, most: f64) -> Self {
        let (count, spacing) = match self.trunk() {
            Some(trunk) => (trunk.count(most), most),
            None => fitting(self.half_size().map(|half| 2.0 * half), most),
        };
        Self {
            count,
            spacing,
            ..self
        }
    }

    /// Scales the torso by a factor, with the same number of points.
    pub fn resized(&self, factor: f64) -> Self {
        Self {
            spacing: self.spacing * factor,
            patient: self.patient.map(|physique| physique.scaled(factor)),
            ..self.clone()
        }
    }

    /// Returns an error if the configuration is invalid.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] with the name of the field; [`ModelError::Conflict`] if there is a patient and the shape is not `adult`.
    pub fn check(&self) -> Result<(), ModelError> {
        for count in self.count {
            check_range(
                "count",
                count as f64,
                [3.0, 100.0],
                "points along each axis",
            )?;
        }
        check_range("spacing", self.spacing, [0.005, 0.2], "m")?;
        match (self.shape, &self.patient) {
            (Shape::Adult, Some(physique)) => physique.check()?,
            (shape, Some(_)) => {
                return Err(ModelError::Conflict(format!(
                    "a patient has the shape adult, not {}",
                    shape.name()
                )));
            }
            _ => {}
        }
        if self.body.is_some() && (self.shape != Shape::Adult || self.patient.is_some()) {
            return Err(ModelError::Conflict(
                "the trunk of a made patient has the shape adult and no physique".to_owned(),
            ));
        }
        if let Some(layers) = self.soft_layers {
            check_range(
                "soft_layers",
                layers as f64,
                [1.0, self.count[1] as f64],
                "points through the patient",
            )?;
        }
        if let Some(radius) = self.active_radius {
            check_range("active_radius", radius, [0.02, 1.0], "m")?;
        }
        if let Some(substep) = self.substep {
            check_range("substep", substep, [5e-5, 1e-3], "s")?;
        }
        if let (Some(radius), Device::Gpu) = (self.active_radius, self.device) {
            return Err(ModelError::Conflict(format!(
                "on a GPU all of a torso moves; an active radius of {radius} m is for the processor"
            )));
        }
        self.softness.check()?;
        self.field.as_ref().map_or(Ok(()), SoftnessField::check)?;
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
        self.trunk().map_or_else(
            || {
                self.count
                    .map(|count| 0.5 * self.spacing * (count as f64 - 1.0))
            },
            |trunk| trunk.half_size(),
        )
    }
}

/// Counts and spacing of the lattice that matches a size [m] best, among those with a spacing of at most `most` [m] and not much less.
/// If several match equally well, the coarsest.
fn fitting(size: [f64; 3], most: f64) -> ([usize; 3], f64) {
    let cells = |spacing: f64| size.map(|length| (length / spacing).round());
    let misfit = |spacing: &f64| {
        let lengths = cells(*spacing).map(|cells| cells * spacing);
        let gaps = size.iter().zip(lengths).map(|(a, b)| (a - b).abs());
        (1e6 * gaps.sum::<f64>()).round()
    };
    let least_cells = (size[2] / most).ceil() as usize;
    let most_cells = (size[2] / (FINEST * most)).floor() as usize;
    let spacing = (least_cells..=most_cells.max(least_cells))
        .map(|cells| size[2] / cells as f64)
        .min_by(|a, b| misfit(a).total_cmp(&misfit(b)))
        .unwrap_or(most);
    (cells(spacing).map(|cells| cells as usize + 1), spacing)
}
