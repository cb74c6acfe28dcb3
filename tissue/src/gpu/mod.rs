//! The solvers on the GPU, of any vendor, for many worlds at once.
//!
//! Kernels are written in WGSL and run through wgpu on Vulkan, Metal or Dx12. Without a driver [`Gpu::open`] fails and says what to
//! install; OpenGL is never used, because there a kernel may do nothing and not say so. A GPU in software (Mesa's lavapipe) will do.
//!
//! What these solvers promise:
//! - **Whole numbers where order matters.** Sums over particles and nodes are kept in whole steps, fine enough to lose nothing that `f32` would
//!   keep, so they do not depend on the order in which threads come. One GPU gives the same bits on each run, and a world gives the same
//!   bits alone and among thousands. Another GPU or driver may round products in another way.
//! - **Worlds do not touch each other.** One that diverges stops with a reason; the others go on.
//! - **Nothing is copied that nobody asked for.** A step brings back a few words per world and the wrenches on tools.

mod device;
mod error;
mod fields;
mod kernel;
mod memory;
pub mod mpm;
mod tools;
pub mod xpbd;

pub use device::{GPU_VARIABLE, Gpu, GpuInfo};
pub use error::GpuError;
pub use tools::MAX_TOOLS;
