//! Recognises DICOM files, which are not read, so that errors can say what to do.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// What to do with the slices of a CT.
pub(crate) const ADVICE: &str = "convert its DICOM slices to one NIfTI file, for example with dcm2niix, which --ct takes; \
TotalSegmentator makes the segmentation of that file";

/// Length of the preamble, and the word after it (PS3.10, 7.1).
const PREAMBLE: usize = 128;
const WORD: &[u8] = b"DICM";

/// Largest number of files of a folder that are looked at.
const MAX_FILES: usize = 100;

/// Whether a file begins as DICOM files do.
pub(crate) fn is_file(path: &Path) -> bool {
    // Opening a pipe would wait for its writer.
    if !path.is_file() {
        return false;
    }
    let mut start = [0; PREAMBLE + WORD.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start.ends_with(WORD)
}

/// Whether one of the first files of a folder is a DICOM file.
pub(crate) fn is_in(folder: &Path) -> bool {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.take(MAX_FILES).any(|file| is_file(&file.path()))
}
