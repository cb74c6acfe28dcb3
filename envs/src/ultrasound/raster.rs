//! A raster of poses over an organ, as in a sonographer's sweep: columns along the body, the array across it, upright on the skin.

use insonate_ultrasound::phantom::SurfacePoint;
use nalgebra::{Isometry3, Point3, Vector3};

use super::Patient;
use crate::EnvError;

/// Distance between neighbouring poses of a column [m].
pub(super) const STEP: f64 = 0.004;
/// Maximum distance between columns [m].
const SPACING: f64 = 0.07;
/// Indentation of the face, so that its whole length touches a curved skin [m].
const INDENTATION: f64 = 0.012;
/// Spacing of the candidate positions across the body for a column [m].
const TRIED: f64 = 0.005;
/// Distance between axis and organ whose cost equals that of a tilt of one radian from the vertical [m].
const LEAN: f64 = 0.07;
/// Margin of the starts beyond the outermost columns [m].
const MARGIN: f64 = 0.02;

/// Poses of the probe over an organ, in the torso's frame at rest.
#[derive(Debug, Clone)]
pub struct Raster {
    /// Columns, each from the feet to the head.
    pub columns: Vec<Vec<Isometry3<f64>>>,
    /// Corners of the area over the organ, seen from above: across and along the body [m].
    pub area: [[f64; 2]; 2],
}

impl Raster {
    /// Creates a raster over a surface.
    ///
    /// # Errors
    /// [`EnvError::Config`] if there is no skin above it.
    pub fn over(patient: &Patient, surface: &[SurfacePoint]) -> Result<Self, EnvError> {
        let all = |pick: fn(f32, f32) -> f32, start: f32| {
            let of = |axis: usize| surface.iter().map(move |point| point.rest[axis]);
            Point3::from([0, 1, 2].map(|axis| f64::from(of(axis).fold(start, pick))))
        };
        let [low, high] = [all(f32::min, f32::MAX), all(f32::max, f32::MIN)];
        let size = high - low;
        let [n_columns, n_rows] = [size.x / SPACING, size.y / STEP].map(|n| n.ceil().max(1.0));
        let counted = |n: f64| (0..n as usize).map(move |index| (index as f64 + 0.5) / n);
        let mut across = Vec::new();
        for share in counted(n_columns) {
            across.push(place_over(
                patient,
                &(low + size.component_mul(&Vector3::new(share, 0.5, 0.5))),
            )?);
        }
        let column = |x: &f64| {
            let poses = counted(n_rows).map(|share| pose(patient, [*x, low.y + share * size.y]));
            poses.collect::<Result<_, _>>()
        };
        let least = across.iter().copied().fold(f64::MAX, f64::min);
        let most = across.iter().copied().fold(f64::MIN, f64::max);
        Ok(Self {
            columns: across.iter().map(column).collect::<Result<_, EnvError>>()?,
            area: [[least - MARGIN, low.y], [most + MARGIN, high.y]],
        })
    }
}

impl Raster {
    /// Route through all poses from the end nearest to a position, alternating between upward and downward columns. The last
    /// pose comes first.
    pub fn route_from(&self, place: &Vector3<f64>) -> Vec<Isometry3<f64>> {
        let ways = [[false, false], [false, true], [true, false], [true, true]];
        let ways = ways.map(|[back, up]| serpentine(&self.columns, back, up));
        let distance = |way: &Vec<Isometry3<f64>>| {
            let first = way.last();
            first.map_or(f64::MAX, |first| (first.translation.vector - place).norm())
        };
        let nearest = ways
            .into_iter()
            .min_by(|one, other| distance(one).total_cmp(&distance(other)));
        nearest.unwrap_or_default()
    }
}

/// Columns in alternating directions.
fn serpentine(columns: &[Vec<Isometry3<f64>>], back: bool, up: bool) -> Vec<Isometry3<f64>> {
    let mut way = Vec::new();
    for index in 0..columns.len() {
        let from = if back {
            index
        } else {
            columns.len() - 1 - index
        };
        let poses = columns[from].iter().copied();
        if up == (index % 2 == 0) {
            way.extend(poses);
        } else {
            way.extend(poses.rev());
        }
    }
    way
}

fn pose(patient: &Patient, place: [f64; 2]) -> Result<Isometry3<f64>, EnvError> {
    patient.probe_pose(place, 0.0, INDENTATION)
}

/// The position across the body with the best upright view of a target. On a flat trunk no normal may meet the target.
fn place_over(patient: &Patient, target: &Point3<f64>) -> Result<f64, EnvError> {
    let badness = |x: f64| {
        let pose = pose(patient, [x, target.y]).ok()?;
        let axis = pose.rotation * Vector3::z();
        let way = target - Point3::from(pose.translation.vector);
        let offset = (way - axis * axis.dot(&way)).norm();
        Some(offset + LEAN * axis.angle(&-Vector3::z()))
    };
    let bounds = patient.phantom().bounds().unwrap_or_default();
    let [low, high] = bounds.map(|corner| f64::from(corner.x));
    let n = ((high - low) / TRIED) as usize;
    let tried = (0..n).map(|index| low + TRIED * index as f64);
    let rated = tried.filter_map(|x| badness(x).map(|badness| (x, badness)));
    let best = rated.min_by(|one, other| one.1.total_cmp(&other.1));
    best.map(|(x, _)| x).ok_or_else(|| EnvError::Config {
        field: "task.organ".to_owned(),
        problem: "is not below skin".to_owned(),
    })
}
