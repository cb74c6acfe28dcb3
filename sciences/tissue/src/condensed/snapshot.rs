//! Saved states of condensed bodies.
//!
//! Little-endian: a magic number, the number of vertices of the skin, time, whether the body has diverged; forces and rates of the
//! vertices; then guesses, anchors, references and what the matrix is made of, each with their number.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::balance::Linearization;
use super::candidates::Reference;
use super::world::State;
use crate::state_reader::StateReader;
use crate::{Divergence, TissueError};

/// Magic number and version.
const MARK: &[u8; 8] = b"COND\x02\0\0\0";

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
        bytes.extend((self.references.len() as u32).to_le_bytes());
        for reference in &self.references {
            bytes.push(u8::from(reference.is_some()));
            if let Some(reference) = reference {
                put(&mut bytes, &reference.position);
                bytes.extend(
                    reference
                        .rotation
                        .coords
                        .iter()
                        .flat_map(|x| x.to_le_bytes()),
                );
                bytes.extend(reference.within.to_le_bytes());
            }
        }
        bytes.push(u8::from(self.linearization.is_some()));
        if let Some(linearization) = &self.linearization {
            linearization.put(&mut bytes);
        }
        bytes
    }

    /// A state with `n_skin` vertices and `n_samples` sample points.
    ///
    /// # Errors
    /// [`TissueError::State`] if the bytes are not such a state.
    pub(super) fn from_bytes(
        bytes: &[u8],
        n_skin: usize,
        n_samples: usize,
    ) -> Result<Self, TissueError> {
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
            let guess = vector(&mut reader, "guess")?;
            state.guesses.push((vertex, guess));
        }
        for _ in 0..reader.count()? {
            let (tool, sample) = (reader.number()?, reader.number()?);
            let anchor = vector(&mut reader, "anchor")?;
            state.anchors.push((tool, sample, anchor));
        }
        for _ in 0..reader.count()? {
            let [is_some] = reader.take()?;
            let reference = (is_some != 0).then(|| reference(&mut reader)).transpose()?;
            state.references.push(reference);
        }
        if reader.take()? != [0] {
            state.linearization = Some(Linearization::read(&mut reader, n_skin, n_samples)?);
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

impl Linearization {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.scale.to_le_bytes());
        bytes.extend((self.vertices.len() as u32).to_le_bytes());
        bytes.extend(self.vertices.iter().flat_map(|it| it.to_le_bytes()));
        bytes.extend((self.points.len() as u32).to_le_bytes());
        for (sample, matrix) in &self.points {
            bytes.extend(sample.to_le_bytes());
            bytes.extend(matrix.iter().flat_map(|x| x.to_le_bytes()));
        }
    }

    fn read(
        reader: &mut StateReader<'_>,
        n_skin: usize,
        n_samples: usize,
    ) -> Result<Self, TissueError> {
        let mut linearization = Self {
            scale: reader.float("scale")?,
            ..Self::default()
        };
        for _ in 0..reader.count()? {
            let vertex = reader.number()?;
            if vertex as usize >= n_skin {
                return Err(TissueError::State(format!("it has no vertex {vertex}")));
            }
            linearization.vertices.push(vertex);
        }
        for _ in 0..reader.count()? {
            let sample = reader.number()?;
            if sample as usize >= n_samples {
                return Err(TissueError::State(format!(
                    "it has no sample point {sample}"
                )));
            }
            let mut matrix = Matrix3::zeros();
            for entry in &mut matrix {
                *entry = reader.float("stiffness")?;
            }
            linearization.points.push((sample, matrix));
        }
        if !linearization.vertices.is_sorted() {
            return Err(TissueError::State("its vertices are not in order".into()));
        }
        Ok(linearization)
    }
}

fn reference(reader: &mut StateReader<'_>) -> Result<Reference, TissueError> {
    let position = vector(reader, "reference")?;
    let mut rotation = Quaternion::default();
    for x in &mut rotation.coords {
        *x = reader.float("reference")?;
    }
    Ok(Reference {
        position,
        rotation: UnitQuaternion::new_unchecked(rotation),
        within: reader.float("reference")?,
    })
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
