//! Many worlds of particles and tools.

use insonate_settings::check_range;
use nalgebra::Vector3;

use insonate_gpu::Region;

use super::buffers::{Buffers, STATUS_WORDS};
use super::layout::{ASTRAY, Layout, Motion};
use super::stages::{Plan, Stages};
use crate::gpu::fields::Fields;
use crate::gpu::tools::{self, IMPULSE_WORDS, MAX_TOOLS, TOOL_WORDS};
use crate::gpu::{Gpu, GpuError};
use crate::mpm::{Contact, MpmBody, MpmConfig, WALL_NODES, Wall};
use crate::tool::{Tool, Wrench};
use crate::{Divergence, TissueError};

/// Cells that a particle may move between sorts. At one cell it may be out of reach of its block.
const MOST_DRIFT: f64 = 0.9;
/// Factor by which speeds may grow from one step to the next before a world must wait for a sort.
const FASTER: f64 = 1.5;

/// Units of momentum in a unit of impulse.
const FORCE_UNIT: f64 = 16.0;
/// Units of momentum in a unit of angular impulse, about arms in cells.
const TORQUE_UNIT: f64 = 16384.0;

/// Host state of a world.
#[derive(Debug, Clone)]
pub(super) struct World {
    tools: Vec<Tool>,
    pub(super) wrenches: Vec<Wrench>,
    pub(super) time: f64,
    pub(super) diverged: Option<Divergence>,
    /// Greatest speed along an axis in the last step [m/s].
    pub(super) speed: f64,
    /// Factors of Young's moduli and damping times.
    pub(super) softness: [f64; 2],
    /// Longest substep that its materials allow [s].
    pub(super) stable_substep: f64,
    /// Length of a substep in the last step [s], and their number; 0 if it did not move.
    dt: f64,
    n_substeps: u32,
}

impl World {
    fn new(stable_substep: f64, speed: f64) -> Self {
        Self {
            tools: Vec::new(),
            wrenches: Vec::new(),
            time: 0.0,
            diverged: None,
            speed,
            softness: [1.0; 2],
            stable_substep,
            dt: 1e-3,
            n_substeps: 0,
        }
    }
}

/// Worlds of MLS-MPM on one GPU, stepped together.
#[derive(Debug)]
pub struct GpuMpm {
    pub(super) gpu: Gpu,
    pub(super) layout: Layout,
    pub(super) buffers: Buffers,
    stages: Stages,
    fields: Fields,
    pub(super) worlds: Vec<World>,
    /// Index of the buffer that holds the particles.
    pub(super) side: usize,
    pub(super) needs_sort: bool,
    /// Bound on the cells that a particle has moved since the last sort.
    drift: f64,
    uploaded: Uploaded,
}

/// Words that the GPU has.
#[derive(Debug, Default)]
struct Uploaded {
    params: Vec<u32>,
    worlds: Vec<u32>,
    tools: Vec<u32>,
}

/// Status of a world after a step, as reported by the GPU.
#[derive(Debug, Clone, Copy)]
struct Report {
    stop_at: u32,
    flags: u32,
    speed: f32,
}

impl GpuMpm {
    /// Worlds of bodies at rest shape, with the same settings.
    ///
    /// # Errors
    /// [`GpuError::Tissue`] for invalid settings or positions; [`GpuError::Unsupported`] for fixed particles and a reach;
    /// [`GpuError::Device`], also if the worlds exceed the limits of the GPU.
    pub fn new(gpu: &Gpu, config: MpmConfig, worlds: &[Vec<MpmBody>]) -> Result<Self, GpuError> {
        Self::with_layout(gpu, Layout::new(gpu, config, worlds, 1)?)
    }

    /// Worlds that all have the same bodies.
    ///
    /// # Errors
    /// As [`GpuMpm::new`]; [`GpuError::Tissue`] unless there are 1 to a million worlds.
    pub fn of_copies(
        gpu: &Gpu,
        config: MpmConfig,
        bodies: &[MpmBody],
        n_worlds: usize,
    ) -> Result<Self, GpuError> {
        check_range("n_worlds", n_worlds as f64, [1.0, 1e6], "worlds")?;
        Self::with_layout(gpu, Layout::new(gpu, config, &[bodies.to_vec()], n_worlds)?)
    }

    fn with_layout(gpu: &Gpu, layout: Layout) -> Result<Self, GpuError> {
        let buffers = Buffers::new(gpu, &layout)?;
        let fields = Fields::new(gpu)?;
        let stages = Stages::new(gpu, &buffers, &layout, &fields)?;
        let n_worlds = layout.worlds.len();
        let world = |index| {
            let substep = layout.stable_substep(index, [1.0; 2]);
            World::new(substep, layout.start_speed)
        };
        let mut made = Self {
            gpu: gpu.clone(),
            worlds: (0..n_worlds).map(world).collect(),
            layout,
            buffers,
            stages,
            fields,
            side: 0,
            needs_sort: true,
            drift: 0.0,
            uploaded: Uploaded::default(),
        };
        made.reset(&(0..n_worlds).collect::<Vec<_>>())?;
        Ok(made)
    }

    /// Number of worlds.
    pub fn n_worlds(&self) -> usize {
        self.worlds.len()
    }

    /// Number of particles of a world.
    pub fn n_particles(&self, world: usize) -> usize {
        self.layout.worlds[world].n
    }

    /// Mass of a world's particles [kg].
    pub fn mass(&self, world: usize) -> f64 {
        self.layout.worlds[world].mass
    }

    /// A world's tools.
    pub fn tools(&self, world: usize) -> &[Tool] {
        &self.worlds[world].tools
    }

    /// Tools of a world, at most [`MAX_TOOLS`]. A step moves them by their velocities. A pose set here is used from the
    /// next step on.
    pub fn tools_mut(&mut self, world: usize) -> &mut Vec<Tool> {
        &mut self.worlds[world].tools
    }

    /// Simulated time of a world [s].
    pub fn time(&self, world: usize) -> f64 {
        self.worlds[world].time
    }

    /// Reason for which a world has stopped, until a reset.
    pub fn divergence(&self, world: usize) -> Option<Divergence> {
        self.worlds[world].diverged
    }

    /// Mean wrench of the tissue on a tool over the last step, in the world frame, about the origin of the moving tool.
    /// Zero before the first step.
    pub fn wrench(&self, world: usize, tool: usize) -> Wrench {
        let wrenches = &self.worlds[world].wrenches;
        wrenches.get(tool).copied().unwrap_or_default()
    }

    /// Advances all worlds by a time [s] in equal substeps no longer than [`substep`](Self::substep). Tools move at
    /// their velocities.
    ///
    /// A world that diverges stops with a [`divergence`](Self::divergence); the others continue.
    ///
    /// # Errors
    /// Before any world moves: [`GpuError::Tissue`] for an invalid time or tool, [`GpuError::Device`] for the
    /// distance fields of tools. [`GpuError::Device`] at any time.
    pub fn step(&mut self, time: f64) -> Result<(), GpuError> {
        self.step_some(time, &vec![true; self.worlds.len()])
    }

    /// Advances the worlds with a `true` entry in `moves`, shape `[n_worlds]`, as [`step`](Self::step) does; the others stay as they are.
    ///
    /// # Errors
    /// As [`step`](Self::step); [`GpuError::Tissue`] unless there is one entry per world.
    pub fn step_some(&mut self, time: f64, moves: &[bool]) -> Result<(), GpuError> {
        self.gpu.check()?;
        if moves.len() != self.worlds.len() {
            let allowed = format!("{} entries", self.worlds.len());
            return Err(TissueError::setting("moves", moves.len(), allowed).into());
        }
        check_range("time", time, [0.0, 1e3], "s")?;
        for world in &self.worlds {
            tools::check(&world.tools)?;
            self.layout.config.check_tools(&world.tools)?;
        }
        self.divide(time, moves)?;
        if self.worlds.iter().all(|world| world.n_substeps == 0) {
            return Ok(());
        }
        let tools = self.worlds.iter().flat_map(|world| &world.tools);
        self.fields.bring(&self.gpu, tools)?;
        self.upload();
        let mut plan = self.plan();
        let mut is_open: Vec<bool> = self.worlds.iter().map(|it| it.n_substeps > 0).collect();
        let impulses = loop {
            let (reports, impulses) = self.run(plan)?;
            match self.note(&reports, &mut is_open) {
                None => break impulses,
                Some(first) => {
                    plan = Plan {
                        first,
                        resumes: true,
                        sorts: true,
                        ..plan
                    };
                }
            }
        };
        // The last sort within a step is not at its end.
        let since_sort = f64::from((plan.n_substeps - 1) % plan.sort_every + 1);
        if !self.layout.is_total() {
            self.drift += self.cells_per_substep(1.0) * since_sort;
        }
        self.update_tools(&impulses, time);
        Ok(())
    }

    /// Divides a time [s] into substeps of the worlds that move.
    fn divide(&mut self, time: f64, moves: &[bool]) -> Result<(), GpuError> {
        let counts = (0..moves.len()).map(|world| {
            let is_moving = moves[world] && self.worlds[world].diverged.is_none();
            let count = (time / self.substep(world) - 1e-9).ceil().max(0.0);
            if is_moving { count } else { 0.0 }
        });
        let counts: Vec<f64> = counts.collect();
        let most = counts.iter().copied().fold(0.0, f64::max);
        check_range("time over substep", most, [0.0, 1e8], "")?;
        for (world, count) in self.worlds.iter_mut().zip(counts) {
            world.n_substeps = count as u32;
            if count > 0.0 {
                world.dt = time / count;
            }
        }
        Ok(())
    }

    /// Notes the reports of a round of the worlds that are not finished. Returns the first substep that a world waits for, if one does.
    fn note(&mut self, reports: &[Report], is_open: &mut [bool]) -> Option<u32> {
        let mut waits_from: Option<u32> = None;
        let open = is_open.iter_mut().enumerate().filter(|(_, is)| **is);
        for (index, is_open) in open {
            let (world, report) = (&mut self.worlds[index], reports[index]);
            let reason = self.layout.reason(report.flags, report.speed, world.dt);
            *is_open = reason.is_none() && report.stop_at < world.n_substeps;
            if reason.is_some() {
                world.diverged = reason;
            } else {
                world.speed = report.speed.into();
                self.needs_sort |= report.flags & ASTRAY != 0;
            }
            if *is_open {
                let first = waits_from.unwrap_or(report.stop_at);
                waits_from = Some(first.min(report.stop_at));
            }
        }
        waits_from
    }

    /// Cells that the fastest particle of all moving worlds, or a tool, moves in a substep at a factor of its speed.
    fn cells_per_substep(&self, factor: f64) -> f64 {
        let gravity = Vector3::from(self.layout.config.gravity).norm();
        let moving = self.worlds.iter().filter(|world| world.n_substeps > 0);
        let cells = moving.map(|world| {
            let time = world.dt * f64::from(world.n_substeps);
            let of_tools = world.tools.iter().map(|tool| tool.linear.norm());
            let fastest = of_tools.fold(world.speed, f64::max);
            (factor * fastest + gravity * time) * world.dt / self.layout.config.cell_width
        });
        cells.fold(0.0, f64::max)
    }

    /// Plans the sorts from the speeds of particles and tools. Weights at rest need no second sort.
    fn plan(&mut self) -> Plan {
        let mut tools = self.worlds.iter().flat_map(|world| &world.tools);
        let pushes_particles = self.layout.config.contact == Contact::Particles
            && tools.any(|tool| tool.friction.is_finite());
        let n_substeps = self.worlds.iter().map(|world| world.n_substeps).max();
        let n_substeps = n_substeps.unwrap_or(0);
        let cells = if self.layout.is_total() {
            0.0
        } else {
            self.cells_per_substep(FASTER).max(1e-9)
        };
        let sorts = self.needs_sort || self.drift + cells * f64::from(n_substeps) > MOST_DRIFT;
        Plan {
            n_substeps,
            first: 0,
            resumes: false,
            sorts,
            pushes_particles,
            sort_every: (MOST_DRIFT / cells).clamp(1.0, 1e9) as u32,
        }
    }

    /// Runs a step, or the rest of one, and reads back reports and impulses.
    fn run(&mut self, plan: Plan) -> Result<(Vec<Report>, Vec<u32>), GpuError> {
        let stride = self.stride();
        let Self {
            gpu,
            stages,
            buffers,
            layout,
            fields,
            ..
        } = self;
        let mut encoder = stages.step(gpu, buffers, layout, fields, plan, &mut self.side);
        if plan.sorts {
            (self.needs_sort, self.drift) = (false, 0.0);
        }
        let n_worlds = self.worlds.len();
        let status_len = 4 * n_worlds * STATUS_WORDS;
        let wanted = [
            (&buffers.status, status_len),
            (&buffers.impulses, 4 * n_worlds * stride * IMPULSE_WORDS),
        ];
        let regions = wanted.map(|(buffer, len)| Region {
            buffer,
            start: 0,
            len: len as u64,
        });
        buffers.staging.take(&mut encoder, &regions);
        gpu.queue.submit([encoder.finish()]);
        if n_worlds == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&buffers.staging.read(gpu)?);
        let (status, impulses) = words.split_at(status_len / 4);
        let report = |words: &[u32]| Report {
            stop_at: words[1],
            flags: words[2],
            speed: f32::from_bits(words[3]),
        };
        let reports = status.chunks_exact(STATUS_WORDS).map(report).collect();
        Ok((reports, impulses.to_vec()))
    }

    /// Moves tools and converts impulses to wrenches.
    fn update_tools(&mut self, impulses: &[u32], time: f64) {
        let stride = self.stride();
        for (index, world) in self.worlds.iter_mut().enumerate() {
            if world.diverged.is_some() || world.n_substeps == 0 {
                continue;
            }
            world.time += time;
            world.wrenches.clear();
            let [_, momentum_scale] = self.layout.scales(index, world.dt);
            let step = 1.0 / (momentum_scale * time);
            for (i, tool) in world.tools.iter_mut().enumerate() {
                *tool = tool.after(time);
                let start = (index * stride + i) * IMPULSE_WORDS;
                let sum = |axis: usize| tools::sum(&impulses[start + 2 * axis..][..2]) * step;
                let turn = TORQUE_UNIT * self.layout.config.cell_width;
                world.wrenches.push(Wrench {
                    force: Vector3::from_fn(|axis, _| sum(axis) * FORCE_UNIT),
                    torque: Vector3::from_fn(|axis, _| sum(3 + axis) * turn),
                });
            }
        }
    }

    /// Number of tool slots of each world.
    fn stride(&self) -> usize {
        let counts = self.worlds.iter().map(|world| world.tools.len());
        counts.max().unwrap_or(0)
    }

    /// Uploads settings, worlds and tools that have changed.
    fn upload(&mut self) {
        let (config, stride) = (&self.layout.config, self.stride());
        let worlds = self.worlds.iter().enumerate();
        let words = worlds.flat_map(|(index, world)| {
            let motion = Motion {
                dt: world.dt,
                n_substeps: world.n_substeps,
                n_tools: world.tools.len(),
                softness: world.softness,
            };
            self.layout.world_words(index, motion)
        });
        let worlds: Vec<u32> = words.collect();
        let len = stride * TOOL_WORDS;
        let mut tools = vec![0; self.worlds.len() * len];
        for (world, words) in self.worlds.iter().zip(tools.chunks_exact_mut(len.max(1))) {
            for (tool, words) in world.tools.iter().zip(words.chunks_exact_mut(TOOL_WORDS)) {
                let (origin, unit) = (config.origin, config.cell_width);
                words.copy_from_slice(&tools::words(tool, origin, unit, &self.fields));
            }
        }
        let params = self.params(stride);
        let Buffers {
            params: params_buffer,
            worlds: worlds_buffer,
            tools: tools_buffer,
            ..
        } = &self.buffers;
        for (buffer, uploaded, words) in [
            (params_buffer, &mut self.uploaded.params, params),
            (worlds_buffer, &mut self.uploaded.worlds, worlds),
            (tools_buffer, &mut self.uploaded.tools, tools),
        ] {
            if *uploaded != words {
                let bytes = bytemuck::cast_slice(&words);
                self.gpu.queue.write_buffer(buffer, 0, bytes);
                *uploaded = words;
            }
        }
    }

    /// Settings in words: see `common.wgsl`.
    fn params(&self, stride: usize) -> Vec<u32> {
        let config = &self.layout.config;
        let mut walls = 0;
        for (i, wall) in config.walls.iter().flatten().enumerate() {
            let kind = match wall {
                Wall::Sticky => 0,
                Wall::Slip => 1,
                Wall::Separate => 2,
            };
            walls |= kind << (2 * i);
        }
        let number = |x: f64| (x as f32).to_bits();
        let [n_x, n_y, n_z] = self.layout.n_blocks.map(|n| n as u32);
        let [gravity_x, gravity_y, gravity_z] = config.gravity.map(number);
        vec![
            n_x,
            n_y,
            n_z,
            self.layout.quota as u32,
            gravity_x,
            gravity_y,
            gravity_z,
            number(config.cell_width),
            number(config.contact_distance * config.cell_width),
            walls,
            stride as u32,
            self.layout.n_particles as u32,
            self.worlds.len() as u32,
            self.layout.n_rows() as u32,
            u32::from(config.contact == Contact::Nodes),
            0,
        ]
    }

    /// Resets worlds to rest shape and time zero. Tools stay.
    ///
    /// # Errors
    /// [`GpuError::Tissue`] for an unknown world; [`GpuError::Device`].
    pub fn reset(&mut self, worlds: &[usize]) -> Result<(), GpuError> {
        self.gpu.check()?;
        let mut listed = worlds.to_vec();
        listed.sort_unstable();
        listed.dedup();
        if let Some(beyond) = listed.iter().find(|i| **i >= self.worlds.len()) {
            let allowed = format!("below {}", self.worlds.len());
            return Err(TissueError::setting("world", beyond, allowed).into());
        }
        if listed.is_empty() {
            return Ok(());
        }
        if self.uploaded.params.is_empty() {
            self.upload();
        }
        let words: Vec<_> = listed.iter().map(|i| *i as u32).collect();
        let bytes = bytemuck::cast_slice(&words);
        self.gpu.queue.write_buffer(&self.buffers.listed, 0, bytes);
        self.stages
            .reset(&self.gpu, &self.layout, listed.len(), self.side);
        for index in listed {
            let world = &mut self.worlds[index];
            world.time = 0.0;
            world.diverged = None;
            world.speed = self.layout.start_speed;
            world.wrenches.clear();
        }
        self.needs_sort = true;
        Ok(self.gpu.check()?)
    }
}

const _: () = assert!(
    WALL_NODES == 3 && MAX_TOOLS == 8,
    "as in grid_update.wgsl and impulses.wgsl"
);
