//! Thrift's compact protocol, limited to what is needed to check integers.
//!
//! Source: Apache Thrift, "Thrift Compact protocol encoding".
//! Maps and lists of booleans, which Parquet does not use, are refused.

/// Maximum nesting depth, more than Parquet's structures need.
const MAX_DEPTH: usize = 16;

/// Result with a description of the problem, to be appended to text such as "has a page that".
pub(super) type Result<T> = std::result::Result<T, String>;

/// Traverses the structure at the start of `bytes` and returns its length. `visit` receives each integer, and each
/// boolean as 0 or 1, with the path of field numbers.
pub(super) fn walk(
    bytes: &[u8],
    visit: &mut dyn FnMut(&[i16], i64) -> Result<()>,
) -> Result<usize> {
    let mut walk = Walk {
        rest: bytes,
        path: Vec::new(),
        depth: 0,
        visit,
    };
    walk.structure()?;
    Ok(bytes.len() - walk.rest.len())
}

struct Walk<'a> {
    rest: &'a [u8],
    path: Vec<i16>,
    depth: usize,
    visit: &'a mut dyn FnMut(&[i16], i64) -> Result<()>,
}

impl Walk<'_> {
    fn structure(&mut self) -> Result<()> {
        let mut field = 0i16;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            field = match head >> 4 {
                0 => i16::try_from(self.integer()?).ok(),
                step => field.checked_add(i16::from(step)),
            }
            .ok_or("has a field of an impossible number")?;
            self.path.push(field);
            match head & 0x0f {
                truth @ (1 | 2) => (self.visit)(&self.path, i64::from(truth == 1))?,
                kind => self.value(kind)?,
            }
            self.path.pop();
        }
    }

    fn value(&mut self, kind: u8) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err("is nested too deeply".to_owned());
        }
        self.depth += 1;
        match kind {
            // A byte, and a floating-point number.
            3 => self.skip(1)?,
            7 => self.skip(8)?,
            4..=6 => {
                let integer = self.integer()?;
                (self.visit)(&self.path, integer)?;
            }
            // Bytes.
            8 => {
                let n = self.varint()?;
                self.skip(n)?;
            }
            // A list, and a set.
            9 | 10 => {
                let head = self.byte()?;
                let n = match head >> 4 {
                    15 => self.varint()?,
                    n => u64::from(n),
                };
                if n > self.rest.len() as u64 {
                    return Err("has a list longer than itself".to_owned());
                }
                for _ in 0..n {
                    self.value(head & 0x0f)?;
                }
            }
            12 => self.structure()?,
            _ => return Err(format!("has a value of the unknown type {kind}")),
        }
        self.depth -= 1;
        Ok(())
    }

    fn byte(&mut self) -> Result<u8> {
        let (&first, rest) = self.rest.split_first().ok_or("ends too early")?;
        self.rest = rest;
        Ok(first)
    }

    fn skip(&mut self, n: u64) -> Result<()> {
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

    /// A zigzag number.
    fn integer(&mut self) -> Result<i64> {
        let raw = self.varint()?;
        Ok((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }
}
