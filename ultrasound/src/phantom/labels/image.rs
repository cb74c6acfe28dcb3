//! A label volume as a file has it, in the patient's frame.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use insonate_meshes::git_lfs_pointer;
use nalgebra::{Matrix3, Vector3};

use super::numbers::Labels;
use super::{meta_image, nifti, nrrd};
use crate::UltrasoundError;

/// Most voxels: 512³.
pub const MAX_VOXELS: usize = 1 << 27;
/// Edges of voxels [m].
const EDGES: [f64; 2] = [1e-6, 0.1];
/// Greatest coordinate [m]: beyond, single precision blurs the carrier's phase.
const MOST: f64 = 10.0;
/// Volume of a voxel over that of a cuboid of its edges, at least.
const LEAST_VOLUME: f64 = 0.1;

/// Format of a label volume's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelFormat {
    /// NIfTI-1 or -2 in one file, also compressed by gzip.
    Nifti,
    /// NRRD with its header attached: raw, compressed by gzip, or text.
    Nrrd,
    /// MetaImage with its header attached (`.mha`), raw or compressed by zlib.
    MetaImage,
}

/// Labels of voxels, and where the voxels are.
#[derive(Clone, Debug)]
pub struct LabelImage {
    pub(super) count: [usize; 3],
    pub(super) frame: VoxelFrame,
    pub(super) labels: Vec<i64>,
    pub(super) voxels: Vec<u8>,
    /// What the reader of the file should know.
    pub(super) notes: Vec<String>,
}

/// Places of voxels' centres: the first one's, and the steps to the next along each index [m]; +x to the patient's left, +y to the head,
/// +z to the front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelFrame {
    /// Centre of the first voxel [m].
    pub origin: Vector3<f64>,
    /// Columns: steps [m].
    pub steps: Matrix3<f64>,
}

impl LabelFormat {
    /// The format that a file's name stands for.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let is = |ending: &str| name.ends_with(ending);
        if is(".nii") || is(".nii.gz") {
            Some(Self::Nifti)
        } else if is(".mha") {
            Some(Self::MetaImage)
        } else {
            is(".nrrd").then_some(Self::Nrrd)
        }
    }
}

impl LabelImage {
    /// Of labels, the index along the first axis running fastest, at most 255 different ones.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: none or more than [`MAX_VOXELS`] voxels, another number of labels, voxels that are flat or far away.
    pub fn new(
        count: [usize; 3],
        frame: VoxelFrame,
        labels: &[i64],
    ) -> Result<Self, UltrasoundError> {
        let bytes: Vec<u8> = labels
            .iter()
            .flat_map(|label| label.to_le_bytes())
            .collect();
        let layout = super::numbers::Layout {
            number: super::numbers::NumberType::I64,
            is_big_endian: false,
            scale: None,
        };
        let wrong = |problem: String| {
            UltrasoundError::setting("label volume", format!("{count:?} voxels"), problem)
        };
        let n = check_count(count).map_err(wrong)?;
        check_frame(count, &frame).map_err(wrong)?;
        if labels.len() != n {
            return Err(UltrasoundError::setting(
                "labels",
                labels.len(),
                format!("{n}, one for each voxel"),
            ));
        }
        let read = layout.read(&mut &bytes[..], n).map_err(wrong)?;
        Ok(Self::of(count, frame, read))
    }

    pub(super) fn of(count: [usize; 3], frame: VoxelFrame, read: Labels) -> Self {
        let notes = read.rounded.map(|read| {
            format!("numbers that are not whole count as the whole number within 0.01 of them, as {read} does")
        });
        Self {
            count,
            frame,
            labels: read.occurring,
            voxels: read.voxels,
            notes: notes.into_iter().collect(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`UltrasoundError::File`] naming the field that is wrong.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, UltrasoundError> {
        let path = path.as_ref();
        let refuse = |problem: String| UltrasoundError::file(&path.display(), problem);
        let format = LabelFormat::of(path).ok_or_else(|| {
            refuse("the name ends in none of .nii, .nii.gz, .nrrd, .mha".to_owned())
        })?;
        let file = File::open(path).map_err(|error| refuse(error.to_string()))?;
        let mut input = BufReader::new(file);
        let start = input
            .fill_buf()
            .map_err(|error| refuse(error.to_string()))?;
        if let Some(pointer) = git_lfs_pointer(start) {
            return Err(refuse(pointer));
        }
        Self::from_input(format, &mut input).map_err(refuse)
    }

    /// Reads the content of a file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(format: LabelFormat, mut bytes: &[u8]) -> Result<Self, UltrasoundError> {
        let refuse = |problem: String| UltrasoundError::file(&"label volume", problem);
        Self::from_input(format, &mut bytes).map_err(refuse)
    }

    fn from_input(format: LabelFormat, input: &mut dyn BufRead) -> Result<Self, String> {
        match format {
            LabelFormat::Nifti => nifti::read(input),
            LabelFormat::Nrrd => nrrd::read(input),
            LabelFormat::MetaImage => meta_image::read(input),
        }
    }

    /// Voxels along each axis.
    pub fn count(&self) -> [usize; 3] {
        self.count
    }

    /// What whoever reads the file should know: labels that were rounded, which of two frames was taken.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Where they are.
    pub fn frame(&self) -> VoxelFrame {
        self.frame
    }

    /// The labels that occur, and how many voxels have each, by label.
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

/// Number of voxels.
pub(super) fn check_count(count: [usize; 3]) -> Result<usize, String> {
    let n = count[0]
        .checked_mul(count[1])
        .and_then(|n| n.checked_mul(count[2]))
        .filter(|n| (1..=MAX_VOXELS).contains(n));
    n.ok_or_else(|| format!("{count:?} voxels, but 1 to {MAX_VOXELS} in all are allowed"))
}

/// Fails for voxels that are no solids, or are far away.
pub(super) fn check_frame(count: [usize; 3], frame: &VoxelFrame) -> Result<(), String> {
    let edges = frame.steps.column_iter().map(|step| step.norm());
    let edges: Vec<f64> = edges.collect();
    let [least, most] = EDGES;
    if !edges.iter().all(|edge| (least..=most).contains(edge)) {
        return Err(format!(
            "voxels have edges of {edges:?} m, but {least} to {most} m are allowed"
        ));
    }
    let share = frame.steps.determinant().abs() / edges.iter().product::<f64>();
    if share < LEAST_VOLUME {
        return Err(format!(
            "the axes of voxels {:?} are skewed: a voxel has {share:.3} of the volume of a cuboid of its edges, but at least {LEAST_VOLUME} are needed",
            frame.steps
        ));
    }
    for corner in frame.corners(count) {
        if !corner.iter().all(|x| x.abs() <= MOST) {
            return Err(format!(
                "a corner is at {:?} m, but must be within {MOST} m of the origin",
                corner.as_slice()
            ));
        }
    }
    Ok(())
}

impl VoxelFrame {
    /// Corners of a volume of so many voxels [m].
    pub(super) fn corners(&self, count: [usize; 3]) -> [Vector3<f64>; 8] {
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
}
