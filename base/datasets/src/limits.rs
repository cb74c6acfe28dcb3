//! Size limits of data sets.

use std::path::Path;

use crate::DatasetError;

/// Maximum number of demonstrations.
pub(crate) const MAX_DEMONSTRATIONS: usize = 1 << 17;

/// Maximum number of values of observations, actions, rewards or states that are read [1].
const MAX_NUMBERS: u64 = 1 << 28;

/// Maximum size of images that are read [bytes].
const MAX_FRAME_BYTES: u64 = 8 << 30;

/// Maximum size of text, such as `info.json` [bytes].
pub(crate) const MAX_TEXT: u64 = 16 << 20;

/// Remaining budget when a data set is read.
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
    /// Reserves a number of values before memory is allocated for them.
    pub(crate) fn numbers(&mut self, file: &Path, n: u64) -> Result<(), DatasetError> {
        self.take(n)
            .map_err(|problem| DatasetError::invalid(file, problem))
    }

    /// As [`Self::numbers`], with the problem of the file.
    pub(crate) fn take(&mut self, n: u64) -> Result<(), String> {
        let left = self.numbers.checked_sub(n);
        self.numbers =
            left.ok_or_else(|| format!("has more than {MAX_NUMBERS} numbers: split it"))?;
        Ok(())
    }

    /// Reserves bytes for images.
    pub(crate) fn frame_bytes(&mut self, file: &Path, n: u64) -> Result<(), DatasetError> {
        self.frame_bytes = self.frame_bytes.checked_sub(n).ok_or_else(|| {
            let problem = format!("has more than {MAX_FRAME_BYTES} bytes of pictures: split it");
            DatasetError::invalid(file, problem)
        })?;
        Ok(())
    }
}
