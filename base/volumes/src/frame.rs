//! Positions of voxels in the patient's frame.

use nalgebra::{Matrix3, Vector3};

/// Allowed edges of voxels [m].
const EDGES: [f64; 2] = [1e-6, 0.1];
/// Largest coordinate [m]: beyond it, single precision blurs the carrier's phase.
const MOST: f64 = 10.0;
/// Least ratio of a voxel's volume to a cuboid with the same edges.
const LEAST_VOLUME: f64 = 0.1;

/// Positions of the voxels' centres: the first voxel, and the steps to the next along each index [m]; +x to the patient's left, +y to the
/// head, +z to the front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelFrame {
    /// Centre of the first voxel [m].
    pub origin: Vector3<f64>,
    /// Columns: steps [m].
    pub steps: Matrix3<f64>,
}

/// Checks that voxels are not degenerate and not far away.
pub(crate) fn check_frame(count: [usize; 3], frame: &VoxelFrame) -> Result<(), String> {
    let edges = frame.steps.column_iter().map(|step| step.norm());
    let edges: Vec<f64> = edges.collect();
    let [least, most] = EDGES;
    if !edges.iter().all(|edge| (least..=most).contains(edge)) {
        return Err(format!(
            "the edges of voxels are {edges:?} m; they must be between {least} and {most} m"
        ));
    }
    let share = frame.steps.determinant().abs() / edges.iter().product::<f64>();
    if share < LEAST_VOLUME {
        return Err(format!(
            "the axes of voxels {:?} are skewed: a voxel has {share:.3} of the volume of a cuboid of its edges, and it must be at least {LEAST_VOLUME}",
            frame.steps
        ));
    }
    for corner in frame.corners(count) {
        if !corner.iter().all(|x| x.abs() <= MOST) {
            return Err(format!(
                "a corner is at {:?} m; it must be within {MOST} m of the origin",
                corner.as_slice()
            ));
        }
    }
    Ok(())
}

impl VoxelFrame {
    /// The frame of a larger grid with `below` more voxels before the first one along each axis.
    pub(crate) fn before(&self, below: [usize; 3]) -> Self {
        let first = Vector3::from(below.map(|n| n as f64));
        Self {
            origin: self.origin - self.steps * first,
            steps: self.steps,
        }
    }

    /// Corners of a volume with `count` voxels along each axis [m].
    pub fn corners(&self, count: [usize; 3]) -> [Vector3<f64>; 8] {
        std::array::from_fn(|corner| {
            let index = [0, 1, 2].map(|axis| {
                let is_far = corner >> axis & 1 == 1;
                if is_far {
                    count[axis] as f64 - 0.5
                } else {
                    -0.5
                }
            });
            self.origin + self.steps * Vector3::from(index)
        })
    }

    /// Least and greatest coordinates of a volume with `count` voxels along each axis [m].
    pub fn bounds(&self, count: [usize; 3]) -> [Vector3<f64>; 2] {
        bounds(self.corners(count))
    }

    /// Centre of a volume with `count` voxels along each axis, left and towards the head [m].
    pub(crate) fn middle(&self, count: [usize; 3]) -> [f64; 2] {
        let [low, high] = self.bounds(count);
        [0, 1].map(|axis| 0.5 * (low[axis] + high[axis]))
    }

    /// Lowest and highest indices of a box in space.
    pub(crate) fn indices(&self, [low, high]: [Vector3<f64>; 2]) -> [Vector3<f64>; 2] {
        // Frames were checked to be invertible.
        let inverse = self.steps.try_inverse().unwrap_or_default();
        bounds(std::array::from_fn(|corner| {
            let place = Vector3::from_fn(|axis, _| {
                let is_far = corner >> axis & 1 == 1;
                if is_far { high[axis] } else { low[axis] }
            });
            inverse * (place - self.origin)
        }))
    }
}

/// Lowest and highest coordinates of corners.
pub fn bounds(corners: [Vector3<f64>; 8]) -> [Vector3<f64>; 2] {
    let all = |pick: fn(&Vector3<f64>, &Vector3<f64>) -> Vector3<f64>| {
        let rest = corners.iter().skip(1);
        rest.fold(corners[0], |bound, corner| pick(&bound, corner))
    };
    [all(Vector3::inf), all(Vector3::sup)]
}

/// Number of voxels, checked to be between 1 and `most`.
pub(crate) fn check_count(count: [usize; 3], most: usize) -> Result<usize, String> {
    let n = count[0]
        .checked_mul(count[1])
        .and_then(|n| n.checked_mul(count[2]))
        .filter(|n| (1..=most).contains(n));
    n.ok_or_else(|| {
        format!("the size is {count:?} voxels; the product must be between 1 and {most} voxels")
    })
}

/// Copies voxels into a larger grid of `count` voxels, `below` voxels behind its first one along each axis.
pub(crate) fn put(
    voxels: &[u8],
    own_count: [usize; 3],
    larger: &mut [u8],
    below: [usize; 3],
    count: [usize; 3],
) {
    for (row, own) in voxels.chunks_exact(own_count[0]).enumerate() {
        let [y, z] = [row % own_count[1], row / own_count[1]];
        let start = ((z + below[2]) * count[1] + y + below[1]) * count[0] + below[0];
        larger[start..start + own.len()].copy_from_slice(own);
    }
}
