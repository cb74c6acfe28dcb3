//! A label volume of a file, in the patient's frame.

use std::collections::BTreeMap;

use crate::VolumeError;
use crate::frame::{VoxelFrame, check_count, put};
use crate::numbers::Labels;
use crate::part::VoxelBox;

/// Largest number of voxels of a [`LabelImage`] in memory: 512³.
pub const MAX_VOXELS: usize = 1 << 27;

/// Labels of voxels, and positions of the voxels.
#[derive(Clone, Debug)]
pub struct LabelImage {
    pub(crate) count: [usize; 3],
    pub(crate) frame: VoxelFrame,
    pub(crate) labels: Vec<i64>,
    pub(crate) voxels: Vec<u8>,
    /// Notes for the user of the file.
    pub(crate) notes: Vec<String>,
    /// Names of labels that the file gives.
    pub(crate) names: BTreeMap<i64, String>,
    /// Site around which the volume was cut out of a larger file [m].
    pub(crate) site: Option<[f64; 2]>,
}

impl LabelImage {
    /// A volume from labels; the index along the first axis runs fastest. It may have at most 255 different labels.
    ///
    /// # Errors
    /// [`VolumeError::Setting`]: 0 or more than [`MAX_VOXELS`] voxels, another number of labels, or voxels that are flat or far away.
    pub fn new(count: [usize; 3], frame: VoxelFrame, labels: &[i64]) -> Result<Self, VolumeError> {
        let bytes: Vec<u8> = labels
            .iter()
            .flat_map(|label| label.to_le_bytes())
            .collect();
        let layout = crate::numbers::Layout {
            number: crate::numbers::NumberType::I64,
            is_big_endian: false,
            scale: None,
        };
        let wrong = |problem: String| {
            VolumeError::setting("label volume", format!("{count:?} voxels"), problem)
        };
        let part = VoxelBox::new("count", count, frame, None, MAX_VOXELS).map_err(wrong)?;
        let n: usize = count.iter().product();
        if labels.len() != n {
            return Err(VolumeError::setting(
                "labels",
                labels.len(),
                format!("{n}, one for each voxel"),
            ));
        }
        let read = layout.read(&mut &bytes[..], &part).map_err(wrong)?;
        Ok(Self::of(&part, read))
    }

    pub(crate) fn of(part: &VoxelBox, read: Labels) -> Self {
        let notes = read.rounded.map(|read| {
            format!("numbers within 0.01 of a whole number were rounded to it, for example {read}")
        });
        Self {
            count: part.count,
            frame: part.frame,
            labels: read.occurring,
            voxels: read.voxels,
            notes: part.note().into_iter().chain(notes).collect(),
            names: BTreeMap::new(),
            site: part.site,
        }
    }

    /// Names of labels that the file gives: in an extension of NIfTI, or as segments of a `seg.nrrd`.
    pub fn names(&self) -> &BTreeMap<i64, String> {
        &self.names
    }

    /// The labels that occur, in the order of their first voxels.
    pub fn labels(&self) -> &[i64] {
        &self.labels
    }

    /// For each voxel, the index of its label in [`labels`](Self::labels); the index along the first axis runs fastest.
    pub fn voxels(&self) -> &[u8] {
        &self.voxels
    }

    /// Index of a label in [`labels`](Self::labels); `None` if it does not occur.
    pub fn place(&self, label: i64) -> Option<u8> {
        let place = self.labels.iter().position(|known| *known == label);
        place.map(|place| place as u8)
    }

    /// The volume within a larger one of `count` voxels that has `below` more voxels before the first one along each axis. Added voxels
    /// have the label `added`.
    ///
    /// # Errors
    /// [`VolumeError::Setting`]: the larger volume has more than [`MAX_VOXELS`] or does not contain this one.
    pub fn padded(
        &self,
        below: [usize; 3],
        count: [usize; 3],
        added: i64,
    ) -> Result<Self, VolumeError> {
        let wrong = |allowed: String| VolumeError::setting("count", count, allowed);
        let n = check_count(count, MAX_VOXELS).map_err(wrong)?;
        let is_larger = (0..3).all(|axis| {
            let end = below[axis].checked_add(self.count[axis]);
            end.is_some_and(|end| end <= count[axis])
        });
        if !is_larger {
            let own = self.count;
            return Err(wrong(format!("at least {own:?} voxels after {below:?}")));
        }
        let mut labels = self.labels.clone();
        let added = self.place(added).unwrap_or_else(|| {
            labels.push(added);
            (labels.len() - 1) as u8
        });
        let mut voxels = vec![added; n];
        put(&self.voxels, self.count, &mut voxels, below, count);
        Ok(Self {
            count,
            frame: self.frame.before(below),
            labels,
            voxels,
            ..self.clone()
        })
    }

    /// Site around which the volume was cut out of a larger file, left and towards the head [m].
    pub fn site(&self) -> Option<[f64; 2]> {
        self.site
    }

    /// Centre of the volume, left and towards the head [m].
    pub fn middle(&self) -> [f64; 2] {
        self.frame.middle(self.count)
    }

    /// Voxels along each axis.
    pub fn count(&self) -> [usize; 3] {
        self.count
    }

    /// Notes for the user of the file: labels that were rounded, which of two frames was used.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Positions of the voxels.
    pub fn frame(&self) -> VoxelFrame {
        self.frame
    }

    /// The labels that occur and their numbers of voxels, sorted by label.
    pub fn occurring(&self) -> Vec<(i64, usize)> {
        let mut counts = vec![0; self.labels.len()];
        for &place in &self.voxels {
            counts[usize::from(place)] += 1;
        }
        let mut all: Vec<(i64, usize)> = self.labels.iter().copied().zip(counts).collect();
        all.sort_unstable();
        all
    }

    /// Label of a voxel; `None` outside.
    pub fn label(&self, [x, y, z]: [usize; 3]) -> Option<i64> {
        let [nx, ny, nz] = self.count;
        let is_inside = x < nx && y < ny && z < nz;
        let place = is_inside.then(|| self.voxels[(z * ny + y) * nx + x])?;
        Some(self.labels[usize::from(place)])
    }
}
