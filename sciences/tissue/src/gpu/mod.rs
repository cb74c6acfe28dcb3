//! Solvers on GPUs of any vendor, for many worlds at once.
//!
//! Kernels are written in WGSL and run through wgpu on Vulkan, Metal or Dx12. [`Gpu::open`] fails without a driver and
//! says what to install. OpenGL is never used, because its kernels may fail silently. A software GPU (Mesa's lavapipe)
//! works.
//!
//! Guarantees of these solvers:
//! - **Determinism.** Sums over particles and nodes are fixed-point with at least the resolution of `f32`, so they do
//!   not depend on the order of threads. One GPU computes the same bits on each run, and the bits of a world do not
//!   depend on other worlds. Another GPU or driver may round products differently.
//! - **Independent worlds.** A world that diverges stops with a reason; the others continue.
//! - **Small transfers.** A step reads back a few words per world and the wrenches on tools.

mod error;
mod fields;
pub mod mpm;
mod shared;
mod tools;
pub mod xpbd;

pub use error::GpuError;
pub use insonate_gpu::{DeviceError, GPU_VARIABLE, Gpu, GpuInfo};
pub use tools::MAX_TOOLS;
