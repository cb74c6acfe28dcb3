//! Steps of worlds in many launches: one for each colour of each kind of constraints and of faces, and one for the points, in each substep.

use insonate_gpu::{Kernel, Use};

use super::buffers::{Buffers, KernelBuffers, Parts};
use super::program::{TOOLS, stage};
use super::topology::{PackedConstraints, PackedTopology};
use crate::gpu::fields::Fields;
use crate::gpu::{Gpu, GpuError};
use crate::xpbd::constraints::Constraints;

/// Threads of a group.
const GROUP: usize = 64;

/// Kernels with their buffers.
#[derive(Debug)]
pub(super) struct Launches {
    predict: (Kernel, wgpu::BindGroup),
    /// Kernels of the kinds of constraints in use, with the number of constraints of each colour.
    constraints: Vec<(Kernel, wgpu::BindGroup, Vec<usize>)>,
    update: (Kernel, wgpu::BindGroup),
    /// Contact of faces, with the number of faces of each colour.
    faces: Option<(Kernel, wgpu::BindGroup, Vec<usize>)>,
    /// Predicted positions and those during a Gauss–Seidel sweep, which begin there.
    sweep: Option<[wgpu::Buffer; 2]>,
    /// Kernels that find torn elements, then vertices without elements.
    tearing: Option<[(Kernel, wgpu::BindGroup); 2]>,
}

impl Launches {
    pub(super) fn new(
        gpu: &Gpu,
        packed: &PackedTopology,
        shared: &KernelBuffers,
        b: &Buffers,
        fields: &Fields,
        parts: Parts,
    ) -> Result<Self, GpuError> {
        use Use::{Read, Write};
        let stage = |name: &str, text: &str, bound: &[(Use, &wgpu::Buffer)]| {
            let second = matches!(name, "predict" | "update").then_some(&fields.layout);
            stage(gpu, &b.params, second, false, (name, text), bound)
        };
        let text = concat!(
            include_str!("release_gone.wgsl"),
            include_str!("predict.wgsl")
        );
        let text = [TOOLS, text].concat();
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
            include_str!("update_point.wgsl"),
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
        Ok(Self {
            predict,
            constraints,
            update,
            faces,
            sweep: (parts.in_turn || parts.faces)
                .then(|| [shared.predicted.clone(), shared.moved.clone()]),
            tearing,
        })
    }

    /// Records a step. `n_points` and `n_tets` are those of a world.
    pub(super) fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        fields: &Fields,
        n_substeps: u32,
        n_worlds: usize,
        [n_points, n_tets]: [usize; 2],
    ) {
        let groups = |n: usize| (n * n_worlds).div_ceil(GROUP) as u32;
        let of_points = groups(n_points);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_bind_group(1, &fields.bound, &[]);
        let (kernel, bound) = &self.predict;
        kernel.run(&mut pass, bound, [n_substeps, 0], of_points);
        if let Some([predicted, moved]) = &self.sweep {
            drop(pass);
            encoder.copy_buffer_to_buffer(predicted, 0, moved, 0, None);
            pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_bind_group(1, &fields.bound, &[]);
        }
        for substep in 0..n_substeps {
            let now = [substep, 0];
            // constraints, kind by kind and colour by colour => corrections, or positions during the sweep
            for (kernel, bound, sizes) in &self.constraints {
                for (color, n) in (0..).zip(sizes) {
                    kernel.run(&mut pass, bound, [substep, color], groups(*n));
                }
            }
            // these, tools => positions, velocities, impulses on tools, predicted positions
            let (kernel, bound) = &self.update;
            pass.set_bind_group(1, &fields.bound, &[]);
            kernel.run(&mut pass, bound, now, of_points);
            // faces in tools, colour by colour => positions, velocities, impulses on tools, predicted positions
            if let Some((kernel, bound, sizes)) = &self.faces {
                pass.set_bind_group(1, &fields.bound, &[]);
                for (color, n) in (0..).zip(sizes) {
                    kernel.run(&mut pass, bound, [substep, color], groups(*n));
                }
            }
            // strain => torn elements, detached vertices
            if let Some([tear, detach]) = &self.tearing {
                tear.0.run(&mut pass, &tear.1, now, groups(n_tets));
                detach.0.run(&mut pass, &detach.1, now, of_points);
            }
        }
    }
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
        "const N_CONSTRAINTS = {}u;\nconst CONSTRAINT_POINTS = {}u;\nconst N_CORRECTIONS = {}u;\nconst FIRST_ROW = {}u;\n{}\n{}\n{}\n{}",
        list.n,
        list.n_points,
        list.n_corrections,
        list.first_row,
        include_str!("constraint.wgsl"),
        include_str!("coasted.wgsl"),
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
    stage(gpu, &b.params, None, false, (name, &text), &bound)
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
        include_str!("touch_face.wgsl"),
    ];
    let text = text.concat();
    let second = Some(&fields.layout);
    let (kernel, bound) = stage(gpu, &b.params, second, false, ("face", &text), &bound)?;
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
    let tear = stage(gpu, &b.params, None, false, ("tear", text), &bound)?;
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
    let detach = stage(gpu, &b.params, None, false, ("detach", text), &bound)?;
    Ok([tear, detach])
}
