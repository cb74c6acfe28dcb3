//! Compute kernels on GPUs of any vendor.
//!
//! Kernels are written in WGSL and run through wgpu on Vulkan, Metal or Dx12. Without a driver [`Gpu::open`] fails and says what to
//! install; OpenGL is never used, because its kernels may fail silently. A software GPU (Mesa's lavapipe) works.

mod device;
mod error;
mod kernel;
mod memory;

pub use device::{GPU_VARIABLE, Gpu, GpuInfo, MAX_GROUPS};
pub use error::DeviceError;
pub use kernel::{Kernel, Use, bind, bind_layout};
pub use memory::{Region, Staging};
