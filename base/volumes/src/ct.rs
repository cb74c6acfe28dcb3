//! A CT: Hounsfield units on a grid of voxels, in the patient's frame.

use std::io::Read;
use std::path::Path;

use crate::frame::{VoxelFrame, check_count, check_frame};
use crate::label_file::LabelFormat;
use crate::numbers::Layout;
use crate::read::{visit, visit_content};
use crate::segmentation::MAX_SEGMENTATION_VOXELS;
use crate::visitor::VoxelVisitor;
use crate::{VolumeError, dicom};

/// Numbers that are read as Hounsfield units [HU]; the lowest number of 16 bits is kept for places outside.
const RANGE: [i16; 2] = [i16::MIN + 1, i16::MAX];
/// Values of air and lungs [HU]. Lower values fill what a scanner did not measure.
const AIR: [i16; 2] = [-1500, -500];
/// Least share of voxels with such values.
const LEAST_AIR: f64 = 1e-3;
/// Width of the bins in which the most frequent value of air is searched, and its expected values [HU].
const BIN: usize = 10;
const USUAL_AIR: [i16; 2] = [-1100, -900];
/// Highest value of a CT without bone [HU].
const LOW_BONE: i16 = 300;

/// Hounsfield units of voxels, and positions of the voxels.
#[derive(Clone, Debug)]
pub struct CtImage {
    count: [usize; 3],
    frame: VoxelFrame,
    values: Vec<i16>,
    notes: Vec<String>,
}

impl CtImage {
    /// A CT from values [HU]; the index along the first axis runs fastest. The lowest number of 16 bits becomes the next one.
    ///
    /// # Errors
    /// [`VolumeError::Setting`]: 0 or more than 2²⁸ voxels, another number of values, voxels that are flat or far away, or values that
    /// are not Hounsfield units.
    pub fn new(
        count: [usize; 3],
        frame: VoxelFrame,
        mut values: Vec<i16>,
    ) -> Result<Self, VolumeError> {
        let wrong =
            |problem: String| VolumeError::setting("CT", format!("{count:?} voxels"), problem);
        let n = check_count(count, MAX_SEGMENTATION_VOXELS).map_err(wrong)?;
        check_frame(count, &frame).map_err(wrong)?;
        if values.len() != n {
            let allowed = format!("{n}, one for each voxel");
            return Err(VolumeError::setting("values", values.len(), allowed));
        }
        let mut counts = Counts::default();
        for value in &mut values {
            *value = (*value).max(RANGE[0]);
            counts.add(*value);
        }
        let notes = counts.check().map_err(wrong)?;
        Ok(Self {
            count,
            frame,
            values,
            notes,
        })
    }

    /// Reads a file of at most 2²⁸ voxels: NIfTI, NRRD or MetaImage with whole or real numbers, which are Hounsfield units after the
    /// scaling that NIfTI's header gives. They are rounded to whole ones.
    ///
    /// # Errors
    /// [`VolumeError::File`] names the file and the wrong field or voxel; also for values that cannot be Hounsfield units.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, VolumeError> {
        let path = path.as_ref();
        let refuse = |problem: String| VolumeError::file(&path.display(), problem);
        if path.is_dir() {
            return Err(refuse(format!("is a folder; {}", dicom::ADVICE)));
        }
        let mut filling = Filling::default();
        visit(path, MAX_SEGMENTATION_VOXELS, &mut filling)?;
        filling.finish().map_err(refuse)
    }

    /// Reads the content of a file that does not refer to another file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(format: LabelFormat, mut bytes: &[u8]) -> Result<Self, VolumeError> {
        let refuse = |problem: String| VolumeError::file(&"CT", problem);
        let mut filling = Filling::default();
        visit_content(
            format,
            &mut bytes,
            None,
            MAX_SEGMENTATION_VOXELS,
            &mut filling,
        )
        .map_err(refuse)?;
        filling.finish().map_err(refuse)
    }

    /// Voxels along each axis.
    pub fn count(&self) -> [usize; 3] {
        self.count
    }

    /// Positions of the voxels.
    pub fn frame(&self) -> VoxelFrame {
        self.frame
    }

    /// Values of the voxels [HU]; the index along the first axis runs fastest.
    pub fn values(&self) -> &[i16] {
        &self.values
    }

    /// Warnings: values that are unusual for a CT.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// A CT that is being read.
#[derive(Default)]
struct Filling {
    grid: Option<([usize; 3], VoxelFrame)>,
    values: Vec<i16>,
    counts: Counts,
}

impl VoxelVisitor for Filling {
    fn grid(&mut self, count: [usize; 3], frame: VoxelFrame) -> Result<(), String> {
        self.grid = Some((count, frame));
        Ok(())
    }

    fn numbers(&mut self, layout: &Layout, input: &mut dyn Read, n: u64) -> Result<(), String> {
        layout.visit_reals(input, n, &mut |start, numbers| {
            for (voxel, number) in (start..).zip(numbers) {
                let value = number.round();
                let [least, most] = RANGE;
                // The lowest number of 16 bits fills what a scanner did not measure.
                let is_value = (f64::from(i16::MIN)..=f64::from(most)).contains(&value);
                if !is_value {
                    let place = self.place(voxel);
                    return Err(format!(
                        "voxel {place:?} is {number}; a CT has {least} to {most} HU"
                    ));
                }
                let value = (value as i16).max(least);
                self.counts.add(value);
                self.values.push(value);
            }
            Ok(())
        })
    }
}

impl Filling {
    /// Indices of a voxel.
    fn place(&self, voxel: u64) -> [u64; 3] {
        let [nx, ny, _] = self
            .grid
            .map_or([1; 3], |(count, _)| count.map(|n| n as u64));
        [voxel % nx, voxel / nx % ny, voxel / nx / ny]
    }

    fn finish(mut self) -> Result<CtImage, String> {
        let (count, frame) = self.grid.ok_or("has no voxels")?;
        let notes = self.counts.check()?;
        self.values.shrink_to_fit();
        Ok(CtImage {
            count,
            frame,
            values: self.values,
            notes,
        })
    }
}

/// How often each value occurs.
struct Counts(Vec<u64>);

impl Default for Counts {
    fn default() -> Self {
        Self(vec![0; 1 << 16])
    }
}

impl Counts {
    fn add(&mut self, value: i16) {
        self.0[Self::place(value)] += 1;
    }

    fn place(value: i16) -> usize {
        (i32::from(value) - i32::from(i16::MIN)) as usize
    }

    fn value(place: usize) -> i32 {
        place as i32 + i32::from(i16::MIN)
    }

    /// Warnings about values that are unusual for a CT.
    ///
    /// # Errors
    /// The values cannot be Hounsfield units.
    fn check(&self) -> Result<Vec<String>, String> {
        let end = |found: Option<usize>| found.map_or(0, Self::value);
        let least = end(self.0.iter().position(|n| *n > 0));
        let most = end(self.0.iter().rposition(|n| *n > 0));
        let all: u64 = self.0.iter().sum();
        let [low, high] = AIR.map(Self::place);
        let air = &self.0[low..high];
        let n_air: u64 = air.iter().sum();
        if (n_air as f64) < LEAST_AIR * all as f64 {
            let hint = if least >= 0 {
                "is it an MR, or a CT without its rescale intercept, often -1024?"
            } else {
                "was the CT cut to a window, or scaled?"
            };
            return Err(format!(
                "the values are {least} to {most}, but a CT in HU has air near -1000 ({} to {} in at least {} % of the voxels): {hint}",
                AIR[0],
                AIR[1],
                100.0 * LEAST_AIR
            ));
        }
        let mut notes = Vec::new();
        let bins = air.chunks(BIN).map(|bin| bin.iter().sum::<u64>());
        let mode = bins.enumerate().max_by_key(|(_, n)| *n);
        let mode = mode.map_or(0, |(bin, _)| Self::value(low + bin * BIN + BIN / 2));
        if !(i32::from(USUAL_AIR[0])..=i32::from(USUAL_AIR[1])).contains(&mode) {
            notes.push(format!(
                "most air of the CT has {mode} HU instead of -1000: are its values scaled?"
            ));
        }
        if most < i32::from(LOW_BONE) {
            notes.push(format!(
                "the highest value of the CT is {most} HU, but bone reaches 1000: it was cut to a window, so there is no dense bone"
            ));
        }
        Ok(notes)
    }
}
