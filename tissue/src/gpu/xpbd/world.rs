//! Many worlds of tetrahedra and tools.

use nalgebra::Vector3;

use super::topology::Topology;
use super::{GpuXpbdBody, GpuXpbdConfig};
use crate::gpu::fields::Fields;
use crate::gpu::kernel::{Kernel, Use};
use crate::gpu::memory::{Region, Staging};
use crate::gpu::tools::{self, IMPULSE_WORDS, MAX_TOOLS, TOOL_WORDS};
use crate::gpu::{Gpu, GpuError};
use crate::tool::{Tool, Wrench};
use crate::{Divergence, TissueError};

/// Vertices that a group of threads moves.
const GROUP: usize = 64;
/// Steps of the impulse that the heaviest vertex gives at the greatest speed: 2⁴⁰ of 2⁴⁷.
const IMPULSE_STEPS: f64 = 1_099_511_627_776.0;

/// What the host knows of a world.
#[derive(Debug, Clone, Default)]
pub(super) struct World {
    tools: Vec<Tool>,
    pub(super) wrenches: Vec<Wrench>,
    pub(super) time: f64,
    pub(super) diverged: Option<Divergence>,
}

/// Worlds of the same body on one GPU, stepped together.
#[derive(Debug)]
pub struct GpuXpbd {
    pub(super) gpu: Gpu,
    config: GpuXpbdConfig,
    pub(super) topology: Topology,
    pub(super) worlds: Vec<World>,
    pub(super) buffers: Buffers,
    pub(super) stages: Stages,
    fields: Fields,
    /// Length of the substeps for which settings were sent, and the number of tools of each world.
    sent: Option<(f64, Vec<usize>)>,
    sent_tools: Vec<u32>,
}

/// What is on the GPU.
#[derive(Debug)]
pub(super) struct Buffers {
    params: wgpu::Buffer,
    pub(super) status: wgpu::Buffer,
    n_tools: wgpu::Buffer,
    tools: wgpu::Buffer,
    impulses: wgpu::Buffer,
    pub(super) listed: wgpu::Buffer,
    /// Positions and velocities of one world that comes or goes; then the velocity at the start.
    pub(super) states: wgpu::Buffer,
    staging: Staging,
}

/// Kernels with their buffers.
#[derive(Debug)]
pub(super) struct Stages {
    predict: (Kernel, wgpu::BindGroup),
    substep: (Kernel, [wgpu::BindGroup; 2]),
    pub(super) put: (Kernel, wgpu::BindGroup),
    pub(super) pick: (Kernel, wgpu::BindGroup),
}

impl GpuXpbd {
    /// Worlds of a body at rest shape.
    ///
    /// # Errors
    /// [`GpuError::Tissue`] for settings that cannot be; [`GpuError::Limit`] and [`GpuError::Memory`] for more than the GPU takes;
    /// [`GpuError::Lost`].
    pub fn new(
        gpu: &Gpu,
        config: GpuXpbdConfig,
        body: &GpuXpbdBody,
        n_worlds: usize,
    ) -> Result<Self, GpuError> {
        config.check()?;
        crate::error::check_range("n_worlds", n_worlds as f64, 1.0, 1e6)?;
        let topology = Topology::new(body)?;
        let n = topology.vertices.len() as u64;
        let all = n * n_worlds as u64;
        if all >= u32::MAX.into() {
            return Err(GpuError::Limit {
                what: "the number of vertices of all worlds".to_owned(),
                needed: all,
                limit: u32::MAX.into(),
                gpu: gpu.describe().name,
            });
        }
        let fields = Fields::new(gpu)?;
        let (buffers, stages) = allocate(gpu, &topology, n_worlds as u64, &fields)?;
        let [x, y, z] = body.velocity.map(|v| v as f32);
        let bytes = [x, y, z, 0.0];
        gpu.queue
            .write_buffer(&buffers.states, 32 * n, bytemuck::cast_slice(&bytes));
        let mut made = Self {
            gpu: gpu.clone(),
            config,
            topology,
            worlds: vec![World::default(); n_worlds],
            buffers,
            stages,
            fields,
            sent: None,
            sent_tools: Vec::new(),
        };
        made.send(made.config.substep);
        made.reset(&(0..n_worlds).collect::<Vec<_>>())?;
        Ok(made)
    }

    /// Number of worlds.
    pub fn n_worlds(&self) -> usize {
        self.worlds.len()
    }

    /// Number of vertices of a world.
    pub fn n_vertices(&self) -> usize {
        self.topology.vertices.len()
    }

    /// A world's tools.
    pub fn tools(&self, world: usize) -> &[Tool] {
        &self.worlds[world].tools
    }

    /// A world's tools, at most [`MAX_TOOLS`]. Those that move are moved on between steps; a pose set here counts from the next step on.
    pub fn tools_mut(&mut self, world: usize) -> &mut Vec<Tool> {
        &mut self.worlds[world].tools
    }

    /// Simulated time of a world [s].
    pub fn time(&self, world: usize) -> f64 {
        self.worlds[world].time
    }

    /// Why a world has stopped; it stays so until a reset.
    pub fn divergence(&self, world: usize) -> Option<Divergence> {
        self.worlds[world].diverged
    }

    /// Mean wrench of the tissue on a tool over the last step, in world, about the tool's origin as it moved; zero before the first step.
    pub fn wrench(&self, world: usize, tool: usize) -> Wrench {
        let wrenches = &self.worlds[world].wrenches;
        wrenches.get(tool).copied().unwrap_or_default()
    }

    /// Advances all worlds by a time [s] in equal substeps no longer than the configured one, tools moving on at their velocities.
    ///
    /// A world that diverges stops, with a [`divergence`](Self::divergence); the others go on.
    ///
    /// # Errors
    /// Before anything moves: [`GpuError::Tissue`] for the time or a tool; [`GpuError::Limit`] and [`GpuError::Memory`] for distance fields of
    /// tools. [`GpuError::Lost`], [`GpuError::Refused`].
    pub fn step(&mut self, time: f64) -> Result<(), GpuError> {
        self.gpu.check()?;
        crate::error::check_range("time", time, 0.0, 1e3)?;
        for world in &self.worlds {
            tools::check(&world.tools)?;
        }
        let n_substeps = (time / self.config.substep - 1e-9).ceil().max(0.0);
        crate::error::check_range("time over substep", n_substeps, 0.0, 1e8)?;
        if n_substeps == 0.0 {
            return Ok(());
        }
        let dt = time / n_substeps;
        let tools = self.worlds.iter().flat_map(|world| &world.tools);
        self.fields.bring(&self.gpu, tools)?;
        self.send(dt);
        let words = self.run(n_substeps as u32)?;
        let (status, impulses) = words.split_at(2 * self.worlds.len());
        let scale = self.impulse_scale();
        let stride = self.stride();
        for (index, world) in self.worlds.iter_mut().enumerate() {
            if world.diverged.is_some() {
                continue;
            }
            let speed = f32::from_bits(status[2 * index + 1]);
            if speed.to_bits() != 0 {
                world.diverged = Some(if speed.is_finite() {
                    Divergence::Runaway {
                        speed: speed.into(),
                        most: self.config.max_speed,
                    }
                } else {
                    Divergence::NotFinite
                });
                continue;
            }
            world.time += time;
            world.wrenches.clear();
            for (i, tool) in world.tools.iter_mut().enumerate() {
                *tool = tool.after(time);
                let start = (index * stride + i) * IMPULSE_WORDS;
                let sum = |axis: usize| tools::sum(&impulses[start + 2 * axis..][..2]);
                world.wrenches.push(Wrench {
                    force: Vector3::from_fn(|axis, _| sum(axis) / (scale * time)),
                    torque: Vector3::from_fn(|axis, _| sum(3 + axis) / (scale * time)),
                });
            }
        }
        Ok(())
    }

    /// Runs a step and reads what became of the worlds, and the impulses on tools.
    fn run(&mut self, n_substeps: u32) -> Result<Vec<u32>, GpuError> {
        let groups = (self.n_vertices() * self.worlds.len()).div_ceil(GROUP) as u32;
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
        encoder.clear_buffer(&self.buffers.impulses, 0, None);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let (kernel, bound) = &self.stages.predict;
        kernel.run(&mut pass, bound, [n_substeps, 0], groups);
        let (kernel, bound) = &self.stages.substep;
        pass.set_bind_group(1, &self.fields.bound, &[]);
        let relaxation = (self.config.relaxation as f32).to_bits();
        for substep in 0..n_substeps {
            let from = substep as usize % 2;
            kernel.run(&mut pass, &bound[from], [substep, relaxation], groups);
        }
        drop(pass);
        let n_impulses = self.worlds.len() * self.stride() * IMPULSE_WORDS;
        let region = |buffer, words: usize| Region {
            buffer,
            start: 0,
            len: 4 * words as u64,
        };
        let wanted = [
            region(&self.buffers.status, 2 * self.worlds.len()),
            region(&self.buffers.impulses, n_impulses),
        ];
        self.buffers.staging.take(&mut encoder, &wanted);
        self.gpu.queue.submit([encoder.finish()]);
        let bytes = self.buffers.staging.read(&self.gpu)?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }

    /// Tools that each world has room for.
    fn stride(&self) -> usize {
        let sent = self.sent.as_ref();
        sent.map_or(0, |(_, counts)| counts.iter().copied().max().unwrap_or(0))
    }

    /// Steps of impulse per kg·m/s, a power of two.
    fn impulse_scale(&self) -> f64 {
        let most = self.topology.greatest_mass * self.config.max_speed;
        (IMPULSE_STEPS / most).log2().floor().exp2()
    }

    /// Sends settings and tools, if they are not there already.
    fn send(&mut self, dt: f64) {
        let counts: Vec<_> = self.worlds.iter().map(|world| world.tools.len()).collect();
        let wanted = Some((dt, counts));
        if self.sent != wanted {
            self.sent = wanted;
            self.sent_tools.clear();
            let queue = &self.gpu.queue;
            let words = self.params(dt);
            queue.write_buffer(&self.buffers.params, 0, bytemuck::cast_slice(&words));
            let counts = self.worlds.iter().map(|world| world.tools.len() as u32);
            let words: Vec<u32> = counts.collect();
            queue.write_buffer(&self.buffers.n_tools, 0, bytemuck::cast_slice(&words));
        }
        let len = self.stride() * TOOL_WORDS;
        let mut words = vec![0; self.worlds.len() * len];
        for (world, words) in self.worlds.iter().zip(words.chunks_exact_mut(len.max(1))) {
            for (tool, words) in world.tools.iter().zip(words.chunks_exact_mut(TOOL_WORDS)) {
                words.copy_from_slice(&tools::words(tool, self.topology.origin, 1.0, &self.fields));
            }
        }
        if words != self.sent_tools {
            let bytes = bytemuck::cast_slice(&words);
            self.gpu.queue.write_buffer(&self.buffers.tools, 0, bytes);
            self.sent_tools = words;
        }
    }

    /// Settings in words: see `common.wgsl`.
    fn params(&self, dt: f64) -> [u32; 12] {
        let (config, body) = (&self.config, &self.topology);
        let number = |x: f64| (x as f32).to_bits();
        let [x, y, z] = config.gravity.map(|g| number(g * dt));
        [
            x,
            y,
            z,
            number(dt),
            number(body.distance_compliance / (dt * dt)),
            number(body.volume_compliance / (dt * dt)),
            number((1.0 - config.drag * dt) / dt),
            number(config.max_speed),
            body.vertices.len() as u32,
            self.worlds.len() as u32,
            self.stride() as u32,
            number(self.impulse_scale()),
        ]
    }

    /// Worlds back to the start: rest shape, time zero; tools stay.
    ///
    /// # Errors
    /// [`GpuError::Tissue`] for a world that is not there; [`GpuError::Lost`], [`GpuError::Refused`].
    pub fn reset(&mut self, worlds: &[usize]) -> Result<(), GpuError> {
        self.gpu.check()?;
        if let Some(beyond) = worlds.iter().find(|i| **i >= self.worlds.len()) {
            let allowed = format!("below {}", self.worlds.len());
            return Err(TissueError::setting("world", beyond, allowed).into());
        }
        let mut listed = worlds.to_vec();
        listed.sort_unstable();
        listed.dedup();
        self.put(&listed, 0);
        for index in listed {
            let world = &mut self.worlds[index];
            (world.time, world.diverged) = (0.0, None);
            world.wrenches.clear();
        }
        self.gpu.check()
    }

    /// Puts worlds at rest, or, for a number that is not zero, where the states on the GPU say.
    pub(super) fn put(&mut self, listed: &[usize], restored: u32) {
        let words: Vec<u32> = listed.iter().map(|i| *i as u32).collect();
        let bytes = bytemuck::cast_slice(&words);
        self.gpu.queue.write_buffer(&self.buffers.listed, 0, bytes);
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let groups = self.n_vertices().div_ceil(GROUP) as u32;
        let at_once = crate::gpu::kernel::MAX_GROUPS as usize;
        let (kernel, bound) = &self.stages.put;
        for first in (0..listed.len()).step_by(at_once) {
            kernel.select(&mut pass, bound, [first as u32, restored]);
            pass.dispatch_workgroups(groups, (listed.len() - first).min(at_once) as u32, 1);
        }
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Positions, then velocities, of a world.
    pub(super) fn pick(&self, world: usize) -> Result<Vec<[f32; 4]>, GpuError> {
        self.gpu.check()?;
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let (kernel, bound) = &self.stages.pick;
        let groups = self.n_vertices().div_ceil(GROUP) as u32;
        kernel.run(&mut pass, bound, [world as u32, 0], groups);
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
        let bytes = self.gpu.read(&[Region {
            buffer: &self.buffers.states,
            start: 0,
            len: 32 * self.n_vertices() as u64,
        }])?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}

fn allocate(
    gpu: &Gpu,
    topology: &Topology,
    n_worlds: u64,
    fields: &Fields,
) -> Result<(Buffers, Stages), GpuError> {
    use Use::{Read, Uniform, Write};
    use wgpu::BufferUsages as Usage;
    let n = topology.vertices.len() as u64;
    let words = |what: &str, n: u64| gpu.storage(what, 4 * n);
    let vertices = gpu.filled("vertices", &topology.vertices)?;
    let starts = gpu.filled("starts of constraints", &topology.starts)?;
    let edges = gpu.filled("edges", &topology.edges)?;
    let tets = gpu.filled("tetrahedra", &topology.tets)?;
    let positions = words("positions", 4 * n * n_worlds)?;
    let velocities = words("velocities", 4 * n * n_worlds)?;
    let predicted = [
        words("predicted positions", 4 * n * n_worlds)?,
        words("next predicted positions", 4 * n * n_worlds)?,
    ];
    let n_impulses = n_worlds * (MAX_TOOLS * IMPULSE_WORDS) as u64;
    let b = Buffers {
        params: gpu.buffer("settings", 48, Usage::UNIFORM | Usage::COPY_DST)?,
        status: words("states of worlds", 2 * n_worlds)?,
        n_tools: words("numbers of tools", n_worlds)?,
        tools: words("tools", n_worlds * (MAX_TOOLS * TOOL_WORDS) as u64)?,
        impulses: words("impulses on tools", n_impulses)?,
        listed: words("worlds to reset", n_worlds)?,
        states: words("a world's state", 8 * n + 4)?,
        staging: gpu.staging(4 * (2 * n_worlds + n_impulses))?,
    };
    let kernel = |name: &str, text: &str, uses: &[Use]| {
        let text = format!("{}\n{text}", include_str!("common.wgsl"));
        let second = (name == "substep").then_some(&fields.layout);
        Kernel::new(gpu, name, &text, uses, second)
    };
    let uses = [Uniform, Read, Read, Read, Write, Write];
    let predict = kernel("predict", include_str!("predict.wgsl"), &uses)?;
    let bound = predict.bind(
        gpu,
        &[
            &b.params,
            &vertices,
            &positions,
            &velocities,
            &predicted[0],
            &b.status,
        ],
    );
    let predict = (predict, bound);
    let text = concat!(
        include_str!("../tool.wgsl"),
        include_str!("../distance_field.wgsl"),
        include_str!("substep.wgsl")
    );
    let uses = [
        Uniform, Read, Read, Read, Read, Read, Write, Write, Write, Write, Read, Read, Write,
    ];
    let substep = kernel("substep", text, &uses)?;
    let bound = [0, 1].map(|from: usize| {
        substep.bind(
            gpu,
            &[
                &b.params,
                &vertices,
                &starts,
                &edges,
                &tets,
                &predicted[from],
                &predicted[1 - from],
                &positions,
                &velocities,
                &b.status,
                &b.n_tools,
                &b.tools,
                &b.impulses,
            ],
        )
    });
    let substep = (substep, bound);
    let uses = [Uniform, Read, Read, Read, Write, Write, Write];
    let put = kernel("put", include_str!("put.wgsl"), &uses)?;
    let bound = put.bind(
        gpu,
        &[
            &b.params,
            &vertices,
            &b.listed,
            &b.states,
            &positions,
            &velocities,
            &b.status,
        ],
    );
    let put = (put, bound);
    let uses = [Uniform, Read, Read, Write];
    let pick = kernel("pick", include_str!("pick.wgsl"), &uses)?;
    let bound = pick.bind(gpu, &[&b.params, &positions, &velocities, &b.states]);
    let stages = Stages {
        predict,
        substep,
        put,
        pick: (pick, bound),
    };
    Ok((b, stages))
}
