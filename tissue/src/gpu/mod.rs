//! The solvers on the GPU, of any vendor, for many worlds at once.
//!
//! Kernels are written in WGSL and run through wgpu on Vulkan, Metal or Dx12. Without a driver [`Gpu::open`] fails and says what to
//! install; OpenGL is never used, because its kernels may fail silently. A software GPU (Mesa's lavapipe) works.
//!
//! What these solvers promise:
//! - **Determinism.** Sums over particles and nodes are fixed-point, fine enough to lose nothing that `f32` would keep, so they do not depend
//!   on the order of threads. One GPU computes the same bits on each run, and those of a world do not depend on the other worlds.
//!   Another GPU or driver may round products differently.
//! - **Worlds are independent.** One that diverges stops with a reason; the others continue.
//! - **Little is copied.** A step reads back a few words per world and the wrenches on tools.

mod error;
mod fields;
pub mod mpm;
mod tools;
pub mod xpbd;

pub use error::GpuError;
pub use insonate_gpu::{DeviceError, GPU_VARIABLE, Gpu, GpuInfo};
pub use tools::MAX_TOOLS;
