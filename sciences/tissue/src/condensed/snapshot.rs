//! Saved states of condensed bodies.
//!
//! Little-endian: a magic number, the number of vertices of the skin, time, whether the body has diverged; forces and rates of the
//! vertices; then guesses and anchors, each with their number.

use nalgebra::Vector3;

use super::world::State;
use crate::state_reader::StateReader;
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
        let mut reader = StateReader(bytes);
        if reader.take::<8>()? != *MARK {
            return Err(TissueError::State("it is not of a condensed body".into()));
        }
        let n = reader.count()?;
        if n != n_skin {
            let problem = format!("it has {n} vertices of the skin, the body has {n_skin}");
            return Err(TissueError::State(problem));
        }
        let time = reader.float("time")?;
        let [diverged] = reader.take()?;
        let mut vectors = |name| {
            (0..n)
                .map(|_| vector(&mut reader, name))
                .collect::<Result<Vec<_>, _>>()
        };
        let (forces, rates) = (vectors("force")?, vectors("rate")?);
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
            let guess = vector(&mut reader, "displacement")?;
            state.guesses.push((vertex, guess));
        }
        for _ in 0..reader.count()? {
            let (tool, sample) = (reader.number()?, reader.number()?);
            let anchor = vector(&mut reader, "anchor")?;
            state.anchors.push((tool, sample, anchor));
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

fn vector(reader: &mut StateReader<'_>, name: &str) -> Result<Vector3<f64>, TissueError> {
    Ok(Vector3::new(
        reader.float(name)?,
        reader.float(name)?,
        reader.float(name)?,
    ))
}
