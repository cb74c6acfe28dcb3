//! What is on the GPU, and the kernels that work on it.

use super::layout::Layout;
use crate::gpu::fields::Fields;
use crate::gpu::kernel::{Kernel, Use};
use crate::gpu::memory::Staging;
use crate::gpu::tools::{IMPULSE_WORDS, MAX_TOOLS, TOOL_WORDS};
use crate::gpu::{Gpu, GpuError};

/// Words of the settings: see `common.wgsl`.
pub(super) const PARAM_WORDS: usize = 16;

/// What is on the GPU.
#[derive(Debug)]
pub(super) struct Buffers {
    pub(super) params: wgpu::Buffer,
    pub(super) status: wgpu::Buffer,
    pub(super) n_tools: wgpu::Buffer,
    pub(super) tools: wgpu::Buffer,
    pub(super) impulses: wgpu::Buffer,
    pub(super) listed: wgpu::Buffer,
    pub(super) positions: wgpu::Buffer,
    /// What has vertices: place in a tool's frame, and who.
    pub(super) holds: wgpu::Buffer,
    /// The state of one world that comes or goes.
    pub(super) picked: wgpu::Buffer,
    pub(super) staging: Staging,
}

/// Kernels with their buffers.
#[derive(Debug)]
pub(super) struct Stages {
    pub(super) begin: (Kernel, wgpu::BindGroup),
    pub(super) elements: (Kernel, wgpu::BindGroup),
    pub(super) vertices: (Kernel, wgpu::BindGroup),
    /// Finds torn elements, then vertices without any.
    pub(super) tearing: Option<[(Kernel, wgpu::BindGroup); 2]>,
    pub(super) put: (Kernel, wgpu::BindGroup),
    pub(super) pick: (Kernel, wgpu::BindGroup),
    pub(super) release: (Kernel, wgpu::BindGroup),
}

/// Words of a world's state as it comes and goes.
pub(super) fn picked_words(n_points: usize, n_tets: usize, tears: bool) -> usize {
    12 * n_points + if tears { n_tets } else { 0 }
}

/// Makes room for worlds, and kernels.
///
/// # Errors
/// [`GpuError::Limit`], [`GpuError::Memory`], [`GpuError::Lost`].
pub(super) fn allocate(
    gpu: &Gpu,
    layout: &Layout,
    tears: bool,
    n_worlds: usize,
    fields: &Fields,
) -> Result<(Buffers, Stages), GpuError> {
    use wgpu::BufferUsages as Usage;
    let (n_points, n_tets) = (layout.masses.len() as u64, layout.tets.len() as u64);
    let n_worlds = n_worlds as u64;
    let n_pushes = 12 * n_tets + 3 * layout.edges.len() as u64;
    // Kernels count in 32 bits.
    let counts = [
        ("the number of vertices of all worlds", n_points),
        ("the corrections of all worlds in words", n_pushes),
    ];
    for (what, n) in counts {
        let needed = n.saturating_mul(n_worlds);
        if needed >= u32::MAX.into() {
            return Err(GpuError::Limit {
                what: what.to_owned(),
                needed,
                limit: u32::MAX.into(),
                gpu: gpu.name().to_owned(),
            });
        }
    }
    let words = |what: &str, n: u64| gpu.storage(what, 4 * n);
    let n_impulses = n_worlds * ((MAX_TOOLS + 1) * IMPULSE_WORDS) as u64;
    let n_picked = picked_words(layout.masses.len(), layout.tets.len(), tears) as u64;
    let n_alive = if tears { n_tets * n_worlds } else { 0 };
    let there = Static {
        rest: gpu.filled("points at rest", &layout.rest)?,
        masses: gpu.filled("masses", &layout.masses)?,
        tets: gpu.filled("tetrahedra", &layout.tets)?,
        // Kernels want room for one.
        edges: match layout.edges.as_slice() {
            [] => words("edges", 16)?,
            edges => gpu.filled("edges", edges)?,
        },
        edge_tets: gpu.filled("tetrahedra around edges", &layout.edge_tets)?,
        starts: gpu.filled("starts of constraints", &layout.starts)?,
        places: gpu.filled("constraints of vertices", &layout.places)?,
        pushes: words("corrections", n_pushes * n_worlds)?,
        velocities: words("velocities", 4 * n_points * n_worlds)?,
        predicted: words("predicted positions", 4 * n_points * n_worlds)?,
        alive: words("tetrahedra that are there", n_alive)?,
    };
    let params = 4 * PARAM_WORDS as u64;
    let buffers = Buffers {
        params: gpu.buffer("settings", params, Usage::UNIFORM | Usage::COPY_DST)?,
        status: words("states of worlds", 2 * n_worlds)?,
        n_tools: words("numbers of tools", n_worlds)?,
        tools: words("tools", n_worlds * (MAX_TOOLS * TOOL_WORDS) as u64)?,
        impulses: words("impulses on tools", n_impulses)?,
        listed: words("worlds to reset", n_worlds)?,
        positions: words("positions", 4 * n_points * n_worlds)?,
        holds: words("what tools hold", 4 * n_points * n_worlds)?,
        picked: words("a world's state", n_picked)?,
        staging: gpu.staging(4 * (2 * n_worlds + n_impulses))?,
    };
    let stages = compile(gpu, &there, &buffers, tears, fields)?;
    Ok((buffers, stages))
}

/// Buffers that only kernels use.
struct Static {
    rest: wgpu::Buffer,
    masses: wgpu::Buffer,
    tets: wgpu::Buffer,
    edges: wgpu::Buffer,
    edge_tets: wgpu::Buffer,
    starts: wgpu::Buffer,
    places: wgpu::Buffer,
    pushes: wgpu::Buffer,
    velocities: wgpu::Buffer,
    predicted: wgpu::Buffer,
    alive: wgpu::Buffer,
}

/// A kernel and its buffers, of which the settings come first.
fn stage(
    gpu: &Gpu,
    params: &wgpu::Buffer,
    second: Option<&wgpu::BindGroupLayout>,
    (name, text): (&str, &str),
    bound: &[(Use, &wgpu::Buffer)],
) -> Result<(Kernel, wgpu::BindGroup), GpuError> {
    let text = format!("{}\n{text}", include_str!("common.wgsl"));
    let mut uses = vec![Use::Uniform];
    uses.extend(bound.iter().map(|(r#use, _)| *r#use));
    let kernel = Kernel::new(gpu, name, &text, &uses, second)?;
    let mut buffers = vec![params];
    buffers.extend(bound.iter().map(|(_, buffer)| *buffer));
    let bound = kernel.bind(gpu, &buffers);
    Ok((kernel, bound))
}

fn compile(
    gpu: &Gpu,
    there: &Static,
    b: &Buffers,
    tears: bool,
    fields: &Fields,
) -> Result<Stages, GpuError> {
    use Use::{Read, Write};
    let stage = |name: &str, text: &str, bound: &[(Use, &wgpu::Buffer)]| {
        let second = matches!(name, "begin" | "vertices").then_some(&fields.layout);
        stage(gpu, &b.params, second, (name, text), bound)
    };
    let text = concat!(
        include_str!("../tool.wgsl"),
        include_str!("../distance_field.wgsl"),
        include_str!("begin.wgsl")
    );
    let bound = [
        (Read, &there.masses),
        (Read, &b.positions),
        (Read, &there.velocities),
        (Read, &b.n_tools),
        (Read, &b.tools),
        (Write, &there.predicted),
        (Write, &b.holds),
        (Write, &b.status),
    ];
    let begin = stage("begin", text, &bound)?;
    let text = concat!(
        include_str!("neo_hookean.wgsl"),
        include_str!("volume.wgsl"),
        include_str!("distance.wgsl"),
        include_str!("elements.wgsl")
    );
    let bound = [
        (Read, &there.masses),
        (Read, &there.tets),
        (Read, &there.edges),
        (Read, &there.edge_tets),
        (Read, &there.predicted),
        (Read, &there.velocities),
        (Read, &there.alive),
        (Write, &there.pushes),
        (Write, &b.status),
    ];
    let elements = stage("elements", text, &bound)?;
    let text = concat!(
        include_str!("../tool.wgsl"),
        include_str!("../distance_field.wgsl"),
        include_str!("vertices.wgsl"),
        include_str!("impulses.wgsl")
    );
    let bound = [
        (Read, &there.masses),
        (Read, &there.starts),
        (Read, &there.places),
        (Read, &there.pushes),
        (Write, &b.positions),
        (Write, &there.velocities),
        (Write, &there.predicted),
        (Write, &b.holds),
        (Write, &b.status),
        (Read, &b.n_tools),
        (Read, &b.tools),
        (Write, &b.impulses),
    ];
    let vertices = stage("vertices", text, &bound)?;
    let tearing = if tears {
        Some(tearing(gpu, there, b)?)
    } else {
        None
    };
    let bound = [
        (Read, &there.rest),
        (Read, &b.listed),
        (Read, &b.picked),
        (Write, &b.positions),
        (Write, &there.velocities),
        (Write, &b.holds),
        (Write, &there.alive),
        (Write, &b.status),
    ];
    let put = stage("put", include_str!("put.wgsl"), &bound)?;
    let bound = [
        (Read, &b.positions),
        (Read, &there.velocities),
        (Read, &b.holds),
        (Read, &there.alive),
        (Write, &b.picked),
    ];
    let pick = stage("pick", include_str!("pick.wgsl"), &bound)?;
    let bound = [(Write, &b.holds)];
    let release = stage("release", include_str!("release.wgsl"), &bound)?;
    Ok(Stages {
        begin,
        elements,
        vertices,
        tearing,
        put,
        pick,
        release,
    })
}

fn tearing(
    gpu: &Gpu,
    there: &Static,
    b: &Buffers,
) -> Result<[(Kernel, wgpu::BindGroup); 2], GpuError> {
    use Use::{Read, Write};
    let bound = [
        (Read, &there.tets),
        (Read, &b.positions),
        (Write, &there.alive),
        (Write, &b.status),
    ];
    let text = include_str!("tear.wgsl");
    let tear = stage(gpu, &b.params, None, ("tear", text), &bound)?;
    let bound = [
        (Read, &there.masses),
        (Read, &there.starts),
        (Read, &there.places),
        (Read, &there.alive),
        (Read, &b.positions),
        (Write, &there.velocities),
        (Write, &there.predicted),
        (Write, &b.holds),
        (Write, &b.status),
        (Write, &b.impulses),
    ];
    let text = concat!(include_str!("loosen.wgsl"), include_str!("impulses.wgsl"));
    let loosen = stage(gpu, &b.params, None, ("loosen", text), &bound)?;
    Ok([tear, loosen])
}
