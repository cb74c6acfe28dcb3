//! Writes NIfTI-1: segmentations with the names of classes, as TotalSegmentator's `--ml` does, masks, and CTs.
//!
//! Format: nifti1.h. Positions are to the right, front and head [mm] in the sform; names are in an extension with the XML of Caret.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use nalgebra::{Matrix3, Vector3};

use crate::VolumeError;
use crate::ct::CtImage;
use crate::frame::VoxelFrame;
use crate::segmentation::Segmentation;

/// Length of the header [bytes].
const HEADER: usize = 348;
/// Longest description [bytes]; a zero follows it.
const DESCRIPTION: usize = 79;
/// Code of labels in the field of intents.
const INTENT_LABEL: i16 = 1002;

impl Segmentation {
    /// The content of a `.nii.gz` file, with classes numbered from 1 in their order. The same segmentation gives the same bytes.
    ///
    /// # Errors
    /// [`VolumeError::Setting`]: an axis has more than 32 767 voxels, which NIfTI-1 does not hold.
    pub fn to_nifti(&self) -> Result<Vec<u8>, VolumeError> {
        self.packed(&extension(&self.names()), self.voxels())
    }

    /// The content of a `.nii.gz` file with a mask: 1 in the voxels of some classes, 0 elsewhere. It has no names, as the masks that
    /// TotalSegmentator writes.
    ///
    /// # Errors
    /// [`VolumeError::Setting`]: there is no class of a name, or an axis has more than 32 767 voxels.
    pub fn mask_to_nifti(&self, classes: &[&str]) -> Result<Vec<u8>, VolumeError> {
        let mut is_in = [0; 256];
        for name in classes {
            let value = self.value(name).ok_or_else(|| {
                VolumeError::setting("class", name, "the name of a class of the segmentation")
            })?;
            is_in[usize::from(value)] = 1;
        }
        let voxels = self.voxels().iter();
        let mask: Vec<u8> = voxels.map(|value| is_in[usize::from(*value)]).collect();
        // Without extensions.
        self.packed(&[0; 4], &mask)
    }

    /// A compressed file with what stands between header and voxels.
    fn packed(&self, between: &[u8], voxels: &[u8]) -> Result<Vec<u8>, VolumeError> {
        let grid = (self.count(), self.frame());
        let header = header(grid, Content::LABELS, HEADER + between.len())?;
        pack([&header, between, voxels], Compression::default())
    }

    /// The XML of Caret with the names of classes.
    fn names(&self) -> String {
        let labels = self.classes().iter().enumerate();
        let labels = labels.map(|(n, class)| {
            // The end of a section must not occur within it.
            let name = class.name.replace("]]>", "]]]]><![CDATA[>");
            let key = n + 1;
            format!("<Label Key=\"{key}\" Red=\"1\" Green=\"1\" Blue=\"1\" Alpha=\"1\"><![CDATA[{name}]]></Label>")
        });
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><CaretExtension><VolumeInformation Index=\"0\"><LabelTable>{}</LabelTable><VolumeType><![CDATA[Label]]></VolumeType></VolumeInformation></CaretExtension>",
            labels.collect::<String>()
        )
    }
}

/// What the voxels of a file are.
#[derive(Clone, Copy)]
struct Content<'a> {
    intent: i16,
    datatype: i16,
    bits: i16,
    /// At most 79 bytes are written.
    description: &'a str,
}

impl Content<'static> {
    /// Unsigned bytes of 8 bits.
    const LABELS: Self = Self {
        intent: INTENT_LABEL,
        datatype: 2,
        bits: 8,
        description: "",
    };
}

impl CtImage {
    /// The content of a `.nii.gz` file with Hounsfield units in signed words of 16 bits. Of the description, 79 bytes are written.
    ///
    /// # Errors
    /// [`VolumeError::Setting`]: an axis has more than 32 767 voxels, which NIfTI-1 does not hold.
    pub fn to_nifti(&self, description: &str) -> Result<Vec<u8>, VolumeError> {
        let content = Content {
            intent: 0,
            datatype: 4,
            bits: 16,
            description,
        };
        // Without extensions.
        let header = header((self.count(), self.frame()), content, HEADER + 4)?;
        let voxels = self.values().iter();
        let voxels: Vec<u8> = voxels.flat_map(|value| value.to_le_bytes()).collect();
        // Noise hardly packs better with more time.
        pack([&header, &[0; 4], &voxels], Compression::fast())
    }
}

/// A compressed file of parts.
fn pack(parts: [&[u8]; 3], effort: Compression) -> Result<Vec<u8>, VolumeError> {
    let mut packed = GzEncoder::new(Vec::new(), effort);
    let written = parts.map(|part| packed.write_all(part));
    let all = written.into_iter().collect::<Result<(), _>>();
    let file = all.and_then(|()| packed.finish());
    file.map_err(|error| VolumeError::file(&"volume", error.to_string()))
}

/// The header of a file whose voxels begin at an offset.
fn header(
    (count, frame): ([usize; 3], VoxelFrame),
    content: Content<'_>,
    offset: usize,
) -> Result<[u8; HEADER], VolumeError> {
    let mut header = [0; HEADER];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &(HEADER as i32).to_le_bytes());
    put(40, &3i16.to_le_bytes());
    for (axis, n) in count.into_iter().enumerate() {
        let size = i16::try_from(n).map_err(|_| {
            VolumeError::setting("count", count, format!("at most {} each", i16::MAX))
        })?;
        put(42 + 2 * axis, &size.to_le_bytes());
    }
    for axis in 4..8 {
        put(40 + 2 * axis, &1i16.to_le_bytes());
    }
    put(68, &content.intent.to_le_bytes());
    put(70, &content.datatype.to_le_bytes());
    put(72, &content.bits.to_le_bytes());
    let description = content.description.as_bytes();
    put(148, &description[..description.len().min(DESCRIPTION)]);
    // Converts left, head, front [m] to right, front, head [mm].
    let turn = Matrix3::new(-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0) * 1e3;
    let (steps, origin): (Matrix3<f64>, Vector3<f64>) = (turn * frame.steps, turn * frame.origin);
    put(76, &1f32.to_le_bytes());
    for axis in 0..3 {
        let edge = steps.column(axis).norm() as f32;
        put(80 + 4 * axis, &edge.to_le_bytes());
    }
    put(108, &(offset as f32).to_le_bytes());
    put(112, &1f32.to_le_bytes());
    // Lengths are in millimetres.
    put(123, &[2]);
    put(254, &2i16.to_le_bytes());
    for row in 0..3 {
        let numbers = [
            steps[(row, 0)],
            steps[(row, 1)],
            steps[(row, 2)],
            origin[row],
        ];
        for (column, number) in numbers.into_iter().enumerate() {
            put(280 + 16 * row + 4 * column, &(number as f32).to_le_bytes());
        }
    }
    put(344, b"n+1\0");
    Ok(header)
}

/// Flag, size, code 0 and content, padded to a multiple of 16 bytes.
fn extension(text: &str) -> Vec<u8> {
    let size = (text.len() + 8).next_multiple_of(16);
    let mut bytes = vec![1, 0, 0, 0];
    bytes.extend((size as i32).to_le_bytes());
    bytes.extend(0i32.to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.resize(4 + size, 0);
    bytes
}
