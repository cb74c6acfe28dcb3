//! How large a data set may be.

use std::path::Path;

use crate::DatasetError;

/// Most demonstrations.
pub(crate) const MAX_DEMONSTRATIONS: usize = 1 << 17;

/// Most numbers of observations, actions, rewards or states that are read [1].
const MAX_NUMBERS: u64 = 1 << 28;

/// Most bytes of pictures that are read.
const MAX_FRAME_BYTES: u64 = 8 << 30;

/// Most bytes of text, such as `info.json`.
pub(crate) const MAX_TEXT: u64 = 16 << 20;

/// What may still be read of a data set.
#[derive(Debug)]
pub(crate) struct Budget {
    numbers: u64,
    frame_bytes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            numbers: MAX_NUMBERS,
            frame_bytes: MAX_FRAME_BYTES,
        }
    }
}

impl Budget {
    /// Takes so many numbers, before memory is taken for them.
    pub(crate) fn numbers(&mut self, file: &Path, n: u64) -> Result<(), DatasetError> {
        self.numbers = self.numbers.checked_sub(n).ok_or_else(|| {
            DatasetError::invalid(
                file,
                format!("has more than {MAX_NUMBERS} numbers: split it"),
            )
        })?;
        Ok(())
    }

    /// Takes so many bytes of pictures.
    pub(crate) fn frame_bytes(&mut self, file: &Path, n: u64) -> Result<(), DatasetError> {
        self.frame_bytes = self.frame_bytes.checked_sub(n).ok_or_else(|| {
            let problem = format!("has more than {MAX_FRAME_BYTES} bytes of pictures: split it");
            DatasetError::invalid(file, problem)
        })?;
        Ok(())
    }
}
