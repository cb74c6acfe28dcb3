//! MetaImage (`.mha`, `.mhd`).
//!
//! Format: Kitware's MetaIO (Aylward 2001): lines of `Key = value` up to `ElementDataFile`, followed by numbers, raw or compressed by zlib;
//! the numbers may also be in another file, which the last line names.
//! Lengths are in millimetres, to the patient's left, back and head.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};
use std::path::Path;

use flate2::bufread::ZlibDecoder;
use nalgebra::{Matrix3, Vector3};

use crate::data_file;
use crate::frame::VoxelFrame;
use crate::image::LabelImage;
use crate::label_file::Source;
use crate::numbers::{Labels, Layout, NumberType};
use crate::part::VoxelBox;
use crate::visitor::{VoxelVisitor, hand_over};

/// Upper limit of the header's length [bytes].
const MAX_HEADER: u64 = 1 << 20;
/// The key that ends the header.
const DATA: &str = "ElementDataFile";

/// Fields of the header.
struct Header {
    fields: BTreeMap<String, String>,
}

/// Reads a file.
pub(crate) fn read(source: &mut Source) -> Result<LabelImage, String> {
    let header = Header::read(source.input)?;
    let (count, frame) = (header.count()?, header.frame()?);
    let part = VoxelBox::new("DimSize", count, frame, source.near, source.most)?;
    let labels = match header.field(DATA)? {
        "LOCAL" | "Local" | "local" => header.labels(source.input, &part)?,
        name => {
            let mut input = data_file::open(source.folder, DATA, name)?;
            header.labels(&mut input, &part)?
        }
    };
    Ok(LabelImage::of(&part, labels))
}

/// Hands the numbers of a file to a visitor.
pub(crate) fn visit(
    input: &mut dyn BufRead,
    folder: Option<&Path>,
    most: usize,
    visitor: &mut dyn VoxelVisitor,
) -> Result<(), String> {
    let header = Header::read(input)?;
    let n = hand_over("DimSize", header.count()?, header.frame()?, most, visitor)?;
    let layout = header.layout()?;
    match header.field(DATA)? {
        "LOCAL" | "Local" | "local" => {
            header.unpacked(input, |input| visitor.numbers(&layout, input, n))
        }
        name => {
            let mut input = data_file::open(folder, DATA, name)?;
            header.unpacked(&mut input, |input| visitor.numbers(&layout, input, n))
        }
    }
}

impl Header {
    fn read(input: &mut dyn BufRead) -> Result<Self, String> {
        let mut input = input.take(MAX_HEADER);
        let mut fields = BTreeMap::new();
        while !fields.contains_key(DATA) {
            let mut bytes = Vec::new();
            let n = input.read_until(b'\n', &mut bytes);
            n.map_err(|error| error.to_string())?;
            // The last line may lack a line end if the labels are in another file.
            let is_end = bytes.starts_with(DATA.as_bytes()) && input.limit() > 0;
            if bytes.last() != Some(&b'\n') && !is_end {
                return Err(format!(
                    "the header has no {DATA} within {MAX_HEADER} bytes"
                ));
            }
            let line = String::from_utf8(bytes).map_err(|_| "the header is not text".to_owned())?;
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let Some((name, value)) = line.split_once('=') else {
                let start: String = line.chars().take(40).collect();
                return Err(format!(
                    "line {start:?} of the header is not \"Key = value\""
                ));
            };
            fields.insert(name.trim().to_owned(), value.trim().to_owned());
        }
        Ok(Self { fields })
    }

    fn labels(&self, input: &mut dyn BufRead, part: &VoxelBox) -> Result<Labels, String> {
        let layout = self.layout()?;
        self.unpacked(input, |input| layout.read(input, part))
    }

    /// Calls a function with the numbers, which may be compressed.
    fn unpacked<T>(
        &self,
        input: &mut dyn BufRead,
        read: impl FnOnce(&mut dyn Read) -> Result<T, String>,
    ) -> Result<T, String> {
        if let Some(skipped) = self.fields.get("HeaderSize").filter(|n| *n != "0") {
            return Err(format!("HeaderSize is {skipped}; it must be 0 or left out"));
        }
        if self.is_true("CompressedData")? {
            read(&mut ZlibDecoder::new(input))
        } else {
            read(&mut &mut *input)
        }
    }

    fn field(&self, name: &str) -> Result<&str, String> {
        let field = self.fields.get(name);
        field
            .map(String::as_str)
            .ok_or_else(|| format!("the header has no field {name}"))
    }

    /// Numbers of a field; `None` if the field is missing.
    fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, String> {
        let Some(text) = self.fields.get(name) else {
            return Ok(None);
        };
        let numbers = text.split_ascii_whitespace().map(|word| word.parse().ok());
        let numbers: Option<Vec<f64>> = numbers.collect();
        let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
        numbers
            .map(Some)
            .ok_or_else(|| format!("{name} is {text:?}; it must be {N} numbers"))
    }

    fn is_true(&self, name: &str) -> Result<bool, String> {
        match self.fields.get(name).map(|text| text.to_ascii_lowercase()) {
            None => Ok(false),
            Some(text) if text == "false" || text == "0" => Ok(false),
            Some(text) if text == "true" || text == "1" => Ok(true),
            Some(text) => Err(format!("{name} is {text:?}; it must be True or False")),
        }
    }

    fn count(&self) -> Result<[usize; 3], String> {
        let dimensions = self.field("NDims")?;
        if dimensions != "3" {
            return Err(format!("NDims is {dimensions}, but a volume has 3"));
        }
        if let Some(channels) = self.fields.get("ElementNumberOfChannels")
            && channels != "1"
        {
            return Err(format!(
                "ElementNumberOfChannels is {channels}, but voxels are single numbers"
            ));
        }
        let sizes = self.field("DimSize")?;
        let numbers = sizes.split_ascii_whitespace().map(|word| word.parse().ok());
        let numbers: Option<Vec<usize>> = numbers.collect();
        numbers
            .and_then(|numbers| numbers.try_into().ok())
            .ok_or_else(|| format!("DimSize is {sizes:?}; it must be three whole numbers"))
    }

    fn layout(&self) -> Result<Layout, String> {
        let number = match self.field("ElementType")? {
            "MET_CHAR" => NumberType::I8,
            "MET_UCHAR" => NumberType::U8,
            "MET_SHORT" => NumberType::I16,
            "MET_USHORT" => NumberType::U16,
            "MET_INT" => NumberType::I32,
            "MET_UINT" => NumberType::U32,
            "MET_LONG" | "MET_LONG_LONG" => NumberType::I64,
            "MET_ULONG" | "MET_ULONG_LONG" => NumberType::U64,
            "MET_FLOAT" => NumberType::F32,
            "MET_DOUBLE" => NumberType::F64,
            other => {
                return Err(format!(
                    "ElementType is {other:?}, but voxels are numbers, such as MET_UCHAR or MET_SHORT"
                ));
            }
        };
        if !self.is_true("BinaryData")? {
            return Err("BinaryData is not True: the voxels are written as text".to_owned());
        }
        let is_big_endian =
            self.is_true("ElementByteOrderMSB")? || self.is_true("BinaryDataByteOrderMSB")?;
        Ok(Layout {
            number,
            is_big_endian,
            scale: None,
        })
    }

    fn frame(&self) -> Result<VoxelFrame, String> {
        let turn = self.numbers::<9>("TransformMatrix")?;
        let turn = turn.unwrap_or([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let edges = self.numbers::<3>("ElementSpacing")?;
        let edges = match edges {
            Some(edges) => edges,
            None => self.numbers::<3>("ElementSize")?.unwrap_or([1.0; 3]),
        };
        let origin = match self.numbers::<3>("Offset")? {
            Some(origin) => origin,
            None => self.numbers::<3>("Position")?.unwrap_or_default(),
        };
        // Each group of three numbers is the direction of an axis; converts left, back, head to left, head, front.
        let axes =
            Matrix3::from_column_slice(&turn) * Matrix3::from_diagonal(&Vector3::from(edges));
        let patient = Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0) * 1e-3;
        Ok(VoxelFrame {
            origin: patient * Vector3::from(origin),
            steps: patient * axes,
        })
    }
}
