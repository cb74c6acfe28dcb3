//! Reading of saved states.

use crate::TissueError;

/// The bytes of a saved state that are not read yet.
pub(crate) struct StateReader<'a>(pub(crate) &'a [u8]);

impl StateReader<'_> {
    /// The next `N` bytes.
    pub(crate) fn take<const N: usize>(&mut self) -> Result<[u8; N], TissueError> {
        let Some((first, rest)) = self.0.split_first_chunk::<N>() else {
            return Err(TissueError::State("it ends too early".into()));
        };
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn number(&mut self) -> Result<u32, TissueError> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    pub(crate) fn count(&mut self) -> Result<usize, TissueError> {
        Ok(self.number()? as usize)
    }

    /// The next number, which must be finite.
    pub(crate) fn float(&mut self, name: &str) -> Result<f64, TissueError> {
        let value = f64::from_le_bytes(self.take()?);
        if value.is_finite() {
            return Ok(value);
        }
        Err(TissueError::State(format!("{name} is {value}")))
    }
}
