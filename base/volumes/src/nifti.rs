//! NIfTI-1 and -2 in one file (`.nii`, `.nii.gz`).
//!
//! Format: nifti1.h and nifti2.h of the NIfTI Data Format Working Group (Cox et al. 2004; 2011): a header of 348 or 540 bytes in either
//! byte order, labels from `vox_offset` on, and positions in millimetres to the patient's right, front and head, which are converted to
//! the patient's frame here.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};

use flate2::bufread::MultiGzDecoder;
use nalgebra::{Matrix3, Matrix3x4, Vector3, Vector4};

use crate::frame::VoxelFrame;
use crate::image::LabelImage;
use crate::label_file::Source;
use crate::nifti_names;
use crate::numbers::{Layout, NumberType};
use crate::part::VoxelBox;
use crate::visitor::{VoxelVisitor, hand_over};

/// Upper limit of the extensions between header and labels [bytes].
const MOST_SKIPPED: u64 = 1 << 24;

/// Bytes of a header; offsets of fields depend on the version.
struct Header {
    bytes: Vec<u8>,
    is_big_endian: bool,
    is_second: bool,
}

/// Reads a file; its first bytes tell whether it is compressed.
pub(crate) fn read(source: &mut Source) -> Result<LabelImage, String> {
    let (near, most) = (source.near, source.most);
    unpacked(source.input, |input| {
        let header = Header::read(input)?;
        let part = VoxelBox::new("dim", header.count()?, header.frame()?, near, most)?;
        read_plain(&header, &part, input)
    })
}

/// Hands the numbers of a file to a visitor.
pub(crate) fn visit(
    input: &mut dyn BufRead,
    most: usize,
    visitor: &mut dyn VoxelVisitor,
) -> Result<(), String> {
    unpacked(input, |input| {
        let header = Header::read(input)?;
        let n = hand_over("dim", header.count()?, header.frame()?, most, visitor)?;
        header.names(input)?;
        visitor.numbers(&header.layout()?, input, n)
    })
}

/// Calls a function with the content of a file, which may be compressed.
fn unpacked<T>(
    input: &mut dyn BufRead,
    read: impl FnOnce(&mut dyn Read) -> Result<T, String>,
) -> Result<T, String> {
    let start = input.fill_buf().map_err(|error| error.to_string())?;
    if start.starts_with(&[0x1f, 0x8b]) {
        return read(&mut MultiGzDecoder::new(input));
    }
    read(&mut &mut *input)
}

fn read_plain(
    header: &Header,
    part: &VoxelBox,
    input: &mut dyn Read,
) -> Result<LabelImage, String> {
    let count = header.count()?;
    let layout = header.layout()?;
    let names = header.names(input)?;
    let mut image = LabelImage::of(part, layout.read(input, part)?);
    image.names = names;
    image.notes.extend(header.disagreement(count));
    Ok(image)
}

impl Header {
    fn read(input: &mut dyn Read) -> Result<Self, String> {
        let mut take = |bytes: &mut [u8]| {
            let read = input.read_exact(bytes);
            read.map_err(|error| format!("the header cannot be read: {error}"))
        };
        let mut size = [0; 4];
        take(&mut size)?;
        let little = u32::from_le_bytes(size);
        let (size, is_big_endian) = match (little, little.swap_bytes()) {
            (size @ (348 | 540), _) => (size as usize, false),
            (_, size @ (348 | 540)) => (size as usize, true),
            _ => {
                return Err(format!(
                    "sizeof_hdr is {little}, but NIfTI-1 has 348 and NIfTI-2 has 540"
                ));
            }
        };
        let mut bytes = little.to_le_bytes().to_vec();
        bytes.resize(size, 0);
        take(&mut bytes[4..])?;
        let header = Self {
            bytes,
            is_big_endian,
            is_second: size == 540,
        };
        header.check_magic()?;
        Ok(header)
    }

    fn check_magic(&self) -> Result<(), String> {
        let (at, single, pair): (usize, &[u8], &[u8]) = if self.is_second {
            (4, b"n+2\0", b"ni2\0")
        } else {
            (344, b"n+1\0", b"ni1\0")
        };
        let magic = &self.bytes[at..at + 4];
        if magic == pair {
            return Err("the voxels are in another file (.img): save both as one .nii".to_owned());
        }
        if magic != single {
            return Err(format!(
                "magic is {:?}; it must be {:?}",
                String::from_utf8_lossy(magic),
                String::from_utf8_lossy(&single[..3])
            ));
        }
        Ok(())
    }

    /// Bytes of a field in little-endian order.
    fn field<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[at..at + N]);
        if self.is_big_endian {
            bytes.reverse();
        }
        bytes
    }

    fn i16(&self, at: usize) -> i16 {
        i16::from_le_bytes(self.field(at))
    }

    /// A whole number at its offset in NIfTI-1 (16 bits) or -2 (32 bits).
    fn code(&self, first: usize, second: usize) -> i32 {
        if self.is_second {
            i32::from_le_bytes(self.field(second))
        } else {
            i32::from(self.i16(first))
        }
    }

    /// A real number of an array at its offset in NIfTI-1 (32 bits) or -2 (64 bits).
    fn real(&self, first: usize, second: usize, index: usize) -> f64 {
        if self.is_second {
            f64::from_le_bytes(self.field(second + 8 * index))
        } else {
            f64::from(f32::from_le_bytes(self.field(first + 4 * index)))
        }
    }

    fn dim(&self, index: usize) -> i64 {
        if self.is_second {
            i64::from_le_bytes(self.field(16 + 8 * index))
        } else {
            i64::from(self.i16(40 + 2 * index))
        }
    }

    fn count(&self) -> Result<[usize; 3], String> {
        let n_axes = self.dim(0);
        let sizes: Vec<i64> = (1..=n_axes.clamp(0, 7) as usize)
            .map(|axis| self.dim(axis))
            .collect();
        let is_volume = (3..=7).contains(&n_axes) && sizes[3..].iter().all(|&size| size <= 1);
        if !is_volume || sizes[..3].iter().any(|&size| size < 1) {
            return Err(format!(
                "dim is {sizes:?}, but a volume has three axes, each of at least 1"
            ));
        }
        Ok([0, 1, 2].map(|axis| usize::try_from(sizes[axis]).unwrap_or(usize::MAX)))
    }

    fn layout(&self) -> Result<Layout, String> {
        let datatype = self.i16(if self.is_second { 12 } else { 70 });
        let number = match datatype {
            2 => NumberType::U8,
            4 => NumberType::I16,
            8 => NumberType::I32,
            16 => NumberType::F32,
            64 => NumberType::F64,
            256 => NumberType::I8,
            512 => NumberType::U16,
            768 => NumberType::U32,
            1024 => NumberType::I64,
            1280 => NumberType::U64,
            _ => {
                return Err(format!(
                    "datatype is {datatype}, but voxels are whole numbers (2, 4, 8, 256, 512, 768, 1024, 1280) or reals (16, 64)"
                ));
            }
        };
        let (slope, intercept) = (self.real(112, 176, 0), self.real(116, 184, 0));
        let is_scaled = slope != 0.0 && !slope.is_nan() && [slope, intercept] != [1.0, 0.0];
        Ok(Layout {
            number,
            is_big_endian: self.is_big_endian,
            scale: is_scaled.then_some([slope, intercept]),
        })
    }

    /// Positions of voxels, in the header's unit, to the right, front and head: the sform if present, else the qform, as in nibabel and ITK.
    fn affine(&self) -> Result<Matrix3x4<f64>, String> {
        self.sform().or_else(|| self.qform()).ok_or_else(|| {
            "sform_code and qform_code are 0: the file does not say where right, front and head are"
                .to_owned()
        })
    }

    /// A note if the file has two frames in which a corner differs by more than a tenth of a millimetre.
    fn disagreement(&self, count: [usize; 3]) -> Option<String> {
        let (sform, qform) = (self.sform()?, self.qform()?);
        let far = count.map(|n| n as f64 - 1.0);
        let apart = (0..8).map(|corner| {
            let at = |axis: usize| {
                if corner >> axis & 1 == 1 {
                    far[axis]
                } else {
                    0.0
                }
            };
            ((sform - qform) * Vector4::new(at(0), at(1), at(2), 1.0)).norm()
        });
        let apart = 1e3 * self.metres().ok()? * apart.fold(0.0, f64::max);
        (apart > 0.1).then(|| {
            format!("sform and qform put a corner of the volume at places {apart:.1} mm apart; the sform was taken")
        })
    }

    /// Checks that the quaternion of a qform has a real part.
    fn check_quaternion(&self) -> Result<(), String> {
        let [b, c, d] = [0, 1, 2].map(|index| self.real(256, 352, index));
        let square = b * b + c * c + d * d;
        // Rounding to single precision leaves less.
        if self.sform().is_some() || self.code(252, 344) <= 0 || square <= 1.0 + 1e-4 {
            return Ok(());
        }
        Err(format!(
            "quatern_b, c, d are {b}, {c}, {d}; the sum of their squares must be at most 1"
        ))
    }

    fn sform(&self) -> Option<Matrix3x4<f64>> {
        let row = |row: usize, column: usize| self.real(280 + 16 * row, 400 + 32 * row, column);
        (self.code(254, 348) > 0).then(|| Matrix3x4::from_fn(row))
    }

    fn qform(&self) -> Option<Matrix3x4<f64>> {
        if self.code(252, 344) <= 0 {
            return None;
        }
        let [b, c, d] = [0, 1, 2].map(|index| self.real(256, 352, index));
        let a = (1.0 - b * b - c * c - d * d).max(0.0).sqrt();
        #[rustfmt::skip]
        let turn = Matrix3::new(
            a * a + b * b - c * c - d * d, 2.0 * (b * c - a * d), 2.0 * (b * d + a * c),
            2.0 * (b * c + a * d), a * a + c * c - b * b - d * d, 2.0 * (c * d - a * b),
            2.0 * (b * d - a * c), 2.0 * (c * d + a * b), a * a + d * d - b * b - c * c,
        );
        let mut edges = [1, 2, 3].map(|axis| self.real(76, 104, axis));
        if self.real(76, 104, 0) < 0.0 {
            edges[2] = -edges[2];
        }
        let offset = [0, 1, 2].map(|index| self.real(268, 376, index));
        let steps = turn * Matrix3::from_diagonal(&Vector3::from(edges));
        let mut affine = Matrix3x4::zeros();
        affine.fixed_view_mut::<3, 3>(0, 0).copy_from(&steps);
        affine.set_column(3, &Vector3::from(offset));
        Some(affine)
    }

    /// Metres of the header's unit.
    fn metres(&self) -> Result<f64, String> {
        let units = if self.is_second {
            i32::from_le_bytes(self.field(500))
        } else {
            i32::from(self.bytes[123])
        };
        match units & 7 {
            1 => Ok(1.0),
            0 | 2 => Ok(1e-3),
            3 => Ok(1e-6),
            other => Err(format!(
                "xyzt_units says {other}, but lengths are in m (1), mm (2) or µm (3)"
            )),
        }
    }

    fn frame(&self) -> Result<VoxelFrame, String> {
        let metres = self.metres()?;
        self.check_quaternion()?;
        // Converts to left, head and front.
        let turn = Matrix3::new(-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0);
        let affine = turn * self.affine()? * metres;
        Ok(VoxelFrame {
            origin: affine.column(3).into_owned(),
            steps: affine.fixed_view::<3, 3>(0, 0).into_owned(),
        })
    }

    /// Names of labels in the bytes before the first label.
    fn names(&self, input: &mut dyn Read) -> Result<BTreeMap<i64, String>, String> {
        let offset = if self.is_second {
            i64::from_le_bytes(self.field(168)) as f64
        } else {
            self.real(108, 0, 0)
        };
        let start = self.bytes.len() as f64;
        if !(start..=MOST_SKIPPED as f64).contains(&offset) || offset.fract() != 0.0 {
            return Err(format!(
                "vox_offset is {offset}, but voxels begin {start} to {MOST_SKIPPED} bytes after the start"
            ));
        }
        let n = offset as u64 - self.bytes.len() as u64;
        let mut bytes = Vec::new();
        let read = input.take(n).read_to_end(&mut bytes);
        read.map_err(|error| error.to_string())?;
        if (bytes.len() as u64) < n {
            return Err("ends before its voxels".to_owned());
        }
        nifti_names::read(&bytes, self.is_big_endian)
    }
}
