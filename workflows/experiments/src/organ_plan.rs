//! A scan of an organ of a made patient: the path is planned on the organ's windows.
//!
//! A place is a window if at least half of the rays from there to the organ are open. A point of the organ is then heard by about half of
//! the elements, and insonified by half of them, so that its echo loses at most $20 \log_{10} (1 / 0.5^2) = 12$ dB, as in the B-mode image.

use insonate_anatomy::{
    AnatomyError, PathSettings, Tissues, WindowMap, WindowPath, WindowSettings, organs,
};
use insonate_models::probes::Probe;
use serde::Serialize;

use super::{ExperimentError, OwnPatient};

/// How fast the probe turns around its axis at most [rad/s]; chosen: a fifth of what the slowest wrist does.
const TURN: f64 = 0.5;
/// Distance of places where only the existence of a window is looked for [m].
const COARSE: f64 = 0.01;

/// A path over the windows to an organ.
#[derive(Clone, Debug)]
pub struct OrganPlan {
    /// The windows, in the frame of the patient's files.
    pub map: WindowMap,
    /// Whether the probe's face may lie on each place of the map.
    pub is_free: Vec<bool>,
    /// The path, in the frame of the patient's files.
    pub path: WindowPath,
    /// The path in the torso's frame [m].
    pub corners: Vec<[f64; 2]>,
}

/// Figures of a plan; names contain units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OrganFigures {
    /// Name of the organ's class.
    pub organ: String,
    /// Area of the skin on which the probe's face may lie [m²].
    pub window_area_m2: f64,
    /// Length of the planned path on the skin [m].
    pub window_path_m: f64,
    /// Mean angle between the skin's normal and the best ray, along the path [deg].
    pub window_tilt_deg: f64,
    /// Largest such angle [deg].
    pub window_tilt_max_deg: f64,
    /// Mean loss of the best rays on the way to the organ and back [dB].
    pub window_loss_db: f64,
    /// Mean share of the rays to the organ that meet neither bone nor gas.
    pub window_open: f64,
}

impl OrganPlan {
    /// Plans a path for a probe at a speed [m/s].
    ///
    /// # Errors
    /// [`ExperimentError::Anatomy`]: the patient does not have the organ. [`ExperimentError::NoWindow`]: there is no path, with the reason and
    /// the organs that have one.
    pub fn new(
        own: &OwnPatient,
        organ: &str,
        probe: &Probe,
        speed: f64,
    ) -> Result<Self, ExperimentError> {
        let windows = WindowSettings {
            tilt: PathSettings::default().most_tilt,
            ..WindowSettings::default()
        };
        let found = Self::search(own, organ, probe, speed, &windows);
        let Err(error @ AnatomyError::NoWindow { .. }) = found else {
            return Ok(found?);
        };
        let coarse = WindowSettings {
            spacing: COARSE,
            ..windows
        };
        let tissues = Tissues::standard()?;
        let others = organs(own.patient(), &tissues).into_iter();
        let others = others.filter(|other| *other != organ);
        let others = others.filter(|other| Self::search(own, other, probe, speed, &coarse).is_ok());
        Err(ExperimentError::NoWindow {
            error,
            others: others.map(str::to_owned).collect(),
        })
    }

    fn search(
        own: &OwnPatient,
        organ: &str,
        probe: &Probe,
        speed: f64,
        windows: &WindowSettings,
    ) -> Result<Self, AnatomyError> {
        let patient = own.patient();
        let map = own.windows(organ, &probe.transducer, windows)?;
        let settings = PathSettings {
            most_curvature: TURN / speed,
            ..own.face(&probe.transducer)
        };
        let path = map.path(patient, &settings)?;
        let corners = path.points.iter();
        let corners = corners.map(|[left, head, _]| own.in_torso([*left, *head]));
        Ok(Self {
            is_free: map.free(&settings)?,
            corners: corners.collect(),
            path,
            map,
        })
    }

    /// What a summary reports.
    pub fn figures(&self) -> OrganFigures {
        let [mean, most] = self.path.tilts.map(f64::to_degrees);
        OrganFigures {
            organ: self.map.organ.clone(),
            window_area_m2: self.map.area(&self.is_free),
            window_path_m: self.path.length,
            window_tilt_deg: mean,
            window_tilt_max_deg: most,
            window_loss_db: self.path.loss,
            window_open: self.path.open,
        }
    }
}
