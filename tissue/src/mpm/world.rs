//! A world of particles and tools.

use rayon::prelude::*;

use super::block::{Block, Core};
use super::chunk::Particle;
use super::config::MpmConfig;
use super::grid_update::GridUpdate;
use super::sort::{Sorted, sort};
use super::tile::{self, BLOCK, NONE};
use super::transfer::{Constants, Transfer, transfer};
use crate::elasticity::NeoHookean;
use crate::tool::{Tool, Wrench};
use crate::{Divergence, Material, TissueError};

/// Cells that a particle may cross in a substep.
const MAX_COURANT: f64 = 0.5;

/// Share of the particles that may stand alone, each starting a new visit to memory, before all are sorted anew.
const MAX_RUNS_SHARE: f64 = 0.4;

/// Particles of one material.
#[derive(Debug, Clone, PartialEq)]
pub struct MpmBody {
    /// What they are made of.
    pub material: Material,
    /// Where they are [m], shape `[n, 3]`.
    pub positions: Vec<[f64; 3]>,
    /// Velocity of all of them [m/s].
    pub velocity: [f64; 3],
    /// Volume of each at rest [m³].
    pub particle_volume: f64,
}

/// A world of MLS-MPM.
#[derive(Debug)]
pub struct MlsMpm {
    config: MpmConfig,
    law: NeoHookean,
    n_particles: usize,
    blocks: Vec<Block>,
    cores: Vec<Core>,
    /// Tools; those that move are moved on between steps.
    pub tools: Vec<Tool>,
    wrenches: Vec<Wrench>,
    time: f64,
    threads: rayon::ThreadPool,
    diverged: Option<Divergence>,
}

impl MlsMpm {
    /// A world of bodies at rest shape.
    ///
    /// # Errors
    /// [`TissueError::Setting`], [`TissueError::Outside`].
    pub fn new(config: MpmConfig, bodies: &[MpmBody]) -> Result<Self, TissueError> {
        config.check()?;
        let mut particles = Vec::new();
        for body in bodies {
            body.material.check()?;
            crate::error::check_range("body.particle_volume", body.particle_volume, 1e-18, 1.0)?;
            for position in &body.positions {
                let particle = body.particle(position, &config);
                particles.push((particles.len() as u32, particle));
            }
        }
        let [low, high] = config.bounds();
        let positions = bodies.iter().flat_map(|body| &body.positions);
        for (index, position) in positions.enumerate() {
            let inside = (0..3).all(|i| position[i] >= low[i] && position[i] <= high[i]);
            if !inside {
                return Err(TissueError::Outside {
                    particle: index,
                    position: *position,
                    low,
                    high,
                });
            }
        }
        let Some(sorted) = sort(&particles, config.blocks()) else {
            return Err(TissueError::setting(
                "body.positions",
                "not a number",
                "within the domain",
            ));
        };
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(config.n_threads)
            .build()
            .map_err(|error| {
                TissueError::setting("n_threads", config.n_threads, error.to_string())
            })?;
        Ok(Self {
            config,
            law: NeoHookean,
            n_particles: particles.len(),
            blocks: sorted.blocks,
            cores: sorted.cores,
            tools: Vec::new(),
            wrenches: Vec::new(),
            time: 0.0,
            threads,
            diverged: None,
        })
    }

    /// Advances by a time [s] in equal substeps no longer than the configured one, tools moving on at their velocities.
    ///
    /// # Errors
    /// [`TissueError::Setting`] for the time or a tool; [`TissueError::Diverged`], now and on every later call.
    pub fn step(&mut self, time: f64) -> Result<(), TissueError> {
        crate::error::check_range("time", time, 0.0, 1e3)?;
        self.tools.iter().try_for_each(Tool::check)?;
        let n_substeps = (time / self.config.substep - 1e-9).ceil().max(0.0) as usize;
        if n_substeps == 0 {
            return Ok(());
        }
        if let Some(reason) = self.diverged {
            return Err(self.stopped(reason));
        }
        let dt = time / n_substeps as f64;
        let mut impulses = vec![Wrench::default(); self.tools.len()];
        for index in 0..=n_substeps {
            // grid => particles => grid
            self.transfer(dt, index > 0, index < n_substeps)?;
            if index == n_substeps {
                break;
            }
            // momentum => velocity at the nodes, impulses on tools
            let tools: Vec<Tool> = self
                .tools
                .iter()
                .map(|tool| tool.after(index as f64 * dt))
                .collect();
            self.update_grid(dt, &tools);
            for core in &self.cores {
                for (total, impulse) in impulses.iter_mut().zip(&core.impulses) {
                    total.force += impulse.force;
                    total.torque += impulse.torque;
                }
            }
        }
        for tool in &mut self.tools {
            *tool = tool.after(time);
        }
        self.wrenches = impulses;
        for wrench in &mut self.wrenches {
            wrench.force /= time;
            wrench.torque /= time;
        }
        self.time += time;
        Ok(())
    }

    /// Mean wrench of the tissue on a tool over the last step, about its origin as it moved; zero before the first step.
    pub fn wrench(&self, tool: usize) -> Wrench {
        self.wrenches.get(tool).copied().unwrap_or_default()
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Number of particles.
    pub fn n_particles(&self) -> usize {
        self.n_particles
    }

    /// Positions in world [m], shape `[n_particles, 3]`, in the order of the bodies.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        let mut positions = vec![[0.0; 3]; self.n_particles];
        for (id, particle) in self.particles() {
            positions[id as usize] = std::array::from_fn(|axis| {
                let cells = f64::from(particle.position[axis]);
                self.config.origin[axis] + cells * self.config.cell_width
            });
        }
        positions
    }

    /// Velocities in world [m/s], shape `[n_particles, 3]`.
    pub fn velocities(&self) -> Vec<[f64; 3]> {
        let mut velocities = vec![[0.0; 3]; self.n_particles];
        for (id, particle) in self.particles() {
            velocities[id as usize] = particle.velocity.map(f64::from);
        }
        velocities
    }

    /// Momentum of all particles [kg·m/s].
    pub fn momentum(&self) -> [f64; 3] {
        let mut momentum = [0.0; 3];
        for (_, particle) in self.particles() {
            for (sum, velocity) in momentum.iter_mut().zip(particle.velocity) {
                *sum += f64::from(particle.mass) * f64::from(velocity);
            }
        }
        momentum
    }

    /// Mass of all particles [kg].
    pub fn mass(&self) -> f64 {
        self.particles()
            .map(|(_, particle)| f64::from(particle.mass))
            .sum()
    }

    fn particles(&self) -> impl Iterator<Item = (u32, Particle)> + '_ {
        let chunks = self.blocks.iter().flat_map(|block| &block.chunks);
        chunks.flat_map(|chunk| (0..chunk.n).map(|lane| (chunk.ids[lane], chunk.get(lane))))
    }

    /// Moves particles by the grid, if they are to be moved, and gives their momentum to it, if they are to.
    fn transfer(&mut self, dt: f64, moves: bool, gives: bool) -> Result<(), TissueError> {
        let constants = Constants {
            dt: dt as f32,
            cell_width: self.config.cell_width as f32,
            viscosity: self.config.viscosity as f32,
        };
        let (law, cores) = (self.law, &self.cores);
        let blocks = &mut self.blocks;
        self.threads.install(|| {
            blocks
                .par_iter_mut()
                .for_each(|block| advance(block, cores, law, constants, moves, gives));
        });
        self.judge(dt, moves)?;
        let n_runs: usize = self.blocks.iter().map(|block| block.outcome.n_runs).sum();
        let is_astray = self.blocks.iter().any(|block| block.outcome.is_astray);
        if is_astray || n_runs as f64 > MAX_RUNS_SHARE * self.n_particles as f64 {
            self.sort()?;
            if gives {
                let (law, cores) = (self.law, &self.cores);
                let blocks = &mut self.blocks;
                self.threads.install(|| {
                    blocks
                        .par_iter_mut()
                        .for_each(|block| advance(block, cores, law, constants, false, true));
                });
            }
        }
        Ok(())
    }

    /// Stops a world whose particles went where the method cannot follow.
    fn judge(&mut self, dt: f64, moves: bool) -> Result<(), TissueError> {
        if !moves {
            return Ok(());
        }
        let mut speed = 0.0f32;
        for block in &self.blocks {
            let own = block.outcome.max_speed;
            speed = if speed >= own { speed } else { own };
        }
        let most = MAX_COURANT * self.config.cell_width / dt;
        if f64::from(speed) <= most {
            return Ok(());
        }
        let reason = if speed.is_finite() {
            Divergence::TooFast {
                speed: speed.into(),
                cell_width: self.config.cell_width,
                dt,
            }
        } else {
            Divergence::NotFinite
        };
        self.diverged = Some(reason);
        Err(self.stopped(reason))
    }

    fn stopped(&self, reason: Divergence) -> TissueError {
        TissueError::Diverged {
            reason,
            time: self.time,
        }
    }

    fn sort(&mut self) -> Result<(), TissueError> {
        let particles: Vec<(u32, Particle)> = self.particles().collect();
        let Some(Sorted { blocks, cores }) = sort(&particles, self.config.blocks()) else {
            self.diverged = Some(Divergence::Left);
            return Err(self.stopped(Divergence::Left));
        };
        (self.blocks, self.cores) = (blocks, cores);
        Ok(())
    }

    /// Adds up what the blocks gave and makes velocities of it.
    fn update_grid(&mut self, dt: f64, tools: &[Tool]) {
        let update = GridUpdate {
            config: &self.config,
            tools,
            dt,
        };
        let blocks = &self.blocks;
        let cores = &mut self.cores;
        self.threads.install(|| {
            cores.par_iter_mut().for_each(|core| {
                let near = core.near;
                tile::sum(&mut core.nodes, |side| {
                    (near[side] != NONE).then(|| &blocks[near[side] as usize].momenta)
                });
                update.update(core);
            });
        });
    }
}

/// One block through half a substep, or a whole one.
fn advance(
    block: &mut Block,
    cores: &[Core],
    law: NeoHookean,
    constants: Constants,
    moves: bool,
    gives: bool,
) {
    let mut velocities = [0.0; tile::TILE_LEN];
    if moves {
        let near = &block.near;
        tile::gather(&mut velocities, |side| {
            (near[side] != NONE).then(|| &cores[near[side] as usize].nodes)
        });
    }
    if gives {
        block.momenta.fill(0.0);
    }
    block.outcome = transfer(Transfer {
        law,
        constants,
        origin: block.at.map(|at| (at * BLOCK) as f32),
        chunks: &mut block.chunks,
        velocities: moves.then_some(&velocities),
        momenta: gives.then_some(&mut block.momenta),
    });
}

impl MpmBody {
    fn particle(&self, position: &[f64; 3], config: &MpmConfig) -> Particle {
        let material = &self.material;
        let mut deformation_grad = [0.0; 9];
        for i in [0, 4, 8] {
            deformation_grad[i] = 1.0;
        }
        Particle {
            position: std::array::from_fn(|axis| {
                ((position[axis] - config.origin[axis]) / config.cell_width) as f32
            }),
            velocity: self.velocity.map(|v| v as f32),
            affine: [0.0; 9],
            deformation_grad,
            mass: (material.density * self.particle_volume) as f32,
            volume: self.particle_volume as f32,
            lame_lambda: material.lame_lambda() as f32,
            lame_mu: material.lame_mu() as f32,
        }
    }
}
