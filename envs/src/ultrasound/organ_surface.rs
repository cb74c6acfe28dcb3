//! The visible part of an organ's surface, computed once per patient.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use insonate_ultrasound::phantom::{SoftOrgan, SurfacePoint};

use super::raster::STEP;
use super::{FrameAssessment, Patient, Raster};
use crate::EnvError;

/// The visible part of an organ, and its raster.
#[derive(Debug)]
pub struct OrganSurface {
    /// Raster of poses over the organ.
    pub raster: Raster,
    /// Visible points at rest.
    pub points: Vec<SurfacePoint>,
    /// Fraction of the visible area of each point.
    pub shares: Vec<f64>,
}

/// A search for the visible part of an organ: frames of the torso at rest from each pose of a raster.
#[derive(Debug)]
pub struct OrganScan {
    raster: Raster,
    points: Vec<SurfacePoint>,
    seen: Vec<bool>,
    n_left: usize,
}

impl OrganScan {
    /// Starts a survey of an organ with `n` points per ellipsoid of the organ.
    ///
    /// # Errors
    /// [`EnvError::Config`] if the number is not allowed, or if there is no skin above the organ.
    pub fn new(patient: &Patient, organ: SoftOrgan, n: usize) -> Result<Self, EnvError> {
        let points = patient.surface(organ, n)?;
        let raster = Raster::over(patient, &points)?;
        Ok(Self {
            seen: vec![false; points.len()],
            n_left: raster.columns.iter().map(Vec::len).sum(),
            raster,
            points,
        })
    }

    /// The raster.
    pub fn raster(&self) -> &Raster {
        &self.raster
    }

    /// Adds the frame of the next pose.
    pub fn add(&mut self, frame: &FrameAssessment) {
        for (point, seen) in self.points.iter().zip(&mut self.seen) {
            *seen = *seen || frame.shows(&point.rest, 0.5 * STEP);
        }
        self.n_left = self.n_left.saturating_sub(1);
    }

    /// Whether poses are left.
    pub fn is_left(&self) -> bool {
        self.n_left > 0
    }

    /// The surface that was seen.
    pub fn surface(self) -> OrganSurface {
        let points = self.points.iter().zip(&self.seen);
        let points = points.filter_map(|(point, seen)| seen.then_some(*point));
        let points: Vec<SurfacePoint> = points.collect();
        let area: f64 = points.iter().map(|point| f64::from(point.area)).sum();
        let share = |point: &SurfacePoint| f64::from(point.area) / area;
        OrganSurface {
            shares: points.iter().map(share).collect(),
            raster: self.raster,
            points,
        }
    }
}

/// Surfaces by the seeds of the patients' organs, shared by the environments of a task.
#[derive(Debug, Clone, Default)]
pub struct KnownSurfaces(Arc<Mutex<BTreeMap<u64, Arc<OrganSurface>>>>);

impl KnownSurfaces {
    /// The surface of a patient. `None` if it was not surveyed.
    pub fn of(&self, patient: u64) -> Option<Arc<OrganSurface>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&patient).cloned()
    }

    /// Stores the surface of a patient.
    pub fn learn(&self, patient: u64, surface: OrganSurface) -> Arc<OrganSurface> {
        let surface = Arc::new(surface);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(patient, surface.clone());
        surface
    }
}
