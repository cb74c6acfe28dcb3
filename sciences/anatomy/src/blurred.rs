//! The share of a shape in the voxels of a grid, blurred by a Gaussian.

use nalgebra::{Matrix3, Vector3};

use insonate_volumes::{Segmentation, VoxelFrame};

/// Reach of the kernel [standard deviations].
const REACH: f64 = 3.0;

/// Shares of a shape on a coarse grid around it.
#[derive(Clone)]
pub(crate) struct Shares {
    pub(crate) count: [usize; 3],
    pub(crate) frame: VoxelFrame,
    pub(crate) values: Vec<f32>,
}

impl Shares {
    /// Shares of the voxels that `is_in` selects, in blocks of voxels whose edges reach `edge` [m], with `margin` [m] around them.
    /// `None` if there are no such voxels.
    pub(crate) fn new(
        segmentation: &Segmentation,
        is_in: &[bool; 256],
        edge: f64,
        margin: f64,
    ) -> Option<Self> {
        let [low, high] = bounds(segmentation, is_in)?;
        let frame = segmentation.frame();
        let edges: [f64; 3] = std::array::from_fn(|axis| frame.steps.column(axis).norm());
        let factor = edges.map(|own| (edge / own).round().max(1.0) as usize);
        let pad: [usize; 3] = std::array::from_fn(|axis| {
            (margin / (edges[axis] * factor[axis] as f64)).ceil() as usize + 1
        });
        let inner: [usize; 3] =
            std::array::from_fn(|axis| (high[axis] - low[axis]) / factor[axis] + 1);
        let count: [usize; 3] = std::array::from_fn(|axis| inner[axis] + 2 * pad[axis]);
        let mut values = vec![0.0f32; count.iter().product()];
        let [nx, ny, _] = segmentation.count();
        let whole = 1.0 / factor.iter().product::<usize>() as f32;
        for (row, own) in segmentation.voxels().chunks_exact(nx).enumerate() {
            let [y, z] = [row % ny, row / ny];
            if !(low[1]..=high[1]).contains(&y) || !(low[2]..=high[2]).contains(&z) {
                continue;
            }
            let at = |index: usize, axis: usize| (index - low[axis]) / factor[axis] + pad[axis];
            let start = (at(z, 2) * count[1] + at(y, 1)) * count[0];
            for (x, value) in own.iter().enumerate().take(high[0] + 1).skip(low[0]) {
                if is_in[usize::from(*value)] {
                    values[start + at(x, 0)] += whole;
                }
            }
        }
        // The middle of the first block, without and with the margin.
        let first: [f64; 3] = std::array::from_fn(|axis| {
            low[axis] as f64 + 0.5 * (factor[axis] as f64 - 1.0) - (pad[axis] * factor[axis]) as f64
        });
        let factors = Vector3::from(factor.map(|n| n as f64));
        Some(Self {
            count,
            frame: VoxelFrame {
                origin: frame.origin + frame.steps * Vector3::from(first),
                steps: frame.steps * Matrix3::from_diagonal(&factors),
            },
            values,
        })
    }

    /// Blurs along each axis by a Gaussian with a standard deviation [m].
    pub(crate) fn blur(&mut self, deviation: f64) {
        let mut stride = 1;
        for axis in 0..3 {
            let sigma = deviation / self.frame.steps.column(axis).norm();
            let reach = (REACH * sigma).ceil() as usize;
            let weight = |n: usize| (-0.5 * (n as f64 / sigma).powi(2)).exp();
            let sum = weight(0) + 2.0 * (1..=reach).map(weight).sum::<f64>();
            let kernel: Vec<f32> = (0..=reach).map(|n| (weight(n) / sum) as f32).collect();
            self.convolve(axis, stride, &kernel);
            stride *= self.count[axis];
        }
    }

    /// Convolves along an axis with a symmetric kernel; beyond the grid is nothing.
    fn convolve(&mut self, axis: usize, stride: usize, kernel: &[f32]) {
        let n = self.count[axis];
        let mut line = vec![0.0; n];
        for start in (0..self.values.len()).filter(|at| (at / stride).is_multiple_of(n)) {
            for (place, own) in line.iter_mut().enumerate() {
                *own = self.values[start + place * stride];
            }
            for place in 0..n {
                let mut sum = kernel[0] * line[place];
                for (away, weight) in kernel.iter().enumerate().skip(1) {
                    let below = place.checked_sub(away).map_or(0.0, |at| line[at]);
                    let above = line.get(place + away).copied().unwrap_or_default();
                    sum += weight * (below + above);
                }
                self.values[start + place * stride] = sum;
            }
        }
    }

    /// Interpolates between the middles of voxels; 0 outside.
    pub(crate) fn interpolate(&self, inverse: &Matrix3<f64>, place: &Vector3<f64>) -> f64 {
        let index = inverse * (place - self.frame.origin);
        let floor = index.map(f64::floor);
        let part = index - floor;
        let mut sum = 0.0;
        for corner in 0..8 {
            let mut weight = 1.0;
            let mut at = 0;
            for axis in (0..3).rev() {
                let is_far = corner >> axis & 1 == 1;
                let own = floor[axis] + if is_far { 1.0 } else { 0.0 };
                weight *= if is_far { part[axis] } else { 1.0 - part[axis] };
                if !(0.0..self.count[axis] as f64).contains(&own) {
                    weight = 0.0;
                    break;
                }
                at = at * self.count[axis] + own as usize;
            }
            if weight > 0.0 {
                sum += weight * f64::from(self.values[at]);
            }
        }
        sum
    }

    /// Sum of the shares as a volume [m³].
    pub(crate) fn volume(&self) -> f64 {
        let sum: f64 = self.values.iter().map(|share| f64::from(*share)).sum();
        sum * self.frame.steps.determinant().abs()
    }
}

/// Lowest and highest indices of selected voxels.
fn bounds(segmentation: &Segmentation, is_in: &[bool; 256]) -> Option<[[usize; 3]; 2]> {
    let [nx, ny, _] = segmentation.count();
    let [mut low, mut high] = [[usize::MAX; 3], [0; 3]];
    for (row, own) in segmentation.voxels().chunks_exact(nx).enumerate() {
        let is_in = |value: &u8| is_in[usize::from(*value)];
        let Some(first) = own.iter().position(is_in) else {
            continue;
        };
        let last = own.iter().rposition(is_in).unwrap_or(first);
        let [y, z] = [row % ny, row / ny];
        for (axis, [least, most]) in [[first, last], [y, y], [z, z]].into_iter().enumerate() {
            low[axis] = low[axis].min(least);
            high[axis] = high[axis].max(most);
        }
    }
    (low[0] <= high[0]).then_some([low, high])
}
