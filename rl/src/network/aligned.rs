//! Memory aligned to cache lines, so that no vector load crosses a line boundary.

use std::ops::{Deref, DerefMut};

/// Number of `f32` values in a cache line of 64 bytes. Widths are padded to multiples of it.
pub const LINE: usize = 16;

/// The width rounded up to a multiple of [`LINE`].
pub const fn padded(width: usize) -> usize {
    width.next_multiple_of(LINE)
}

/// A fixed number of `f32` values, initially zero. The first one is at the start of a cache line.
#[derive(Debug, Default)]
pub struct AlignedBuffer {
    data: Vec<f32>,
    start: usize,
    len: usize,
}

impl AlignedBuffer {
    /// Creates a buffer of `len` zeros.
    pub fn zeros(len: usize) -> Self {
        let data = vec![0.0; len + LINE - 1];
        // `align_offset` may fail in theory; unaligned memory is only slower.
        let start = match data.as_ptr().align_offset(LINE * size_of::<f32>()) {
            start if start < LINE => start,
            _ => 0,
        };
        Self { data, start, len }
    }
}

impl Clone for AlignedBuffer {
    fn clone(&self) -> Self {
        let mut clone = Self::zeros(self.len);
        clone.copy_from_slice(self);
        clone
    }
}

impl Deref for AlignedBuffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.data[self.start..self.start + self.len]
    }
}

impl DerefMut for AlignedBuffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.data[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_begin_at_a_cache_line_also_after_cloning() {
        for len in [0, 1, 16, 1000] {
            let mut buffer = AlignedBuffer::zeros(len);
            assert_eq!(buffer.len(), len);
            buffer.fill(2.0);
            let clone = buffer.clone();
            assert_eq!(&*clone, &*buffer);
            for buffer in [&buffer, &clone] {
                assert_eq!(buffer.as_ptr() as usize % 64, 0);
            }
        }
    }
}
