//! A network with its optimiser, gradient and workspace, and with an encoder of images before it where there is one.

use super::{
    Adam, AdamStep, AlignedBuffer, Encoder, EncoderLearner, InputGradient, Mlp, Workspace,
    sum_of_squares,
};

/// Rows per pass through the network: few enough that the activations stay in the cache.
const MAX_ROWS: usize = 128;

/// One network with its optimiser.
#[derive(Debug, Clone)]
pub struct Learner {
    /// The network.
    pub network: Mlp,
    /// The optimiser.
    pub adam: Adam,
    gradient: AlignedBuffer,
    workspace: Workspace,
    inputs: AlignedBuffer,
    /// The encoder, and the gradient with respect to its features.
    encoder: Option<Box<(EncoderLearner, InputGradient)>>,
}

impl Learner {
    /// Creates a learner with a new optimiser.
    pub fn new(network: Mlp) -> Self {
        let n_parameters = network.parameters().len();
        let n_inputs = network.layers()[0].n_inputs;
        Self {
            adam: Adam::new(n_parameters),
            gradient: AlignedBuffer::zeros(n_parameters),
            workspace: network.workspace(MAX_ROWS),
            inputs: AlignedBuffer::zeros(MAX_ROWS * n_inputs),
            network,
            encoder: None,
        }
    }

    /// As [`Learner::new`], with an encoder that makes the network's inputs of observations.
    ///
    /// # Panics
    /// If the network takes another number of inputs.
    pub fn with_encoder(encoder: Encoder, network: Mlp) -> Self {
        let mut learner = Self::new(network);
        let n_inputs = learner.network.layers()[0].n_inputs;
        assert_eq!(encoder.n_features(), n_inputs, "features");
        let by_features = learner.input_gradient();
        learner.encoder = Some(Box::new((
            EncoderLearner::new(encoder, MAX_ROWS),
            by_features,
        )));
        learner
    }

    /// The encoder, if there is one.
    pub fn encoder(&self) -> Option<&Encoder> {
        self.encoder.as_ref().map(|both| &both.0.encoder)
    }

    /// Gradient of the encoder's parameters in the last [`Learner::compute_gradient`].
    pub fn encoder_gradient(&self) -> Option<&[f32]> {
        self.encoder.as_ref().map(|both| &*both.0.gradient)
    }

    /// The free parameters.
    pub fn free(&self) -> &[f32] {
        &self.network.parameters()[self.network.free()]
    }

    /// Gradient of the last [`Learner::compute_gradient`], in the layout of the parameters.
    pub fn gradient(&self) -> &[f32] {
        &self.gradient
    }

    /// Runs the forward pass over any number of rows; `inputs` has shape `[n_rows, n_inputs]`. `take` gets the index of each row and its
    /// outputs, shape `[n_outputs]`.
    pub fn evaluate(&mut self, inputs: &[f32], mut take: impl FnMut(usize, &[f32])) {
        let Some(both) = &mut self.encoder else {
            return self.network.evaluate(inputs, &mut self.workspace, take);
        };
        let n_inputs = both.0.encoder.n_inputs();
        let n_features = both.0.encoder.n_features();
        for (chunk, inputs) in inputs.chunks(MAX_ROWS * n_inputs).enumerate() {
            let n_rows = inputs.len() / n_inputs;
            both.0.encode(inputs, n_rows, &mut self.inputs);
            let features = &self.inputs[..n_rows * n_features];
            self.network
                .evaluate(features, &mut self.workspace, |row, outputs| {
                    take(chunk * MAX_ROWS + row, outputs);
                });
        }
    }

    /// As [`Learner::evaluate`]; `take` also gets the gradient of the sum of the outputs with respect to the row's inputs,
    /// shape `[n_inputs]`.
    pub fn differentiate(
        &mut self,
        inputs: &[f32],
        memory: &mut InputGradient,
        mut take: impl FnMut(usize, &[f32], &[f32]),
    ) {
        let Self {
            network, workspace, ..
        } = self;
        let last = &network.layers()[network.layers().len() - 1];
        let (n_outputs, width) = (last.n_outputs, last.width);
        let n_inputs = network.layers()[0].n_inputs;
        for (chunk, inputs) in inputs.chunks(MAX_ROWS * n_inputs).enumerate() {
            let n_rows = inputs.len() / n_inputs;
            network.forward(inputs, n_rows, workspace);
            let (_, by_outputs) = workspace.output_and_gradient();
            for by_outputs in by_outputs.chunks_exact_mut(width).take(n_rows) {
                by_outputs[..n_outputs].fill(1.0);
            }
            network.backward_inputs(n_rows, workspace, memory);
            let rows = workspace.output().chunks_exact(width).zip(memory.rows());
            for (row, (outputs, by_inputs)) in rows.take(n_rows).enumerate() {
                take(chunk * MAX_ROWS + row, &outputs[..n_outputs], by_inputs);
            }
        }
    }

    /// Memory for [`Learner::differentiate`].
    pub fn input_gradient(&self) -> InputGradient {
        InputGradient::new(&self.network.layers()[0], MAX_ROWS)
    }

    /// Computes the gradient of a loss over the samples `rows` of `inputs`, which has shape `[n_samples, n_inputs]`.
    ///
    /// `loss` gets the index of each sample and its outputs, shape `[n_outputs]`. It writes the gradient with respect to the outputs, shape
    /// `[n_outputs]`, and adds to the gradient with respect to the free parameters.
    pub fn compute_gradient(
        &mut self,
        inputs: &[f32],
        rows: &[u32],
        mut loss: impl FnMut(usize, &[f32], &mut [f32], &mut [f32]),
    ) {
        let Self {
            network,
            gradient,
            workspace,
            inputs: gathered,
            encoder,
            ..
        } = self;
        let last = &network.layers()[network.layers().len() - 1];
        let (n_outputs, width) = (last.n_outputs, last.width);
        let n_inputs = network.layers()[0].n_inputs;
        gradient[network.free()].fill(0.0);
        for (chunk, rows) in rows.chunks(MAX_ROWS).enumerate() {
            if let Some(both) = encoder {
                both.0.encode_rows(inputs, rows, gathered);
            } else {
                for (row, to) in rows.iter().zip(gathered.chunks_exact_mut(n_inputs)) {
                    to.copy_from_slice(&inputs[*row as usize * n_inputs..][..n_inputs]);
                }
            }
            network.forward(gathered, rows.len(), workspace);
            let (outputs, by_outputs) = workspace.output_and_gradient();
            let pairs = outputs
                .chunks_exact(width)
                .zip(by_outputs.chunks_exact_mut(width));
            for (row, (outputs, by_outputs)) in rows.iter().zip(pairs) {
                loss(
                    *row as usize,
                    &outputs[..n_outputs],
                    &mut by_outputs[..n_outputs],
                    &mut gradient[network.free()],
                );
            }
            network.backward(gathered, rows.len(), workspace, gradient, chunk > 0);
            if let Some(both) = encoder {
                let (encoder, by_features) = &mut **both;
                network.backward_inputs(rows.len(), workspace, by_features);
                encoder.backward(by_features, rows.len(), chunk > 0);
            }
        }
    }

    /// Σ g² of the gradient.
    pub fn squared_norm(&self) -> f64 {
        sum_of_squares(&self.gradient)
    }

    /// Updates the parameters with the gradient.
    pub fn step(&mut self, step: AdamStep) {
        if let Some(both) = &mut self.encoder {
            both.0.step(step);
        }
        self.adam
            .step(self.network.parameters_mut(), &self.gradient, step);
    }
}
