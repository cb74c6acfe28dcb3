//! Readback of a world, and its state as bytes.

use nalgebra::Vector3;

use super::grasp::is_holder;
use super::world::GpuXpbd;
use crate::gpu::GpuError;
use crate::{Divergence, TissueError};
use insonate_meshes::TriangleMesh;

/// Magic bytes and version.
const MAGIC: &[u8; 8] = b"insgxpb2";
/// Header bytes before the words of the points: magic, fingerprint, time, bits of the speed that stopped the world, and
/// the speed limit.
const HEAD: usize = 40;

impl GpuXpbd {
    /// Positions of a world [m], shape `[n_vertices, 3]`.
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn positions(&self, world: usize) -> Result<Vec<[f64; 3]>, GpuError> {
        let gathered = self.gather(world)?;
        Ok(self.places(&gathered))
    }

    /// Velocities of a world [m/s], shape `[n_vertices, 3]`.
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn velocities(&self, world: usize) -> Result<Vec<[f64; 3]>, GpuError> {
        let gathered = self.gather(world)?;
        let rows = &gathered.as_chunks::<4>().0[self.topology.rest.len()..];
        let velocity =
            |[x, y, z, _]: &[u32; 4]| [*x, *y, *z].map(|bits| f32::from_bits(bits).into());
        Ok(rows[..self.n_vertices()].iter().map(velocity).collect())
    }

    /// Total momentum of the vertices of a world [kg·m/s].
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn momentum(&self, world: usize) -> Result<Vector3<f64>, GpuError> {
        let velocities = self.velocities(world)?;
        let parts = self.masses().iter().zip(&velocities);
        Ok(parts.map(|(mass, v)| Vector3::from(*v) * *mass).sum())
    }

    /// Vertices of the tetrahedra of a world that are not torn.
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn tets(&self, world: usize) -> Result<Vec<[u32; 4]>, GpuError> {
        let gathered = self.gather(world)?;
        let tets = self.topology.tets.iter().enumerate();
        Ok(tets
            .filter(|(number, _)| self.is_alive(&gathered, *number))
            .map(|(_, tet)| tet.vertices)
            .collect())
    }

    /// Surface of the intact tetrahedra, with all vertices; see [`Xpbd::surface`](crate::xpbd::Xpbd::surface).
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn surface(&self, world: usize) -> Result<TriangleMesh, GpuError> {
        let gathered = self.gather(world)?;
        let faces = self.topology.surface(|tet| self.is_alive(&gathered, tet));
        Ok(TriangleMesh {
            positions: self.places(&gathered),
            triangles: faces.iter().map(|face| face.vertices).collect(),
        })
    }

    fn places(&self, gathered: &[u32]) -> Vec<[f64; 3]> {
        let origin = self.topology.origin;
        let rows = gathered.as_chunks::<4>().0[..self.n_vertices()].iter();
        rows.map(|row| {
            std::array::from_fn(|axis| origin[axis] + f64::from(f32::from_bits(row[axis])))
        })
        .collect()
    }

    fn is_alive(&self, gathered: &[u32], tet: usize) -> bool {
        !self.topology.tears || gathered[12 * self.topology.rest.len() + tet] != 0
    }

    /// State from which a later [`restore`](Self::restore) continues bit-identically. Held vertices are included, tools
    /// are not.
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn save(&self, world: usize) -> Result<Vec<u8>, GpuError> {
        let state = &self.worlds[world];
        let (speed, most) = match state.diverged {
            None => (0, 0.0),
            Some(Divergence::Runaway { speed, most }) => ((speed as f32).to_bits(), most),
            Some(_) => (f32::NAN.to_bits(), 0.0),
        };
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.fingerprint.to_le_bytes());
        bytes.extend(state.time.to_le_bytes());
        bytes.extend(u64::from(speed).to_le_bytes());
        bytes.extend(most.to_le_bytes());
        for word in self.gather(world)? {
            bytes.extend(word.to_le_bytes());
        }
        Ok(bytes)
    }

    /// Restores the state of a world of the same bodies.
    ///
    /// # Errors
    /// [`TissueError::State`] within [`GpuError::Tissue`] if the bytes are not a state of such a world; the
    /// world is unchanged then. [`GpuError::Device`].
    pub fn restore(&mut self, world: usize, state: &[u8]) -> Result<(), GpuError> {
        self.gpu.check()?;
        let invalid = |what: &str| GpuError::from(TissueError::State(what.to_owned()));
        if state.len() != HEAD + 4 * self.gathered_words() || !state.starts_with(MAGIC) {
            return Err(invalid("its length or version is wrong"));
        }
        let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|k| state[8 * i + k]));
        if word(1) != self.fingerprint {
            return Err(invalid("its world has different bodies"));
        }
        let (time, most) = (f64::from_bits(word(2)), f64::from_bits(word(4)));
        if !(time >= 0.0 && time.is_finite()) {
            return Err(invalid("its time is negative or not finite"));
        }
        let Ok(bits) = u32::try_from(word(3)) else {
            return Err(invalid("it stopped for an unknown reason"));
        };
        let speed = f32::from_bits(bits);
        let diverged = match bits {
            0 => None,
            _ if speed.is_finite() => Some(Divergence::Runaway {
                speed: speed.into(),
                most,
            }),
            _ => Some(Divergence::NotFinite),
        };
        let words = state[HEAD..].as_chunks::<4>().0.iter();
        let words: Vec<u32> = words.map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let n_points = self.topology.rest.len();
        let (points, alive) = words.split_at(12 * n_points);
        let (rows, holds) = points.as_chunks::<4>().0.split_at(2 * n_points);
        let is_number = |word: &u32| f32::from_bits(*word).is_finite();
        let numbers = rows.iter().flatten();
        let mut numbers = numbers.chain(holds.iter().flat_map(|row| &row[..3]));
        if diverged.is_none() && !numbers.all(is_number) {
            return Err(invalid("a position or velocity is not finite"));
        }
        if !holds.iter().all(|row| is_holder(row[3])) {
            return Err(invalid("a vertex is held by an invalid tool"));
        }
        if alive.iter().any(|word| *word > 1) {
            return Err(invalid("a tetrahedron is neither intact nor torn"));
        }
        let bytes = bytemuck::cast_slice(&words);
        self.gpu
            .queue
            .write_buffer(&self.buffers.gathered, 0, bytes);
        // Any nonzero bits make kernels skip the world.
        self.scatter(&[world], if diverged.is_some() { 2 } else { 1 });
        let state = &mut self.worlds[world];
        (state.time, state.diverged) = (time, diverged);
        state.wrenches.clear();
        Ok(self.gpu.check()?)
    }
}
