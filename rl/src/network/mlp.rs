//! A multilayer perceptron: `y = W_L a(… a(W_1 x + b_1) …) + b_L`.

use std::ops::Range;

use pulp::Arch;
use rand::Rng;

use super::activation::{Activate, Multiply};
use super::matmul::{Left, Matmul, Start};
use super::reduce::ColumnSums;
use super::{Activation, AlignedBuffer, Layer, Workspace, orthogonal, padded, uniform};

/// The network. Its parameters are one block of memory.
#[derive(Debug, Clone)]
pub struct Mlp {
    pub(super) layers: Vec<Layer>,
    activation: Activation,
    /// All layers, then the free parameters.
    pub(super) parameters: AlignedBuffer,
    free: Range<usize>,
    pub(super) arch: Arch,
}

impl Mlp {
    /// Creates a network of zeros. `sizes`: inputs, hidden layers, outputs. `n_free`: number of parameters that are learned in addition to
    /// the layers, such as a log standard deviation.
    ///
    /// # Panics
    /// If there are fewer than two sizes.
    pub fn new(sizes: &[usize], activation: Activation, n_free: usize) -> Self {
        assert!(sizes.len() >= 2, "a network has inputs and outputs");
        let mut end = 0;
        let mut take = |len: usize| {
            end += len;
            end - len..end
        };
        let layers = sizes
            .windows(2)
            .map(|pair| Layer {
                n_inputs: pair[0],
                n_outputs: pair[1],
                width: padded(pair[1]),
                weights: take(pair[0] * padded(pair[1])),
                bias: take(padded(pair[1])),
            })
            .collect();
        let free = take(padded(n_free));
        Self {
            layers,
            activation,
            parameters: AlignedBuffer::zeros(end),
            free: free.start..free.start + n_free,
            arch: Arch::new(),
        }
    }

    /// Sets orthogonal weights and zero bias: gain √2 for hidden layers, `output_gain` for the last one.
    pub fn set_orthogonal(&mut self, output_gain: f64, rng: &mut impl Rng) {
        let n_layers = self.layers.len();
        for layer in 0..n_layers {
            let gain = if layer + 1 == n_layers {
                output_gain
            } else {
                std::f64::consts::SQRT_2
            };
            let (n_inputs, n_outputs) = (self.layers[layer].n_inputs, self.layers[layer].n_outputs);
            let weights = orthogonal(n_outputs, n_inputs, gain, rng);
            self.set_layer(layer, &weights, &vec![0.0; n_outputs]);
        }
    }

    /// Sets weights and bias uniform within ±1/√`n_inputs`, as PyTorch's `Linear` does.
    pub fn set_uniform(&mut self, rng: &mut impl Rng) {
        for layer in 0..self.layers.len() {
            let (n_inputs, n_outputs) = (self.layers[layer].n_inputs, self.layers[layer].n_outputs);
            let [weights, bias] =
                [n_inputs * n_outputs, n_outputs].map(|n| uniform(n, n_inputs, rng));
            self.set_layer(layer, &weights, &bias);
        }
    }

    /// Memory for passes over up to `max_rows` rows.
    pub fn workspace(&self, max_rows: usize) -> Workspace {
        Workspace::new(&self.layers, max_rows)
    }

    /// The layers, first to last.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Activation of the hidden layers.
    pub fn activation(&self) -> Activation {
        self.activation
    }

    /// All parameters, including padding.
    pub fn parameters(&self) -> &AlignedBuffer {
        &self.parameters
    }

    /// All parameters, including padding. The padding must stay zero.
    pub fn parameters_mut(&mut self) -> &mut [f32] {
        &mut self.parameters
    }

    /// Range of the free parameters.
    pub fn free(&self) -> Range<usize> {
        self.free.clone()
    }

    /// Weights of a layer without padding, shape `[n_outputs, n_inputs]`, and its bias, shape `[n_outputs]`.
    pub fn layer(&self, layer: usize) -> (Vec<f32>, Vec<f32>) {
        self.layer_of(&self.parameters, layer)
    }

    /// As [`Mlp::layer`], for numbers in the layout of the parameters, such as a gradient or a moment.
    pub fn layer_of(&self, numbers: &[f32], layer: usize) -> (Vec<f32>, Vec<f32>) {
        let at = &self.layers[layer];
        let weights = &numbers[at.weights.clone()];
        let transposed = (0..at.n_outputs)
            .flat_map(|output| weights[output..].iter().step_by(at.width).copied())
            .collect();
        let bias = numbers[at.bias.clone()][..at.n_outputs].to_vec();
        (transposed, bias)
    }

    /// Sets weights, shape `[n_outputs, n_inputs]`, and bias, shape `[n_outputs]`, of a layer.
    pub fn set_layer(&mut self, layer: usize, weights: &[f32], bias: &[f32]) {
        let mut parameters = std::mem::take(&mut self.parameters);
        self.set_layer_of(&mut parameters, layer, weights, bias);
        self.parameters = parameters;
    }

    /// As [`Mlp::set_layer`], for numbers in the layout of the parameters.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn set_layer_of(&self, numbers: &mut [f32], layer: usize, weights: &[f32], bias: &[f32]) {
        let at = &self.layers[layer];
        assert_eq!(weights.len(), at.n_inputs * at.n_outputs, "weights");
        for (output, row) in weights.chunks_exact(at.n_inputs).enumerate() {
            for (input, weight) in row.iter().enumerate() {
                numbers[at.weights.start + input * at.width + output] = *weight;
            }
        }
        numbers[at.bias.clone()][..at.n_outputs].copy_from_slice(bias);
    }

    /// Runs the forward pass; `inputs` has shape `[n_rows, n_inputs]`. Returns shape `[n_rows, padded n_outputs]`.
    ///
    /// # Panics
    /// If there are more rows than the workspace holds.
    pub fn forward<'a>(
        &self,
        inputs: &[f32],
        n_rows: usize,
        workspace: &'a mut Workspace,
    ) -> &'a [f32] {
        assert!(n_rows <= workspace.max_rows, "rows fit the workspace");
        for (index, layer) in self.layers.iter().enumerate() {
            let (before, rest) = workspace.outputs.split_at_mut(index);
            let product = &mut rest[0][..n_rows * layer.width];
            let left = match before.last() {
                Some(outputs) => Left::Rows(outputs, self.layers[index - 1].width),
                None => Left::Rows(inputs, layer.n_inputs),
            };
            self.arch.dispatch(Matmul {
                left,
                right: &self.parameters[layer.weights.clone()],
                start: Start::Bias(&self.parameters[layer.bias.clone()]),
                product,
                n_rows,
                depth: layer.n_inputs,
                width: layer.width,
            });
            if let Some(slopes) = workspace.slopes.get_mut(index) {
                self.arch.dispatch(Activate {
                    activation: self.activation,
                    values: product,
                    slopes: &mut slopes[..n_rows * layer.width],
                });
            }
        }
        let last = &self.layers[self.layers.len() - 1];
        &workspace.output()[..n_rows * last.width]
    }

    /// Runs the forward pass over any number of rows; `inputs` has shape `[n_rows, n_inputs]`. `take` gets the index of each row and its
    /// outputs, shape `[n_outputs]`.
    pub fn evaluate(
        &self,
        inputs: &[f32],
        workspace: &mut Workspace,
        mut take: impl FnMut(usize, &[f32]),
    ) {
        let last = &self.layers[self.layers.len() - 1];
        let n_inputs = self.layers[0].n_inputs;
        let max_rows = workspace.max_rows;
        for (chunk, inputs) in inputs.chunks(max_rows * n_inputs).enumerate() {
            let n_rows = inputs.len() / n_inputs;
            let outputs = self.forward(inputs, n_rows, workspace);
            for (row, outputs) in outputs.chunks_exact(last.width).enumerate() {
                take(chunk * max_rows + row, &outputs[..last.n_outputs]);
            }
        }
    }

    /// Runs the backward pass after [`Mlp::forward`] over the same inputs, with the gradient with respect to the output in
    /// [`Workspace::output_and_gradient`]. Writes the gradient with respect to the layers' parameters, or adds to it. The part of the free
    /// parameters is not changed.
    ///
    /// # Panics
    /// If there are more rows than the workspace holds, or if the gradient has another length.
    pub fn backward(
        &self,
        inputs: &[f32],
        n_rows: usize,
        workspace: &mut Workspace,
        gradient: &mut [f32],
        accumulate: bool,
    ) {
        assert!(n_rows <= workspace.max_rows, "rows fit the workspace");
        assert_eq!(gradient.len(), self.parameters.len(), "gradient");
        let start = if accumulate {
            Start::Product
        } else {
            Start::Zero
        };
        for (index, layer) in self.layers.iter().enumerate().rev() {
            let (before, rest) = workspace.gradients.split_at_mut(index);
            let by_output = &mut rest[0][..n_rows * layer.width];
            if let Some(slopes) = workspace.slopes.get(index) {
                self.arch.dispatch(Multiply {
                    gradients: by_output,
                    slopes,
                });
            }
            let left = match index {
                0 => Left::Columns(inputs, layer.n_inputs),
                _ => Left::Columns(&workspace.outputs[index - 1], self.layers[index - 1].width),
            };
            self.arch.dispatch(Matmul {
                left,
                right: by_output,
                start,
                product: &mut gradient[layer.weights.clone()],
                n_rows: layer.n_inputs,
                depth: n_rows,
                width: layer.width,
            });
            self.arch.dispatch(ColumnSums {
                rows: by_output,
                sums: &mut gradient[layer.bias.clone()],
                accumulate,
            });
            let Some(by_input) = before.last_mut() else {
                continue;
            };
            let input_width = self.layers[index - 1].width;
            let transposed = &mut workspace.transposed[index - 1];
            let weights = &self.parameters[layer.weights.clone()];
            layer.transpose(weights, input_width, transposed);
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
