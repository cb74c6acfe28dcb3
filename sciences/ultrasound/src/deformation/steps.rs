//! Bridges voxel steps in a skin that is smooth in reality.
//!
//! The depth of the face in such a skin jumps by a voxel from place to place. Nodes that follow the skin only at their own positions
//! leave air between face and skin elsewhere. Therefore node values come from a smooth surface that is nowhere above the skin: the local
//! mean, minus the largest amount by which the skin lies below it nearby.

/// Sampled places per node distance, along each axis.
const PARTS: usize = 4;
/// Radius over which the skin is smoothed [steps].
const RADIUS: f32 = 2.0;

/// The skin below a face, sampled more finely than the nodes.
pub(super) struct Steps {
    /// Places along each axis.
    count: [usize; 2],
    /// Radius of smoothing, in places along each axis.
    radius: [usize; 2],
    /// Depth of the face in the skin [m]; `None` if no skin is near.
    reach: Vec<Option<f32>>,
}

impl Steps {
    /// Samples the skin below a face with nodes along each axis over twice `half` [m]; the skin has steps of a given height [m]. `found`
    /// returns the depth of the face in the skin at a place, and `None` if the gap is larger than a step.
    pub(super) fn new(
        nodes: [usize; 2],
        half: [f32; 2],
        height: f32,
        found: impl Fn(f32, f32) -> Option<f32>,
    ) -> Self {
        let count = nodes.map(|n| (n - 1) * PARTS + 1);
        let spacing = [0, 1].map(|axis| 2.0 * half[axis] / (count[axis] - 1) as f32);
        let place = |n: usize, axis: usize| n as f32 * spacing[axis] - half[axis];
        let reach = (0..count[0] * count[1])
            .map(|at| found(place(at % count[0], 0), place(at / count[0], 1)));
        Self {
            count,
            radius: spacing.map(|spacing| (RADIUS * height / spacing).ceil() as usize),
            reach: reach.collect(),
        }
    }

    /// Depth of the face at each node such that no air remains within the contact: the area between places with gaps below `gel` [m] that is
    /// free of gaps larger than a step; `None` if the contact is farther than a node away.
    pub(super) fn bridged(mut self, gel: f32) -> Vec<Option<f32>> {
        for row in self.reach.chunks_mut(self.count[0]) {
            for run in row.chunk_by_mut(|a, b| a.is_some() && b.is_some()) {
                let is_contact = |reach: &Option<f32>| reach.is_some_and(|reach| reach > -gel);
                let first = run.iter().position(is_contact).unwrap_or(run.len());
                let end = run.iter().rposition(is_contact).map_or(0, |last| last + 1);
                run[..first].fill(None);
                run[end..].fill(None);
            }
        }
        let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len() as f32;
        let least = |values: &[f32]| values.iter().copied().fold(f32::MAX, f32::min);
        let near = [PARTS; 2];
        let smooth = self.around(&self.reach, self.radius, mean);
        let below = zip(&self.reach, &smooth, |reach, smooth| reach - smooth);
        // A mean of minima that all include this place is not above it. The nodes around the contact bound the cells in which it ends.
        let least = self.around(&below, near, least);
        let below = self.around(&least, near, mean);
        let bridged = zip(&smooth, &below, |smooth, below| smooth + below);
        let bridged = zip(&bridged, &least, |bridged, _| bridged);
        let is_node = |at: &usize| {
            let [i, j] = [at % self.count[0], at / self.count[0]];
            i % PARTS == 0 && j % PARTS == 0
        };
        let nodes = (0..bridged.len()).filter(is_node);
        nodes.map(|at| bridged[at]).collect()
    }

    /// Reduces the values around each place, if there are any.
    fn around(
        &self,
        values: &[Option<f32>],
        radius: [usize; 2],
        of: impl Fn(&[f32]) -> f32,
    ) -> Vec<Option<f32>> {
        let [nx, ny] = self.count;
        let range = |n: usize, axis: usize| {
            n.saturating_sub(radius[axis])..(n + radius[axis] + 1).min(self.count[axis])
        };
        let mut near = Vec::new();
        let mut made = Vec::with_capacity(values.len());
        for (j, i) in (0..ny).flat_map(|j| (0..nx).map(move |i| (j, i))) {
            near.clear();
            for row in range(j, 1).map(|row| &values[row * nx..][..nx]) {
                near.extend(row[range(i, 0)].iter().flatten());
            }
            made.push((!near.is_empty()).then(|| of(&near)));
        }
        made
    }
}

fn zip(a: &[Option<f32>], b: &[Option<f32>], of: impl Fn(f32, f32) -> f32) -> Vec<Option<f32>> {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| Some(of((*a)?, (*b)?))).collect()
}
