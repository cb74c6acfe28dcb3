//! Many worlds of particles and tools.

use insonate_settings::check_range;
use nalgebra::Vector3;

use insonate_gpu::Region;

use super::buffers::{Buffers, STATUS_WORDS};
use super::layout::{ASTRAY, Layout};
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
#[derive(Debug, Clone, Default)]
pub(super) struct World {
    tools: Vec<Tool>,
    pub(super) wrenches: Vec<Wrench>,
    pub(super) time: f64,
    pub(super) diverged: Option<Divergence>,
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
    /// Greatest speed along an axis in the last step [m/s].
    pub(super) speed: f64,
    /// Substep [s] of the uploaded settings, and the maximum number of tools in a world.
    uploaded: Option<(f64, usize)>,
    /// Uploaded tools, and the number of tools of each world.
    uploaded_tools: Vec<u32>,
    uploaded_counts: Vec<usize>,
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
    /// [`GpuError::Tissue`] for invalid settings or positions; [`GpuError::Unsupported`] for fixed particles;
    /// [`GpuError::Device`], also if the worlds exceed the limits of the GPU.
    pub fn new(gpu: &Gpu, config: MpmConfig, worlds: &[Vec<MpmBody>]) -> Result<Self, GpuError> {
        let layout = Layout::new(gpu, config, worlds)?;
        let buffers = Buffers::new(gpu, &layout)?;
        let fields = Fields::new(gpu)?;
        let stages = Stages::new(gpu, &buffers, &layout, &fields)?;
        let mut made = Self {
            gpu: gpu.clone(),
            speed: layout.start_speed,
            worlds: vec![World::default(); worlds.len()],
            layout,
            buffers,
            stages,
            fields,
            side: 0,
            needs_sort: true,
            drift: 0.0,
            uploaded: None,
            uploaded_tools: Vec::new(),
            uploaded_counts: Vec::new(),
        };
        made.reset(&(0..worlds.len()).collect::<Vec<_>>())?;
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
        self.gpu.check()?;
        check_range("time", time, [0.0, 1e3], "s")?;
        for world in &self.worlds {
            tools::check(&world.tools)?;
        }
        let n_substeps = (time / self.substep() - 1e-9).ceil().max(0.0);
        check_range("time over substep", n_substeps, [0.0, 1e8], "")?;
        if n_substeps == 0.0 {
            return Ok(());
        }
        let dt = time / n_substeps;
        let tools = self.worlds.iter().flat_map(|world| &world.tools);
        self.fields.bring(&self.gpu, tools)?;
        self.upload(dt);
        let mut plan = self.plan(dt, n_substeps as u32);
        let (mut is_open, mut speed) = (vec![true; self.worlds.len()], 0.0f64);
        for (is_open, world) in is_open.iter_mut().zip(&self.worlds) {
            *is_open = world.diverged.is_none();
        }
        let impulses = loop {
            let (reports, impulses) = self.run(plan)?;
            let mut waits_from = None;
            for (index, report) in reports.into_iter().enumerate() {
                if !is_open[index] {
                    continue;
                }
                let reason = self.layout.reason(report.flags, report.speed, dt);
                let waits = reason.is_none() && report.stop_at < plan.n_substeps;
                is_open[index] = waits;
                if reason.is_some() {
                    self.worlds[index].diverged = reason;
                } else {
                    speed = speed.max(report.speed.into());
                    self.needs_sort |= report.flags & ASTRAY != 0;
                }
                if waits {
                    let first = waits_from.unwrap_or(report.stop_at);
                    waits_from = Some(first.min(report.stop_at));
                }
            }
            let Some(first) = waits_from else {
                break impulses;
            };
            plan = Plan {
                first,
                resumes: true,
                sorts: true,
                ..plan
            };
        };
        self.speed = speed;
        // The last sort within a step is not at its end.
        let since_sort = f64::from((plan.n_substeps - 1) % plan.sort_every + 1);
        self.drift += speed * since_sort * dt / self.layout.config.cell_width;
        self.update_tools(&impulses, time, dt);
        Ok(())
    }

    /// Longest substep [s]: the configured one, or the stability limit of the stiffest material of all
    /// worlds.
    ///
    /// Unlike on the CPU, fast tissue does not shorten the substep: worlds step together, and one must not change the
    /// others.
    pub fn substep(&self) -> f64 {
        self.layout.config.substep.min(self.layout.stable_substep)
    }

    /// Plans the sorts from the speeds of particles and tools.
    fn plan(&mut self, dt: f64, n_substeps: u32) -> Plan {
        let tools = self.worlds.iter().flat_map(|world| &world.tools);
        let pushes_particles = self.layout.config.contact == Contact::Particles
            && tools.clone().any(|tool| tool.friction.is_finite());
        let fastest = tools.fold(self.speed, |speed, tool| speed.max(tool.linear.norm()));
        let gravity = Vector3::from(self.layout.config.gravity).norm();
        let speed = FASTER * fastest + gravity * dt * f64::from(n_substeps);
        let cells = (speed * dt / self.layout.config.cell_width).max(1e-9);
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
        let stride = self.uploaded.map_or(0, |(_, stride)| stride);
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
    fn update_tools(&mut self, impulses: &[u32], time: f64, dt: f64) {
        let stride = self.uploaded.map_or(0, |(_, stride)| stride);
        for (index, world) in self.worlds.iter_mut().enumerate() {
            if world.diverged.is_some() {
                continue;
            }
            world.time += time;
            world.wrenches.clear();
            let [_, momentum_scale] = self.layout.scales(index, dt);
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

    /// Uploads settings and tools that have changed.
    fn upload(&mut self, dt: f64) {
        let config = &self.layout.config;
        let stride = self.worlds.iter().map(|world| world.tools.len()).max();
        let stride = stride.unwrap_or(0);
        let counts: Vec<_> = self.worlds.iter().map(|world| world.tools.len()).collect();
        if self.uploaded != Some((dt, stride)) || self.uploaded_counts != counts {
            let queue = &self.gpu.queue;
            let words = self.params(dt, stride);
            queue.write_buffer(&self.buffers.params, 0, bytemuck::cast_slice(&words));
            let words: Vec<_> = (0..self.worlds.len())
                .flat_map(|i| self.layout.world_words(i, dt, counts[i]))
                .collect();
            queue.write_buffer(&self.buffers.worlds, 0, bytemuck::cast_slice(&words));
            self.uploaded = Some((dt, stride));
            self.uploaded_counts = counts;
            self.uploaded_tools.clear();
        }
        let mut words = vec![0; self.worlds.len() * stride * TOOL_WORDS];
        for (world, words) in self
            .worlds
            .iter()
            .zip(words.chunks_exact_mut((stride * TOOL_WORDS).max(1)))
        {
            for (tool, words) in world.tools.iter().zip(words.chunks_exact_mut(TOOL_WORDS)) {
                words.copy_from_slice(&tools::words(
                    tool,
                    config.origin,
                    config.cell_width,
                    &self.fields,
                ));
            }
        }
        if words != self.uploaded_tools {
            let bytes = bytemuck::cast_slice(&words);
            self.gpu.queue.write_buffer(&self.buffers.tools, 0, bytes);
            self.uploaded_tools = words;
        }
    }

    /// Settings in words: see `common.wgsl`.
    fn params(&self, dt: f64, stride: usize) -> Vec<u32> {
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
        let [gravity_x, gravity_y, gravity_z] = config.gravity.map(|g| number(g * dt));
        vec![
            n_x,
            n_y,
            n_z,
            self.layout.quota as u32,
            gravity_x,
            gravity_y,
            gravity_z,
            number(dt),
            number(config.cell_width),
            0,
            number(config.contact_distance * config.cell_width),
            number(self.layout.speed_limit(dt)),
            walls,
            stride as u32,
            self.layout.n_particles as u32,
            self.worlds.len() as u32,
            number(self.layout.p2g_limit(dt)),
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
        if self.uploaded.is_none() {
            self.upload(self.layout.config.substep);
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
            world.wrenches.clear();
        }
        self.speed = self.speed.max(self.layout.start_speed);
        self.needs_sort = true;
        Ok(self.gpu.check()?)
    }
}

const _: () = assert!(
    WALL_NODES == 3 && MAX_TOOLS == 8,
    "as in grid_update.wgsl and impulses.wgsl"
);
