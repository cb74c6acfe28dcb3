//! The state of a world as bytes, and the world as a [`SoftTissue`].
//!
//! Particles are written block by block in their order in memory, which determines the order of sums, so a restored
//! world gives the same bits. Resting particles follow, then held ones.

use nalgebra::Vector3;

use super::block::Block;
use super::chunk::{Chunk, N_NUMBERS, Particle};
use super::hold::{Grips, Held, WORLD};
use super::sort;
use super::world::MlsMpm;
use crate::state_reader::StateReader;
use crate::tool::{ContactPoint, Tool, Wrench};
use crate::{SoftTissue, TissueError, TissueStress};

/// First bytes of a state.
const MAGIC: &[u8; 8] = b"mls-mpm5";

impl SoftTissue for MlsMpm {
    fn tools_mut(&mut self) -> &mut Vec<Tool> {
        &mut self.tools
    }

    fn step(&mut self, time: f64) -> Result<(), TissueError> {
        Self::step(self, time)
    }

    fn wrench(&self, tool: usize) -> Wrench {
        Self::wrench(self, tool)
    }

    fn contact_points(&self, tool: usize) -> Option<&[ContactPoint]> {
        self.contact_points.of_tool(tool)
    }

    fn positions(&self) -> Vec<[f64; 3]> {
        Self::positions(self)
    }

    fn velocities(&self) -> Vec<[f64; 3]> {
        MlsMpm::velocities(self)
    }

    fn stress(&self) -> Option<TissueStress> {
        Some(Self::stress(self))
    }

    fn time(&self) -> f64 {
        Self::time(self)
    }

    fn reset(&mut self) {
        Self::reset(self);
    }

    fn save(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(64 + self.n_particles() * (N_NUMBERS + 1) * 4);
        bytes.extend(MAGIC);
        bytes.extend((self.n_particles() as u64).to_le_bytes());
        bytes.extend(self.time.to_le_bytes());
        bytes.extend(self.speed.to_le_bytes());
        bytes.extend((self.blocks.len() as u64).to_le_bytes());
        for block in &self.blocks {
            for at in block.at {
                bytes.extend((at as u32).to_le_bytes());
            }
            let n: usize = block.chunks.iter().map(|chunk| chunk.n).sum();
            bytes.extend((n as u32).to_le_bytes());
            for (chunk, lane) in block
                .chunks
                .iter()
                .flat_map(|c| (0..c.n).map(move |i| (c, i)))
            {
                write_particle(&mut bytes, chunk.ids[lane], chunk.get(lane));
            }
        }
        bytes.extend((self.window.resting.len() as u64).to_le_bytes());
        for (id, particle) in &self.window.resting {
            write_particle(&mut bytes, *id, *particle);
        }
        let grasped = self.grips.held().iter();
        let grasped: Vec<&Held> = grasped.filter(|held| held.holder != WORLD).collect();
        bytes.extend((grasped.len() as u64).to_le_bytes());
        for held in grasped {
            bytes.extend(held.particle.to_le_bytes());
            bytes.extend(held.holder.to_le_bytes());
            for x in &held.at {
                bytes.extend(x.to_le_bytes());
            }
        }
        bytes
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), TissueError> {
        let mut reader = StateReader(state);
        if reader.take()? != *MAGIC {
            return Err(invalid("it does not start with the magic bytes"));
        }
        if u64::from_le_bytes(reader.take()?) != self.n_particles() as u64 {
            return Err(invalid("its number of particles differs"));
        }
        let time = f64::from_le_bytes(reader.take()?);
        let speed = f64::from_le_bytes(reader.take()?);
        let n_blocks = u64::from_le_bytes(reader.take()?);
        let mut is_there = vec![false; self.n_particles()];
        let mut blocks = Vec::new();
        for _ in 0..n_blocks {
            blocks.push(self.read_block(&mut reader, &mut is_there)?);
        }
        let mut resting = Vec::new();
        for _ in 0..u64::from_le_bytes(reader.take()?) {
            let (id, particle) = read_particle(&mut reader, &mut is_there)?;
            if !sort::is_in_domain(&particle, self.config.blocks()) {
                return Err(invalid(format!("particle {id} is outside the domain")));
            }
            resting.push((id, particle));
        }
        let mut window = self.window.clone();
        if !window.set_by_resting(resting) {
            return Err(invalid("resting particles do not fill whole cubes"));
        }
        let grips = self.read_grips(&mut reader)?;
        let is_whole = reader.0.is_empty() && is_there.iter().all(|there| *there);
        let is_finite = time.is_finite() && speed.is_finite();
        if !is_whole || !is_finite {
            return Err(invalid("particles are missing or numbers are not finite"));
        }
        let mut node_blocks = sort::connect_blocks(&mut blocks, self.config.blocks())
            .ok_or_else(|| invalid("a block is repeated"))?;
        window.mark(&mut node_blocks);
        self.window = window;
        (self.blocks, self.node_blocks) = (blocks, node_blocks);
        (self.time, self.speed) = (time, speed);
        self.grips = grips;
        self.wrenches.clear();
        self.fixed_wrench = Wrench::default();
        self.contact_points.clear();
        self.diverged = None;
        Ok(())
    }
}

impl MlsMpm {
    /// Reads the held particles; fixed ones come from this world.
    fn read_grips(&self, reader: &mut StateReader<'_>) -> Result<Grips, TissueError> {
        let mut grips = self.grips.clone();
        grips.release_if(|held| held.holder != WORLD);
        for _ in 0..u64::from_le_bytes(reader.take()?) {
            let particle = u32::from_le_bytes(reader.take()?);
            let holder = u32::from_le_bytes(reader.take()?);
            let mut at = Vector3::zeros();
            for x in &mut at {
                *x = f64::from_le_bytes(reader.take()?);
            }
            let is_there = (particle as usize) < self.n_particles();
            let is_free = grips.of(particle).is_none();
            if !is_there || !is_free || holder == WORLD || !at.iter().all(|x| x.is_finite()) {
                return Err(invalid(format!(
                    "the grip of particle {particle} is invalid"
                )));
            }
            let held = Held {
                particle,
                holder,
                at,
            };
            grips.hold(held, self.n_particles());
        }
        Ok(grips)
    }

    fn read_block(
        &self,
        reader: &mut StateReader<'_>,
        is_there: &mut [bool],
    ) -> Result<Block, TissueError> {
        let mut at = [0; 3];
        for (at, n) in at.iter_mut().zip(self.config.blocks()) {
            *at = u32::from_le_bytes(reader.take()?) as usize;
            if *at >= n {
                return Err(invalid("a block is outside the domain"));
            }
        }
        let mut block = Block::new(at);
        for _ in 0..u32::from_le_bytes(reader.take()?) {
            let (id, particle) = read_particle(reader, is_there)?;
            if !sort::is_in(&particle, at, self.config.blocks()) {
                return Err(invalid(format!("particle {id} is far from its block")));
            }
            Chunk::push_to(&mut block.chunks, id, &particle);
        }
        Ok(block)
    }
}

fn write_particle(bytes: &mut Vec<u8>, id: u32, particle: Particle) {
    bytes.extend(id.to_le_bytes());
    for number in particle.to_numbers() {
        bytes.extend(number.to_le_bytes());
    }
}

/// Reads a particle that has not been read yet.
fn read_particle(
    reader: &mut StateReader<'_>,
    is_there: &mut [bool],
) -> Result<(u32, Particle), TissueError> {
    let id = u32::from_le_bytes(reader.take()?);
    let mut numbers = [0.0; N_NUMBERS];
    for number in &mut numbers {
        *number = f32::from_le_bytes(reader.take()?);
    }
    match is_there.get_mut(id as usize) {
        Some(there) if !*there && numbers.iter().all(|x| x.is_finite()) => *there = true,
        _ => {
            return Err(invalid(format!(
                "particle {id} is repeated, unknown or not finite"
            )));
        }
    }
    Ok((id, Particle::from_numbers(&numbers)))
}

fn invalid(what: impl Into<String>) -> TissueError {
    TissueError::State(what.into())
}
