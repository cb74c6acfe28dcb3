//! Memory of a forward and a backward pass, allocated once.

use super::{AlignedBuffer, Layer};

/// Memory for passes of one network over at most `max_rows` rows; see [`Mlp::workspace`](super::Mlp::workspace).
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Maximum number of rows.
    pub(super) max_rows: usize,
    /// Output of each layer after its activation, shape `[max_rows, width]`.
    pub(super) outputs: Vec<AlignedBuffer>,
    /// Derivatives of each hidden layer's activations, shape `[max_rows, width]`.
    pub(super) slopes: Vec<AlignedBuffer>,
    /// Gradient of the loss with respect to each layer's outputs, shape `[max_rows, width]`.
    pub(super) gradients: Vec<AlignedBuffer>,
    /// Transposed weights of each layer except the first, shape `[n_outputs, width of the previous layer]`.
    pub(super) transposed: Vec<AlignedBuffer>,
}

impl Workspace {
    pub(super) fn new(layers: &[Layer], max_rows: usize) -> Self {
        let buffers = |n: usize| {
            layers[..n]
                .iter()
                .map(|layer| AlignedBuffer::zeros(max_rows * layer.width))
                .collect()
        };
        Self {
            max_rows,
            outputs: buffers(layers.len()),
            slopes: buffers(layers.len() - 1),
            gradients: buffers(layers.len()),
            transposed: layers
                .windows(2)
                .map(|pair| AlignedBuffer::zeros(pair[1].n_outputs * pair[0].width))
                .collect(),
        }
    }

    /// Output of the last layer, shape `[max_rows, padded n_outputs]`.
    pub fn output(&self) -> &[f32] {
        &self.outputs[self.outputs.len() - 1]
    }

    /// Output, and gradient of the loss with respect to it. Fill the gradient before [`Mlp::backward`](super::Mlp::backward).
    /// Both have shape
    /// `[max_rows, padded n_outputs]` and are zero in the padding.
    pub fn output_and_gradient(&mut self) -> (&[f32], &mut [f32]) {
        let last = self.outputs.len() - 1;
        (&self.outputs[last], &mut self.gradients[last])
    }
}
