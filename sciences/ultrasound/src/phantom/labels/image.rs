//! A label volume of a file, in the patient's frame.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use insonate_meshes::git_lfs_pointer;

use super::frame::VoxelFrame;
use super::numbers::Labels;
use super::part::{Neighbourhood, VoxelBox};
use super::{meta_image, nifti, nrrd};
use crate::UltrasoundError;

/// Largest number of voxels in memory: 512³.
pub const MAX_VOXELS: usize = 1 << 27;

/// File format of a label volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelFormat {
    /// NIfTI-1 or -2 in one file, also compressed by gzip.
    Nifti,
    /// NRRD: raw, compressed by gzip, or text, after the header or in a separate file (`.nhdr`).
    Nrrd,
    /// MetaImage: raw or compressed by zlib, after the header (`.mha`) or in a separate file (`.mhd`).
    MetaImage,
}

/// Labels of voxels, and positions of the voxels.
#[derive(Clone, Debug)]
pub struct LabelImage {
    pub(super) count: [usize; 3],
    pub(super) frame: VoxelFrame,
    pub(super) labels: Vec<i64>,
    pub(super) voxels: Vec<u8>,
    /// Notes for the user of the file.
    pub(super) notes: Vec<String>,
    /// Site around which the volume was cut out of a larger file [m].
    pub(super) site: Option<[f64; 2]>,
}

/// A file to be read, and the part to be kept.
pub(super) struct Source<'a> {
    pub(super) input: &'a mut dyn BufRead,
    /// Folder of the files that its header names; `None` for bytes without a file.
    pub(super) folder: Option<&'a Path>,
    pub(super) near: Option<&'a Neighbourhood>,
}

impl LabelFormat {
    /// The format of a file, from its name.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let is = |ending: &str| name.ends_with(ending);
        if is(".nii") || is(".nii.gz") {
            Some(Self::Nifti)
        } else if is(".mha") || is(".mhd") {
            Some(Self::MetaImage)
        } else {
            (is(".nrrd") || is(".nhdr")).then_some(Self::Nrrd)
        }
    }
}

impl LabelImage {
    /// A volume from labels; the index along the first axis runs fastest. It may have at most 255 different labels.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: 0 or more than [`MAX_VOXELS`] voxels, another number of labels, or voxels that are flat or far away.
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
        let part = VoxelBox::new("count", count, frame, None).map_err(wrong)?;
        let n: usize = count.iter().product();
        if labels.len() != n {
            return Err(UltrasoundError::setting(
                "labels",
                labels.len(),
                format!("{n}, one for each voxel"),
            ));
        }
        let read = layout.read(&mut &bytes[..], &part).map_err(wrong)?;
        Ok(Self::of(&part, read))
    }

    pub(super) fn of(part: &VoxelBox, read: Labels) -> Self {
        let notes = read.rounded.map(|read| {
            format!("numbers within 0.01 of a whole number were rounded to it, for example {read}")
        });
        Self {
            count: part.count,
            frame: part.frame,
            labels: read.occurring,
            voxels: read.voxels,
            notes: part.note().into_iter().chain(notes).collect(),
            site: part.site,
        }
    }

    /// Reads a file of at most [`MAX_VOXELS`].
    ///
    /// # Errors
    /// [`UltrasoundError::File`] names the wrong field.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, UltrasoundError> {
        Self::open(path.as_ref(), None)
    }

    /// Reads a file. If it has more than [`MAX_VOXELS`], only the part that a picture may show is kept.
    ///
    /// # Errors
    /// As [`read`](Self::read); also if the file has more than [`MAX_FILE_VOXELS`](super::MAX_FILE_VOXELS), or the kept part is too large.
    pub fn read_near(
        path: impl AsRef<Path>,
        near: &Neighbourhood,
    ) -> Result<Self, UltrasoundError> {
        Self::open(path.as_ref(), Some(near))
    }

    fn open(path: &Path, near: Option<&Neighbourhood>) -> Result<Self, UltrasoundError> {
        let refuse = |problem: String| UltrasoundError::file(&path.display(), problem);
        let format = LabelFormat::of(path).ok_or_else(|| {
            refuse("the name must end in one of .nii, .nii.gz, .nrrd, .nhdr, .mha, .mhd".to_owned())
        })?;
        let file = File::open(path).map_err(|error| refuse(error.to_string()))?;
        let mut input = BufReader::new(file);
        let start = input
            .fill_buf()
            .map_err(|error| refuse(error.to_string()))?;
        if let Some(pointer) = git_lfs_pointer(start) {
            return Err(refuse(pointer));
        }
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let mut source = Source {
            input: &mut input,
            folder: Some(folder.unwrap_or(Path::new("."))),
            near,
        };
        Self::from_source(format, &mut source).map_err(refuse)
    }

    /// Reads the content of a file that does not refer to another file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(format: LabelFormat, mut bytes: &[u8]) -> Result<Self, UltrasoundError> {
        let refuse = |problem: String| UltrasoundError::file(&"label volume", problem);
        let mut source = Source {
            input: &mut bytes,
            folder: None,
            near: None,
        };
        Self::from_source(format, &mut source).map_err(refuse)
    }

    fn from_source(format: LabelFormat, source: &mut Source) -> Result<Self, String> {
        match format {
            LabelFormat::Nifti => nifti::read(source),
            LabelFormat::Nrrd => nrrd::read(source),
            LabelFormat::MetaImage => meta_image::read(source),
        }
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

/// Number of voxels, checked.
pub(super) fn check_count(count: [usize; 3]) -> Result<usize, String> {
    let n = count[0]
        .checked_mul(count[1])
        .and_then(|n| n.checked_mul(count[2]))
        .filter(|n| (1..=MAX_VOXELS).contains(n));
    n.ok_or_else(|| {
        format!(
            "the size is {count:?} voxels; the product must be between 1 and {MAX_VOXELS} voxels"
        )
    })
}
