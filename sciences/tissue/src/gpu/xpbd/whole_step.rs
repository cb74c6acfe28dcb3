//! Steps of worlds in one launch, a workgroup for each world. It is for worlds that are small enough for a workgroup's shared memory: a launch
//! takes longer than a colour of such a world.

use insonate_gpu::{Kernel, Use};

use super::buffers::{Buffers, KernelBuffers, Parts};
use super::program::{TOOLS, stage};
use super::topology::PackedTopology;
use crate::gpu::fields::Fields;
use crate::gpu::{Gpu, GpuError};
use crate::xpbd::constraints::Constraints;

/// Substeps in a launch. Long ones would block a GPU that also draws a screen.
const SUBSTEPS_AT_ONCE: u32 = 64;
/// Threads of a workgroup, for few worlds and for many: the colours of a small world have about a hundred constraints.
const THREADS: [usize; 2] = [256, 128];
/// Threads of a workgroup of a software driver, which switches between them at each barrier.
const SOFTWARE_THREADS: usize = 32;
/// Number of worlds from which on there are fewer threads.
const MANY_WORLDS: usize = 256;
/// Storage buffers without those of the constraints.
const N_BUFFERS: usize = 10;

/// The kernel and its buffers.
#[derive(Debug)]
pub(super) struct WholeStep {
    kernel: Kernel,
    bound: wgpu::BindGroup,
}

impl WholeStep {
    /// Whether a workgroup can step a world by itself.
    pub(super) fn is_possible(gpu: &Gpu, packed: &PackedTopology, in_turn: bool) -> bool {
        let limits = gpu.device.limits();
        let shared = 12 * packed.masses.len() + 16;
        let kinds = packed.constraints.iter().filter(|list| list.n > 0).count();
        in_turn
            && packed.tets.is_empty()
            && shared <= limits.max_compute_workgroup_storage_size as usize
            && N_BUFFERS + kinds <= limits.max_storage_buffers_per_shader_stage as usize
    }

    /// Compiles the kernel for a number of worlds.
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub(super) fn new(
        gpu: &Gpu,
        packed: &PackedTopology,
        shared: &KernelBuffers,
        b: &Buffers,
        fields: &Fields,
        parts: Parts,
    ) -> Result<Self, GpuError> {
        use Use::{Read, Write};
        let threads = if gpu.describe().is_software {
            SOFTWARE_THREADS
        } else {
            THREADS[usize::from(parts.n_worlds >= MANY_WORLDS)]
        };
        let mut colors: Vec<[u32; 2]> = Vec::new();
        let mut add_colors = |starts: &[u32]| {
            let first = colors.len();
            colors.extend(starts.windows(2).map(|pair| [pair[0], pair[1]]));
            [first, colors.len() - first]
        };
        let (mut kinds, mut sweeps, mut lists) = (String::new(), String::new(), Vec::new());
        for (kind, list) in packed.constraints.iter().enumerate() {
            if list.n == 0 {
                continue;
            }
            let (name, kernel) = Constraints::KERNELS[kind];
            let [first, n] = add_colors(&list.color_starts);
            let text = format!(
                "const N_CORRECTIONS = {}u;\nconst CONSTRAINT_POINTS = {}u;\nconst FIRST_COLOR = {first}u;\nconst N_COLORS = {n}u;\n\
                 @group(0) @binding({}) var<storage, read> constraints: array<Constraint>;\n{}\n{kernel}",
                list.n_corrections,
                list.n_points,
                N_BUFFERS + 1 + lists.len(),
                include_str!("whole_kind.wgsl"),
            );
            kinds += &with_suffix(&text, name);
            for part in ["    sweep_", name, "(lane, world);\n"] {
                sweeps += part;
            }
            lists.push(gpu.filled(name, &list.words)?);
        }
        let [first_face, n_faces] = if parts.faces {
            add_colors(&packed.face_color_starts)
        } else {
            [0, 0]
        };
        let text = format!(
            "const THREADS = {threads}u;\nconst N_POINTS = {}u;\nconst SUBSTEPS_AT_ONCE = {SUBSTEPS_AT_ONCE}u;\n\
             const FIRST_FACE_COLOR = {first_face}u;\nconst N_FACE_COLORS = {n_faces}u;\n{}\n{kinds}\n\
             fn sweeps(lane: u32, world: u32) {{\n{sweeps}}}\n",
            packed.masses.len(),
            [
                TOOLS,
                include_str!("coasted.wgsl"),
                include_str!("release_gone.wgsl"),
                include_str!("push.wgsl"),
                include_str!("impulses.wgsl"),
                include_str!("update_point.wgsl"),
                include_str!("touch_face.wgsl"),
                include_str!("whole_step.wgsl"),
            ]
            .concat(),
        );
        // A buffer must not be empty.
        let faces = if packed.faces.is_empty() {
            &[[0; 4]]
        } else {
            packed.faces.as_slice()
        };
        if colors.is_empty() {
            colors.push([0; 2]);
        }
        let colors = gpu.filled("colours", &colors)?;
        let faces = gpu.filled("faces", faces)?;
        let mut bound = vec![
            (Read, &shared.masses),
            (Read, &colors),
            (Read, &faces),
            (Read, &b.n_tools),
            (Read, &b.tools),
            (Write, &b.positions),
            (Write, &shared.velocities),
            (Write, &b.holds),
            (Write, &b.status),
            (Write, &b.impulses),
        ];
        bound.extend(lists.iter().map(|list| (Read, list)));
        let second = Some(&fields.layout);
        let (kernel, bound) = stage(gpu, &b.params, second, true, ("step", &text), &bound)?;
        Ok(Self { kernel, bound })
    }

    /// Records a step of all worlds.
    pub(super) fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        fields: &Fields,
        n_substeps: u32,
        n_worlds: usize,
    ) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_bind_group(1, &fields.bound, &[]);
        for first in (0..n_substeps).step_by(SUBSTEPS_AT_ONCE as usize) {
            let immediates = [first, n_substeps];
            self.kernel
                .run(&mut pass, &self.bound, immediates, n_worlds as u32);
        }
    }
}

/// A text with a suffix at the name of each function, structure, constant and variable that it defines, so that texts of several kinds fit in one.
fn with_suffix(text: &str, suffix: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut names = vec!["constraints"];
    for line in text.lines() {
        let mut words = line.split(|c: char| !is_part(c));
        if matches!(words.next(), Some("fn" | "struct" | "const")) {
            names.extend(words.next());
        }
    }
    let mut suffixed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if is_part(first) {
            rest.find(|c| !is_part(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(len);
        suffixed += word;
        if names.contains(&word) {
            suffixed += "_";
            suffixed += suffix;
        }
        rest = after;
    }
    suffixed
}
