//! Gradient of a network with respect to its inputs, such as a critic's gradient with respect to actions.

use super::activation::Multiply;
use super::matmul::{Left, Matmul, Start};
use super::{AlignedBuffer, Layer, Mlp, Workspace, padded};

/// Gradients with respect to the inputs for up to `max_rows` rows, with the memory to compute them.
#[derive(Debug, Clone)]
pub struct InputGradient {
    n_inputs: usize,
    /// Shape `[max_rows, padded n_inputs]`.
    by_inputs: AlignedBuffer,
    /// Weights of the first layer, transposed: shape `[n_outputs, padded n_inputs]`.
    transposed: AlignedBuffer,
}

impl InputGradient {
    pub(super) fn new(first: &Layer, max_rows: usize) -> Self {
        let width = padded(first.n_inputs);
        Self {
            n_inputs: first.n_inputs,
            by_inputs: AlignedBuffer::zeros(max_rows * width),
            transposed: AlignedBuffer::zeros(first.n_outputs * width),
        }
    }

    /// The gradient of each row, shape `[n_inputs]`.
    pub fn rows(&self) -> impl Iterator<Item = &[f32]> {
        let rows = self.by_inputs.chunks_exact(padded(self.n_inputs));
        rows.map(|row| &row[..self.n_inputs])
    }
}

impl Mlp {
    /// Writes the gradient with respect to the inputs. Call it after [`Mlp::forward`], with the gradient with respect to the output in
    /// [`Workspace::output_and_gradient`].
    ///
    /// # Panics
    /// If there are more rows than the workspace holds.
    pub fn backward_inputs(
        &self,
        n_rows: usize,
        workspace: &mut Workspace,
        memory: &mut InputGradient,
    ) {
        assert!(n_rows <= workspace.max_rows, "rows fit the workspace");
        for (index, layer) in self.layers.iter().enumerate().rev() {
            let (before, rest) = workspace.gradients.split_at_mut(index);
            let by_output = &mut rest[0][..n_rows * layer.width];
            if let Some(slopes) = workspace.slopes.get(index) {
                self.arch.dispatch(Multiply {
                    gradients: by_output,
                    slopes,
                });
            }
            let (by_input, transposed) = match before.last_mut() {
                Some(by_input) => (by_input, &mut workspace.transposed[index - 1]),
                None => (&mut memory.by_inputs, &mut memory.transposed),
            };
            let input_width = padded(layer.n_inputs);
            layer.transpose(
                &self.parameters[layer.weights.clone()],
                input_width,
                transposed,
            );
            self.arch.dispatch(Matmul {
                left: Left::Rows(by_output, layer.width),
                right: transposed,
                start: Start::Zero,
                product: &mut by_input[..n_rows * input_width],
                n_rows,
                depth: layer.n_outputs,
                width: input_width,
            });
        }
    }
}
