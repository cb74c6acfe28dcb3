//! Buffers on the GPU and their kernels.

use insonate_gpu::{DeviceError, Kernel, Staging, Use};

use super::topology::{PackedConstraints, PackedTopology};
use crate::gpu::fields::Fields;
use crate::gpu::tools::{IMPULSE_WORDS, MAX_TOOLS, TOOL_WORDS};
use crate::gpu::{Gpu, GpuError};
use crate::xpbd::constraints::Constraints;

/// Poses of tools and distances from them.
const TOOLS: &str = concat!(
    include_str!("../tool.wgsl"),
    include_str!("../distance_field.wgsl")
);

/// Words of the settings: see `common.wgsl`.
pub(super) const PARAM_WORDS: usize = 16;

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

/// Kernels with their buffers.
#[derive(Debug)]
pub(super) struct Stages {
    pub(super) predict: (Kernel, wgpu::BindGroup),
    /// Kernels of the kinds of constraints in use, with the number of constraints of each colour.
    pub(super) constraints: Vec<(Kernel, wgpu::BindGroup, Vec<usize>)>,
    pub(super) update: (Kernel, wgpu::BindGroup),
    /// Contact of faces, with the number of faces of each colour.
    pub(super) faces: Option<(Kernel, wgpu::BindGroup, Vec<usize>)>,
    /// Predicted positions and those during a Gauss–Seidel sweep, which begin there.
    pub(super) sweep: Option<[wgpu::Buffer; 2]>,
    /// Kernels that find torn elements, then vertices without elements.
    pub(super) tearing: Option<[(Kernel, wgpu::BindGroup); 2]>,
    pub(super) scatter: (Kernel, wgpu::BindGroup),
    pub(super) gather: (Kernel, wgpu::BindGroup),
    pub(super) release: (Kernel, wgpu::BindGroup),
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
}

/// Allocates buffers and compiles kernels.
///
/// # Errors
/// [`GpuError::Device`].
pub(super) fn allocate(
    gpu: &Gpu,
    packed: &PackedTopology,
    n_tets: usize,
    fields: &Fields,
    parts: Parts,
) -> Result<(Buffers, Stages), GpuError> {
    use wgpu::BufferUsages as Usage;
    let tears = !packed.tets.is_empty();
    let n_points = packed.masses.len() as u64;
    let n_corrections = if parts.in_turn {
        0
    } else {
        3 * packed.n_rows as u64
    };
    let n_moved = if parts.in_turn || parts.faces {
        4 * n_points
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
        predicted: words("predicted positions", 4 * n_points * n_worlds)?,
        alive: words("tetrahedra that are there", n_alive)?,
        moved: words("positions during a sweep", n_moved * n_worlds)?,
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
        holds: words("holds on vertices", 4 * n_points * n_worlds)?,
        gathered: words("a world's state", n_gathered)?,
        staging: gpu.staging(4 * (2 * n_worlds + n_impulses))?,
    };
    let stages = compile(gpu, packed, &shared, &buffers, fields, parts)?;
    Ok((buffers, stages))
}

/// Buffers that only kernels use.
struct KernelBuffers {
    rest: wgpu::Buffer,
    masses: wgpu::Buffer,
    row_starts: wgpu::Buffer,
    rows: wgpu::Buffer,
    corrections: wgpu::Buffer,
    velocities: wgpu::Buffer,
    predicted: wgpu::Buffer,
    alive: wgpu::Buffer,
    moved: wgpu::Buffer,
}

/// A kernel and its buffers; the settings come first.
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
    packed: &PackedTopology,
    shared: &KernelBuffers,
    b: &Buffers,
    fields: &Fields,
    parts: Parts,
) -> Result<Stages, GpuError> {
    use Use::{Read, Write};
    let stage = |name: &str, text: &str, bound: &[(Use, &wgpu::Buffer)]| {
        let second = matches!(name, "predict" | "update").then_some(&fields.layout);
        stage(gpu, &b.params, second, (name, text), bound)
    };
    let text = [TOOLS, include_str!("predict.wgsl")].concat();
    let bound = [
        (Read, &shared.masses),
        (Read, &b.positions),
        (Read, &shared.velocities),
        (Read, &b.n_tools),
        (Read, &b.tools),
        (Write, &shared.predicted),
        (Write, &b.holds),
        (Write, &b.status),
    ];
    let predict = stage("predict", &text, &bound)?;
    let mut constraints = Vec::new();
    for (kind, list) in packed.constraints.iter().enumerate() {
        if list.n > 0 {
            let (kernel, bound) = constraint(gpu, kind, list, shared, b, parts)?;
            constraints.push((kernel, bound, sizes(&list.color_starts)));
        }
    }
    let text = [
        TOOLS,
        include_str!("update.wgsl"),
        include_str!("push.wgsl"),
        include_str!("impulses.wgsl"),
        if parts.in_turn {
            include_str!("gauss_seidel_point.wgsl")
        } else {
            include_str!("jacobi_point.wgsl")
        },
    ];
    let mut bound = vec![
        (Read, &shared.masses),
        (Write, &b.positions),
        (Write, &shared.velocities),
        (Write, &shared.predicted),
        (Write, &b.holds),
        (Write, &b.status),
        (Read, &b.n_tools),
        (Read, &b.tools),
        (Write, &b.impulses),
    ];
    if parts.in_turn {
        bound.push((Write, &shared.moved));
    } else {
        bound.extend([
            (Read, &shared.row_starts),
            (Read, &shared.rows),
            (Read, &shared.corrections),
        ]);
    }
    let update = stage("update", &text.concat(), &bound)?;
    let faces = if parts.faces {
        Some(faces(gpu, packed, shared, b, fields)?)
    } else {
        None
    };
    let tearing = if packed.tets.is_empty() {
        None
    } else {
        Some(tearing(gpu, packed, shared, b)?)
    };
    let bound = [
        (Read, &shared.rest),
        (Read, &b.listed),
        (Read, &b.gathered),
        (Write, &b.positions),
        (Write, &shared.velocities),
        (Write, &b.holds),
        (Write, &shared.alive),
        (Write, &b.status),
    ];
    let scatter = stage("scatter", include_str!("scatter.wgsl"), &bound)?;
    let bound = [
        (Read, &b.positions),
        (Read, &shared.velocities),
        (Read, &b.holds),
        (Read, &shared.alive),
        (Write, &b.gathered),
    ];
    let gather = stage("gather", include_str!("gather.wgsl"), &bound)?;
    let bound = [(Write, &b.holds)];
    let release = stage("release", include_str!("release.wgsl"), &bound)?;
    Ok(Stages {
        predict,
        constraints,
        update,
        faces,
        sweep: (parts.in_turn || parts.faces)
            .then(|| [shared.predicted.clone(), shared.moved.clone()]),
        tearing,
        scatter,
        gather,
        release,
    })
}

/// The kernel of a kind of constraint.
fn constraint(
    gpu: &Gpu,
    kind: usize,
    list: &PackedConstraints,
    shared: &KernelBuffers,
    b: &Buffers,
    parts: Parts,
) -> Result<(Kernel, wgpu::BindGroup), GpuError> {
    use Use::{Read, Write};
    let (name, kernel) = Constraints::KERNELS[kind];
    let text = format!(
        "const N_CONSTRAINTS = {}u;\nconst CONSTRAINT_POINTS = {}u;\nconst N_CORRECTIONS = {}u;\nconst FIRST_ROW = {}u;\n{}\n{}\n{}",
        list.n,
        list.n_points,
        list.n_corrections,
        list.first_row,
        include_str!("constraint.wgsl"),
        if parts.in_turn {
            include_str!("gauss_seidel.wgsl")
        } else {
            include_str!("jacobi.wgsl")
        },
        kernel
    );
    // A buffer must not be empty.
    let tets = match list.tets.as_slice() {
        [] => &[0],
        tets => tets,
    };
    let words = gpu.filled(name, &list.words)?;
    let tets = gpu.filled("tetrahedra of constraints", tets)?;
    let starts = gpu.filled("colours", &list.color_starts)?;
    let mut bound = vec![
        (Read, &shared.masses),
        (Read, &words),
        (Read, &tets),
        (Read, &shared.predicted),
        (Read, &shared.velocities),
        (Read, &shared.alive),
        (Write, &b.status),
    ];
    if parts.in_turn {
        bound.extend([(Write, &shared.moved), (Read, &starts)]);
    } else {
        bound.push((Write, &shared.corrections));
    }
    stage(gpu, &b.params, None, (name, &text), &bound)
}

/// The kernel of faces that touch tools.
fn faces(
    gpu: &Gpu,
    packed: &PackedTopology,
    shared: &KernelBuffers,
    b: &Buffers,
    fields: &Fields,
) -> Result<(Kernel, wgpu::BindGroup, Vec<usize>), GpuError> {
    use Use::{Read, Write};
    let bound = [
        (Read, &shared.masses),
        (Read, &gpu.filled("faces", &packed.faces)?),
        (
            Read,
            &gpu.filled("colours of faces", &packed.face_color_starts)?,
        ),
        (Read, &b.holds),
        (Read, &b.n_tools),
        (Read, &b.tools),
        (Write, &b.positions),
        (Write, &shared.velocities),
        (Write, &shared.predicted),
        (Write, &shared.moved),
        (Write, &b.status),
        (Write, &b.impulses),
    ];
    let text = [
        TOOLS,
        include_str!("push.wgsl"),
        include_str!("impulses.wgsl"),
        include_str!("face.wgsl"),
    ];
    let text = text.concat();
    let second = Some(&fields.layout);
    let (kernel, bound) = stage(gpu, &b.params, second, ("face", &text), &bound)?;
    Ok((kernel, bound, sizes(&packed.face_color_starts)))
}

/// Numbers of items of each colour.
fn sizes(starts: &[u32]) -> Vec<usize> {
    let colors = starts.windows(2);
    colors.map(|color| (color[1] - color[0]) as usize).collect()
}

fn tearing(
    gpu: &Gpu,
    packed: &PackedTopology,
    shared: &KernelBuffers,
    b: &Buffers,
) -> Result<[(Kernel, wgpu::BindGroup); 2], GpuError> {
    use Use::{Read, Write};
    let bound = [
        (Read, &gpu.filled("tetrahedra", &packed.tets)?),
        (Read, &b.positions),
        (Write, &shared.alive),
        (Write, &b.status),
    ];
    let text = include_str!("tear.wgsl");
    let tear = stage(gpu, &b.params, None, ("tear", text), &bound)?;
    let bound = [
        (Read, &shared.masses),
        (
            Read,
            &gpu.filled("starts of tetrahedra", &packed.tet_starts)?,
        ),
        (
            Read,
            &gpu.filled("tetrahedra of points", &packed.point_tets)?,
        ),
        (Read, &shared.alive),
        (Read, &b.positions),
        (Write, &shared.velocities),
        (Write, &shared.predicted),
        (Write, &b.holds),
        (Write, &b.status),
        (Write, &b.impulses),
    ];
    let text = concat!(include_str!("detach.wgsl"), include_str!("impulses.wgsl"));
    let detach = stage(gpu, &b.params, None, ("detach", text), &bound)?;
    Ok([tear, detach])
}
