//! Formats of label volumes, and opened files of labels.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use insonate_meshes::git_lfs_pointer;

use crate::part::Neighbourhood;
use crate::{VolumeError, dicom};

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

/// A file to be read, and the part to be kept.
pub(crate) struct Source<'a> {
    pub(crate) input: &'a mut dyn BufRead,
    /// Folder of the files that its header names; `None` for bytes without a file.
    pub(crate) folder: Option<&'a Path>,
    pub(crate) near: Option<&'a Neighbourhood>,
    /// Largest number of voxels that are kept.
    pub(crate) most: usize,
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

/// Opens a file of labels.
pub(crate) fn open_file(path: &Path) -> Result<(LabelFormat, BufReader<File>), VolumeError> {
    let refuse = |problem: String| VolumeError::file(&path.display(), problem);
    let file = File::open(path).map_err(|error| refuse(error.to_string()))?;
    let format = LabelFormat::of(path).ok_or_else(|| {
        refuse(if dicom::is_file(path) {
            format!("is a DICOM file; {}", dicom::ADVICE)
        } else {
            "the name must end in one of .nii, .nii.gz, .nrrd, .nhdr, .mha, .mhd".to_owned()
        })
    })?;
    let mut input = BufReader::with_capacity(1 << 16, file);
    let start = input
        .fill_buf()
        .map_err(|error| refuse(error.to_string()))?;
    match git_lfs_pointer(start) {
        Some(pointer) => Err(refuse(pointer)),
        None => Ok((format, input)),
    }
}

/// Folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}
