//! Readback of a world, and its state as bytes.

use insonate_gpu::Region;
use nalgebra::Matrix3;

use super::layout::{DISPLACEMENT_ROW, SLIP_ROW};
use super::world::GpuMpm;
use crate::gpu::{DeviceError, GpuError};
use crate::mpm::remaining_stress;
use crate::{Divergence, TissueError, TissueStress};

/// First bytes of a state.
const MAGIC: &[u8; 8] = b"insgmpm1";
/// Header bytes before the particles: magic, fingerprint, number of particles, time, and three numbers that describe
/// why the world stopped.
const HEAD: usize = 56;
impl GpuMpm {
    /// Positions of a world [m], shape `[n_particles, 3]`, in the order of the bodies.
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn positions(&self, world: usize) -> Result<Vec<[f64; 3]>, GpuError> {
        let config = &self.layout.config;
        let rows: &[usize] = if self.layout.is_total() {
            &[0, DISPLACEMENT_ROW]
        } else {
            &[0]
        };
        let found = self.rows(world, rows)?;
        let place = |rows: &[[f32; 4]]| {
            std::array::from_fn(|i| {
                let cells: f64 = rows.iter().map(|row| f64::from(row[i])).sum();
                config.origin[i] + cells * config.cell_width
            })
        };
        Ok(found.chunks_exact(rows.len()).map(place).collect())
    }

    /// Velocities of a world [m/s], shape `[n_particles, 3]`, in the order of the bodies.
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn velocities(&self, world: usize) -> Result<Vec<[f64; 3]>, GpuError> {
        let velocity = |[x, y, z, _]: [f32; 4]| [x, y, z].map(f64::from);
        Ok(self.row(world, 3)?.into_iter().map(velocity).collect())
    }

    /// Total momentum of a world's particles [kg·m/s].
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn momentum(&self, world: usize) -> Result<[f64; 3], GpuError> {
        let first = self.layout.worlds[world].first;
        let mut momentum = [0.0; 3];
        for (i, velocity) in self.velocities(world)?.into_iter().enumerate() {
            let material = self.layout.starts[first + i][3].to_bits();
            let mass = self.layout.masses[material as usize];
            for axis in 0..3 {
                momentum[axis] += mass * velocity[axis];
            }
        }
        Ok(momentum)
    }

    /// Damage of each particle of a world: lost share of the stiffness, 0 to 1, shape `[n_particles]`, in the order of
    /// the bodies.
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn damage(&self, world: usize) -> Result<Vec<f32>, GpuError> {
        if !self.layout.can_tear {
            return Ok(vec![0.0; self.n_particles(world)]);
        }
        let last = self.row(world, SLIP_ROW)?;
        Ok(last.into_iter().map(|[_, _, _, damage]| damage).collect())
    }

    /// Strain and stress of a world's particles, as [`MlsMpm::stress`](crate::mpm::MlsMpm::stress) gives them.
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn stress(&self, world: usize) -> Result<TissueStress, GpuError> {
        let mut all = TissueStress {
            points: self.positions(world)?,
            ..TissueStress::default()
        };
        let [modulus, _] = self.worlds[world].softness;
        let damage = self.damage(world)?;
        let first = self.layout.worlds[world].first;
        let rows = self.rows(world, &[0, 1, 2])?;
        for (i, rows) in rows.as_chunks::<3>().0.iter().enumerate() {
            let [[.., zz], [xx, xy, xz, yx], [yy, yz, zx, zy]] = *rows;
            let f = [xx, xy, xz, yx, yy, yz, zx, zy, zz].map(f64::from);
            let f = Matrix3::from_row_slice(&f);
            let body = self.layout.starts[first + i][3].to_bits() as usize;
            let [_, volume, lambda, mu] = self.layout.materials[3 * body].map(f64::from);
            let (lambda, mu) = (modulus * lambda, modulus * mu);
            let stress = self.layout.config.law.kirchhoff(&f, mu, lambda);
            let stress = remaining_stress(&f, stress, lambda, damage[i].into());
            all.add(volume, &f, stress);
        }
        Ok(all)
    }

    /// One row of a world's particles, in the order of the bodies.
    fn row(&self, world: usize, row: usize) -> Result<Vec<[f32; 4]>, GpuError> {
        self.rows(world, &[row])
    }

    /// Rows of a world's particles in the order of the bodies. The rows of a particle follow each other.
    fn rows(&self, world: usize, rows: &[usize]) -> Result<Vec<[f32; 4]>, GpuError> {
        let layout = &self.layout.worlds[world];
        let (first, n) = (layout.first as u64, layout.n);
        let row_len = 16 * self.layout.n_particles as u64;
        let mut regions: Vec<_> = rows
            .iter()
            .map(|row| Region {
                buffer: &self.buffers.particles[self.side],
                start: *row as u64 * row_len + 16 * first,
                len: 16 * n as u64,
            })
            .collect();
        regions.push(Region {
            buffer: &self.buffers.tags[self.side],
            start: 8 * first,
            len: 8 * n as u64,
        });
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&self.gpu.read(&regions)?);
        let (numbers, tags) = words.split_at(4 * rows.len() * n);
        let mut found = vec![[0.0; 4]; rows.len() * n];
        for (i, tag) in tags.chunks_exact(2).enumerate() {
            let Some(id) = (tag[0] as usize)
                .checked_sub(layout.first)
                .filter(|id| *id < n)
            else {
                let lost = "the index of a particle is missing";
                return Err(DeviceError::Refused(lost.to_owned()).into());
            };
            for (row, numbers_of_row) in numbers.chunks_exact(4 * n).enumerate() {
                found[rows.len() * id + row] =
                    std::array::from_fn(|k| f32::from_bits(numbers_of_row[4 * i + k]));
            }
        }
        Ok(found)
    }

    /// State from which a later [`restore`](Self::restore) continues bit-identically. Tools are not included.
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn save(&self, world: usize) -> Result<Vec<u8>, GpuError> {
        let (layout, state) = (&self.layout.worlds[world], &self.worlds[world]);
        let mut bytes = Vec::with_capacity(HEAD + layout.n * 16 * self.layout.n_rows());
        bytes.extend(MAGIC);
        bytes.extend(layout.fingerprint.to_le_bytes());
        bytes.extend((layout.n as u64).to_le_bytes());
        bytes.extend(state.time.to_le_bytes());
        let (kind, first, second) = match state.diverged {
            None => (0u64, 0.0, 0.0),
            Some(Divergence::NotFinite | Divergence::Runaway { .. } | Divergence::Gpu) => {
                (1, 0.0, 0.0)
            }
            Some(Divergence::TooFast { speed, dt, .. }) => (2, speed, dt),
            Some(Divergence::Left) => (3, 0.0, 0.0),
            Some(Divergence::TooDense) => (4, 0.0, 0.0),
            Some(Divergence::Scattered { .. }) => (5, 0.0, 0.0),
        };
        bytes.extend(kind.to_le_bytes());
        bytes.extend(first.to_le_bytes());
        bytes.extend(second.to_le_bytes());
        let all = [0, 1, 2, 3, 4, 5, SLIP_ROW, DISPLACEMENT_ROW];
        let rows = self.rows(world, &all[..self.layout.n_rows()])?;
        for number in rows.as_flattened() {
            bytes.extend(number.to_le_bytes());
        }
        Ok(bytes)
    }

    /// Restores a state of a world that was made in the same way, in this process or another.
    ///
    /// # Errors
    /// [`TissueError::State`] within [`GpuError::Tissue`] if the bytes are not a state of such a world; the
    /// world is unchanged then. [`GpuError::Device`].
    pub fn restore(&mut self, world: usize, state: &[u8]) -> Result<(), GpuError> {
        self.gpu.check()?;
        let wrong = |what: &str| GpuError::from(TissueError::State(what.to_owned()));
        let layout = &self.layout.worlds[world];
        let n_rows = self.layout.n_rows();
        if state.len() != HEAD + layout.n * 16 * n_rows || !state.starts_with(MAGIC) {
            return Err(wrong("its length or first bytes are wrong"));
        }
        let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|k| state[8 * i + k]));
        let number = |i: usize| f64::from_bits(word(i));
        if word(1) != layout.fingerprint || word(2) != layout.n as u64 {
            return Err(wrong(
                "its world has different bodies or a different domain",
            ));
        }
        let (time, speed, dt) = (number(3), number(5), number(6));
        if !(time >= 0.0 && time.is_finite()) {
            return Err(wrong("its time is negative or not finite"));
        }
        let cell_width = self.layout.config.cell_width;
        let diverged = match word(4) {
            0 => None,
            1 => Some(Divergence::NotFinite),
            2 => Some(Divergence::TooFast {
                speed,
                cell_width,
                dt,
            }),
            3 => Some(Divergence::Left),
            4 => Some(Divergence::TooDense),
            5 => Some(Divergence::Scattered {
                n_blocks: self.layout.quota,
            }),
            _ => return Err(wrong("it stopped for an unknown reason")),
        };
        let n = layout.n;
        let mut rows = vec![vec![[0.0f32; 4]; n]; n_rows];
        let numbers: Vec<f32> = state[HEAD..]
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect();
        let last = self.layout.n_blocks.map(|blocks| (4 * blocks) as f32 - 2.0);
        let mut fastest = 0.0f32;
        for (i, particle) in numbers.chunks_exact(4 * n_rows).enumerate() {
            // A world that stopped may hold invalid values; it does not move before a reset.
            if diverged.is_none() {
                let inside =
                    (0..3).all(|axis| particle[axis] >= 0.5 && particle[axis] < last[axis]);
                let at_rest = &self.layout.starts[layout.first + i][..3];
                if self.layout.is_total() && particle[..3] != *at_rest {
                    return Err(wrong("a particle has another position at rest"));
                }
                if !inside || particle.iter().any(|number| !number.is_finite()) {
                    return Err(wrong("a particle is outside the domain or not finite"));
                }
                let speeds = particle[12..15].iter().map(|speed| speed.abs());
                fastest = speeds.fold(fastest, f32::max);
            }
            for (row, numbers) in rows.iter_mut().zip(particle.as_chunks::<4>().0) {
                row[i] = *numbers;
            }
        }
        let first = layout.first;
        let tags: Vec<[u32; 2]> = (first..first + n)
            .map(|id| [id as u32, self.layout.starts[id][3].to_bits()])
            .collect();
        let queue = &self.gpu.queue;
        for (row, numbers) in rows.iter().enumerate() {
            let start = 16 * (row * self.layout.n_particles + first) as u64;
            let to = &self.buffers.particles[self.side];
            queue.write_buffer(to, start, bytemuck::cast_slice(numbers));
        }
        let to = &self.buffers.tags[self.side];
        queue.write_buffer(to, 8 * first as u64, bytemuck::cast_slice(&tags));
        // A stopped world keeps a flag, so that kernels skip it.
        let status = [0u32, 0, u32::from(diverged.is_some()), 0];
        let start = 16 * world as u64;
        queue.write_buffer(&self.buffers.status, start, bytemuck::cast_slice(&status));
        let state = &mut self.worlds[world];
        (state.time, state.diverged) = (time, diverged);
        state.speed = fastest.into();
        state.wrenches.clear();
        self.needs_sort = true;
        Ok(self.gpu.check()?)
    }
}
