//! Tissue without a label: voxels of label 0 within a body that another volume defines.
//!
//! In segmentations, label 0 is both the air around the body and all tissue that was not labelled. A second volume separates them: its
//! nonzero labels are the body. It may have its own grid: voxels are compared by their positions in the patient's frame.

use insonate_volumes::{LabelImage, MAX_VOXELS, VoxelFrame, bounds};
use nalgebra::{Matrix3, Vector3};

use crate::UltrasoundError;

/// Label of air and of tissue without a label.
pub(super) const UNLABELLED: i64 = 0;
/// Largest part of a voxel by which the body may exceed the labels' grid.
const ROUNDING: f64 = 1e-3;

/// A body, indexed from the grid of labels.
pub(super) struct Body<'a> {
    image: &'a LabelImage,
    /// Index of label 0 in its list of labels.
    zero: Option<u8>,
    /// Index of the labels' first voxel in the body's grid, and the steps to the next voxels.
    origin: Vector3<f64>,
    steps: Matrix3<f64>,
}

impl<'a> Body<'a> {
    pub(super) fn new(image: &'a LabelImage, labels: &VoxelFrame) -> Self {
        let inverse = inverse(&image.frame());
        Self {
            image,
            zero: image.place(UNLABELLED),
            origin: inverse * (labels.origin - image.frame().origin),
            steps: inverse * labels.steps,
        }
    }

    /// Whether it contains the centre of a voxel of the labels.
    pub(super) fn contains(&self, index: [usize; 3]) -> bool {
        let index = Vector3::from(index.map(|n| n as f64));
        let at = (self.origin + self.steps * index).add_scalar(0.5);
        let [nx, ny, nz] = self.image.count();
        let is_inside = [nx, ny, nz]
            .into_iter()
            .zip(at.iter())
            .all(|(n, x)| (0.0..n as f64).contains(x));
        is_inside && {
            let [x, y, z] = [0, 1, 2].map(|axis| at[axis] as usize);
            Some(self.image.voxels()[(z * ny + y) * nx + x]) != self.zero
        }
    }
}

/// The volume, padded with label 0 to hold a larger body; `None` if it already holds the body.
///
/// # Errors
/// [`UltrasoundError::Setting`]: the body has no voxels, or both together have more than [`MAX_VOXELS`].
pub(super) fn grown_to(
    image: &LabelImage,
    body: &LabelImage,
) -> Result<Option<LabelImage>, UltrasoundError> {
    let own = image.count();
    let Some([low, high]) = reach(body, &image.frame()) else {
        let allowed = "a volume with labels other than 0";
        return Err(UltrasoundError::setting("body", "empty", allowed));
    };
    let more = |x: f64| (x - ROUNDING).ceil().max(0.0) as usize;
    let below = low.map(|x| more(-0.5 - x));
    let above = [0, 1, 2].map(|axis| more(high[axis] - (own[axis] as f64 - 0.5)));
    if [below, above] == [[0; 3]; 2] {
        return Ok(None);
    }
    let count = [0, 1, 2].map(|axis| {
        let more = below[axis].saturating_add(above[axis]);
        own[axis].saturating_add(more)
    });
    let grown = image.padded(below, count, UNLABELLED);
    grown.map(Some).map_err(|_| {
        let allowed = format!("at most {MAX_VOXELS} voxels with the labels' edges");
        UltrasoundError::setting("body", format!("{count:?} voxels"), allowed)
    })
}

/// Lowest and highest indices in another grid that voxels with labels reach.
fn reach(body: &LabelImage, other: &VoxelFrame) -> Option<[[f64; 3]; 2]> {
    let zero = body.place(UNLABELLED);
    let [nx, ny, _] = body.count();
    let [mut low, mut high] = [[usize::MAX; 3], [0; 3]];
    for (row, own) in body.voxels().chunks_exact(nx).enumerate() {
        let is_body = |place: &u8| Some(*place) != zero;
        let Some(first) = own.iter().position(is_body) else {
            continue;
        };
        let last = own.iter().rposition(is_body).unwrap_or(first);
        let [y, z] = [row % ny, row / ny];
        for (axis, [least, most]) in [[first, last], [y, y], [z, z]].into_iter().enumerate() {
            low[axis] = low[axis].min(least);
            high[axis] = high[axis].max(most);
        }
    }
    (low[0] <= high[0]).then(|| indices_of(body, [low, high], other))
}

/// Bounds of a box of voxels in another grid.
fn indices_of(
    body: &LabelImage,
    [low, high]: [[usize; 3]; 2],
    other: &VoxelFrame,
) -> [[f64; 3]; 2] {
    let frame = body.frame();
    let count = [0, 1, 2].map(|axis| high[axis] - low[axis] + 1);
    let first = Vector3::from(low.map(|n| n as f64));
    let part = VoxelFrame {
        origin: frame.origin + frame.steps * first,
        steps: frame.steps,
    };
    let inverse = inverse(other);
    let corners = part.corners(count);
    bounds(corners.map(|corner| inverse * (corner - other.origin))).map(Into::into)
}

/// Maps positions to indices; frames were checked to be invertible.
fn inverse(frame: &VoxelFrame) -> Matrix3<f64> {
    frame.steps.try_inverse().unwrap_or_default()
}
