//! All kernels with their buffers.

use insonate_gpu::{Kernel, Use};

use super::buffers::{Buffers, KernelBuffers, Parts};
use super::launches::Launches;
use super::program::stage;
use super::topology::PackedTopology;
use super::whole_step::WholeStep;
use crate::gpu::fields::Fields;
use crate::gpu::{Gpu, GpuError};

/// Kernels with their buffers.
#[derive(Debug)]
pub(super) struct Stages {
    pub(super) step: StepKernels,
    pub(super) scatter: (Kernel, wgpu::BindGroup),
    pub(super) gather: (Kernel, wgpu::BindGroup),
    pub(super) release: (Kernel, wgpu::BindGroup),
}

/// How a step is made.
#[derive(Debug)]
pub(super) enum StepKernels {
    /// Each world by a workgroup of its own.
    Whole(WholeStep),
    /// All worlds colour by colour.
    Launches(Box<Launches>),
}

impl Stages {
    /// Compiles the kernels.
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
        let step = if parts.by_world {
            StepKernels::Whole(WholeStep::new(gpu, packed, shared, b, fields, parts)?)
        } else {
            StepKernels::Launches(Box::new(Launches::new(
                gpu, packed, shared, b, fields, parts,
            )?))
        };
        let stage = |name: &str, text: &str, bound: &[(Use, &wgpu::Buffer)]| {
            stage(gpu, &b.params, None, parts.by_world, (name, text), bound)
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
        Ok(Self {
            step,
            scatter,
            gather,
            release,
        })
    }
}
