//! Shared setup of all stages.

use insonate_gpu::{DeviceError, Gpu, Kernel, Use};

use super::super::{BMode, ScanConverter};

/// Threads of a group.
const GROUP: usize = 64;

/// A scanner, and the parameters that all kernels read.
pub(super) struct Setup<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) scanner: &'a BMode,
    /// Capacity in frames.
    pub(super) n_frames: usize,
    params: wgpu::Buffer,
}

/// A kernel with its buffers; the parameters come first.
#[derive(Debug)]
pub(super) struct Stage {
    kernel: Kernel,
    params: wgpu::Buffer,
    bound: wgpu::BindGroup,
}

/// A buffer of numbers whose length changes between submissions.
#[derive(Debug)]
pub(super) struct List {
    what: &'static str,
    pub(super) buffer: wgpu::Buffer,
}

impl<'a> Setup<'a> {
    /// Setup for a number of frames, or for as many as fit in a buffer of the GPU.
    pub(super) fn new(
        gpu: &'a Gpu,
        scanner: &'a BMode,
        converter: Option<&ScanConverter>,
        n_frames: usize,
    ) -> Result<Self, DeviceError> {
        use wgpu::BufferUsages as Usage;
        let words = params(scanner, converter);
        let bytes = size_of_val(&words) as u64;
        let params = gpu.buffer("settings", bytes, Usage::UNIFORM | Usage::COPY_DST)?;
        gpu.queue
            .write_buffer(&params, 0, bytemuck::cast_slice(&words));
        let limits = gpu.limits();
        let limit = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        let mut setup = Self {
            gpu,
            scanner,
            n_frames: 1,
            params,
        };
        let n_pixels = converter.map_or(0, |it| it.size[0] * it.size[1]);
        let read_back = setup.n_places() + n_pixels.div_ceil(4);
        let largest = setup.n_echoes().max(setup.n_shadings()).max(read_back);
        let largest = 4 * largest as u64;
        setup.n_frames = n_frames.min((limit / largest) as usize).max(1);
        Ok(setup)
    }

    /// Count of the numbers of a frame's echoes: re, im.
    pub(super) fn n_echoes(&self) -> usize {
        let grid = &self.scanner.grid;
        2 * grid.n_lines * (grid.n_samples * grid.n_places + 2 * grid.margin)
    }

    /// Count of the numbers of a frame's rays: amplitude, delay.
    pub(super) fn n_shadings(&self) -> usize {
        let grid = &self.scanner.grid;
        6 * grid.n_lines * (grid.n_samples + 1)
    }

    /// Lines times samples.
    pub(super) fn n_places(&self) -> usize {
        self.scanner.grid.n_lines * self.scanner.grid.n_samples
    }

    /// A buffer with `n` numbers for each frame.
    pub(super) fn numbers(&self, what: &str, n: usize) -> Result<wgpu::Buffer, DeviceError> {
        self.gpu.storage(what, 4 * (self.n_frames * n) as u64)
    }

    /// Compiles a kernel and binds its buffers after the parameters.
    pub(super) fn stage(
        &self,
        name: &str,
        text: &str,
        buffers: &[(Use, &wgpu::Buffer)],
    ) -> Result<Stage, DeviceError> {
        let text = format!("{}\n{text}", include_str!("common.wgsl"));
        let uses = buffers.iter().map(|(r#use, _)| *r#use);
        let uses: Vec<Use> = [Use::Uniform].into_iter().chain(uses).collect();
        let kernel = Kernel::new(self.gpu, name, &text, &uses, None)?;
        let buffers = buffers.iter().map(|(_, buffer)| *buffer);
        let bound: Vec<_> = [&self.params].into_iter().chain(buffers).collect();
        Ok(Stage {
            bound: kernel.bind(self.gpu, &bound),
            kernel,
            params: self.params.clone(),
        })
    }
}

impl Stage {
    /// Binds other buffers.
    pub(super) fn rebind(&mut self, gpu: &Gpu, buffers: &[&wgpu::Buffer]) {
        let bound: Vec<_> = [&self.params]
            .into_iter()
            .chain(buffers.iter().copied())
            .collect();
        self.bound = self.kernel.bind(gpu, &bound);
    }

    /// Runs one thread for each of `n` items.
    pub(super) fn run(&self, pass: &mut wgpu::ComputePass, n: usize) {
        let groups = n.div_ceil(GROUP) as u32;
        self.kernel.run(pass, &self.bound, [n as u32, 0], groups);
    }

    /// Runs one group of threads for each of `n` items.
    pub(super) fn run_groups(&self, pass: &mut wgpu::ComputePass, n: usize) {
        self.kernel.run(pass, &self.bound, [n as u32, 0], n as u32);
    }
}

impl List {
    /// A list with a capacity of one number.
    pub(super) fn new(gpu: &Gpu, what: &'static str) -> Result<Self, DeviceError> {
        let buffer = gpu.storage(what, 1)?;
        Ok(Self { what, buffer })
    }

    /// Writes the parts one after the other; returns whether the buffer was replaced by a larger one.
    pub(super) fn write<'a>(
        &mut self,
        gpu: &Gpu,
        parts: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Result<bool, DeviceError> {
        let bytes: u64 = parts.clone().map(|part| part.len() as u64).sum();
        let grows = bytes > self.buffer.size();
        if grows {
            self.buffer = gpu.storage(self.what, bytes + bytes / 4)?;
        }
        let mut start = 0;
        for part in parts.filter(|part| !part.is_empty()) {
            gpu.queue.write_buffer(&self.buffer, start, part);
            start += part.len() as u64;
        }
        Ok(grows)
    }
}

/// Parameters of `common.wgsl`.
fn params(scanner: &BMode, converter: Option<&ScanConverter>) -> [u32; 16] {
    let (grid, carrier) = (&scanner.grid, scanner.carrier);
    let [black, grey] = converter.map_or([0.0; 2], |it| {
        [it.white - it.dynamic_range, 255.0 / it.dynamic_range]
    });
    let n_pixels = converter.map_or(0, |it| it.size[0] * it.size[1]);
    [
        grid.n_lines as u32,
        grid.n_samples as u32,
        (grid.n_samples * grid.n_places) as u32,
        grid.margin as u32,
        carrier.places.to_bits(),
        carrier.periods.to_bits(),
        grid.middle().to_bits(),
        grid.spacing.recip().to_bits(),
        grid.step.recip().to_bits(),
        grid.apex.unwrap_or(0.0).to_bits(),
        u32::from(grid.apex.is_some()),
        scanner.pulse.stride as u32,
        0,
        n_pixels.div_ceil(4) as u32,
        black.to_bits(),
        grey.to_bits(),
    ]
}
