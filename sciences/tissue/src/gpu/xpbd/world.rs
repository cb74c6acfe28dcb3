//! Many worlds of tetrahedra and tools.

use insonate_settings::check_range;
use nalgebra::Vector3;

use insonate_gpu::Region;

use super::buffers::{Buffers, PARAM_WORDS, Parts, STATUS_WORDS, allocate, gathered_words};
use super::stages::{Stages, StepKernels};
use super::topology::PackedTopology;
use super::whole_step::WholeStep;
use crate::gpu::fields::Fields;
use crate::gpu::tools::{self, IMPULSE_WORDS, TOOL_WORDS};
use crate::gpu::{Gpu, GpuError};
use crate::tool::{Tool, Wrench};
use crate::xpbd::topology::Topology;
use crate::xpbd::{Attachment, Sweep, XpbdBody, XpbdConfig};
use crate::{Divergence, TissueError};

/// Vertices that a workgroup moves.
const GROUP: usize = 64;
/// Added to the number of tools of a world that does not move in a step: see `predict.wgsl`.
const RESTS: u32 = 1 << 31;
/// Steps of the impulse that the heaviest vertex gives at the greatest speed: 2⁴⁰ of 2⁴⁷.
const IMPULSE_STEPS: f64 = 1_099_511_627_776.0;

/// State of a world on the host.
#[derive(Debug, Clone)]
pub(super) struct World {
    pub(super) tools: Vec<Tool>,
    pub(super) wrenches: Vec<Wrench>,
    /// Impulse in the last step on vertices that have lost all their elements [N·s].
    stopped: Vector3<f64>,
    pub(super) time: f64,
    pub(super) diverged: Option<Divergence>,
    /// Factors on Young's modulus and the damping time.
    pub(super) softness: [f64; 2],
}

/// Worlds of the same bodies on one GPU, stepped together.
#[derive(Debug)]
pub struct GpuXpbd {
    pub(super) gpu: Gpu,
    config: XpbdConfig,
    pub(super) topology: Topology,
    pub(super) worlds: Vec<World>,
    pub(super) buffers: Buffers,
    pub(super) stages: Stages,
    fields: Fields,
    greatest_mass: f64,
    /// Hash of the bodies, by which states are recognised.
    pub(super) fingerprint: u64,
    /// An error from a function that cannot return it; the next step returns it.
    pub(super) fault: Option<GpuError>,
    /// Substep length [s] of the uploaded settings, and of each world whether it rests and its number of tools.
    sent: Option<(f64, Vec<(bool, usize)>)>,
    sent_tools: Vec<u32>,
}

impl World {
    fn new() -> Self {
        Self {
            tools: Vec::new(),
            wrenches: Vec::new(),
            stopped: Vector3::zeros(),
            time: 0.0,
            diverged: None,
            softness: [1.0; 2],
        }
    }
}

impl GpuXpbd {
    /// Worlds of bodies at rest shape. Settings are the same as on the CPU, except that there is one iteration per substep, and that tissue
    /// that can tear needs Jacobi sweeps and `face_contact` false. The number of threads is not used.
    ///
    /// # Errors
    /// [`GpuError::Tissue`] for invalid settings; [`GpuError::Device`], also if the worlds exceed the
    /// limits of the GPU.
    pub fn new(
        gpu: &Gpu,
        config: XpbdConfig,
        bodies: &[XpbdBody],
        attachments: &[Attachment],
        n_worlds: usize,
    ) -> Result<Self, GpuError> {
        config.check()?;
        config.check_whole()?;
        if config.iterations != 1 {
            let allowed = "1 on the GPU";
            return Err(TissueError::setting("iterations", config.iterations, allowed).into());
        }
        check_range("n_worlds", n_worlds as f64, [1.0, 1e6], "worlds")?;
        let topology = Topology::new(bodies, attachments)?;
        let in_turn = config.sweep == Sweep::GaussSeidel;
        if topology.tears && in_turn {
            let allowed = "Jacobi or AveragedJacobi on the GPU for tissue that can tear";
            return Err(TissueError::setting("sweep", config.sweep, allowed).into());
        }
        if topology.tears && config.face_contact {
            let allowed = "false on the GPU for tissue that can tear";
            return Err(TissueError::setting("face_contact", true, allowed).into());
        }
        let packed = PackedTopology::new(&topology, config.sweep);
        let fields = Fields::new(gpu)?;
        let parts = Parts {
            in_turn,
            faces: config.face_contact,
            n_worlds,
            by_world: WholeStep::is_possible(gpu, &packed, in_turn),
        };
        let (buffers, shared) = allocate(gpu, &packed, topology.tets.len(), parts)?;
        let stages = Stages::new(gpu, &packed, &shared, &buffers, &fields, parts)?;
        let mut made = Self {
            gpu: gpu.clone(),
            config,
            topology,
            worlds: vec![World::new(); n_worlds],
            buffers,
            stages,
            fields,
            greatest_mass: packed.greatest_mass,
            fingerprint: packed.fingerprint(),
            fault: None,
            sent: None,
            sent_tools: Vec::new(),
        };
        made.send(made.config.substep, &vec![true; n_worlds]);
        for world in 0..n_worlds {
            made.send_softness(world);
        }
        made.reset(&(0..n_worlds).collect::<Vec<_>>())?;
        Ok(made)
    }

    /// Number of worlds.
    pub fn n_worlds(&self) -> usize {
        self.worlds.len()
    }

    /// Number of vertices of a world.
    pub fn n_vertices(&self) -> usize {
        self.topology.n_vertices
    }

    /// Masses of the vertices of a world [kg], including fixed ones.
    pub fn masses(&self) -> &[f64] {
        &self.topology.masses[..self.topology.n_vertices]
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

    /// Factors by which Young's moduli and damping times of a world's bodies differ from those with which the worlds were made. They stay after a
    /// reset and are not part of a saved state. Springs and attachments are not changed.
    ///
    /// # Errors
    /// [`GpuError::Tissue`] for factors out of range: 10⁻⁶ to 10⁶ for the moduli, 0 to 10⁶ for the damping times.
    pub fn set_softness(&mut self, world: usize, factors: [f64; 2]) -> Result<(), GpuError> {
        let [modulus, damping_time] = factors;
        check_range("factor of the modulus", modulus, [1e-6, 1e6], "")?;
        check_range("factor of the damping time", damping_time, [0.0, 1e6], "")?;
        self.worlds[world].softness = factors;
        self.send_softness(world);
        Ok(())
    }

    fn send_softness(&self, world: usize) {
        let [modulus, damping_time] = self.worlds[world].softness;
        let words = [modulus, modulus * damping_time].map(|factor| (factor as f32).to_bits());
        let at = 4 * (STATUS_WORDS * world + STATUS_WORDS - words.len()) as u64;
        let bytes = bytemuck::cast_slice(&words);
        self.gpu.queue.write_buffer(&self.buffers.status, at, bytes);
    }

    /// Substeps of a world in a time [s].
    fn n_substeps(&self, world: usize, time: f64) -> f64 {
        let [modulus, _] = self.worlds[world].softness;
        let crossing = self.config.max_courant * self.topology.crossing_time / modulus.sqrt();
        let longest = self.config.substep.min(crossing);
        (time / longest - 1e-9).ceil().max(0.0)
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

    /// Impulse of the last step that stops vertices whose elements are all torn [N·s].
    pub fn stopped_impulse(&self, world: usize) -> Vector3<f64> {
        self.worlds[world].stopped
    }

    /// Advances all worlds by a time [s] in equal substeps. A substep is at most the configured one and the limit from
    /// the wave speed. Tools move at their velocities.
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
        }
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let substeps: Vec<f64> = (0..moves.len())
            .map(|world| self.n_substeps(world, time))
            .collect();
        let most = substeps.iter().copied().fold(0.0, f64::max);
        check_range("time over substep", most, [0.0, 1e8], "")?;
        let tools = self.worlds.iter().flat_map(|world| &world.tools);
        self.fields.bring(&self.gpu, tools)?;
        // Stiff worlds take more substeps than soft ones.
        let moving = substeps.iter().zip(moves).filter(|(_, moves)| **moves);
        let mut counts: Vec<u32> = moving.map(|(n, _)| *n as u32).collect();
        counts.sort_unstable();
        counts.dedup();
        for n_substeps in counts.into_iter().filter(|n| *n > 0) {
            let moves = substeps.iter().zip(moves);
            let moves: Vec<bool> = moves
                .map(|(n, moves)| *moves && *n as u32 == n_substeps)
                .collect();
            self.advance(time, n_substeps, &moves)?;
        }
        Ok(())
    }

    /// Advances the worlds with a `true` entry in `moves` by a time [s] in a number of substeps.
    fn advance(&mut self, time: f64, n_substeps: u32, moves: &[bool]) -> Result<(), GpuError> {
        self.send(time / f64::from(n_substeps), moves);
        let words = self.run(n_substeps)?;
        let (status, impulses) = words.split_at(STATUS_WORDS * self.worlds.len());
        let scale = self.impulse_scale();
        let stride = self.stride();
        for (index, world) in self.worlds.iter_mut().enumerate() {
            if world.diverged.is_some() || !moves[index] {
                continue;
            }
            let speed = f32::from_bits(status[STATUS_WORDS * index + 1]);
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
            let sum = |slot: usize, axis: usize| {
                let start = (index * (stride + 1) + slot) * IMPULSE_WORDS;
                tools::sum(&impulses[start + 2 * axis..][..2])
            };
            world.stopped = Vector3::from_fn(|axis, _| sum(stride, axis) / scale);
            for (i, tool) in world.tools.iter_mut().enumerate() {
                *tool = tool.after(time);
                let sum = |axis: usize| sum(i, axis);
                world.wrenches.push(Wrench {
                    force: Vector3::from_fn(|axis, _| sum(axis) / (scale * time)),
                    torque: Vector3::from_fn(|axis, _| sum(3 + axis) / (scale * time)),
                });
            }
        }
        Ok(())
    }

    /// Runs a step and reads the status of the worlds and the impulses on tools.
    fn run(&mut self, n_substeps: u32) -> Result<Vec<u32>, GpuError> {
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
        encoder.clear_buffer(&self.buffers.impulses, 0, None);
        let (n_points, n_tets) = (self.topology.rest.len(), self.topology.tets.len());
        let (fields, n_worlds) = (&self.fields, self.worlds.len());
        match &self.stages.step {
            StepKernels::Whole(step) => step.record(&mut encoder, fields, n_substeps, n_worlds),
            StepKernels::Launches(step) => {
                let sizes = [n_points, n_tets];
                step.record(&mut encoder, fields, n_substeps, n_worlds, sizes);
            }
        }
        let n_impulses = self.worlds.len() * (self.stride() + 1) * IMPULSE_WORDS;
        let region = |buffer, words: usize| Region {
            buffer,
            start: 0,
            len: 4 * words as u64,
        };
        let wanted = [
            region(&self.buffers.status, STATUS_WORDS * self.worlds.len()),
            region(&self.buffers.impulses, n_impulses),
        ];
        self.buffers.staging.take(&mut encoder, &wanted);
        self.gpu.queue.submit([encoder.finish()]);
        let bytes = self.buffers.staging.read(&self.gpu)?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }

    /// Number of tool slots of each world.
    fn stride(&self) -> usize {
        let sent = self.sent.as_ref();
        sent.map_or(0, |(_, sent)| {
            sent.iter().map(|(_, n)| *n).max().unwrap_or(0)
        })
    }

    /// Steps of impulse per kg·m/s, a power of two.
    fn impulse_scale(&self) -> f64 {
        let most = self.greatest_mass * self.config.max_speed;
        (IMPULSE_STEPS / most).log2().floor().exp2()
    }

    /// Uploads settings and tools if they have changed.
    fn send(&mut self, dt: f64, moves: &[bool]) {
        let worlds = self.worlds.iter().zip(moves);
        let sent = worlds.map(|(world, moves)| (!moves, world.tools.len()));
        let wanted = Some((dt, sent.collect()));
        if self.sent != wanted {
            self.sent = wanted;
            self.sent_tools.clear();
            let queue = &self.gpu.queue;
            let words = self.params(dt);
            queue.write_buffer(&self.buffers.params, 0, bytemuck::cast_slice(&words));
            let worlds = self.worlds.iter().zip(moves);
            let words = worlds
                .map(|(world, moves)| world.tools.len() as u32 + if *moves { 0 } else { RESTS });
            let words: Vec<u32> = words.collect();
            queue.write_buffer(&self.buffers.n_tools, 0, bytemuck::cast_slice(&words));
        }
        let origin = self.topology.origin.into();
        let len = self.stride() * TOOL_WORDS;
        let mut words = vec![0; self.worlds.len() * len];
        for (world, words) in self.worlds.iter().zip(words.chunks_exact_mut(len.max(1))) {
            for (tool, words) in world.tools.iter().zip(words.chunks_exact_mut(TOOL_WORDS)) {
                words.copy_from_slice(&tools::words(tool, origin, 1.0, &self.fields));
            }
        }
        if words != self.sent_tools {
            let bytes = bytemuck::cast_slice(&words);
            self.gpu.queue.write_buffer(&self.buffers.tools, 0, bytes);
            self.sent_tools = words;
        }
    }

    /// Settings in words: see `common.wgsl`.
    fn params(&self, dt: f64) -> [u32; PARAM_WORDS] {
        let (config, topology) = (&self.config, &self.topology);
        let number = |x: f64| (x as f32).to_bits();
        let [x, y, z] = config.gravity.map(|g| (g as f32 * dt as f32).to_bits());
        // Kernels accept finite numbers only.
        let max_push = (config.push_speed * dt).min(1e6);
        [
            x,
            y,
            z,
            number(dt),
            (1.0 / dt as f32).to_bits(),
            number(1.0 - config.drag * dt),
            number(config.max_speed),
            number(max_push),
            topology.rest.len() as u32,
            self.worlds.len() as u32,
            topology.tets.len() as u32,
            self.stride() as u32,
            number(self.impulse_scale()),
            topology.is_damped.into(),
            topology.tears.into(),
            (config.sweep.patch_weight() as f32).to_bits(),
        ]
    }

    /// Resets worlds to rest shape and time zero. Tools stay.
    ///
    /// # Errors
    /// [`GpuError::Tissue`] for an unknown world; [`GpuError::Device`].
    pub fn reset(&mut self, worlds: &[usize]) -> Result<(), GpuError> {
        self.gpu.check()?;
        if let Some(beyond) = worlds.iter().find(|i| **i >= self.worlds.len()) {
            let allowed = format!("below {}", self.worlds.len());
            return Err(TissueError::setting("world", beyond, allowed).into());
        }
        let mut listed = worlds.to_vec();
        listed.sort_unstable();
        listed.dedup();
        self.scatter(&listed, 0);
        for index in listed {
            let world = &mut self.worlds[index];
            (world.time, world.diverged) = (0.0, None);
            world.wrenches.clear();
            world.stopped = Vector3::zeros();
        }
        Ok(self.gpu.check()?)
    }

    /// Resets worlds to rest, or to the gathered state if `restored` is not zero.
    pub(super) fn scatter(&mut self, listed: &[usize], restored: u32) {
        let words: Vec<u32> = listed.iter().map(|i| *i as u32).collect();
        let bytes = bytemuck::cast_slice(&words);
        self.gpu.queue.write_buffer(&self.buffers.listed, 0, bytes);
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let groups = self.gathered_groups();
        let at_once = insonate_gpu::MAX_GROUPS as usize;
        let (kernel, bound) = &self.stages.scatter;
        for first in (0..listed.len()).step_by(at_once) {
            kernel.select(&mut pass, bound, [first as u32, restored]);
            pass.dispatch_workgroups(groups, (listed.len() - first).min(at_once) as u32, 1);
        }
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// The state of a world in words: see `gather.wgsl`.
    pub(super) fn gather(&self, world: usize) -> Result<Vec<u32>, GpuError> {
        self.gpu.check()?;
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let (kernel, bound) = &self.stages.gather;
        kernel.run(&mut pass, bound, [world as u32, 0], self.gathered_groups());
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
        let bytes = self.gpu.read(&[Region {
            buffer: &self.buffers.gathered,
            start: 0,
            len: 4 * self.gathered_words() as u64,
        }])?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }

    /// Words of a world's state.
    pub(super) fn gathered_words(&self) -> usize {
        let topology = &self.topology;
        gathered_words(topology.rest.len(), topology.tets.len(), topology.tears)
    }

    /// Number of workgroups with one thread for each point and each tetrahedron of a world.
    pub(super) fn gathered_groups(&self) -> u32 {
        let n = self.topology.rest.len().max(self.topology.tets.len());
        n.div_ceil(GROUP) as u32
    }
}
