//! Converts byte offsets to line numbers.

/// Counts lines at increasing offsets.
pub(super) struct Lines<'s> {
    bytes: &'s [u8],
    offset: usize,
    line: usize,
}

impl<'s> Lines<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        Self {
            bytes: text.as_bytes(),
            offset: 0,
            line: 1,
        }
    }

    pub(super) fn at(&mut self, offset: u64) -> usize {
        let offset = usize::try_from(offset)
            .unwrap_or(self.bytes.len())
            .clamp(self.offset, self.bytes.len());
        let passed = &self.bytes[self.offset..offset];
        self.line += passed.split(|&byte| byte == b'\n').count() - 1; // splitting an empty slice gives one piece
        self.offset = offset;
        self.line
    }
}
