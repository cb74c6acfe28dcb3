//! Saved states of condensed bodies.
//!
//! Little-endian: a magic number, the number of vertices of the skin, time, whether the body has diverged; forces and rates of the
//! vertices; then guesses and anchors, each with their number.

use nalgebra::Vector3;

use super::world::State;
use crate::{Divergence, TissueError};

/// Magic number and version.
const MARK: &[u8; 8] = b"COND\x01\0\0\0";

impl State {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        bytes.extend((self.forces.len() as u32).to_le_bytes());
        bytes.extend(self.time.to_le_bytes());
        bytes.push(u8::from(self.diverged.is_some()));
        let rows = [&self.forces, &self.rates];
        for vector in rows.into_iter().flatten() {
            put(&mut bytes, vector);
        }
        bytes.extend((self.guesses.len() as u32).to_le_bytes());
        for (vertex, force) in &self.guesses {
            bytes.extend(vertex.to_le_bytes());
            put(&mut bytes, force);
        }
        bytes.extend((self.anchors.len() as u32).to_le_bytes());
        for (tool, sample, anchor) in &self.anchors {
            bytes.extend(tool.to_le_bytes());
            bytes.extend(sample.to_le_bytes());
            put(&mut bytes, anchor);
        }
        bytes
    }

    /// A state with `n_skin` vertices.
    ///
    /// # Errors
    /// [`TissueError::State`] if the bytes are not such a state.
    pub(super) fn from_bytes(bytes: &[u8], n_skin: usize) -> Result<Self, TissueError> {
        let mut reader = Reader(bytes);
        if reader.take::<8>()? != *MARK {
            return Err(TissueError::State("it is not of a condensed body".into()));
        }
        let n = reader.count()?;
        if n != n_skin {
            let problem = format!("it has {n} vertices of the skin, the body has {n_skin}");
            return Err(TissueError::State(problem));
        }
        let time = reader.float()?;
        let [diverged] = reader.take()?;
        let mut vectors = || {
            (0..n)
                .map(|_| reader.vector())
                .collect::<Result<Vec<_>, _>>()
        };
        let (forces, rates) = (vectors()?, vectors()?);
        let mut state = Self {
            forces,
            rates,
            time,
            diverged: (diverged != 0).then_some(Divergence::NotFinite),
            ..Self::default()
        };
        for _ in 0..reader.count()? {
            let vertex = reader.number()?;
            if vertex as usize >= n {
                return Err(TissueError::State(format!("it has no vertex {vertex}")));
            }
            state.guesses.push((vertex, reader.vector()?));
        }
        for _ in 0..reader.count()? {
            let (tool, sample) = (reader.number()?, reader.number()?);
            state.anchors.push((tool, sample, reader.vector()?));
        }
        if !state.guesses.is_sorted_by_key(|&(vertex, _)| vertex)
            || !state
                .anchors
                .is_sorted_by_key(|&(tool, sample, _)| (tool, sample))
        {
            return Err(TissueError::State("its points are not in order".into()));
        }
        if !reader.0.is_empty() {
            return Err(TissueError::State("it is too long".into()));
        }
        Ok(state)
    }
}

fn put(bytes: &mut Vec<u8>, vector: &Vector3<f64>) {
    for x in vector {
        bytes.extend(x.to_le_bytes());
    }
}

/// Reads bytes from the front.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], TissueError> {
        let Some((first, rest)) = self.0.split_first_chunk::<N>() else {
            return Err(TissueError::State("it ends too early".into()));
        };
        self.0 = rest;
        Ok(*first)
    }

    fn number(&mut self) -> Result<u32, TissueError> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    fn count(&mut self) -> Result<usize, TissueError> {
        Ok(self.number()? as usize)
    }

    fn float(&mut self) -> Result<f64, TissueError> {
        let value = f64::from_le_bytes(self.take()?);
        if value.is_finite() {
            return Ok(value);
        }
        Err(TissueError::State(format!("a number is {value}")))
    }

    fn vector(&mut self) -> Result<Vector3<f64>, TissueError> {
        Ok(Vector3::new(self.float()?, self.float()?, self.float()?))
    }
}
