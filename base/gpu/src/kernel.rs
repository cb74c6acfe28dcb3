//! Compute kernels in WGSL and the bindings of their buffers.

use crate::{DeviceError, Gpu, MAX_GROUPS};

/// Use of a buffer by a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Uniform parameters.
    Uniform,
    /// The kernel reads the buffer.
    Read,
    /// The kernel reads and writes the buffer.
    Write,
}

/// A kernel ready to run.
#[derive(Debug)]
pub struct Kernel {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

/// Layout of a bind group, in the order of the uses.
pub fn bind_layout(gpu: &Gpu, name: &str, uses: &[Use]) -> wgpu::BindGroupLayout {
    let entries: Vec<_> = (0..)
        .zip(uses)
        .map(|(binding, r#use)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: match r#use {
                    Use::Uniform => wgpu::BufferBindingType::Uniform,
                    Use::Read => wgpu::BufferBindingType::Storage { read_only: true },
                    Use::Write => wgpu::BufferBindingType::Storage { read_only: false },
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        })
        .collect();
    gpu.device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(name),
            entries: &entries,
        })
}

/// Binds buffers in the order of the uses of a layout.
pub fn bind(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    buffers: &[&wgpu::Buffer],
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout,
        entries: &entries,
    })
}

impl Kernel {
    /// Compiles the function `main` of a WGSL text. Buffers are bound in the order of their uses; all kernels take two immediates of 4 bytes.
    /// If there is a second bind group, the caller binds its buffers before it runs the kernel.
    ///
    /// # Errors
    /// [`DeviceError::Refused`] if the text does not compile; [`DeviceError::Lost`].
    pub fn new(
        gpu: &Gpu,
        name: &str,
        text: &str,
        uses: &[Use],
        second: Option<&wgpu::BindGroupLayout>,
    ) -> Result<Self, DeviceError> {
        gpu.check()?;
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let device = &gpu.device;
        let layout = bind_layout(gpu, name, uses);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(name),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let groups: Vec<_> = [Some(&layout), second]
            .into_iter()
            .take_while(Option::is_some)
            .collect();
        let whole = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(name),
            bind_group_layouts: &groups,
            immediate_size: 8,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: Some(&whole),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                // Kernels that need zeros write them.
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(DeviceError::Refused(format!("{name}: {error}")));
        }
        gpu.check()?;
        Ok(Self { pipeline, layout })
    }

    /// Binds buffers in the order of the uses.
    pub fn bind(&self, gpu: &Gpu, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        bind(gpu, &self.layout, buffers)
    }

    /// Selects the kernel as the pipeline of the pass.
    pub fn select(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &wgpu::BindGroup,
        immediates: [u32; 2],
    ) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, bound, &[]);
        pass.set_immediates(0, bytemuck::cast_slice(&immediates));
    }

    /// Runs a number of groups.
    pub fn run(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &wgpu::BindGroup,
        immediates: [u32; 2],
        groups: u32,
    ) {
        if groups == 0 {
            return;
        }
        self.select(pass, bound, immediates);
        let x = groups.min(MAX_GROUPS);
        pass.dispatch_workgroups(x, groups.div_ceil(x), 1);
    }
}
