//! The header of an NRRD file, and the labels that it describes.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use nalgebra::{Matrix3, Vector3};

use crate::data_file;
use crate::frame::VoxelFrame;
use crate::numbers::{Labels, Layout, NumberType};
use crate::part::VoxelBox;

/// Upper limit of the header's length [bytes]; segmentations describe each segment there.
const MAX_HEADER: u64 = 1 << 20;

/// Names of the field that names the file of labels.
const DATA: [&str; 2] = ["data file", "datafile"];

/// A function that reads numbers of a layout.
pub(crate) type ReadNumbers<'a> = dyn FnMut(&Layout, &mut dyn Read) -> Result<(), String> + 'a;

/// Fields of the header.
pub(crate) struct Header {
    fields: BTreeMap<String, String>,
    /// Custom keys, `key:=value`.
    pub(crate) keys: BTreeMap<String, String>,
}

impl Header {
    pub(crate) fn read(input: &mut dyn BufRead) -> Result<Self, String> {
        let mut input = input.take(MAX_HEADER);
        let mut line = |is_last: bool| {
            let mut bytes = Vec::new();
            let n = input.read_until(b'\n', &mut bytes);
            n.map_err(|error| error.to_string())?;
            // Data may be missing after a header whose labels are in another file.
            let is_end = bytes.is_empty() && is_last && input.limit() > 0;
            if bytes.pop() != Some(b'\n') && !is_end {
                let problem = format!("the header has no end within {MAX_HEADER} bytes");
                return Err(problem);
            }
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
            String::from_utf8(bytes).map_err(|_| "the header is not text".to_owned())
        };
        let magic = line(false)?;
        if !matches!(
            magic.strip_prefix("NRRD000").map(str::as_bytes),
            Some([b'1'..=b'5'])
        ) {
            let start: String = magic.chars().take(16).collect();
            return Err(format!(
                "starts with {start:?}; it must start with NRRD0001 to NRRD0005"
            ));
        }
        let [mut fields, mut keys] = [BTreeMap::new(), BTreeMap::new()];
        loop {
            let is_last = DATA.iter().any(|name| fields.contains_key(*name));
            let line = line(is_last)?;
            if line.is_empty() {
                return Ok(Self { fields, keys });
            }
            if line.starts_with('#') {
                continue;
            }
            if let Some((key, value)) = line.split_once(":=") {
                keys.insert(key.to_owned(), value.to_owned());
                continue;
            }
            let Some((name, value)) = line.split_once(": ") else {
                return Err(format!(
                    "line {line:?} of the header is not \"field: value\""
                ));
            };
            let name = name.to_ascii_lowercase();
            if fields
                .insert(name.clone(), value.trim().to_owned())
                .is_some()
            {
                return Err(format!("the field {name:?} occurs twice"));
            }
        }
    }

    pub(crate) fn field(&self, name: &str) -> Result<&str, String> {
        let field = self.fields.get(name);
        field
            .map(String::as_str)
            .ok_or_else(|| format!("the header has no field {name:?}"))
    }

    /// Voxels along each axis of a label volume.
    pub(crate) fn count(&self) -> Result<[usize; 3], String> {
        let dimension = self.field("dimension")?;
        if dimension != "3" {
            return Err(format!(
                "dimension is {dimension}, but a volume has 3; save overlapping segments as one label volume"
            ));
        }
        let sizes = self.sizes()?;
        <[usize; 3]>::try_from(sizes)
            .map_err(|sizes| format!("sizes are {sizes:?}; they must be three whole numbers"))
    }

    /// Sizes of all axes.
    pub(crate) fn sizes(&self) -> Result<Vec<usize>, String> {
        let sizes = self.field("sizes")?;
        let numbers = sizes.split_ascii_whitespace().map(str::parse);
        let numbers: Option<Vec<usize>> = numbers.map(Result::ok).collect();
        numbers.ok_or_else(|| format!("sizes are {sizes:?}; they must be whole numbers"))
    }

    fn layout(&self) -> Result<Layout, String> {
        let number = match self.field("type")? {
            "signed char" | "int8" | "int8_t" => NumberType::I8,
            "uchar" | "unsigned char" | "uint8" | "uint8_t" => NumberType::U8,
            "short" | "short int" | "signed short" | "signed short int" | "int16" | "int16_t" => {
                NumberType::I16
            }
            "ushort" | "unsigned short" | "unsigned short int" | "uint16" | "uint16_t" => {
                NumberType::U16
            }
            "int" | "signed int" | "int32" | "int32_t" => NumberType::I32,
            "uint" | "unsigned int" | "uint32" | "uint32_t" => NumberType::U32,
            "longlong"
            | "long long"
            | "long long int"
            | "signed long long"
            | "signed long long int"
            | "int64"
            | "int64_t" => NumberType::I64,
            "ulonglong"
            | "unsigned long long"
            | "unsigned long long int"
            | "uint64"
            | "uint64_t" => NumberType::U64,
            "float" => NumberType::F32,
            "double" => NumberType::F64,
            other => {
                return Err(format!(
                    "type is {other:?}, but voxels are numbers of 1 to 8 bytes, as uint8 or short"
                ));
            }
        };
        let is_big_endian = match self.fields.get("endian").map(String::as_str) {
            Some("little") => false,
            Some("big") => true,
            None if number.size() == 1 || self.is_text() => false,
            found => {
                return Err(format!("endian is {found:?}; it must be little or big"));
            }
        };
        Ok(Layout {
            number,
            is_big_endian,
            scale: None,
        })
    }

    /// Whether numbers are written as text, which has no byte order.
    fn is_text(&self) -> bool {
        let encoding = self
            .fields
            .get("encoding")
            .map(|text| text.to_ascii_lowercase());
        matches!(encoding.as_deref(), Some("ascii" | "text" | "txt"))
    }

    /// The separate file of labels, if any.
    pub(crate) fn data_file(&self) -> Option<&str> {
        let named = DATA.iter().find_map(|name| self.fields.get(*name));
        named.map(String::as_str)
    }

    pub(crate) fn labels(
        &self,
        input: &mut dyn BufRead,
        part: &VoxelBox,
    ) -> Result<Labels, String> {
        let layout = self.layout()?;
        let encoding = self.field("encoding")?;
        match encoding.to_ascii_lowercase().as_str() {
            "raw" => layout.read(&mut &mut *input, part),
            "gzip" | "gz" => layout.read(&mut MultiGzDecoder::new(input), part),
            "ascii" | "text" | "txt" => layout.read_text(input, part),
            _ => Err(format!(
                "encoding is {encoding:?}; it must be raw, gzip or ascii"
            )),
        }
    }

    /// Calls a function that reads the numbers.
    pub(crate) fn visit(
        &self,
        input: &mut dyn BufRead,
        folder: Option<&Path>,
        take: &mut ReadNumbers,
    ) -> Result<(), String> {
        self.check_skips()?;
        let layout = self.layout()?;
        let encoding = self.field("encoding")?.to_ascii_lowercase();
        let mut read = |input: &mut dyn BufRead| match encoding.as_str() {
            "raw" => take(&layout, &mut &mut *input),
            "gzip" | "gz" => take(&layout, &mut MultiGzDecoder::new(input)),
            _ => Err(format!(
                "encoding is {encoding:?}; it must be raw or gzip for masks, segments and CTs"
            )),
        };
        match self.data_file() {
            None => read(input),
            Some(name) => read(&mut data_file::open(folder, "data file", name)?),
        }
    }

    /// Checks that labels begin right after the header or at the start of their file.
    pub(crate) fn check_skips(&self) -> Result<(), String> {
        let skip = ["line skip", "lineskip", "byte skip", "byteskip"];
        let skips = skip
            .iter()
            .filter_map(|name| self.fields.get_key_value(*name));
        match skips.into_iter().find(|(_, n)| *n != "0") {
            Some((name, n)) => Err(format!("{name} is {n}; it must be 0 or left out")),
            None => Ok(()),
        }
    }

    /// Rotation from the space's axes to left, head and front.
    fn turn(&self) -> Result<Matrix3<f64>, String> {
        let space = self.field("space").map_err(|missing| {
            format!("{missing}: give the directions of its axes, such as \"space: left-posterior-superior\"")
        })?;
        // Columns: directions of the axes of the space.
        let (left, head, front) = (Vector3::x(), Vector3::y(), Vector3::z());
        match space.to_ascii_lowercase().as_str() {
            "right-anterior-superior" | "ras" => Ok(Matrix3::from_columns(&[-left, front, head])),
            "left-anterior-superior" | "las" => Ok(Matrix3::from_columns(&[left, front, head])),
            "left-posterior-superior" | "lps" => Ok(Matrix3::from_columns(&[left, -front, head])),
            _ => Err(format!(
                "space is {space:?}; it must be right-anterior-superior, left-anterior-superior or left-posterior-superior"
            )),
        }
    }

    /// Unit of the space [m].
    fn unit(&self) -> Result<f64, String> {
        let Some(units) = self.fields.get("space units") else {
            return Ok(1e-3);
        };
        let mut each = units
            .split_ascii_whitespace()
            .map(|unit| match unit.trim_matches('"') {
                "m" => Some(1.0),
                "cm" => Some(1e-2),
                "mm" | "" => Some(1e-3),
                "um" | "µm" | "micron" | "microns" => Some(1e-6),
                _ => None,
            });
        let first = each.next().flatten();
        first
            .filter(|first| each.all(|unit| unit == Some(*first)))
            .ok_or_else(|| {
                format!(
                    "space units are {units}; they must all be one of \"m\", \"cm\", \"mm\", \"um\""
                )
            })
    }

    pub(crate) fn frame(&self) -> Result<VoxelFrame, String> {
        let turn = self.turn()? * self.unit()?;
        let n_axes = self.sizes()?.len();
        let directions = vectors(self.field("space directions")?)
            .filter(|all| all.len() == n_axes)
            .map(|all| all.into_iter().flatten().collect::<Vec<_>>())
            .and_then(|all| <[Vector3<f64>; 3]>::try_from(all).ok())
            .ok_or("space directions must be three vectors, as (1,0,0) (0,1,0) (0,0,1)")?;
        let origin = match self.fields.get("space origin") {
            None => Vector3::zeros(),
            Some(origin) => vectors(origin)
                .and_then(|all| <[Option<Vector3<f64>>; 1]>::try_from(all).ok())
                .and_then(|[origin]| origin)
                .ok_or_else(|| {
                    format!("space origin is {origin:?}; it must be a vector such as (0,0,0)")
                })?,
        };
        Ok(VoxelFrame {
            origin: turn * origin,
            steps: turn * Matrix3::from_columns(&directions),
        })
    }
}

/// Vectors in brackets; `None` for an axis with the direction `none`, which is not an axis of space.
pub(crate) fn vectors(text: &str) -> Option<Vec<Option<Vector3<f64>>>> {
    let mut vectors = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("none") {
            vectors.push(None);
            rest = after.trim_start();
            continue;
        }
        let (inside, after) = rest.strip_prefix('(')?.split_once(')')?;
        let numbers = inside.split(',').map(|number| number.trim().parse().ok());
        let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
        vectors.push(Some(Vector3::from(<[f64; 3]>::try_from(numbers).ok()?)));
        rest = after.trim_start();
    }
    Some(vectors)
}
