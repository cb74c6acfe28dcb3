//! What is read from a world, and its state in bytes.

use super::world::GpuXpbd;
use crate::gpu::GpuError;
use crate::{Divergence, TissueError};

/// What a state begins with.
const MAGIC: &[u8; 8] = b"insgxpb1";
/// Bytes before the vertices: magic, fingerprint, time, bits of the speed that stopped the world, and the most that was allowed.
const HEAD: usize = 40;

impl GpuXpbd {
    /// Positions of a world [m], shape `[n_vertices, 3]`.
    ///
    /// # Errors
    /// [`GpuError::Lost`], [`GpuError::Refused`].
    pub fn positions(&self, world: usize) -> Result<Vec<[f64; 3]>, GpuError> {
        let origin = self.topology.origin;
        let place = |at: &[f32; 4]| std::array::from_fn(|axis| origin[axis] + f64::from(at[axis]));
        let picked = self.pick(world)?;
        Ok(picked[..self.n_vertices()].iter().map(place).collect())
    }

    /// Velocities of a world [m/s], shape `[n_vertices, 3]`.
    ///
    /// # Errors
    /// [`GpuError::Lost`], [`GpuError::Refused`].
    pub fn velocities(&self, world: usize) -> Result<Vec<[f64; 3]>, GpuError> {
        let velocity = |[x, y, z, _]: &[f32; 4]| [*x, *y, *z].map(f64::from);
        let picked = self.pick(world)?;
        Ok(picked[self.n_vertices()..].iter().map(velocity).collect())
    }

    /// All that a later [`restore`](Self::restore) needs to go on with the same bits; tools are not in it.
    ///
    /// # Errors
    /// [`GpuError::Lost`], [`GpuError::Refused`].
    pub fn save(&self, world: usize) -> Result<Vec<u8>, GpuError> {
        let state = &self.worlds[world];
        let (speed, most) = match state.diverged {
            None => (0, 0.0),
            Some(Divergence::Runaway { speed, most }) => ((speed as f32).to_bits(), most),
            Some(_) => (f32::NAN.to_bits(), 0.0),
        };
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.print().to_le_bytes());
        bytes.extend(state.time.to_le_bytes());
        bytes.extend(u64::from(speed).to_le_bytes());
        bytes.extend(most.to_le_bytes());
        for [x, y, z, _] in self.pick(world)? {
            for number in [x, y, z] {
                bytes.extend(number.to_le_bytes());
            }
        }
        Ok(bytes)
    }

    /// Takes a world back to a state saved from a world of the same body, here or elsewhere.
    ///
    /// # Errors
    /// [`TissueError::State`] within [`GpuError::Tissue`]: the bytes are not a state of such a world; nothing has changed then.
    /// [`GpuError::Lost`], [`GpuError::Refused`].
    pub fn restore(&mut self, world: usize, state: &[u8]) -> Result<(), GpuError> {
        self.gpu.check()?;
        let wrong = |what: &str| GpuError::from(TissueError::State(what.to_owned()));
        if state.len() != HEAD + 24 * self.n_vertices() || !state.starts_with(MAGIC) {
            return Err(wrong("it has another length or beginning"));
        }
        let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|k| state[8 * i + k]));
        if word(1) != self.print() {
            return Err(wrong("its world has another body"));
        }
        let (time, most) = (f64::from_bits(word(2)), f64::from_bits(word(4)));
        if !(time >= 0.0 && time.is_finite()) {
            return Err(wrong("its time is not a time"));
        }
        let Ok(bits) = u32::try_from(word(3)) else {
            return Err(wrong("it stopped for an unknown reason"));
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
        let numbers: Vec<f32> = state[HEAD..]
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect();
        if diverged.is_none() && numbers.iter().any(|number| !number.is_finite()) {
            return Err(wrong("a position or velocity is not a number"));
        }
        let rows: Vec<[f32; 4]> = numbers
            .as_chunks::<3>()
            .0
            .iter()
            .map(|[x, y, z]| [*x, *y, *z, 0.0])
            .collect();
        let bytes = bytemuck::cast_slice(&rows);
        self.gpu.queue.write_buffer(&self.buffers.states, 0, bytes);
        // Any bits that are not zero keep kernels away.
        self.put(&[world], if diverged.is_some() { 2 } else { 1 });
        let state = &mut self.worlds[world];
        (state.time, state.diverged) = (time, diverged);
        state.wrenches.clear();
        self.gpu.check()
    }

    /// A 64-bit FNV-1a hash of the body.
    fn print(&self) -> u64 {
        let mut print = 0xcbf2_9ce4_8422_2325u64;
        let vertices = self.topology.vertices.iter().flatten();
        let numbers = vertices.map(|number| number.to_bits());
        for word in numbers.chain(self.topology.tets.iter().flatten().copied()) {
            for byte in word.to_le_bytes() {
                print = (print ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        print
    }
}
