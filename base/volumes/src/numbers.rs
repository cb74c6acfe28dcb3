//! Reads the labels of a file: numbers of any type, which become indices into a list of the labels that occur.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};

use crate::part::VoxelBox;

/// Largest number of different labels of a volume.
pub(crate) const MAX_LABELS: usize = 255;
/// Tolerance within which numbers are rounded to whole numbers: scaled headers and resampling leave such remainders.
const ROUNDING: f64 = 0.01;
/// Longest number in a text [bytes].
const MAX_WORD: usize = 64;
/// Bytes read at once.
const BLOCK: usize = 1 << 13;
const VISIT_BLOCK: usize = 1 << 15;

/// Receiver of labels: the number of the first label of a block, and the block.
pub(crate) type Take<'a> = dyn FnMut(u64, &[i64]) -> Result<(), String> + 'a;

/// Receives the place of a block's first number, and the block's bytes.
type TakeBytes<'a> = dyn FnMut(u64, &[u8]) -> Result<(), String> + 'a;

/// Receiver of real numbers: the place of the first number of a block, and the block.
pub(crate) type TakeReals<'a> = dyn FnMut(u64, &[f64]) -> Result<(), String> + 'a;

/// Type of the numbers of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

/// Layout of the numbers in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) number: NumberType,
    pub(crate) is_big_endian: bool,
    /// Slope and intercept: a label is slope times number plus intercept.
    pub(crate) scale: Option<[f64; 2]>,
}

/// The labels of a volume.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    /// Labels in the order of their first occurrence.
    pub(crate) occurring: Vec<i64>,
    /// Index of each voxel's label in this list.
    pub(crate) voxels: Vec<u8>,
    /// Number with the largest rounding error, if any was rounded.
    pub(crate) rounded: Option<f64>,
    places: BTreeMap<i64, u8>,
}

impl NumberType {
    pub(crate) fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }
}

impl Layout {
    /// A number from its bytes in little-endian order, padded with zeros.
    fn label(&self, bytes: [u8; 8]) -> Result<Number, String> {
        let bits = u64::from_le_bytes(bytes);
        let whole = match self.number {
            NumberType::U8 | NumberType::U16 | NumberType::U32 | NumberType::I64 => bits as i64,
            NumberType::I8 => i64::from(bits as u8 as i8),
            NumberType::I16 => i64::from(bits as u16 as i16),
            NumberType::I32 => i64::from(bits as u32 as i32),
            NumberType::U64 => i64::try_from(bits)
                .map_err(|_| format!("holds {bits}, but labels are below 2^63"))?,
            NumberType::F32 => return self.scaled(f64::from(f32::from_bits(bits as u32))),
            NumberType::F64 => return self.scaled(f64::from_bits(bits)),
        };
        match self.scale {
            Some(_) => self.scaled(whole as f64),
            None => Ok(Number {
                label: whole,
                read: whole as f64,
            }),
        }
    }

    fn scaled(&self, number: f64) -> Result<Number, String> {
        let [slope, intercept] = self.scale.unwrap_or([1.0, 0.0]);
        let read = slope * number + intercept;
        if (read - read.round()).abs() <= ROUNDING && read.abs() < 9e15 {
            return Ok(Number {
                label: read.round() as i64,
                read,
            });
        }
        Err(format!(
            "holds {read}, but labels are whole numbers, or within {ROUNDING} of one"
        ))
    }

    /// Reads labels that are written as text, with spaces between them.
    pub(crate) fn read_text(
        &self,
        input: &mut dyn BufRead,
        part: &VoxelBox,
    ) -> Result<Labels, String> {
        let n: u64 = part.file.iter().map(|&n| n as u64).product();
        let mut labels = Labels::default();
        let mut word = Vec::new();
        let mut read = 0;
        for start in part.rows() {
            let end = start + part.count[0] as u64;
            while read < end {
                word.clear();
                read_word(input, &mut word)?;
                if word.is_empty() {
                    return Err(format!("ends after {read} of {n} voxels"));
                }
                if read >= start {
                    let place = labels.take(self.word(&String::from_utf8_lossy(&word))?)?;
                    labels.voxels.push(place);
                }
                read += 1;
            }
        }
        Ok(labels)
    }

    fn word(&self, text: &str) -> Result<Number, String> {
        match text.parse::<i64>() {
            Ok(label) if self.scale.is_none() => Ok(Number {
                label,
                read: label as f64,
            }),
            _ => {
                let number = text.parse::<f64>();
                self.scaled(number.map_err(|_| format!("holds {text:?}, which is not a number"))?)
            }
        }
    }

    /// Reads the labels of a part. Memory grows with the data that is read, not with the size that a header claims.
    pub(crate) fn read(&self, input: &mut dyn Read, part: &VoxelBox) -> Result<Labels, String> {
        let size = self.number.size();
        let mut labels = Labels::default();
        if part.is_whole() {
            self.read_row(input, part.file.iter().product(), &mut labels)?;
            return Ok(labels);
        }
        let mut read = 0;
        for start in part.rows() {
            let wanted = (start - read) * size as u64;
            let skipped = std::io::copy(&mut (&mut *input).take(wanted), &mut std::io::sink());
            let skipped = skipped.map_err(|error| format!("is damaged: {error}"))?;
            if skipped < wanted {
                return Err(format!("ends or is damaged before voxel {start}"));
            }
            self.read_row(input, part.count[0], &mut labels)?;
            read = start + part.count[0] as u64;
        }
        Ok(labels)
    }

    /// Reads `n` labels block by block, and hands each block over with the number of its first label. Blocks of zeros are left out.
    pub(crate) fn visit(
        &self,
        input: &mut dyn Read,
        n: u64,
        take: &mut Take,
    ) -> Result<(), String> {
        let size = self.number.size();
        let mut labels = Vec::new();
        self.visit_blocks(input, n, &mut |start, block| {
            // Most of a mask is 0.
            let is_empty =
                self.scale.is_none() && block.iter().fold(0, |all, byte| all | byte) == 0;
            if !is_empty {
                labels.clear();
                for number in block.chunks_exact(size) {
                    let mut bytes = [0; 8];
                    bytes[..size].copy_from_slice(number);
                    if self.is_big_endian {
                        bytes[..size].reverse();
                    }
                    labels.push(self.label(bytes)?.label);
                }
                take(start, &labels)?;
            }
            Ok(())
        })
    }

    /// Reads `n` numbers block by block, after scaling, and hands each block over with the place of its first number.
    pub(crate) fn visit_reals(
        &self,
        input: &mut dyn Read,
        n: u64,
        take: &mut TakeReals,
    ) -> Result<(), String> {
        let size = self.number.size();
        let mut numbers = Vec::new();
        self.visit_blocks(input, n, &mut |start, block| {
            numbers.clear();
            numbers.extend(block.chunks_exact(size).map(|number| {
                let mut bytes = [0; 8];
                bytes[..size].copy_from_slice(number);
                if self.is_big_endian {
                    bytes[..size].reverse();
                }
                self.real(bytes)
            }));
            take(start, &numbers)
        })
    }

    /// Reads the bytes of `n` numbers block by block, and hands each block over with the place of its first number.
    fn visit_blocks(
        &self,
        input: &mut dyn Read,
        n: u64,
        take: &mut TakeBytes,
    ) -> Result<(), String> {
        let size = self.number.size();
        let mut block = vec![0; VISIT_BLOCK];
        let mut start = 0;
        while start < n {
            let wanted = (n - start).min((VISIT_BLOCK / size) as u64) as usize;
            let block = &mut block[..wanted * size];
            input.read_exact(block).map_err(|error| {
                format!("ends or is damaged within voxels {start} to {n}: {error}")
            })?;
            take(start, block)?;
            start += wanted as u64;
        }
        Ok(())
    }

    /// A number from its bytes in little-endian order, padded with zeros, after scaling.
    fn real(&self, bytes: [u8; 8]) -> f64 {
        let bits = u64::from_le_bytes(bytes);
        let number = match self.number {
            NumberType::U8 | NumberType::U16 | NumberType::U32 | NumberType::U64 => bits as f64,
            NumberType::I8 => f64::from(bits as u8 as i8),
            NumberType::I16 => f64::from(bits as u16 as i16),
            NumberType::I32 => f64::from(bits as u32 as i32),
            NumberType::I64 => bits as i64 as f64,
            NumberType::F32 => f64::from(f32::from_bits(bits as u32)),
            NumberType::F64 => f64::from_bits(bits),
        };
        self.scale
            .map_or(number, |[slope, intercept]| slope * number + intercept)
    }

    /// Reads `n` more labels.
    fn read_row(&self, input: &mut dyn Read, n: usize, labels: &mut Labels) -> Result<(), String> {
        let size = self.number.size();
        let n = labels.voxels.len() + n;
        let mut block = [0; BLOCK];
        let mut last = None;
        while labels.voxels.len() < n {
            let wanted = (n - labels.voxels.len()).min(BLOCK / size) * size;
            let block = &mut block[..wanted];
            input.read_exact(block).map_err(|error| {
                format!(
                    "ends or is damaged within voxels {} to {n}: {error}",
                    labels.voxels.len()
                )
            })?;
            for number in block.chunks_exact(size) {
                let mut bytes = [0; 8];
                bytes[..size].copy_from_slice(number);
                if self.is_big_endian {
                    bytes[..size].reverse();
                }
                let place = match last {
                    Some((before, place)) if before == bytes => place,
                    _ => labels.take(self.label(bytes)?)?,
                };
                last = Some((bytes, place));
                labels.voxels.push(place);
            }
        }
        Ok(())
    }
}

/// A number from a file.
#[derive(Clone, Copy)]
struct Number {
    /// The whole number that it represents.
    label: i64,
    /// The number in the file, after scaling.
    read: f64,
}

/// The next word of a text; empty at its end.
fn read_word(input: &mut dyn BufRead, word: &mut Vec<u8>) -> Result<(), String> {
    loop {
        let bytes = input.fill_buf().map_err(|error| error.to_string())?;
        if bytes.is_empty() {
            return Ok(());
        }
        let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        let n_spaces = bytes.iter().take_while(|byte| is_space(byte)).count();
        if n_spaces > 0 {
            input.consume(n_spaces);
            if !word.is_empty() {
                return Ok(());
            }
            continue;
        }
        let n_letters = bytes.iter().take_while(|byte| !is_space(byte)).count();
        word.extend_from_slice(&bytes[..n_letters.min(MAX_WORD)]);
        if word.len() >= MAX_WORD {
            return Err(format!(
                "holds a word of {MAX_WORD} letters or more, which is not a number"
            ));
        }
        input.consume(n_letters);
    }
}

impl Labels {
    /// Index of a number's label; records the rounding.
    fn take(&mut self, number: Number) -> Result<u8, String> {
        let off = |read: f64| (read - read.round()).abs();
        let is_farthest = off(number.read) > self.rounded.map_or(0.0, off);
        if is_farthest {
            self.rounded = Some(number.read);
        }
        self.place(number.label)
    }

    fn place(&mut self, label: i64) -> Result<u8, String> {
        if let Some(place) = self.places.get(&label) {
            return Ok(*place);
        }
        if self.occurring.len() == MAX_LABELS {
            return Err(format!(
                "has more than {MAX_LABELS} different numbers: it may be a picture instead of a label volume"
            ));
        }
        let place = self.occurring.len() as u8;
        self.occurring.push(label);
        self.places.insert(label, place);
        Ok(place)
    }
}
