//! A CT in coarse cells: which are body, and which parts of them are connected.

use insonate_volumes::{CtImage, VoxelFrame};
use nalgebra::{Matrix3, Vector3};

use super::hounsfield::BODY;

/// Edge of the cells, about [m].
const EDGE: f64 = 0.002;

/// Largest number of cells; a CT with more of that edge has larger ones.
const MOST_CELLS: usize = 50_000_000;
/// Factor by which they are larger, once or several times.
const LARGER: f64 = 1.25;

/// Factor of distances that rounding needs.
const SLACK: f64 = 1.0 + 1e-5;

/// Blocks of a CT's voxels.
pub(super) struct Cells {
    pub(super) count: [usize; 3],
    /// Voxels of a cell along each axis.
    factor: [usize; 3],
    /// Edges of a cell [m].
    edges: [f64; 3],
    /// Voxels of the CT along each axis, and their positions.
    voxels: [usize; 3],
    frame: VoxelFrame,
    /// Whether at least half of a cell's voxels are denser than air.
    pub(super) is_dense: Vec<bool>,
}

/// A connected part.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) n_cells: usize,
    /// First and last cell along each axis.
    pub(super) bounds: [[usize; 3]; 2],
}

/// Connected parts of cells.
pub(super) struct Parts {
    /// One more than the index of each cell's part; 0 without one.
    pub(super) of_cell: Vec<u32>,
    pub(super) all: Vec<Part>,
}

impl Cells {
    pub(super) fn of(ct: &CtImage) -> Self {
        let (voxels, frame) = (ct.count(), ct.frame());
        let own = [0, 1, 2].map(|axis| frame.steps.column(axis).norm());
        let factor = factor(voxels, own);
        let count = [0, 1, 2].map(|axis| voxels[axis].div_ceil(factor[axis]));
        let mut n_dense = vec![0u32; count.iter().product()];
        for (row, values) in ct.values().chunks_exact(voxels[0]).enumerate() {
            let [y, z] = [row % voxels[1] / factor[1], row / voxels[1] / factor[2]];
            let start = (z * count[1] + y) * count[0];
            let cells = &mut n_dense[start..start + count[0]];
            for (n, values) in cells.iter_mut().zip(values.chunks(factor[0])) {
                *n += values
                    .iter()
                    .map(|value| u32::from(*value > BODY))
                    .sum::<u32>();
            }
        }
        let [nx, ny, _] = count;
        let size =
            |cell: usize, axis: usize| factor[axis].min(voxels[axis] - cell * factor[axis]) as u32;
        let is_dense = n_dense.iter().enumerate().map(|(at, n)| {
            let all = size(at % nx, 0) * size(at / nx % ny, 1) * size(at / nx / ny, 2);
            2 * n >= all
        });
        Self {
            is_dense: is_dense.collect(),
            edges: [0, 1, 2].map(|axis| own[axis] * factor[axis] as f64),
            count,
            factor,
            voxels,
            frame,
        }
    }

    /// Smallest edge of a cell [m], and whether cells have several voxels.
    pub(super) fn resolution(&self) -> (f64, bool) {
        let least = self.edges.into_iter().fold(f64::INFINITY, f64::min);
        (least, self.factor.iter().any(|n| *n > 1))
    }

    /// Volume of a cell [m³].
    pub(super) fn volume(&self) -> f64 {
        let all = self.factor.iter().product::<usize>();
        all as f64 * self.frame.steps.determinant().abs()
    }

    /// Positions of the cells' middles.
    pub(super) fn frame(&self) -> VoxelFrame {
        let factor = Vector3::from(self.factor.map(|n| n as f64));
        VoxelFrame {
            origin: self.frame.origin + self.frame.steps * (0.5 * (factor - Vector3::repeat(1.0))),
            steps: self.frame.steps * Matrix3::from_diagonal(&factor),
        }
    }

    /// Lowest and highest coordinates of a box of cells with a margin, within the CT [m].
    pub(super) fn bounds(&self, [first, last]: [[usize; 3]; 2], margin: f64) -> [Vector3<f64>; 2] {
        let more = [0, 1, 2].map(|axis| (margin / self.edges[axis]).ceil() as usize);
        let low = [0, 1, 2].map(|axis| first[axis].saturating_sub(more[axis]) * self.factor[axis]);
        let end = [0, 1, 2].map(|axis| {
            let after = (last[axis] + 1 + more[axis]) * self.factor[axis];
            after.min(self.voxels[axis])
        });
        let frame = VoxelFrame {
            origin: self.frame.origin + self.frame.steps * Vector3::from(low.map(|n| n as f64)),
            steps: self.frame.steps,
        };
        frame.bounds([0, 1, 2].map(|axis| end[axis] - low[axis]))
    }

    /// Cells within a distance of some cells [m].
    pub(super) fn near(&self, is_in: &[bool], radius: f64) -> Vec<bool> {
        let far = |own: &bool| if *own { 0.0 } else { f32::INFINITY };
        let mut squares: Vec<f32> = is_in.iter().map(far).collect();
        let mut stride = 1;
        for axis in 0..3 {
            let (n, edge) = (self.count[axis], self.edges[axis]);
            let reach = (SLACK * radius / edge).floor() as usize;
            let steps = (0..=reach).map(|away| (away as f64 * edge).powi(2) as f32);
            let steps: Vec<f32> = steps.collect();
            let mut line = vec![0.0; n];
            for block in (0..squares.len()).step_by(stride * n) {
                for start in block..block + stride {
                    for (place, own) in line.iter_mut().enumerate() {
                        *own = squares[start + place * stride];
                    }
                    for place in 0..n {
                        let mut least = line[place];
                        for (away, square) in steps.iter().enumerate().skip(1) {
                            let below = place.checked_sub(away).map(|at| line[at]);
                            let above = line.get(place + away).copied();
                            for other in below.into_iter().chain(above) {
                                least = least.min(other + square);
                            }
                        }
                        squares[start + place * stride] = least;
                    }
                }
            }
            stride *= n;
        }
        let most = (SLACK * radius).powi(2) as f32;
        squares.into_iter().map(|square| square <= most).collect()
    }

    /// Parts that are connected across the sides of cells.
    pub(super) fn parts(&self, is_in: &[bool]) -> Parts {
        let strides = [1, self.count[0], self.count[0] * self.count[1]];
        let mut parts = Parts {
            of_cell: vec![0; is_in.len()],
            all: Vec::new(),
        };
        let mut open = Vec::new();
        for first in 0..is_in.len() {
            if !is_in[first] || parts.of_cell[first] != 0 {
                continue;
            }
            let own = parts.all.len() as u32 + 1;
            let mut part = Part {
                n_cells: 0,
                bounds: [[usize::MAX; 3], [0; 3]],
            };
            parts.of_cell[first] = own;
            open.push(first);
            while let Some(at) = open.pop() {
                part.n_cells += 1;
                for (axis, stride) in strides.into_iter().enumerate() {
                    let place = at / stride % self.count[axis];
                    part.bounds[0][axis] = part.bounds[0][axis].min(place);
                    part.bounds[1][axis] = part.bounds[1][axis].max(place);
                    let below = (place > 0).then(|| at - stride);
                    let above = (place + 1 < self.count[axis]).then_some(at + stride);
                    for next in below.into_iter().chain(above) {
                        if is_in[next] && parts.of_cell[next] == 0 {
                            parts.of_cell[next] = own;
                            open.push(next);
                        }
                    }
                }
            }
            parts.all.push(part);
        }
        parts
    }
}

/// Voxels of a cell along each axis, for voxels with some edges [m].
fn factor(voxels: [usize; 3], edges: [f64; 3]) -> [usize; 3] {
    let mut wanted = EDGE;
    loop {
        let factor = edges.map(|edge| (wanted / edge).round().max(1.0) as usize);
        let n: usize = (0..3)
            .map(|axis| voxels[axis].div_ceil(factor[axis]))
            .product();
        if n <= MOST_CELLS {
            return factor;
        }
        wanted *= LARGER;
    }
}

impl Parts {
    /// Index of the largest part; the first of equal ones.
    pub(super) fn largest(&self) -> Option<usize> {
        let all = 0..self.all.len();
        all.rev().max_by_key(|part| self.all[*part].n_cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_cts_have_larger_cells() {
        // Rounding gives one voxel for a cell: 157 million cells.
        let own = factor([512, 512, 600], [0.00137, 0.00137, 0.0015]);
        assert_eq!(own, [2, 2, 2]);
        // Few cells, and small voxels.
        assert_eq!(factor([100; 3], [0.00137, 0.00137, 0.0015]), [1; 3]);
        assert_eq!(factor([512, 512, 300], [0.0007, 0.0007, 0.002]), [3, 3, 1]);
        // The most voxels, all of them large.
        let own = factor([1 << 10, 1 << 10, 1 << 8], [0.0025; 3]);
        assert_eq!(own, [2; 3]);
    }
}
