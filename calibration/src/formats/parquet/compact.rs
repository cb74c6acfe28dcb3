//! Thrift's compact protocol, as far as checking a file before a library reads it needs.
//!
//! Source: Apache Thrift, "Thrift Compact protocol encoding".

/// Deepest nesting that Parquet's structures have, and more.
const MAX_DEPTH: usize = 16;

/// Type codes.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I8: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
pub(super) const STRUCT: u8 = 12;

/// Bytes from which values are taken in order; every length is checked against what is left.
pub(super) struct Compact<'a> {
    rest: &'a [u8],
    depth: usize,
}

/// Why bytes are no Thrift.
pub(super) type Result<T> = std::result::Result<T, String>;

impl<'a> Compact<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            depth: 0,
        }
    }

    /// Bytes not yet taken.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    fn byte(&mut self) -> Result<u8> {
        let (&first, rest) = self.rest.split_first().ok_or("ends too early")?;
        self.rest = rest;
        Ok(first)
    }

    fn skip_bytes(&mut self, n: u64) -> Result<()> {
        let n = usize::try_from(n).ok().filter(|n| *n <= self.rest.len());
        self.rest = &self.rest[n.ok_or("has a length beyond its end")?..];
        Ok(())
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("has a number without an end".to_owned())
    }

    /// A number of type i16, i32 or i64.
    pub(super) fn integer(&mut self, kind: u8) -> Result<i64> {
        if !matches!(kind, I16 | I32 | I64) {
            return Err("has a number of another type".to_owned());
        }
        let raw = self.varint()?;
        Ok((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    /// Hands each field of a structure, as (number, type), to `field`, which takes its value or skips it.
    pub(super) fn structure(
        &mut self,
        mut field: impl FnMut(&mut Self, i64, u8) -> Result<()>,
    ) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err("is nested too deeply".to_owned());
        }
        self.depth += 1;
        let mut number = 0i16;
        loop {
            let head = self.byte()?;
            if head == 0 {
                break;
            }
            number = match head >> 4 {
                0 => i16::try_from(self.integer(I16)?).ok(),
                step => number.checked_add(i16::from(step)),
            }
            .ok_or("has a field of an impossible number")?;
            field(self, i64::from(number), head & 0x0f)?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// The type and length of a list; its elements follow.
    pub(super) fn list(&mut self) -> Result<(u8, usize)> {
        let head = self.byte()?;
        let n = match head >> 4 {
            15 => self.varint()?,
            n => u64::from(n),
        };
        // Every element has at least one byte.
        let n = usize::try_from(n).ok().filter(|n| *n <= self.rest.len());
        Ok((head & 0x0f, n.ok_or("has a list longer than itself")?))
    }

    /// Takes the value of a field.
    pub(super) fn skip(&mut self, kind: u8) -> Result<()> {
        match kind {
            TRUE | FALSE => Ok(()),
            I8 => self.skip_bytes(1),
            I16 | I32 | I64 => self.varint().map(|_| ()),
            DOUBLE => self.skip_bytes(8),
            BINARY => {
                let n = self.varint()?;
                self.skip_bytes(n)
            }
            LIST | SET => {
                let (kind, n) = self.list()?;
                self.elements(kind, n)
            }
            MAP => {
                let n = self.varint()?;
                if n > self.rest.len() as u64 {
                    return Err("has a map longer than itself".to_owned());
                }
                let kinds = if n == 0 { 0 } else { self.byte()? };
                for _ in 0..n {
                    self.elements(kinds >> 4, 1)?;
                    self.elements(kinds & 0x0f, 1)?;
                }
                Ok(())
            }
            STRUCT => self.structure(|inside, _, kind| inside.skip(kind)),
            _ => Err(format!("has a value of the unknown type {kind}")),
        }
    }

    /// Takes elements of a list; unlike fields, truth values have a byte of their own.
    fn elements(&mut self, kind: u8, n: usize) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err("is nested too deeply".to_owned());
        }
        self.depth += 1;
        for _ in 0..n {
            match kind {
                TRUE | FALSE => self.skip_bytes(1)?,
                kind => self.skip(kind)?,
            }
        }
        self.depth -= 1;
        Ok(())
    }
}
