//! What torsos are made from.

use serde::{Deserialize, Serialize};

use super::breathing::Breathing;
use super::composite;
use super::softness::Softness;
use super::solref::Solref;
use crate::ModelError;
use crate::patients::{Physique, Trunk};

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
    /// The trunk of an adult patient of real size, with head, arms and legs beside it.
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
}

/// What a torso is made from; every kind of torso takes the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TorsoConfig {
    /// Outline.
    pub shape: Shape,
    /// Who lies there, for the shape `adult`; `None`: the reference man.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patient: Option<Physique>,
    /// Lattice points across the patient, through the patient (vertical) and along the patient.
    pub count: [usize; 3],
    /// Distance of neighbouring lattice points [m]; the outer size is `spacing · (count - 1)`, or that of the adult, over which
    /// `count` points are spread.
    pub spacing: f64,
    /// How many layers of a shell's points, from the front, are soft and slide along the skin's normal; the others are rigid and only
    /// drawn. `None`: all are soft, and slide as MuJoCo's did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soft_layers: Option<usize>,
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
    /// How far from the probe an `mpm` or `xpbd` torso moves [m]: the rest stands still, which is faster. `None`: all moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach: Option<f64>,
    /// Longest substep of an `xpbd` torso [s]; `None`: 0.5 ms, less for much damping. With 1 ms it is twice as fast, and a force that is held trembles by up to 4 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substep: Option<f64>,
    /// Breathing, or none.
    pub breathing: Option<Breathing>,
}

/// Least spacing that [`TorsoConfig::following`] takes, as a share of the most.
const FINEST: f64 = 0.85;
/// Soft points that [`TorsoConfig::following`] aims at: some 20 000 steps/s with an arm.
const SOFT_POINTS: usize = 1500;

impl Default for TorsoConfig {
    /// The thesis' torso: 9 × 4 × 11 points at 35 mm.
    fn default() -> Self {
        Self {
            shape: Shape::default(),
            patient: None,
            count: [9, 4, 11],
            spacing: 0.035,
            soft_layers: None,
            softness: Softness::default(),
            rest: None,
            neighbors: None,
            contact: None,
            reach: None,
            substep: None,
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
            Shape::Adult => {
                return Self::of_patient(Physique::default(), Self::adult_spacing("fast"));
            }
            Shape::Box | Shape::Cylinder | Shape::Ellipsoid => ([9, 4, 11], 0.035),
        };
        Self {
            shape,
            count,
            spacing,
            ..Self::default()
        }
    }

    /// An adult patient with a lattice whose points lie about `spacing` [m] apart; no adult is refused before [`Self::check`].
    pub fn of_patient(physique: Physique, spacing: f64) -> Self {
        Self {
            shape: Shape::Adult,
            patient: Some(physique),
            count: Trunk::new(&physique).count(spacing),
            spacing,
            ..Self::default()
        }
    }

    /// Usual distance of an adult's lattice points in a kind of torso [m]: shells have gaps, solids have none.
    pub fn adult_spacing(kind: &str) -> f64 {
        match kind {
            "flex" | "mpm" => 0.035,
            "xpbd" => 0.03,
            _ => 0.022,
        }
    }

    /// The usual torso of a kind for a probe of `thickness` [m]: the lattice of `fast` follows the probe.
    ///
    /// `composite` keeps the lattice of the thesis, as MuJoCo makes some steps per second of a finer one; solids have no gaps.
    pub fn usual(kind: &str, shape: Shape, patient: Option<Physique>, thickness: f64) -> Self {
        let config = match (shape, kind) {
            (Shape::Adult, _) => {
                Self::of_patient(patient.unwrap_or_default(), Self::adult_spacing(kind))
            }
            (_, "flex") => Self {
                shape,
                ..Self::default()
            },
            _ => Self::of_shape(shape),
        };
        if kind == "fast" {
            config.following(thickness)
        } else {
            config
        }
    }

    /// The usual [`TorsoConfig::reach`] of a kind of torso [m]: tissue farther from the probe gives way by little. `None`: all of it moves.
    pub fn usual_reach(kind: &str) -> Option<f64> {
        matches!(kind, "mpm" | "xpbd").then_some(0.1)
    }

    /// The trunk of the adult patient; `None` for other shapes.
    pub fn trunk(&self) -> Option<Trunk> {
        (self.shape == Shape::Adult).then(|| Trunk::new(&self.patient.unwrap_or_default()))
    }

    /// The same for a shell that a probe of `thickness` [m] does not fall into: points at most half of that apart, or as fine as the most
    /// points allow, and soft on the front alone.
    pub fn following(self, thickness: f64) -> Self {
        let mut most = 0.5 * thickness;
        loop {
            let config = self.clone().refined(most);
            if composite::moving_points(&config) <= composite::MAX_PARTICLES {
                return config;
            }
            most *= 1.05;
        }
    }

    /// The same of points at most `most` [m] apart.
    pub fn spaced(self, most: f64) -> Self {
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

    /// The same of points at most `most` [m] apart, soft on the front alone.
    fn refined(self, most: f64) -> Self {
        let spaced = self.spaced(most);
        let [across, through, along] = spaced.count;
        let (front, ring) = (across * along, 2 * (across + along) - 4);
        let layers = 1 + SOFT_POINTS.saturating_sub(front) / ring;
        Self {
            soft_layers: Some(layers.clamp(2, through - through / 2)),
            ..spaced
        }
    }

    /// The same, larger by a factor, with as many points.
    pub fn resized(&self, factor: f64) -> Self {
        Self {
            spacing: self.spacing * factor,
            patient: self.patient.map(|physique| physique.scaled(factor)),
            ..self.clone()
        }
    }

    /// Fails for an invalid configuration.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`], naming the field; [`ModelError::Conflict`] for a patient of another shape than `adult`.
    pub fn check(&self) -> Result<(), ModelError> {
        for count in self.count {
            ModelError::check_range(
                "count",
                count as f64,
                3.0,
                100.0,
                "3 to 100 points along each axis",
            )?;
        }
        ModelError::check_range("spacing", self.spacing, 0.005, 0.2, "0.005 to 0.2 m")?;
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
        if let Some(layers) = self.soft_layers {
            ModelError::check_range(
                "soft_layers",
                layers as f64,
                1.0,
                self.count[1] as f64,
                "1 to the points through the patient",
            )?;
        }
        if let Some(reach) = self.reach {
            ModelError::check_range("reach", reach, 0.02, 1.0, "0.02 to 1 m")?;
        }
        if let Some(substep) = self.substep {
            ModelError::check_range("substep", substep, 5e-5, 1e-3, "0.05 to 1 ms")?;
        }
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
        self.trunk().map_or_else(
            || {
                self.count
                    .map(|count| 0.5 * self.spacing * (count as f64 - 1.0))
            },
            |trunk| trunk.half_size(),
        )
    }
}

/// Of the lattices whose points are at most `most` [m] apart, and not much closer, the one that meets a size [m] best: its counts and
/// its spacing; the coarsest of equals.
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
