//! Kernels in their order.

use super::buffers::{Buffers, GROUP};
use super::layout::Layout;
use crate::gpu::Gpu;
use crate::gpu::fields::Fields;
use crate::gpu::kernel::Kernel;

/// Particles move by the grid.
const MOVES: u32 = 1;
/// Particles give their momentum to the grid.
const GIVES: u32 = 2;
/// Substeps that are handed in at once: a GPU that also draws a screen must not be kept too long.
const SUBSTEPS_AT_ONCE: u32 = 100;

/// A kernel with the buffers it runs on; two, for particles are in one of two buffers.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) kernel: Kernel,
    pub(super) bound: [wgpu::BindGroup; 2],
}

/// All kernels.
#[derive(Debug)]
pub(super) struct Stages {
    pub(super) begin: Stage,
    pub(super) reset: Stage,
    pub(super) sort_forget: Stage,
    pub(super) sort_count: Stage,
    pub(super) sort_size: Stage,
    pub(super) sort_open: Stage,
    pub(super) sort_scatter: Stage,
    pub(super) grid_update: Stage,
    pub(super) transfer: Stage,
    /// None where tools push nodes.
    pub(super) contact: Option<Stage>,
}

/// One step, or what is left of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) n_substeps: u32,
    /// The first substep that a world goes through.
    pub(super) first: u32,
    /// Whether worlds go on that waited to be sorted.
    pub(super) resumes: bool,
    /// Whether to sort first.
    pub(super) sorts: bool,
    /// Whether any tool pushes particles.
    pub(super) pushes_particles: bool,
    /// Substeps from sort to sort.
    pub(super) sort_every: u32,
}

impl Stages {
    /// Records and hands in a step of all worlds; gives the encoder with what is not handed in yet. `side` says which buffer has the particles.
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
            self.sort(&mut encoder, buffers, layout, side);
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let n_worlds = layout.worlds.len();
        let begin = [plan.n_substeps, u32::from(plan.resumes)];
        self.begin
            .run(&mut pass, *side, begin, n_worlds.div_ceil(GROUP));
        // particles => grid
        self.transfer(&mut pass, buffers, *side, plan.first, GIVES);
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
                self.transfer(&mut pass, buffers, *side, substep, MOVES);
            } else if done.is_multiple_of(plan.sort_every) {
                self.transfer(&mut pass, buffers, *side, substep, MOVES);
                drop(pass);
                self.sort(&mut encoder, buffers, layout, side);
                pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                self.transfer(&mut pass, buffers, *side, substep + 1, GIVES);
            } else {
                // grid => particles => grid
                self.transfer(&mut pass, buffers, *side, substep, MOVES | GIVES);
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

    /// Sorts particles by blocks, and gives nodes to the blocks around them.
    fn sort(
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
        self.sort_forget.run_list(pass, buffers, *side, [0; 2], 1);
        self.sort_count.run(pass, *side, [0; 2], groups);
        self.sort_size.run(pass, *side, [0, 1], 1);
        self.sort_open.run_list(pass, buffers, *side, [0; 2], 0);
        self.sort_size.run(pass, *side, [1, 3], 1);
        self.sort_scatter.run(pass, *side, [0; 2], groups);
        *side = 1 - *side;
    }

    /// Resets the first worlds in the list.
    pub(super) fn reset(&self, gpu: &Gpu, layout: &Layout, n_listed: usize, side: usize) {
        let most = layout.worlds.iter().map(|world| world.n).max().unwrap_or(0);
        let mut encoder = new_encoder(gpu);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let groups = most.div_ceil(GROUP).max(1) as u32;
        let at_once = crate::gpu::device::MAX_GROUPS as usize;
        for first in (0..n_listed).step_by(at_once) {
            let rows = (n_listed - first).min(at_once) as u32;
            let Stage { kernel, bound } = &self.reset;
            kernel.select(&mut pass, &bound[side], [first as u32, 0]);
            pass.dispatch_workgroups(groups, rows, 1);
        }
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
    }
}

impl Stage {
    /// Runs it for so many groups.
    fn run(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        side: usize,
        immediates: [u32; 2],
        groups: usize,
    ) {
        self.kernel
            .run(pass, &self.bound[side], immediates, groups as u32);
    }

    /// Runs it with a group for each entry of a list of the sort.
    fn run_list(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        buffers: &Buffers,
        side: usize,
        immediates: [u32; 2],
        list: u64,
    ) {
        self.kernel.select(pass, &self.bound[side], immediates);
        pass.dispatch_workgroups_indirect(&buffers.lists, 16 * list);
    }
}

fn new_encoder(gpu: &Gpu) -> wgpu::CommandEncoder {
    gpu.device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
}
