//! Reading of label volumes of any format: as an image, or block by block by a visitor.

use std::io::BufRead;
use std::path::Path;

use crate::image::{LabelImage, MAX_VOXELS};
use crate::label_file::{LabelFormat, Source, folder_of, open_file};
use crate::part::Neighbourhood;
use crate::visitor::VoxelVisitor;
use crate::{VolumeError, meta_image, nifti, nrrd};

impl LabelImage {
    /// Reads a file of at most [`MAX_VOXELS`].
    ///
    /// # Errors
    /// [`VolumeError::File`] names the wrong field.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, VolumeError> {
        Self::open(path.as_ref(), None, MAX_VOXELS)
    }

    /// Reads a file. If it has more than [`MAX_VOXELS`], only the part that a picture may show is kept.
    ///
    /// # Errors
    /// As [`read`](Self::read); also if the file has more than [`MAX_FILE_VOXELS`](crate::MAX_FILE_VOXELS), or the kept part is too large.
    pub fn read_near(path: impl AsRef<Path>, near: &Neighbourhood) -> Result<Self, VolumeError> {
        Self::open(path.as_ref(), Some(near), MAX_VOXELS)
    }

    /// Reads a file and keeps at most `most` voxels.
    pub(crate) fn open(
        path: &Path,
        near: Option<&Neighbourhood>,
        most: usize,
    ) -> Result<Self, VolumeError> {
        let (format, mut input) = open_file(path)?;
        let mut source = Source {
            input: &mut input,
            folder: Some(folder_of(path)),
            near,
            most,
        };
        let read = Self::from_source(format, &mut source);
        read.map_err(|problem| VolumeError::file(&path.display(), problem))
    }

    /// Reads the content of a file that does not refer to another file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(format: LabelFormat, mut bytes: &[u8]) -> Result<Self, VolumeError> {
        let refuse = |problem: String| VolumeError::file(&"label volume", problem);
        let mut source = Source {
            input: &mut bytes,
            folder: None,
            near: None,
            most: MAX_VOXELS,
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
}

/// Reads a file of at most `most` voxels.
pub(crate) fn visit(
    path: &Path,
    most: usize,
    visitor: &mut dyn VoxelVisitor,
) -> Result<(), VolumeError> {
    let (format, mut input) = open_file(path)?;
    let read = visit_content(format, &mut input, Some(folder_of(path)), most, visitor);
    read.map_err(|problem| VolumeError::file(&path.display(), problem))
}

/// Reads the content of a file in a folder; without one it may not refer to another file.
pub(crate) fn visit_content(
    format: LabelFormat,
    input: &mut dyn BufRead,
    folder: Option<&Path>,
    most: usize,
    visitor: &mut dyn VoxelVisitor,
) -> Result<(), String> {
    match format {
        LabelFormat::Nifti => nifti::visit(input, most, visitor),
        LabelFormat::Nrrd => nrrd::visit(input, folder, most, visitor),
        LabelFormat::MetaImage => meta_image::visit(input, folder, most, visitor),
    }
}
