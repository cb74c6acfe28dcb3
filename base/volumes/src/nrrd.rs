//! NRRD (`.nrrd`, `.nhdr`).
//!
//! Format: Teem's "Definition of NRRD File Format" (Kindlmann), versions 1 to 5: lines of text, an empty line, and numbers, raw or
//! compressed by gzip; the numbers may also be in another file that the header names. The `space` gives the directions of the axes;
//! lengths are in millimetres if `space units` is missing.

use std::io::BufRead;
use std::path::Path;

use crate::image::LabelImage;
use crate::label_file::Source;
use crate::nrrd_header::Header;
use crate::part::VoxelBox;
use crate::visitor::{VoxelVisitor, hand_over};
use crate::{data_file, nrrd_segments};

/// Reads a file.
pub(crate) fn read(source: &mut Source) -> Result<LabelImage, String> {
    let header = Header::read(source.input)?;
    let (count, frame) = (header.count()?, header.frame()?);
    let part = VoxelBox::new("sizes", count, frame, source.near, source.most)?;
    header.check_skips()?;
    let labels = match header.data_file() {
        None => header.labels(source.input, &part)?,
        Some(name) => {
            let mut input = data_file::open(source.folder, "data file", name)?;
            header.labels(&mut input, &part)?
        }
    };
    let mut image = LabelImage::of(&part, labels);
    let segments = nrrd_segments::all(&header)?;
    let named = segments.into_iter().filter(|segment| segment.layer == 0);
    image.names = named.map(|segment| (segment.label, segment.name)).collect();
    Ok(image)
}

/// Hands the numbers of a file to a visitor.
pub(crate) fn visit(
    input: &mut dyn BufRead,
    folder: Option<&Path>,
    most: usize,
    visitor: &mut dyn VoxelVisitor,
) -> Result<(), String> {
    let header = Header::read(input)?;
    let n = hand_over("sizes", header.count()?, header.frame()?, most, visitor)?;
    header.visit(input, folder, &mut |layout, input| {
        visitor.numbers(layout, input, n)
    })
}
