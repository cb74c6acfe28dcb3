//! Vertices held by tools, and anchor points of attachments.

use nalgebra::Vector3;

use super::stages::StepKernels;
use super::world::GpuXpbd;
use crate::gpu::GpuError;
use crate::tool::{Tool, Wrench};
use crate::xpbd::Graspable;
use crate::xpbd::held::nearest;

/// Holders of vertices: see `common.wgsl`.
const FREE: u32 = 0;
const HELD: u32 = 2;
const STICKS: u32 = 16;

/// Whether a word names a holder.
pub(super) fn is_holder(word: u32) -> bool {
    let tools = HELD..HELD + crate::gpu::MAX_TOOLS as u32;
    word < HELD || tools.contains(&word) || tools.contains(&word.wrapping_sub(STICKS))
}

/// A world of [`GpuXpbd`] whose tools hold tissue, for [`Gripper`](crate::xpbd::Gripper).
#[derive(Debug)]
pub struct GpuXpbdWorld<'a> {
    all: &'a mut GpuXpbd,
    world: usize,
}

impl GpuXpbd {
    /// A world; `None` for an index out of range.
    pub fn world(&mut self, index: usize) -> Option<GpuXpbdWorld<'_>> {
        let is_there = index < self.worlds.len();
        is_there.then_some(GpuXpbdWorld {
            all: self,
            world: index,
        })
    }

    /// Lets a tool of a world hold vertices; see [`Graspable::grasp`]. Reads the world back from the GPU, unlike a
    /// step.
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn grasp(
        &mut self,
        world: usize,
        tool: usize,
        at: Vector3<f64>,
        radius: f64,
        most: usize,
    ) -> Result<usize, GpuError> {
        let Some(holder) = self.worlds[world].tools.get(tool).cloned() else {
            return Ok(0);
        };
        if tool >= crate::gpu::MAX_TOOLS {
            return Ok(0);
        }
        let words = self.gather(world)?;
        let rows = words.as_chunks::<4>().0;
        let n_points = self.topology.rest.len();
        let position = |vertex: usize| {
            let [x, y, z, _] = rows[vertex].map(|word| f64::from(f32::from_bits(word)));
            Vector3::new(x, y, z) + self.topology.origin
        };
        let free = (0..self.n_vertices())
            .filter(|vertex| self.topology.inv_masses[*vertex] > 0.0)
            .filter(|vertex| rows[2 * n_points + vertex][3] == FREE)
            .map(|vertex| (vertex as u32, position(vertex)));
        let near = nearest(free, at, radius, most);
        for vertex in &near {
            let vertex = *vertex as usize;
            let arm = position(vertex) - holder.position;
            let place = holder.rotation.inverse_transform_vector(&arm);
            let [x, y, z] = [0, 1, 2].map(|axis| (place[axis] as f32).to_bits());
            let row = [x, y, z, HELD + tool as u32];
            self.write_row(&self.buffers.holds, vertex, world, &row);
        }
        self.gpu.check()?;
        Ok(near.len())
    }

    /// Releases all vertices that a tool of a world has grasped.
    ///
    /// # Errors
    /// [`GpuError::Device`].
    pub fn release(&mut self, world: usize, tool: usize) -> Result<(), GpuError> {
        if tool >= crate::gpu::MAX_TOOLS {
            return Ok(());
        }
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let (kernel, bound) = &self.stages.release;
        let which = [world as u32, tool as u32];
        kernel.run(&mut pass, bound, which, self.gathered_groups());
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
        Ok(self.gpu.check()?)
    }

    /// Moves the anchor point of an attachment; see [`Xpbd::move_anchor`](crate::xpbd::Xpbd::move_anchor).
    ///
    /// # Errors
    /// As [`Xpbd::move_anchor`](crate::xpbd::Xpbd::move_anchor), within
    /// [`GpuError::Tissue`]; [`GpuError::Device`].
    pub fn move_anchor(
        &mut self,
        world: usize,
        anchor: usize,
        to: [f64; 3],
    ) -> Result<(), GpuError> {
        let (point, there) = self.topology.anchor(anchor, to)?;
        let [x, y, z] = there.map(f32::to_bits);
        self.write_row(&self.buffers.positions, point, world, &[x, y, z, 0]);
        Ok(self.gpu.check()?)
    }

    /// Writes the row of a point of a world.
    fn write_row(&self, buffer: &wgpu::Buffer, point: usize, world: usize, row: &[u32; 4]) {
        let at = if matches!(self.stages.step, StepKernels::Whole(_)) {
            world * self.topology.rest.len() + point
        } else {
            point * self.worlds.len() + world
        };
        let at = 16 * at as u64;
        self.gpu
            .queue
            .write_buffer(buffer, at, bytemuck::cast_slice(row));
    }
}

impl Graspable for GpuXpbdWorld<'_> {
    fn tools_mut(&mut self) -> &mut Vec<Tool> {
        self.all.tools_mut(self.world)
    }

    fn wrench(&self, tool: usize) -> Wrench {
        self.all.wrench(self.world, tool)
    }

    /// As on the CPU. Returns 0 also if the GPU fails; the next step returns the error.
    fn grasp(&mut self, tool: usize, at: Vector3<f64>, radius: f64, most: usize) -> usize {
        match self.all.grasp(self.world, tool, at, radius, most) {
            Ok(n) => n,
            Err(fault) => {
                self.all.fault = Some(fault);
                0
            }
        }
    }

    fn release(&mut self, tool: usize) {
        if let Err(fault) = self.all.release(self.world, tool) {
            self.all.fault = Some(fault);
        }
    }
}
