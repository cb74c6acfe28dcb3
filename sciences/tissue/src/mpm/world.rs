//! A world of MLS-MPM particles and tools.

use insonate_settings::check_range;
use nalgebra::{Matrix3, Vector3};

use super::advance::{Advance, G2p};
use super::block::{Block, NodeBlock};
use super::body::MpmBody;
use super::chunk::Particle;
use super::config::MpmConfig;
use super::contact::ToolContact;
use super::damage;
use super::grid_update::GridUpdate;
use super::hold::{FREE, Grips, Held, Holding, Motion, WORLD};
use super::sort::{Sorted, sort};
use super::tile::{self, NODES_LEN};
use super::transfer::Constants;
use super::window::Window;
use crate::threads::Threads;
use crate::tool::{ContactPoints, PointImpulse, Tool, Wrench};
use crate::{Divergence, TissueError, TissueStress};

/// Greatest Courant number of a particle.
const MAX_COURANT: f64 = 0.5;

/// Courant number at the start of a step. Speeds may double within the step.
const PLANNED_COURANT: f64 = 0.25;

/// Substeps between checks of the particle order. The first substep of each step checks, so states do not store the
/// time of the last check.
const SORT_INTERVAL: usize = 8;

/// Maximum number of substeps in one step.
const MAX_SUBSTEPS: f64 = 1e7;

/// A world of MLS-MPM particles with rigid tools.
#[derive(Debug)]
pub struct MlsMpm {
    pub(super) config: MpmConfig,
    /// All particles at the start.
    start: Vec<(u32, Particle)>,
    pub(super) blocks: Vec<Block>,
    pub(super) node_blocks: Vec<NodeBlock>,
    /// Resting particles, which are in no block.
    pub(super) window: Window,
    /// Tools; each step moves them by their velocities.
    pub tools: Vec<Tool>,
    pub(super) wrenches: Vec<Wrench>,
    pub(super) fixed_wrench: Wrench,
    pub(super) contact_points: ContactPoints,
    /// Particles held by tools, and the fixed particles of the bodies.
    pub(super) grips: Grips,
    pub(super) time: f64,
    /// Greatest speed along an axis at the end of the last substep [m/s].
    pub(super) speed: f64,
    /// Longest substep that the stiffest material allows [s].
    stable_substep: f64,
    can_tear: bool,
    /// Edge of the largest particle's cube [m].
    largest: f64,
    threads: Threads,
    pub(super) diverged: Option<Divergence>,
}

impl MlsMpm {
    /// A world of bodies at rest shape.
    ///
    /// # Errors
    /// [`TissueError::Setting`], [`TissueError::Outside`].
    pub fn new(config: MpmConfig, bodies: &[MpmBody]) -> Result<Self, TissueError> {
        config.check()?;
        let [low, high] = config.bounds();
        let mut start: Vec<(u32, Particle)> = Vec::new();
        let mut fixed: Vec<bool> = Vec::new();
        for body in bodies {
            body.check()?;
            let first = fixed.len();
            fixed.resize(first + body.positions.len(), false);
            for number in &body.fixed {
                fixed[first + *number as usize] = true;
            }
            for position in &body.positions {
                if !(0..3).all(|i| position[i] >= low[i] && position[i] <= high[i]) {
                    return Err(TissueError::Outside {
                        particle: start.len(),
                        position: *position,
                        low,
                        high,
                    });
                }
                let particle = body.particle(position, fixed[start.len()], &config);
                start.push((start.len() as u32, particle));
            }
        }
        let mut grips = Grips::default();
        for (particle, _) in fixed.iter().enumerate().filter(|(_, is)| **is) {
            let held = Held {
                particle: particle as u32,
                holder: WORLD,
                at: Vector3::zeros(),
            };
            grips.hold(held, fixed.len());
        }
        let materials = || bodies.iter().map(|body| &body.material);
        let mut world = Self {
            stable_substep: config.stable_substep(materials()),
            can_tear: materials().any(|material| material.tearing.is_some()),
            largest: bodies
                .iter()
                .map(|body| body.particle_volume.cbrt())
                .fold(0.0, f64::max),
            threads: Threads::new(config.n_threads)?,
            window: Window::new(&config, &start),
            config,
            start,
            blocks: Vec::new(),
            node_blocks: Vec::new(),
            tools: Vec::new(),
            wrenches: Vec::new(),
            fixed_wrench: Wrench::default(),
            contact_points: ContactPoints::default(),
            grips,
            time: 0.0,
            speed: 0.0,
            diverged: None,
        };
        world.reset();
        Ok(world)
    }

    /// Advances by a time [s] in equal substeps. Tools move at their velocities.
    ///
    /// A substep is at most the configured one, the stability limit of the stiffest material, and the time in which
    /// tissue or tools cross a quarter of a cell.
    ///
    /// # Errors
    /// [`TissueError::Setting`] for an invalid time or tool; [`TissueError::Diverged`], now and on every call
    /// until a reset.
    pub fn step(&mut self, time: f64) -> Result<(), TissueError> {
        check_range("time", time, [0.0, 1e3], "s")?;
        self.config.check_tools(&self.tools)?;
        if let Some(reason) = self.diverged {
            return Err(self.diverged_error(reason));
        }
        let n_tools = self.tools.len();
        self.grips.release_if(|held| held.holder as usize > n_tools);
        self.choose_window()?;
        let n_substeps = (time / self.substep() - 1e-9).ceil().max(0.0);
        check_range("substeps in a step", n_substeps, [0.0, MAX_SUBSTEPS], "")?;
        let n_substeps = n_substeps as usize;
        if n_substeps == 0 {
            return Ok(());
        }
        let threads = self.threads.clone();
        let (impulses, points) = threads.run(|| self.substeps(time, n_substeps))?;
        for tool in &mut self.tools {
            *tool = tool.after(time);
        }
        self.wrenches = impulses;
        for wrench in &mut self.wrenches {
            wrench.force /= time;
            wrench.torque /= time;
        }
        self.fixed_wrench = self.wrenches.pop().unwrap_or_default();
        let records = |tool: &Tool| tool.records_points;
        self.contact_points = ContactPoints::of_step(&self.tools, records, &points, time);
        self.time += time;
        Ok(())
    }

    /// Runs the substeps of a step. Returns the impulses on the tools, followed by the impulse on fixed particles [N·s,
    /// N·m·s], and the points of tools that record them.
    fn substeps(
        &mut self,
        time: f64,
        n_substeps: usize,
    ) -> Result<(Vec<Wrench>, Vec<PointImpulse>), TissueError> {
        let dt = time / n_substeps as f64;
        let mut points = Vec::new();
        let mut impulses = vec![Wrench::default(); self.tools.len() + 1];
        for index in 0..=n_substeps {
            // grid => particles => impulses on tools => grid
            let gone = index as f64 * dt;
            let tools: Vec<Tool> = self.tools.iter().map(|tool| tool.after(gone)).collect();
            let p2g = index < n_substeps;
            let g2p = (index > 0).then_some(G2p {
                sorts: index % SORT_INTERVAL == 1,
            });
            self.transfer(dt, g2p, &tools, p2g.then_some(&mut impulses))?;
            if index == n_substeps {
                break;
            }
            for block in &self.blocks {
                points.extend_from_slice(&block.points);
            }
            // momentum => velocity at the nodes, impulses on tools
            self.update_grid(dt, &tools);
            for node_block in &self.node_blocks {
                add_impulses(&mut impulses, &node_block.impulses);
                points.extend_from_slice(&node_block.points);
            }
        }
        Ok((impulses, points))
    }

    /// Longest substep that the next step would take [s].
    pub fn substep(&self) -> f64 {
        let size = self
            .config
            .cells
            .map(|cells| cells as f64 * self.config.cell_width);
        let size = size.into_iter().fold(0.0, f64::max);
        let speeds = self.tools.iter().map(|tool| tool.speed(size));
        let speed = speeds.fold(self.speed, f64::max).max(self.grip_speed());
        let by_speed = PLANNED_COURANT * self.config.cell_width / speed.max(1e-9);
        self.config.substep.min(self.stable_substep).min(by_speed)
    }

    /// Resets to rest shape and time zero. Tools stay and release their particles.
    pub fn reset(&mut self) {
        let n_blocks = self.config.blocks();
        // The start positions are already checked.
        if let Some(Sorted {
            blocks,
            node_blocks,
        }) = sort(&self.start, n_blocks)
        {
            (self.blocks, self.node_blocks) = (blocks, node_blocks);
        }
        self.window = Window::new(&self.config, &self.start);
        let speeds = self
            .start
            .iter()
            .flat_map(|(_, particle)| particle.velocity);
        self.speed = speeds.map(|v| f64::from(v.abs())).fold(0.0, f64::max);
        self.time = 0.0;
        self.wrenches.clear();
        self.fixed_wrench = Wrench::default();
        self.contact_points.clear();
        self.hold_fixed_only();
        self.diverged = None;
    }

    /// Mean wrench of the tissue on a tool over the last step, about the origin of the moving tool. Zero before the
    /// first step.
    pub fn wrench(&self, tool: usize) -> Wrench {
        self.wrenches.get(tool).copied().unwrap_or_default()
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Settings.
    pub fn config(&self) -> &MpmConfig {
        &self.config
    }

    /// Number of particles.
    pub fn n_particles(&self) -> usize {
        self.start.len()
    }

    /// Positions in world [m], shape `[n_particles, 3]`, in the order of the bodies.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        let mut positions = vec![[0.0; 3]; self.n_particles()];
        for (id, particle) in self.particles() {
            positions[id as usize] = std::array::from_fn(|axis| {
                let cells =
                    f64::from(particle.position[axis]) + f64::from(particle.displacement[axis]);
                self.config.origin[axis] + cells * self.config.cell_width
            });
        }
        positions
    }

    /// Velocities in world [m/s], shape `[n_particles, 3]`.
    pub fn velocities(&self) -> Vec<[f64; 3]> {
        let mut velocities = vec![[0.0; 3]; self.n_particles()];
        for (id, particle) in self.particles() {
            velocities[id as usize] = particle.velocity.map(f64::from);
        }
        velocities
    }

    /// Deformation gradients, row-major, shape `[n_particles, 9]`.
    pub fn deformation_grads(&self) -> Vec<[f32; 9]> {
        let mut grads = vec![[0.0; 9]; self.n_particles()];
        for (id, particle) in self.particles() {
            grads[id as usize] = particle.deformation_grad;
        }
        grads
    }

    /// See [`SoftTissue::stress`](crate::SoftTissue::stress). Damage reduces it as in a step.
    pub fn stress(&self) -> TissueStress {
        let mut particles: Vec<(u32, Particle)> = self.particles().collect();
        particles.sort_unstable_by_key(|(id, _)| *id);
        let mut all = TissueStress {
            points: self.positions(),
            ..TissueStress::default()
        };
        for (_, particle) in particles {
            let f = Matrix3::from_row_slice(&particle.deformation_grad.map(f64::from));
            let [lambda, mu] = [particle.lame_lambda, particle.lame_mu].map(f64::from);
            let stress = damage::remaining_stress(
                &f,
                self.config.law.kirchhoff(&f, mu, lambda),
                lambda,
                particle.damage.into(),
            );
            all.add(particle.volume.into(), &f, stress);
        }
        all
    }

    /// Damage of each particle: lost share of the stiffness, 0 to 1, shape `[n_particles]`.
    pub fn damage(&self) -> Vec<f32> {
        let mut damage = vec![0.0; self.n_particles()];
        for (id, particle) in self.particles() {
            damage[id as usize] = particle.damage;
        }
        damage
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

    /// Moving particles, followed by resting ones.
    fn particles(&self) -> impl Iterator<Item = (u32, Particle)> + '_ {
        self.moving().chain(self.window.resting.iter().copied())
    }

    fn moving(&self) -> impl Iterator<Item = (u32, Particle)> + '_ {
        let chunks = self.blocks.iter().flat_map(|block| &block.chunks);
        chunks.flat_map(|chunk| (0..chunk.n).map(|lane| (chunk.ids[lane], chunk.get(lane))))
    }

    /// Transfers from the grid to the particles if `g2p` is set. Then applies contact and transfers to the grid if
    /// impulses are given. Tools are at their poses after the motion.
    fn transfer(
        &mut self,
        dt: f64,
        g2p: Option<G2p>,
        tools: &[Tool],
        impulses: Option<&mut Vec<Wrench>>,
    ) -> Result<(), TissueError> {
        let p2g = impulses.is_some();
        self.advance(dt, g2p, p2g, tools);
        self.check_speed(dt, g2p.is_some())?;
        if self.blocks.iter().any(|block| block.outcome.left_tile) {
            if p2g {
                self.blocks.iter_mut().for_each(Block::undo_contact);
            }
            let moving: Vec<(u32, Particle)> = self.moving().collect();
            self.sort(&moving)?;
            if p2g {
                self.advance(dt, None, true, tools);
            }
        }
        if let Some(impulses) = impulses {
            for block in &self.blocks {
                add_impulses(impulses, &block.impulses);
            }
        }
        Ok(())
    }

    /// Runs the transfers of all blocks.
    fn advance(&mut self, dt: f64, g2p: Option<G2p>, p2g: bool, tools: &[Tool]) {
        let constants = Constants {
            dt: dt as f32,
            cell_width: self.config.cell_width as f32,
        };
        let (config, grips) = (&self.config, &self.grips);
        let how = Advance {
            node_blocks: &self.node_blocks,
            law: config.law,
            formulation: config.formulation,
            tears: self.can_tear,
            constants,
            g2p,
            p2g,
            contact: p2g.then_some(ToolContact {
                config,
                tools,
                grips,
                dt,
                largest: self.largest,
            }),
            holding: (!grips.is_empty()).then_some(Holding {
                grips,
                config,
                tools,
            }),
        };
        self.threads
            .for_each(&mut self.blocks, |block| block.advance(how));
    }

    /// Stops a world whose particles are too fast.
    fn check_speed(&mut self, dt: f64, g2p: bool) -> Result<(), TissueError> {
        if !g2p {
            return Ok(());
        }
        let mut speed = 0.0f32;
        for block in &self.blocks {
            let own = block.outcome.max_speed;
            speed = if speed >= own { speed } else { own };
        }
        self.speed = f64::from(speed);
        let most = MAX_COURANT * self.config.cell_width / dt;
        if self.speed <= most {
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
        Err(self.diverged_error(reason))
    }

    fn diverged_error(&self, reason: Divergence) -> TissueError {
        TissueError::Diverged {
            reason,
            time: self.time,
        }
    }

    /// Moves only the particles within reach of the tools.
    fn choose_window(&mut self) -> Result<(), TissueError> {
        let reach = self.config.active_radius;
        if reach == f64::INFINITY || !self.window.choose(reach, &self.tools, &self.grips) {
            return Ok(());
        }
        let all = self.particles().collect();
        let moving = self.window.rest(all);
        self.sort(&moving)
    }

    /// Sorts the moving particles into blocks.
    fn sort(&mut self, particles: &[(u32, Particle)]) -> Result<(), TissueError> {
        let Some(Sorted {
            blocks,
            node_blocks,
        }) = sort(particles, self.config.blocks())
        else {
            self.diverged = Some(Divergence::Left);
            return Err(self.diverged_error(Divergence::Left));
        };
        (self.blocks, self.node_blocks) = (blocks, node_blocks);
        self.window.mark(&mut self.node_blocks);
        Ok(())
    }

    /// Sums the momenta of the blocks and updates the grid.
    fn update_grid(&mut self, dt: f64, tools: &[Tool]) {
        let motions = if self.grips.is_empty() && self.window.resting.is_empty() {
            Vec::new()
        } else {
            Motion::of_all(tools, dt)
        };
        let update = GridUpdate {
            config: &self.config,
            tools,
            motions: &motions,
            dt,
        };
        let blocks = &self.blocks;
        self.threads.for_each(&mut self.node_blocks, |node_block| {
            let near = node_block.near;
            // From the surrounding block, this block is on the opposite side.
            let touching = |side: usize| {
                let block = blocks.get(near[side] as usize)?;
                (block.outcome.touched & 1 << (26 - side) != 0).then_some(&block.momenta)
            };
            if (0..27).all(|side| touching(side).is_none()) {
                node_block.nodes = [0.0; NODES_LEN];
                node_block.impulses.clear();
                node_block.points.clear();
                return;
            }
            tile::sum(&mut node_block.nodes, touching);
            let is_marked = !motions.is_empty()
                && near.iter().any(|&near| {
                    let block = blocks.get(near as usize);
                    block.is_some_and(|block| block.marks.is_some())
                });
            let mut marks = is_marked.then(|| {
                tile::least(FREE, |side| {
                    let block = blocks.get(near[side] as usize);
                    block.and_then(|block| block.marks.as_deref())
                })
            });
            let at_rest = node_block.at_rest;
            if at_rest != 0 {
                let marks = marks.get_or_insert([FREE; _]);
                for (node, mark) in marks.iter_mut().enumerate() {
                    if at_rest & 1 << node != 0 {
                        *mark = WORLD;
                    }
                }
            }
            update.update(node_block, marks.as_ref());
        });
    }
}

/// Adds the impulses of one block to the totals of all tools.
fn add_impulses(totals: &mut [Wrench], impulses: &[Wrench]) {
    for (total, impulse) in totals.iter_mut().zip(impulses) {
        total.force += impulse.force;
        total.torque += impulse.torque;
    }
}
