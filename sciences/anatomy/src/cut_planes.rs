//! Planes at which the edges of a volume cut a body off.

use insonate_volumes::{Segmentation, VoxelFrame};
use nalgebra::Vector3;

use crate::orientation::Axis;

/// Planes at which a body is cut off.
pub(crate) struct CutPlanes {
    /// Inward unit normals and offsets: a place is `normal · place − offset` within.
    planes: Vec<(Vector3<f64>, f64)>,
}

/// Direction of a face of the grid: 0 and 1 are the ends of the first axis.
pub(crate) fn direction_of(frame: &VoxelFrame, face: usize) -> &'static str {
    let step = frame.steps.column(face / 2).into_owned();
    let axis = step.iamax();
    let is_positive = (step[axis] > 0.0) == (face % 2 == 1);
    Axis::ALL[axis].directions()[usize::from(!is_positive)]
}

impl CutPlanes {
    /// The faces of a grid in the given directions.
    pub(crate) fn of(labels: &Segmentation, directions: &[String]) -> Self {
        let (frame, count) = (labels.frame(), labels.count());
        let is_cut = |face: &usize| {
            let own = direction_of(&frame, *face);
            directions.iter().any(|direction| direction == own)
        };
        let planes = (0..6).filter(is_cut).map(|face| {
            let axis = face / 2;
            let [one, other] = [1, 2].map(|n| frame.steps.column((axis + n) % 3).into_owned());
            let normal = one.cross(&other).normalize();
            let step = frame.steps.column(axis).into_owned();
            let inward = if face % 2 == 0 { 1.0 } else { -1.0 } * step.dot(&normal).signum();
            let last = count[axis] as f64 - 0.5;
            let index = if face % 2 == 0 { -0.5 } else { last };
            let normal = normal * inward;
            (normal, normal.dot(&(frame.origin + step * index)))
        });
        Self {
            planes: planes.collect(),
        }
    }

    /// Distance to the nearest plane [m]; infinite without one.
    pub(crate) fn distance(&self, place: &Vector3<f64>) -> f64 {
        let all = self
            .planes
            .iter()
            .map(|(normal, offset)| normal.dot(place) - offset);
        all.fold(f64::INFINITY, f64::min)
    }
}
