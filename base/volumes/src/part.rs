//! Selects the voxels of a file that are kept: all, or those around a site if a file has more than fit into memory.

use nalgebra::Vector3;

use crate::frame::{VoxelFrame, check_count, check_frame};

/// Largest number of voxels of a file that is read in part: 2³².
pub const MAX_FILE_VOXELS: u64 = 1 << 32;
/// Margin of kept voxels around the depth of the picture [m]: half a probe's face, and its indentation.
const MARGIN: f64 = 0.06;
/// Depths are reduced by this factor until one fits; least depth [m].
const SHRINK: f64 = 0.95;
const LEAST_DEPTH: f64 = 0.01;
const MOST_DEPTH: f64 = 10.0;

/// Site and depth of the picture that is made of a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbourhood {
    /// Site of the probe, left and towards the head [m]; `None` for the centre of the volume.
    pub site: Option<[f64; 2]>,
    /// Depth of the picture [m].
    pub depth: f64,
}

/// A box of a file's voxels.
#[derive(Clone, Debug)]
pub(crate) struct VoxelBox {
    /// Number of voxels in the file along each axis.
    pub(crate) file: [usize; 3],
    /// First voxel that is kept, and number of kept voxels.
    pub(crate) low: [usize; 3],
    pub(crate) count: [usize; 3],
    /// Frame of the kept voxels.
    pub(crate) frame: VoxelFrame,
    /// Site around which it lies; `None` for the whole file [m].
    pub(crate) site: Option<[f64; 2]>,
    /// Largest number of kept voxels.
    most: usize,
}

impl VoxelBox {
    /// Selects from the voxels that a field of a header counts: all if they fit, else those around a site.
    pub(crate) fn new(
        field: &str,
        file: [usize; 3],
        frame: VoxelFrame,
        near: Option<&Neighbourhood>,
        most: usize,
    ) -> Result<Self, String> {
        let whole = Self {
            file,
            low: [0; 3],
            count: file,
            frame,
            site: None,
            most,
        };
        let n = file
            .iter()
            .try_fold(1u64, |n, &size| n.checked_mul(size as u64));
        let is_large = n.is_some_and(|n| n > most as u64);
        let is_too_large = n.is_none_or(|n| n > MAX_FILE_VOXELS);
        if near.is_some() && is_too_large {
            return Err(format!(
                "{field}: the size is {file:?} voxels; the product must be at most {MAX_FILE_VOXELS} voxels"
            ));
        }
        let near = near.filter(|_| is_large);
        if near.is_none() {
            check_count(file, most).map_err(|problem| format!("{field}: {problem}"))?;
        }
        check_frame(file, &frame)?;
        near.map_or(Ok(whole.clone()), |near| whole.around(near))
    }

    fn around(&self, near: &Neighbourhood) -> Result<Self, String> {
        let site = near.site.unwrap_or_else(|| self.frame.middle(self.file));
        let part = self.within(site, near.depth + MARGIN)?;
        if part.n().is_some() {
            return Ok(part);
        }
        let depths = std::iter::successors(Some(near.depth.min(MOST_DEPTH)), |depth| {
            Some(depth * SHRINK)
        });
        let mut fitting = depths.take_while(|depth| *depth > LEAST_DEPTH);
        let fitting = fitting.find(|depth| {
            let part = self.within(site, depth + MARGIN);
            part.is_ok_and(|part| part.n().is_some())
        });
        let cure = fitting.map_or("resample the file to larger voxels".to_owned(), |depth| {
            format!("a depth of {:.3} m fits", (1e3 * depth).floor() / 1e3)
        });
        Err(format!(
            "{:?} voxels are within {:.3} m of the site, but at most {} are kept: {cure}",
            part.count,
            near.depth + MARGIN,
            self.most
        ))
    }

    /// Number of kept voxels; `None` if there are too many.
    pub(crate) fn n(&self) -> Option<usize> {
        check_count(self.count, self.most).ok()
    }

    /// The part up to a distance from a site to the sides, head and feet [m], over the whole depth from front to back.
    fn within(&self, site: [f64; 2], reach: f64) -> Result<Self, String> {
        let [low, high] = self.frame.bounds(self.file);
        let [mut least, mut most] = [low, high];
        for axis in 0..2 {
            least[axis] = low[axis].max(site[axis] - reach);
            most[axis] = high[axis].min(site[axis] + reach);
        }
        let [start, end] = self.frame.indices([least, most]);
        let limit = |x: f64, axis: usize| (x + 0.5).floor().clamp(0.0, self.file[axis] as f64);
        let first = [0, 1, 2].map(|axis| limit(start[axis], axis) as usize);
        let after = [0, 1, 2].map(|axis| limit(end[axis] + 1.0, axis) as usize);
        let has_voxels = (0..3).all(|axis| least[axis] < most[axis] && first[axis] < after[axis]);
        if !has_voxels {
            return Err(format!(
                "site is {site:?} m, but the volume reaches from {:?} to {:?}",
                [low.x, low.y],
                [high.x, high.y]
            ));
        }
        let shift = Vector3::from(first.map(|n| n as f64));
        Ok(Self {
            low: first,
            count: [0, 1, 2].map(|axis| after[axis] - first[axis]),
            frame: VoxelFrame {
                origin: self.frame.origin + self.frame.steps * shift,
                steps: self.frame.steps,
            },
            site: Some(site),
            ..*self
        })
    }

    /// Note for the user of the file.
    pub(crate) fn note(&self) -> Option<String> {
        let [left, head] = self.site?;
        let (file, low, count) = (self.file, self.low, self.count);
        let high = [0, 1, 2].map(|axis| low[axis] + count[axis] - 1);
        Some(format!(
            "the file has {file:?} voxels, more than {} in all; kept are {low:?} to {high:?}, around the site at {left:.4}, {head:.4} m",
            self.most
        ))
    }

    /// Offsets in the file of the first voxel of each row that is kept.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u64> {
        let ([nx, ny, _], [x, y, z], [_, rows, slices]) = (self.file, self.low, self.count);
        let place =
            move |y: usize, z: usize| (z as u64 * ny as u64 + y as u64) * nx as u64 + x as u64;
        (z..z + slices).flat_map(move |z| (y..y + rows).map(move |y| place(y, z)))
    }

    /// Whether all of the file is kept.
    pub(crate) fn is_whole(&self) -> bool {
        self.count == self.file
    }
}
