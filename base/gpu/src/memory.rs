//! Buffers on the GPU: creation within its limits, writing and reading back.

use crate::{DeviceError, Gpu};

/// A part of a buffer to be read back.
#[derive(Debug, Clone, Copy)]
pub struct Region<'a> {
    /// The buffer.
    pub buffer: &'a wgpu::Buffer,
    /// First byte.
    pub start: u64,
    /// Length in bytes, a multiple of four.
    pub len: u64,
}

/// Staging buffer for data that is read back.
#[derive(Debug)]
pub struct Staging {
    buffer: wgpu::Buffer,
    /// Bytes in use.
    len: u64,
}

impl Gpu {
    /// A buffer of zeros, at least sixteen bytes long.
    ///
    /// # Errors
    /// [`DeviceError::Limit`], [`DeviceError::Memory`], [`DeviceError::Lost`], [`DeviceError::Refused`].
    pub fn buffer(
        &self,
        what: &str,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, DeviceError> {
        self.check()?;
        let bytes = bytes.next_multiple_of(16).max(16);
        let limits = self.limits();
        let mut limit = limits.max_buffer_size;
        if usage.contains(wgpu::BufferUsages::STORAGE) {
            limit = limit.min(limits.max_storage_buffer_binding_size);
        }
        if bytes > limit {
            return Err(DeviceError::Limit {
                what: format!("the buffer of {what} in bytes"),
                needed: bytes,
                limit,
                gpu: self.name().to_owned(),
            });
        }
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size: bytes,
            usage,
            mapped_at_creation: false,
        });
        if pollster::block_on(memory.pop()).is_some() {
            return Err(DeviceError::Memory {
                what: what.to_owned(),
                bytes,
                gpu: self.name().to_owned(),
            });
        }
        self.check()?;
        Ok(buffer)
    }

    /// A storage buffer of zeros for kernels.
    ///
    /// # Errors
    /// [`DeviceError::Limit`], [`DeviceError::Memory`], [`DeviceError::Lost`], [`DeviceError::Refused`].
    pub fn storage(&self, what: &str, bytes: u64) -> Result<wgpu::Buffer, DeviceError> {
        use wgpu::BufferUsages as Usage;
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        self.buffer(what, bytes, usage)
    }

    /// A storage buffer for kernels, filled with numbers.
    ///
    /// # Errors
    /// [`DeviceError::Limit`], [`DeviceError::Memory`], [`DeviceError::Lost`], [`DeviceError::Refused`].
    pub fn filled<T: bytemuck::Pod>(
        &self,
        what: &str,
        numbers: &[T],
    ) -> Result<wgpu::Buffer, DeviceError> {
        let buffer = self.storage(what, size_of_val(numbers) as u64)?;
        self.queue
            .write_buffer(&buffer, 0, bytemuck::cast_slice(numbers));
        Ok(buffer)
    }

    /// A staging buffer for a number of bytes.
    ///
    /// # Errors
    /// [`DeviceError::Limit`], [`DeviceError::Memory`], [`DeviceError::Lost`], [`DeviceError::Refused`].
    pub fn staging(&self, bytes: u64) -> Result<Staging, DeviceError> {
        use wgpu::BufferUsages as Usage;
        Ok(Staging {
            buffer: self.buffer(
                "numbers read back",
                bytes,
                Usage::MAP_READ | Usage::COPY_DST,
            )?,
            len: 0,
        })
    }

    /// Reads regions back, one after the other.
    ///
    /// # Errors
    /// [`DeviceError::Limit`], [`DeviceError::Memory`], [`DeviceError::Lost`], [`DeviceError::Refused`].
    pub fn read(&self, regions: &[Region<'_>]) -> Result<Vec<u8>, DeviceError> {
        let bytes = regions.iter().map(|region| region.len).sum();
        if bytes == 0 {
            return self.check().map(|()| Vec::new());
        }
        let mut staging = self.staging(bytes)?;
        let mut encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        staging.take(&mut encoder, regions);
        self.queue.submit([encoder.finish()]);
        staging.read(self)
    }
}

impl Staging {
    /// Records copies of regions into the buffer, which replace its content.
    pub fn take(&mut self, encoder: &mut wgpu::CommandEncoder, regions: &[Region<'_>]) {
        self.len = 0;
        for region in regions {
            if region.len > 0 {
                encoder.copy_buffer_to_buffer(
                    region.buffer,
                    region.start,
                    &self.buffer,
                    self.len,
                    Some(region.len),
                );
            }
            self.len += region.len;
        }
    }

    /// The content, once the GPU is done.
    ///
    /// # Errors
    /// [`DeviceError::Lost`], [`DeviceError::Refused`].
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<u8>, DeviceError> {
        self.read_with(gpu, <[u8]>::to_vec)
    }

    /// Calls a function on the content, once the GPU is done.
    ///
    /// # Errors
    /// [`DeviceError::Lost`], [`DeviceError::Refused`].
    pub fn read_with<T>(&self, gpu: &Gpu, take: impl FnOnce(&[u8]) -> T) -> Result<T, DeviceError> {
        gpu.check()?;
        self.buffer
            .map_async(wgpu::MapMode::Read, ..self.len, |_| {});
        gpu.wait()?;
        let view = self
            .buffer
            .get_mapped_range(..self.len)
            .map_err(|error| DeviceError::Refused(error.to_string()))?;
        let taken = take(&view);
        drop(view);
        self.buffer.unmap();
        Ok(taken)
    }
}
