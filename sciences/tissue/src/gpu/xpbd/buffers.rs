//! Buffers on the GPU.

use insonate_gpu::{DeviceError, Staging};

use super::topology::PackedTopology;
use crate::gpu::tools::{IMPULSE_WORDS, MAX_TOOLS, TOOL_WORDS};
use crate::gpu::{Gpu, GpuError};

/// Words of the settings: see `common.wgsl`.
pub(super) const PARAM_WORDS: usize = 16;

/// Words of the status of a world: see `common.wgsl`.
pub(super) const STATUS_WORDS: usize = 4;

/// Buffers that the host writes or reads.
#[derive(Debug)]
pub(super) struct Buffers {
    pub(super) params: wgpu::Buffer,
    pub(super) status: wgpu::Buffer,
    pub(super) n_tools: wgpu::Buffer,
    pub(super) tools: wgpu::Buffer,
    pub(super) impulses: wgpu::Buffer,
    pub(super) listed: wgpu::Buffer,
    pub(super) positions: wgpu::Buffer,
    /// Held vertices: position in the tool's frame, and holder.
    pub(super) holds: wgpu::Buffer,
    /// State of one world, as transferred to or from the host.
    pub(super) gathered: wgpu::Buffer,
    pub(super) staging: Staging,
}

/// Words of a gathered state.
pub(super) fn gathered_words(n_points: usize, n_tets: usize, tears: bool) -> usize {
    12 * n_points + if tears { n_tets } else { 0 }
}

/// Worlds, and parts of the solver that are not always needed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    /// Gauss–Seidel sweeps instead of Jacobi sweeps.
    pub(super) in_turn: bool,
    /// Contact of faces.
    pub(super) faces: bool,
    /// Number of worlds.
    pub(super) n_worlds: usize,
    /// Whether a workgroup steps a world by itself: see `whole_step.rs`.
    pub(super) by_world: bool,
}

/// Allocates buffers.
///
/// # Errors
/// [`GpuError::Device`].
pub(super) fn allocate(
    gpu: &Gpu,
    packed: &PackedTopology,
    n_tets: usize,
    parts: Parts,
) -> Result<(Buffers, KernelBuffers), GpuError> {
    use wgpu::BufferUsages as Usage;
    let tears = !packed.tets.is_empty();
    let n_points = packed.masses.len() as u64;
    let n_corrections = if parts.in_turn {
        0
    } else {
        3 * packed.n_rows as u64
    };
    let n_predicted = if parts.by_world { 0 } else { 4 * n_points };
    let n_moved = if parts.in_turn || parts.faces {
        n_predicted
    } else {
        0
    };
    let n_gathered = gathered_words(packed.masses.len(), n_tets, tears) as u64;
    let n_worlds = parts.n_worlds as u64;
    // Kernels count in 32 bits.
    let counts = [
        ("the number of vertices of all worlds", n_points),
        ("the corrections of all worlds in words", n_corrections),
    ];
    for (what, n) in counts {
        let needed = n.saturating_mul(n_worlds);
        if needed >= u32::MAX.into() {
            return Err(DeviceError::Limit {
                what: what.to_owned(),
                needed,
                limit: u32::MAX.into(),
                gpu: gpu.name().to_owned(),
            }
            .into());
        }
    }
    let words = |what: &str, n: u64| gpu.storage(what, 4 * n);
    let n_impulses = n_worlds * ((MAX_TOOLS + 1) * IMPULSE_WORDS) as u64;
    let n_alive = if tears { n_tets as u64 * n_worlds } else { 0 };
    let shared = KernelBuffers {
        rest: gpu.filled("points at rest", &packed.rest)?,
        masses: gpu.filled("masses", &packed.masses)?,
        row_starts: gpu.filled("starts of corrections", &packed.row_starts)?,
        rows: gpu.filled("corrections of points", &packed.rows)?,
        corrections: words("corrections", n_corrections * n_worlds)?,
        velocities: words("velocities", 4 * n_points * n_worlds)?,
        predicted: words("predicted positions", n_predicted * n_worlds)?,
        alive: words("tetrahedra that are there", n_alive)?,
        moved: words("positions during a sweep", n_moved * n_worlds)?,
    };
    let params = 4 * PARAM_WORDS as u64;
    let buffers = Buffers {
        params: gpu.buffer("settings", params, Usage::UNIFORM | Usage::COPY_DST)?,
        status: words("states of worlds", STATUS_WORDS as u64 * n_worlds)?,
        n_tools: words("numbers of tools", n_worlds)?,
        tools: words("tools", n_worlds * (MAX_TOOLS * TOOL_WORDS) as u64)?,
        impulses: words("impulses on tools", n_impulses)?,
        listed: words("worlds to reset", n_worlds)?,
        positions: words("positions", 4 * n_points * n_worlds)?,
        holds: words("holds on vertices", 4 * n_points * n_worlds)?,
        gathered: words("a world's state", n_gathered)?,
        staging: gpu.staging(4 * (STATUS_WORDS as u64 * n_worlds + n_impulses))?,
    };
    Ok((buffers, shared))
}

/// Buffers that only kernels use.
pub(super) struct KernelBuffers {
    pub(super) rest: wgpu::Buffer,
    pub(super) masses: wgpu::Buffer,
    pub(super) row_starts: wgpu::Buffer,
    pub(super) rows: wgpu::Buffer,
    pub(super) corrections: wgpu::Buffer,
    pub(super) velocities: wgpu::Buffer,
    pub(super) predicted: wgpu::Buffer,
    pub(super) alive: wgpu::Buffer,
    pub(super) moved: wgpu::Buffer,
}
