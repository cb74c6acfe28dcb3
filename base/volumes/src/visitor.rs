//! Reading of a file's labels block by block, without keeping them.

use std::path::Path;

use crate::frame::{VoxelFrame, check_frame};
use crate::image::{LabelFormat, check_count, folder_of, open_file};
use crate::{VolumeError, meta_image, nifti, nrrd};

/// Receiver of a file's labels.
pub(crate) trait VoxelVisitor {
    /// Receives the grid before any labels.
    fn grid(&mut self, count: [usize; 3], frame: VoxelFrame) -> Result<(), String>;

    /// Receives labels from the voxel `start` on. Voxels of label 0 may be left out.
    fn labels(&mut self, start: u64, labels: &[i64]) -> Result<(), String>;
}

/// Checks a grid and hands it over.
pub(crate) fn hand_over(
    field: &str,
    count: [usize; 3],
    frame: VoxelFrame,
    most: usize,
    visitor: &mut dyn VoxelVisitor,
) -> Result<u64, String> {
    let n = check_count(count, most).map_err(|problem| format!("{field}: {problem}"))?;
    check_frame(count, &frame)?;
    visitor.grid(count, frame)?;
    Ok(n as u64)
}

/// Reads a file of at most `most` voxels.
pub(crate) fn visit(
    path: &Path,
    most: usize,
    visitor: &mut dyn VoxelVisitor,
) -> Result<(), VolumeError> {
    let (format, mut input) = open_file(path)?;
    let read = match format {
        LabelFormat::Nifti => nifti::visit(&mut input, most, visitor),
        LabelFormat::Nrrd => nrrd::visit(&mut input, folder_of(path), most, visitor),
        LabelFormat::MetaImage => meta_image::visit(&mut input, folder_of(path), most, visitor),
    };
    read.map_err(|problem| VolumeError::file(&path.display(), problem))
}
