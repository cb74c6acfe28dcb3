//! Texts of kernels and their compilation.

use insonate_gpu::{Kernel, Use};

use crate::gpu::{Gpu, GpuError};

/// Poses of tools and distances from them.
pub(super) const TOOLS: &str = concat!(
    include_str!("../tool.wgsl"),
    include_str!("../distance_field.wgsl")
);

/// A kernel and its buffers; the settings come first.
pub(super) fn stage(
    gpu: &Gpu,
    params: &wgpu::Buffer,
    second: Option<&wgpu::BindGroupLayout>,
    by_world: bool,
    (name, text): (&str, &str),
    bound: &[(Use, &wgpu::Buffer)],
) -> Result<(Kernel, wgpu::BindGroup), GpuError> {
    let common = include_str!("common.wgsl");
    let text = format!("const BY_WORLD = {by_world};\n{common}\n{text}");
    let mut uses = vec![Use::Uniform];
    uses.extend(bound.iter().map(|(r#use, _)| *r#use));
    let kernel = Kernel::new(gpu, name, &text, &uses, second)?;
    let mut buffers = vec![params];
    buffers.extend(bound.iter().map(|(_, buffer)| *buffer));
    let bound = kernel.bind(gpu, &buffers);
    Ok((kernel, bound))
}
