//! Buffers on the GPU.

use insonate_gpu::Staging;

use super::layout::{BLOCK_NODES, Layout};
use crate::gpu::tools::{IMPULSE_WORDS, MAX_TOOLS, TOOL_WORDS};
use crate::gpu::{Gpu, GpuError};

/// Particles that a workgroup processes at once.
pub(super) const GROUP: usize = 128;
/// Words of the status that kernels report per world.
pub(super) const STATUS_WORDS: usize = 4;
/// Words of the settings.
pub(super) const PARAM_WORDS: usize = 16;
/// Words that describe a world.
pub(super) const WORLD_WORDS: usize = 12;
/// Buffers of all worlds.
#[derive(Debug)]
pub(super) struct Buffers {
    pub(super) params: wgpu::Buffer,
    pub(super) worlds: wgpu::Buffer,
    pub(super) status: wgpu::Buffer,
    pub(super) starts: wgpu::Buffer,
    pub(super) materials: wgpu::Buffer,
    /// Rows of particles, and their indices; each twice, as source and target of the sort.
    pub(super) particles: [wgpu::Buffer; 2],
    pub(super) tags: [wgpu::Buffer; 2],
    pub(super) momenta: wgpu::Buffer,
    pub(super) velocities: wgpu::Buffer,
    pub(super) tools: wgpu::Buffer,
    pub(super) impulses: wgpu::Buffer,
    /// Worlds to reset.
    pub(super) listed: wgpu::Buffer,
    // Buffers of the sort.
    pub(super) counts: wgpu::Buffer,
    pub(super) slots: wgpu::Buffer,
    pub(super) places: wgpu::Buffer,
    pub(super) occupied: wgpu::Buffer,
    pub(super) active_nodes: wgpu::Buffer,
    pub(super) chunks: wgpu::Buffer,
    pub(super) counters: wgpu::Buffer,
    pub(super) lists: wgpu::Buffer,
    pub(super) staging: Staging,
}

impl Buffers {
    pub(super) fn new(gpu: &Gpu, layout: &Layout) -> Result<Self, GpuError> {
        use wgpu::BufferUsages as Usage;
        let (n, n_worlds) = (layout.n_particles as u64, layout.worlds.len() as u64);
        let keys = n_worlds * layout.n_blocks.iter().product::<usize>() as u64;
        let slots = n_worlds * layout.quota as u64;
        let occupied = n.min(slots);
        let chunks = n / GROUP as u64 + occupied;
        let words = |what: &str, n: u64| gpu.storage(what, 4 * n);
        let nodes = slots * BLOCK_NODES * 4;
        let n_tools = n_worlds * MAX_TOOLS as u64;
        let impulses = n_tools * IMPULSE_WORDS as u64;
        let particles = 4 * layout.n_rows() as u64 * n;
        let status = n_worlds * STATUS_WORDS as u64;
        Ok(Self {
            params: gpu.buffer(
                "settings",
                4 * PARAM_WORDS as u64,
                Usage::UNIFORM | Usage::COPY_DST,
            )?,
            worlds: words("worlds", WORLD_WORDS as u64 * n_worlds)?,
            status: words("states of worlds", status)?,
            starts: gpu.filled("starts of particles", &layout.starts)?,
            materials: gpu.filled("materials", &layout.materials)?,
            particles: [
                words("particles", particles)?,
                words("sorted particles", particles)?,
            ],
            tags: [
                words("particles' names", 2 * n)?,
                words("sorted particles' names", 2 * n)?,
            ],
            momenta: words("momenta of nodes", 2 * nodes)?,
            velocities: words("velocities of nodes", nodes)?,
            tools: words("tools", n_tools * TOOL_WORDS as u64)?,
            impulses: words("impulses on tools", impulses)?,
            listed: words("worlds to reset", n_worlds)?,
            counts: words("particles in blocks", keys)?,
            slots: words("nodes of blocks", keys)?,
            places: words("places of particles", 2 * n)?,
            occupied: words("blocks with particles", occupied)?,
            active_nodes: words("blocks of nodes", 2 * slots)?,
            chunks: words("chunks of particles", 4 * chunks)?,
            counters: words("counters", 4 + 2 * n_worlds)?,
            lists: gpu.buffer("sizes of dispatches", 48, Usage::STORAGE | Usage::INDIRECT)?,
            staging: gpu.staging(4 * (status + impulses))?,
        })
    }
}
