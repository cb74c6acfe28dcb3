//! Kernels in the order of execution.

use insonate_gpu::Kernel;

use super::buffers::{Buffers, GROUP};
use super::layout::Layout;
use crate::gpu::Gpu;
use crate::gpu::fields::Fields;

/// Transfer from the grid to the particles.
const G2P: u32 = 1;
/// Transfer from the particles to the grid.
const P2G: u32 = 2;
/// Substeps per submission. Long submissions would block a GPU that also draws a screen.
const SUBSTEPS_AT_ONCE: u32 = 100;

/// A kernel with its bind groups, one for each of the two particle buffers.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) kernel: Kernel,
    pub(super) bind_groups: [wgpu::BindGroup; 2],
}

/// All kernels.
#[derive(Debug)]
pub(super) struct Stages {
    pub(super) begin: Stage,
    pub(super) reset: Stage,
    pub(super) sort: SortStages,
    pub(super) grid_update: Stage,
    pub(super) transfer: Stage,
    /// Contact of particles; `None` if tools push nodes.
    pub(super) contact: Option<Stage>,
}

/// Kernels of the sort of particles by blocks.
#[derive(Debug)]
pub(super) struct SortStages {
    pub(super) clear: Stage,
    pub(super) count: Stage,
    pub(super) dispatch: Stage,
    pub(super) allocate: Stage,
    pub(super) scatter: Stage,
}

/// One step, or the rest of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// Greatest number of substeps of a world.
    pub(super) n_substeps: u32,
    /// First substep to run.
    pub(super) first: u32,
    /// Whether worlds that wait for a sort resume.
    pub(super) resumes: bool,
    /// Whether to sort first.
    pub(super) sorts: bool,
    /// Whether any tool pushes particles.
    pub(super) pushes_particles: bool,
    /// Substeps between sorts.
    pub(super) sort_every: u32,
}

impl Stages {
    /// Records and submits a step of all worlds. Returns the encoder with the commands that are not submitted yet.
    /// `side` is the index of the buffer that holds the particles.
    pub(super) fn step(
        &self,
        gpu: &Gpu,
        buffers: &Buffers,
        layout: &Layout,
        fields: &Fields,
        plan: Plan,
        side: &mut usize,
    ) -> wgpu::CommandEncoder {
        let mut encoder = new_encoder(gpu);
        if !plan.resumes {
            encoder.clear_buffer(&buffers.impulses, 0, None);
        }
        if plan.sorts {
            self.sort.run(&mut encoder, buffers, layout, side);
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let n_worlds = layout.worlds.len();
        let begin = [u32::from(plan.resumes), 0];
        self.begin
            .run(&mut pass, *side, begin, n_worlds.div_ceil(GROUP));
        // particles => grid
        self.transfer(&mut pass, buffers, *side, plan.first, P2G);
        for substep in plan.first..plan.n_substeps {
            pass.set_bind_group(1, &fields.bound, &[]);
            if let Some(contact) = &self.contact
                && plan.pushes_particles
            {
                // momentum of particles that tools push => grid, impulses on tools
                contact.run_list(&mut pass, buffers, *side, [substep, 0], 2);
            }
            // momentum => velocity at the nodes, impulses on tools
            self.grid_update
                .run_list(&mut pass, buffers, *side, [substep, 0], 1);
            let done = substep + 1 - plan.first;
            if substep + 1 == plan.n_substeps {
                // grid => particles
                self.transfer(&mut pass, buffers, *side, substep, G2P);
            } else if done.is_multiple_of(plan.sort_every) {
                self.transfer(&mut pass, buffers, *side, substep, G2P);
                drop(pass);
                self.sort.run(&mut encoder, buffers, layout, side);
                pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                self.transfer(&mut pass, buffers, *side, substep + 1, P2G);
            } else {
                // grid => particles => grid
                self.transfer(&mut pass, buffers, *side, substep, G2P | P2G);
            }
            if done.is_multiple_of(SUBSTEPS_AT_ONCE) {
                drop(pass);
                gpu.queue.submit([encoder.finish()]);
                encoder = new_encoder(gpu);
                pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            }
        }
        drop(pass);
        encoder
    }

    fn transfer(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        buffers: &Buffers,
        side: usize,
        substep: u32,
        mode: u32,
    ) {
        self.transfer
            .run_list(pass, buffers, side, [substep, mode], 2);
    }

    /// Resets the first worlds in the list.
    pub(super) fn reset(&self, gpu: &Gpu, layout: &Layout, n_listed: usize, side: usize) {
        let most = layout.worlds.iter().map(|world| world.n).max().unwrap_or(0);
        let mut encoder = new_encoder(gpu);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let groups = most.div_ceil(GROUP).max(1) as u32;
        let at_once = insonate_gpu::MAX_GROUPS as usize;
        for first in (0..n_listed).step_by(at_once) {
            let rows = (n_listed - first).min(at_once) as u32;
            let Stage {
                kernel,
                bind_groups,
            } = &self.reset;
            kernel.select(&mut pass, &bind_groups[side], [first as u32, 0]);
            pass.dispatch_workgroups(groups, rows, 1);
        }
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
    }
}

impl SortStages {
    /// Sorts particles by blocks, and allocates nodes for the blocks around them.
    fn run(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        buffers: &Buffers,
        layout: &Layout,
        side: &mut usize,
    ) {
        encoder.clear_buffer(&buffers.counters, 0, None);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let pass = &mut pass;
        let groups = layout.n_particles.div_ceil(GROUP);
        self.clear.run_list(pass, buffers, *side, [0; 2], 1);
        self.count.run(pass, *side, [0; 2], groups);
        self.dispatch.run(pass, *side, [0, 1], 1);
        self.allocate.run_list(pass, buffers, *side, [0; 2], 0);
        self.dispatch.run(pass, *side, [1, 3], 1);
        self.scatter.run(pass, *side, [0; 2], groups);
        *side = 1 - *side;
    }
}

impl Stage {
    /// Dispatches the kernel for a number of workgroups.
    fn run(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        side: usize,
        immediates: [u32; 2],
        groups: usize,
    ) {
        self.kernel
            .run(pass, &self.bind_groups[side], immediates, groups as u32);
    }

    /// Dispatches the kernel with one workgroup per entry of a list of the sort.
    fn run_list(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        buffers: &Buffers,
        side: usize,
        immediates: [u32; 2],
        list: u64,
    ) {
        self.kernel
            .select(pass, &self.bind_groups[side], immediates);
        pass.dispatch_workgroups_indirect(&buffers.lists, 16 * list);
    }
}

fn new_encoder(gpu: &Gpu) -> wgpu::CommandEncoder {
    gpu.device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
}
