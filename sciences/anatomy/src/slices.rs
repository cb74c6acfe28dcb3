//! Slices of a grid across the axis that is nearest to the body's length.

use insonate_volumes::VoxelFrame;

/// The slices of a grid.
pub(crate) struct Slices {
    /// Number of slices.
    pub(crate) n: usize,
    /// Voxels along the two axes of a slice.
    pub(crate) count: [usize; 2],
    /// Steps in memory: from slice to slice, and along the two axes of a slice.
    strides: [usize; 3],
}

impl Slices {
    pub(crate) fn new(count: [usize; 3], frame: &VoxelFrame) -> Self {
        let along = |axis: &usize| {
            let step = frame.steps.column(*axis);
            step.y.abs() / step.norm()
        };
        let axis = (0..3)
            .max_by(|a, b| along(a).total_cmp(&along(b)))
            .unwrap_or(2);
        let strides = [1, count[0], count[0] * count[1]];
        let axes = [axis, (axis + 1) % 3, (axis + 2) % 3];
        Self {
            n: count[axis],
            count: [count[axes[1]], count[axes[2]]],
            strides: axes.map(|axis| strides[axis]),
        }
    }

    /// Place in memory of a place in a slice.
    pub(crate) const fn at(&self, slice: usize, n: usize) -> usize {
        let [nu, _] = self.count;
        slice * self.strides[0] + n % nu * self.strides[1] + n / nu * self.strides[2]
    }

    /// Places of a slice that free places connect to its rim; `is_free` gets places in memory.
    pub(crate) fn open_to_rim(&self, slice: usize, is_free: impl Fn(usize) -> bool) -> Vec<bool> {
        let [nu, nv] = self.count;
        let mut is_open = vec![false; nu * nv];
        let mut reached = Vec::new();
        let rim = (0..nu).flat_map(|i| [i, (nv - 1) * nu + i]);
        let rim = rim.chain((0..nv).flat_map(|j| [j * nu, j * nu + nu - 1]));
        let mut reach = |n: usize, reached: &mut Vec<usize>| {
            if !is_open[n] && is_free(self.at(slice, n)) {
                is_open[n] = true;
                reached.push(n);
            }
        };
        rim.for_each(|n| reach(n, &mut reached));
        while let Some(n) = reached.pop() {
            let [i, j] = [n % nu, n / nu];
            let next = [
                (i > 0).then(|| n - 1),
                (i + 1 < nu).then_some(n + 1),
                (j > 0).then(|| n - nu),
                (j + 1 < nv).then_some(n + nu),
            ];
            for n in next.into_iter().flatten() {
                reach(n, &mut reached);
            }
        }
        is_open
    }
}
