//! The multilayer perceptron with a hand-written gradient, vectorised for small networks on few cores.
//!
//! Rows are samples: activations have shape `[n_rows, width]` and weights `[n_inputs, n_outputs]`. The forward pass, the gradient of the
//! weights and the gradient of the inputs therefore use one kernel (`matmul`) with different arguments.
//! Widths are padded to whole cache lines; the padding stays zero.

#![expect(
    clippy::inline_always,
    reason = "a vectorised function must become part of the one that was compiled for the processor's instructions"
)]

mod activation;
mod adam;
mod aligned;
mod convolution;
mod encoder;
mod encoder_learner;
mod initialization;
mod input_gradient;
mod layer;
mod learner;
mod matmul;
mod mlp;
mod reduce;
mod tanh;
mod workspace;

pub use activation::Activation;
pub use adam::{Adam, AdamStep};
pub use aligned::{AlignedBuffer, LINE, padded};
pub use convolution::{Convolution, PATCH};
pub use encoder::{Encoder, EncoderWorkspace, ImageEntries, Stage};
pub use encoder_learner::EncoderLearner;
pub use initialization::{orthogonal, uniform};
pub use input_gradient::InputGradient;
pub use layer::Layer;
pub(crate) use layer::network_sizes;
pub use learner::Learner;
pub use mlp::Mlp;
pub use reduce::sum_of_squares;
pub use workspace::Workspace;
