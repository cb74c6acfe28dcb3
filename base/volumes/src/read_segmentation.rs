//! Reading of segmentations: of a label volume, of segments of a `seg.nrrd`, or of a folder of masks.

use std::path::Path;

use crate::class_map::ClassMap;
use crate::image::LabelImage;
use crate::label_file::{LabelFormat, folder_of, open_file};
use crate::segmentation::{MAX_SEGMENTATION_VOXELS, Segmentation};
use crate::{VolumeError, mask_folder, nrrd_segments};

impl Segmentation {
    /// Reads a file, or a folder with a mask per class.
    ///
    /// Names come from the file: from the extension of NIfTI that TotalSegmentator's `--ml` writes, from the segments of a `seg.nrrd`,
    /// and from the names of masks. A file without names needs a map.
    ///
    /// # Errors
    /// [`VolumeError::File`] names the file and the wrong field; also for a file without names if there is no map.
    pub fn read(path: impl AsRef<Path>, map: Option<&ClassMap>) -> Result<Self, VolumeError> {
        let path = path.as_ref();
        if path.is_dir() {
            return mask_folder::read(path);
        }
        let refuse = |problem: String| VolumeError::file(&path.display(), problem);
        if LabelFormat::of(path) == Some(LabelFormat::Nrrd) {
            let (_, mut input) = open_file(path)?;
            let read = nrrd_segments::read(&mut input, folder_of(path), MAX_SEGMENTATION_VOXELS);
            if let Some(read) = read.map_err(refuse)? {
                return Ok(read);
            }
        }
        let image = LabelImage::open(path, None, MAX_SEGMENTATION_VOXELS)?;
        Self::named(image, map).map_err(refuse)
    }
}
