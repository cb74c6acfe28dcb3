//! An encoder with its optimiser, gradient and workspace.

use super::{Adam, AdamStep, AlignedBuffer, Encoder, EncoderWorkspace, InputGradient};

/// One encoder with its optimiser.
#[derive(Debug, Clone)]
pub struct EncoderLearner {
    /// The encoder.
    pub encoder: Encoder,
    adam: Adam,
    pub(super) gradient: AlignedBuffer,
    workspace: EncoderWorkspace,
    inputs: AlignedBuffer,
}

impl EncoderLearner {
    pub(super) fn new(encoder: Encoder, max_rows: usize) -> Self {
        let n_parameters = encoder.parameters().len();
        Self {
            adam: Adam::new(n_parameters),
            gradient: AlignedBuffer::zeros(n_parameters),
            workspace: encoder.workspace(max_rows),
            inputs: AlignedBuffer::zeros(max_rows * encoder.n_inputs()),
            encoder,
        }
    }

    /// Features of the samples `rows` of `observations`.
    pub(super) fn encode_rows(&mut self, observations: &[f32], rows: &[u32], features: &mut [f32]) {
        let n_inputs = self.encoder.n_inputs();
        for (row, to) in rows.iter().zip(self.inputs.chunks_exact_mut(n_inputs)) {
            to.copy_from_slice(&observations[*row as usize * n_inputs..][..n_inputs]);
        }
        self.encoder
            .forward(&self.inputs, rows.len(), &mut self.workspace, features);
    }

    /// Features of `n_rows` observations.
    pub(super) fn encode(&mut self, observations: &[f32], n_rows: usize, features: &mut [f32]) {
        self.encoder
            .forward(observations, n_rows, &mut self.workspace, features);
    }

    /// Gradient of the parameters after [`EncoderLearner::encode_rows`].
    pub(super) fn backward(
        &mut self,
        by_features: &InputGradient,
        n_rows: usize,
        accumulate: bool,
    ) {
        self.encoder.backward(
            by_features,
            n_rows,
            &mut self.workspace,
            &mut self.gradient,
            accumulate,
        );
    }

    /// Updates the parameters with the gradient.
    pub(super) fn step(&mut self, step: AdamStep) {
        self.adam
            .step(self.encoder.parameters_mut(), &self.gradient, step);
    }
}
