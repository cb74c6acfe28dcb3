//! Landmarks of organs from their voxels.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::patient::Patient;

/// The long axis of an organ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LongAxis {
    /// Mean position of the voxels: left, head, front [m].
    pub centre: Point3<f64>,
    /// Unit vector along the axis with the largest variance of the voxels, towards the head.
    pub direction: Vector3<f64>,
}

impl Patient {
    /// The long axis of a class; `None` if the patient does not have it.
    pub fn long_axis(&self, class: &str) -> Option<LongAxis> {
        let value = self.labels.value(class)?;
        let ([nx, ny, _], frame) = (self.labels.count(), self.labels.frame());
        let voxels = self.labels.voxels().iter().enumerate();
        let own = voxels.filter(|(_, voxel)| **voxel == value);
        let places = own.map(|(n, _)| {
            let index = [n % nx, n / nx % ny, n / nx / ny].map(|n| n as f64);
            frame.origin + frame.steps * Vector3::from(index)
        });
        let (mut count, mut sum, mut squares) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for place in places {
            count += 1.0;
            sum += place;
            squares += place * place.transpose();
        }
        if count == 0.0 {
            return None;
        }
        let mean = sum / count;
        let spread = (squares / count - mean * mean.transpose()).symmetric_eigen();
        let along = spread.eigenvectors.column(spread.eigenvalues.imax());
        let sign = if along.y < 0.0 { -1.0 } else { 1.0 };
        Some(LongAxis {
            centre: mean.into(),
            direction: along.normalize() * sign,
        })
    }
}
