//! A raster of poses over an organ, as a sonographer sweeps: columns along the body, the array across it, upright on the skin.

use insonate_ultrasound::phantom::{Adult, SurfacePoint};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::EnvError;

/// Distance of neighbouring poses of a column [m]: within the thickness of a slice.
const STEP: f64 = 0.004;
/// Columns are at most so far apart [m].
const SPACING: f64 = 0.07;
/// How deep the face stands in the skin, so that a curved one touches with all of its length [m].
pub(crate) const INDENTATION: f64 = 0.012;
/// How often a foot is mended; a foot then is right within a millimetre on an adult's front.
const N_MENDED: usize = 6;

/// Poses of the probe over an organ, in the torso's frame at rest.
#[derive(Debug, Clone)]
pub struct Raster {
    /// Columns, each from the feet to the head.
    pub columns: Vec<Vec<Isometry3<f64>>>,
    /// Corners of the box around the organ [m].
    pub bounds: [Point3<f64>; 2],
}

impl Raster {
    /// Over a surface.
    ///
    /// # Errors
    /// [`EnvError::Config`] where there is no skin above it.
    pub fn over(adult: &Adult, surface: &[SurfacePoint]) -> Result<Self, EnvError> {
        let all = |pick: fn(f32, f32) -> f32, start: f32| {
            let of = |axis: usize| surface.iter().map(move |point| point.rest[axis]);
            Point3::from([0, 1, 2].map(|axis| f64::from(of(axis).fold(start, pick))))
        };
        let bounds = [all(f32::min, f32::MAX), all(f32::max, f32::MIN)];
        let size = bounds[1] - bounds[0];
        let [n_columns, n_rows] = [size.x / SPACING, size.y / STEP].map(|n| n.ceil().max(1.0));
        let target = |column: f64, row: f64| {
            let share = Vector3::new((column + 0.5) / n_columns, (row + 0.5) / n_rows, 0.5);
            bounds[0] + size.component_mul(&share)
        };
        let counted = |n: f64| (0..n as usize).map(|index| index as f64);
        let column =
            |column| counted(n_rows).map(move |row| foot(adult, &target(column, row))).collect();
        let columns = counted(n_columns).map(column).collect::<Result<_, EnvError>>()?;
        Ok(Self { columns, bounds })
    }

    /// The pose over a share of the organ's box from its corner, 0 to 1 across and along the body.
    ///
    /// # Errors
    /// As [`Raster::over`].
    pub fn pose_at(&self, adult: &Adult, share: [f64; 2]) -> Result<Isometry3<f64>, EnvError> {
        let size = self.bounds[1] - self.bounds[0];
        let share = Vector3::new(share[0], share[1], 0.5);
        foot(adult, &(self.bounds[0] + size.component_mul(&share)))
    }
}

/// The pose upright on the skin whose axis meets a target.
fn foot(adult: &Adult, target: &Point3<f64>) -> Result<Isometry3<f64>, EnvError> {
    let mut place = [target.x, target.y];
    for _ in 0..N_MENDED {
        let pose = adult.probe_pose(place, 0.0, INDENTATION)?;
        let axis = pose.rotation * Vector3::z();
        let way = target - Point3::from(pose.translation.vector);
        let beside = way - axis * axis.dot(&way);
        place = [place[0] + beside.x, place[1] + beside.y];
    }
    Ok(adult.probe_pose(place, 0.0, INDENTATION)?)
}
