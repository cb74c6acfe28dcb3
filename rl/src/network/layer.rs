//! Location of a layer in the parameters.

use std::ops::Range;

/// Sizes of a layer and its ranges in the parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Number of inputs.
    pub n_inputs: usize,
    /// Number of outputs.
    pub n_outputs: usize,
    /// `n_outputs`, padded to whole cache lines.
    pub width: usize,
    /// Weights, shape `[n_inputs, width]`. The padding stays zero.
    pub weights: Range<usize>,
    /// Bias, shape `[width]`. The padding stays zero.
    pub bias: Range<usize>,
}

impl Layer {
    /// Writes weights of shape `[n_inputs, width]` as `[n_outputs, input_width]`, in blocks that fit the cache.
    pub(super) fn transpose(&self, weights: &[f32], input_width: usize, transposed: &mut [f32]) {
        const BLOCK: usize = 16;
        for first_output in (0..self.n_outputs).step_by(BLOCK) {
            let outputs = first_output..(first_output + BLOCK).min(self.n_outputs);
            for first_input in (0..self.n_inputs).step_by(BLOCK) {
                let inputs = first_input..(first_input + BLOCK).min(self.n_inputs);
                for output in outputs.clone() {
                    let row = &mut transposed[output * input_width..][inputs.clone()];
                    let column = weights[first_input * self.width + output..].iter();
                    for (entry, weight) in row.iter_mut().zip(column.step_by(self.width)) {
                        *entry = *weight;
                    }
                }
            }
        }
    }
}

/// Sizes of inputs, hidden layers and outputs of a network.
pub(crate) fn network_sizes(hidden: &[usize], n_inputs: usize, n_outputs: usize) -> Vec<usize> {
    [&[n_inputs], hidden, &[n_outputs]].concat()
}
