//! Common Data Representation (OMG DDS-RTPS 2.5, §10), plain, version 1, as used by ROS 2 for recorded messages.

/// Sequential reader of a message; every length is checked against the remaining bytes.
pub(super) struct Cdr<'a> {
    /// The bytes after the four-byte encoding header; alignment is relative to their start.
    body: &'a [u8],
    at: usize,
    is_big_endian: bool,
}

impl<'a> Cdr<'a> {
    pub(super) fn new(message: &'a [u8]) -> Result<Self, String> {
        match message {
            [0, endian @ (0 | 1), _, _, body @ ..] => Ok(Self {
                body,
                at: 0,
                is_big_endian: *endian == 0,
            }),
            [_, _, _, _, ..] => Err("a message is no plain CDR".to_owned()),
            _ => Err(too_short()),
        }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let start = self.at.next_multiple_of(N);
        let bytes = self.body.get(start..start + N).ok_or_else(too_short)?;
        self.at = start + N;
        let mut number = [0; N];
        number.copy_from_slice(bytes);
        if self.is_big_endian {
            number.reverse();
        }
        Ok(number)
    }

    pub(super) fn u32(&mut self) -> Result<u32, String> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, String> {
        self.take().map(i32::from_le_bytes)
    }

    pub(super) fn f64(&mut self) -> Result<f64, String> {
        self.take().map(f64::from_le_bytes)
    }

    pub(super) fn f32(&mut self) -> Result<f32, String> {
        self.take().map(f32::from_le_bytes)
    }

    /// A string, without the terminating zero.
    pub(super) fn text(&mut self) -> Result<String, String> {
        let length = self.u32()? as usize;
        let end = self.at.saturating_add(length);
        let bytes = self.body.get(self.at..end).ok_or_else(too_short)?;
        self.at = end;
        let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    pub(super) fn skip_text(&mut self) -> Result<(), String> {
        self.text().map(|_| ())
    }

    /// A sequence of strings; each takes at least its length of four bytes.
    pub(super) fn texts(&mut self) -> Result<Vec<String>, String> {
        let n = self.u32()? as usize;
        if n > self.body.len() / 4 {
            return Err(too_short());
        }
        (0..n).map(|_| self.text()).collect()
    }

    /// A sequence of 32-bit floats.
    pub(super) fn f32s(&mut self) -> Result<Vec<f64>, String> {
        let n = self.u32()? as usize;
        if n > self.body.len() / 4 {
            return Err(too_short());
        }
        (0..n).map(|_| self.f32().map(f64::from)).collect()
    }

    /// A sequence of 64-bit floats.
    pub(super) fn f64s(&mut self) -> Result<Vec<f64>, String> {
        let n = self.u32()? as usize;
        if n > self.body.len() / 8 {
            return Err(too_short());
        }
        (0..n).map(|_| self.f64()).collect()
    }
}

fn too_short() -> String {
    "a message is shorter than its type".to_owned()
}
