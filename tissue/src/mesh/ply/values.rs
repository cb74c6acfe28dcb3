//! The numbers of a PLY file, one after the other.

use super::header::{Format, Kind};

#[derive(Debug)]
pub(super) struct Values<'a> {
    format: Format,
    rest: &'a [u8],
    /// Where `rest` starts in the file [bytes].
    byte: usize,
    /// Lines before the present row.
    line: usize,
    /// What is left of the present line of text.
    row: &'a str,
}

impl<'a> Values<'a> {
    pub(super) fn new(format: Format, rest: &'a [u8], byte: usize, line: usize) -> Self {
        Self {
            format,
            rest,
            byte,
            line,
            row: "",
        }
    }

    /// A problem with the place where it is.
    pub(super) fn at(&self, problem: &str) -> String {
        match self.format {
            Format::Text => format!("line {}: {problem}", self.line),
            Format::Little | Format::Big => format!("byte {}: {problem}", self.byte),
        }
    }

    /// Goes on to the next row; in a text file each has a line.
    pub(super) fn start_row(&mut self) -> Result<(), String> {
        if self.format != Format::Text {
            return Ok(());
        }
        if !self.row.trim_ascii().is_empty() {
            return Err(self.at("more numbers than the row has properties"));
        }
        while !self.rest.is_empty() {
            let mut parts = self.rest.splitn(2, |&byte| byte == b'\n');
            let line = parts.next().unwrap_or_default();
            self.rest = parts.next().unwrap_or_default();
            self.line += 1;
            self.row = std::str::from_utf8(line).map_err(|_| self.at("not text"))?;
            if !self.row.trim_ascii().is_empty() {
                return Ok(());
            }
        }
        Err(self.at("the file ends before its last row"))
    }

    pub(super) fn number(&mut self, kind: Kind) -> Result<f64, String> {
        if self.format == Format::Text {
            return self.word();
        }
        let n_bytes = kind.bytes();
        let Some((bytes, rest)) = self.rest.split_at_checked(n_bytes) else {
            return Err(self.at("the file ends before its last row"));
        };
        let mut little = [0; 8];
        little[..n_bytes].copy_from_slice(bytes);
        if self.format == Format::Big {
            little[..n_bytes].reverse();
        }
        self.rest = rest;
        self.byte += n_bytes;
        let [a, b, c, d, ..] = little;
        Ok(match kind {
            Kind::I8 => f64::from(i8::from_le_bytes([a])),
            Kind::U8 => f64::from(a),
            Kind::I16 => f64::from(i16::from_le_bytes([a, b])),
            Kind::U16 => f64::from(u16::from_le_bytes([a, b])),
            Kind::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Kind::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Kind::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Kind::F64 => f64::from_le_bytes(little),
        })
    }

    fn word(&mut self) -> Result<f64, String> {
        let row = self.row.trim_ascii_start();
        let end = row
            .find(|c: char| c.is_ascii_whitespace())
            .unwrap_or(row.len());
        let (word, rest) = row.split_at(end);
        self.row = rest;
        let number = word.parse();
        number.map_err(|_| self.at(&format!("{word:?} is not a number")))
    }

    /// A count or an index.
    pub(super) fn whole(&mut self, kind: Kind, most: usize) -> Result<usize, String> {
        let number = self.number(kind)?;
        if number >= 0.0 && number <= most as f64 && number.fract() == 0.0 {
            return Ok(number as usize);
        }
        Err(self.at(&format!("{number} is not a whole number from 0 to {most}")))
    }
}
