//! Windows: places of the skin from which sound reaches an organ without meeting bone or gas.
//!
//! At each place seen from the front, rays leave the skin within a cone around the inward normal. A ray that would meet the organ is open if
//! nothing before the organ stops sound. The loss of an open ray is that of the way there and back.

mod chords;
mod face;
mod path;
mod rays;
mod smooth;
mod table;

use insonate_meshes::HeightIndex;
use insonate_settings::check_ranges;
use nalgebra::Vector3;

use crate::AnatomyError;
use crate::cut_planes::CutPlanes;
use crate::patient::{Patient, PatientClass};
use crate::tissues::{TissueKind, Tissues};

pub use path::{PathSettings, WindowPath};

use rays::{Rays, directions};

/// How windows are searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowSettings {
    /// Distance of the places, seen from the front [m].
    pub spacing: f64,
    /// Half angle of the cone of rays [rad].
    pub cone: f64,
    /// Largest angle from the inward normal of the best ray, [`Place::sight`] [rad].
    pub tilt: f64,
    /// Longest way to the organ [m].
    pub reach: f64,
}

impl Default for WindowSettings {
    fn default() -> Self {
        Self {
            spacing: 0.005,
            cone: 30.0_f64.to_radians(),
            tilt: 30.0_f64.to_radians(),
            reach: 0.2,
        }
    }
}

impl WindowSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`AnatomyError::Setting`] names the setting.
    pub fn check(&self) -> Result<(), AnatomyError> {
        let rows = [
            ("spacing", self.spacing, [0.002, 0.05], "m"),
            ("cone", self.cone, [0.0, 1.0], "rad"),
            ("tilt", self.tilt, [0.0, 1.0], "rad"),
            ("reach", self.reach, [0.02, 0.4], "m"),
        ];
        Ok(check_ranges("", rows)?)
    }
}

/// An open ray of a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// Angle from the inward normal [rad].
    pub tilt: f64,
    /// Unit vector into the body.
    pub direction: [f64; 3],
    /// Loss of the way there and back [dB].
    pub loss: f64,
    /// Length of the way to the organ [m].
    pub depth: f64,
}

/// A place of the skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Position: left, head, front [m].
    pub position: [f64; 3],
    /// Outward unit normal.
    pub normal: [f64; 3],
    /// Number of rays that would meet the organ, and how many of them are open.
    pub n_rays: [usize; 2],
    /// The open ray with the least loss among those whose tilt is allowed; `None` if none of them is open.
    pub sight: Option<Sight>,
    /// Depth of the first bone along the inward normal [m]; infinite without bone within reach.
    pub bone: f64,
    /// Distance to the nearest plane that cuts the body off [m]; infinite without one.
    pub cut: f64,
}

impl Place {
    /// Share of the rays towards the organ that are open.
    pub fn open(&self) -> f64 {
        self.n_rays[1] as f64 / self.n_rays[0].max(1) as f64
    }
}

/// Windows to an organ, seen from the front.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowMap {
    /// Name of the organ's class.
    pub organ: String,
    /// Columns, towards the left [m].
    pub left: Vec<f64>,
    /// Rows, towards the head [m].
    pub head: Vec<f64>,
    /// Places row by row; `None` where there is no skin that faces the front.
    pub places: Vec<Option<Place>>,
}

impl WindowMap {
    /// Windows to an organ of a patient. `loss` is the one-way loss in a class [dB/m], or `None` if the class stops sound; what is not a
    /// class within the body is gas.
    ///
    /// # Errors
    /// [`AnatomyError::Setting`]: a setting is outside of its range, or the patient does not have the organ: the error names those that it
    /// has.
    pub fn of(
        patient: &Patient,
        tissues: &Tissues,
        organ: &str,
        loss: impl Fn(&PatientClass) -> Option<f64>,
        settings: &WindowSettings,
    ) -> Result<Self, AnatomyError> {
        settings.check()?;
        let organs = organs(patient, tissues);
        if !organs.contains(&organ) {
            let allowed = format!("one of {}", organs.join(", "));
            return Err(insonate_settings::SettingError::new("organ", organ, allowed).into());
        }
        let rays = Rays::new(patient, tissues, organ, loss, settings);
        let cuts = CutPlanes::of(&patient.labels, &patient.description.cut);
        let cone = directions(settings.cone);
        let [low, high] = patient.skin.bounds();
        let axis = |axis: usize| {
            let n = ((high[axis] - low[axis]) / settings.spacing).floor();
            let first = 0.5 * (low[axis] + high[axis] - n * settings.spacing);
            let places = (0..=n as usize).map(move |k| first + k as f64 * settings.spacing);
            places.collect::<Vec<f64>>()
        };
        let (left, head) = (axis(0), axis(1));
        let heights = HeightIndex::new(&patient.skin);
        let all = head.iter().flat_map(|y| left.iter().map(move |x| [*x, *y]));
        let places = all.map(|[x, y]| {
            let point = heights.highest_at(x, y)?;
            let normal = Vector3::from(point.normal);
            let position = Vector3::from(point.position);
            (normal.z > 0.0).then(|| rays.place(position, normal, &cone, cuts.distance(&position)))
        });
        Ok(Self {
            organ: organ.to_owned(),
            places: places.collect(),
            left,
            head,
        })
    }

    /// The place that is nearest to one seen from the front, within half of the distance of places.
    pub fn at(&self, left: f64, head: f64) -> Option<&Place> {
        self.places[self.index_at(left, head)?].as_ref()
    }
}

/// Names of the classes of a patient to which windows can be searched: neither the body, nor layers, bones or gas.
pub fn organs<'a>(patient: &'a Patient, tissues: &Tissues) -> Vec<&'a str> {
    let is_organ = |class: &&PatientClass| {
        let Some(own) = tissues.of(&class.name) else {
            return true;
        };
        let is_stop = matches!(
            own.kind,
            TissueKind::Body | TissueKind::Rigid | TissueKind::Gas
        );
        !own.is_layer && !is_stop
    };
    let classes = patient.description.classes.iter().filter(is_organ);
    classes.map(|class| &*class.name).collect()
}
