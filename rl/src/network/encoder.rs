//! An encoder of the images in an observation: convolutions with rectifiers, whose results take the place of the pixels.

use std::ops::Range;

use pulp::Arch;
use rand::Rng;

use super::activation::{Activate, Multiply};
use super::convolution::Convolution;
use super::matmul::{Left, Matmul, Start};
use super::reduce::ColumnSums;
use super::{Activation, AlignedBuffer, InputGradient, LINE, Layer, orthogonal, padded};

/// Place and shape of an image among the entries of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageEntries {
    /// First entry.
    pub first: usize,
    /// Rows, columns and channels.
    pub shape: [usize; 3],
}

impl ImageEntries {
    /// The entries.
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.shape.iter().product::<usize>()
    }
}

/// A convolution with its parameters.
#[derive(Debug, Clone)]
pub struct Stage {
    /// The patches.
    pub convolution: Convolution,
    /// The dense layer on a patch.
    pub layer: Layer,
}

/// The encoder. Its parameters are one block of memory.
#[derive(Debug, Clone)]
pub struct Encoder {
    n_inputs: usize,
    images: Vec<ImageEntries>,
    channels: Vec<usize>,
    /// Entries that belong to no image.
    others: Vec<Range<usize>>,
    /// Stages of each image.
    stages: Vec<Vec<Stage>>,
    parameters: AlignedBuffer,
    arch: Arch,
}

impl Encoder {
    /// An encoder of zeros for observations of `n_inputs` entries; `channels` of each stage.
    ///
    /// # Panics
    /// If images overlap or are not in order, or channels are not a multiple of [`LINE`].
    pub fn new(n_inputs: usize, images: &[ImageEntries], channels: &[usize]) -> Self {
        assert!(
            channels.iter().all(|n| n.is_multiple_of(LINE) && *n > 0),
            "channels are whole cache lines"
        );
        let mut end = 0;
        let mut take = |len: usize| {
            end += len;
            end - len..end
        };
        let mut stages = Vec::new();
        let (mut others, mut next) = (Vec::new(), 0);
        for image in images {
            let range = image.range();
            assert!(range.start >= next && range.end <= n_inputs, "images");
            others.push(next..range.start);
            next = range.end;
            let mut shape = image.shape;
            let of_image = channels.iter().map(|n_channels| {
                let convolution = Convolution { shape };
                let n_inputs = convolution.patch_len();
                let [rows, columns] = convolution.positions();
                shape = [rows, columns, *n_channels];
                let layer = Layer {
                    n_inputs,
                    n_outputs: *n_channels,
                    width: *n_channels,
                    weights: take(n_inputs * n_channels),
                    bias: take(*n_channels),
                };
                Stage { convolution, layer }
            });
            stages.push(of_image.collect());
        }
        others.push(next..n_inputs);
        others.retain(|range| !range.is_empty());
        Self {
            n_inputs,
            images: images.to_vec(),
            channels: channels.to_vec(),
            others,
            stages,
            parameters: AlignedBuffer::zeros(end.next_multiple_of(LINE)),
            arch: Arch::new(),
        }
    }

    /// Sets orthogonal weights of gain √2 and zero bias.
    pub fn set_orthogonal(&mut self, rng: &mut impl Rng) {
        for (image, stage) in self.places() {
            let layer = &self.stages[image][stage].layer;
            let (n_outputs, n_inputs) = (layer.n_outputs, layer.n_inputs);
            let weights = orthogonal(n_outputs, n_inputs, std::f64::consts::SQRT_2, rng);
            self.set_stage(image, stage, &weights, &vec![0.0; n_outputs]);
        }
    }

    /// Image and stage of each layer, in the order of the parameters.
    pub fn places(&self) -> Vec<(usize, usize)> {
        let images = self.stages.iter().enumerate();
        images
            .flat_map(|(image, stages)| (0..stages.len()).map(move |stage| (image, stage)))
            .collect()
    }

    /// Entries of an observation.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// The images.
    pub fn images(&self) -> &[ImageEntries] {
        &self.images
    }

    /// Channels of each stage.
    pub fn channels(&self) -> &[usize] {
        &self.channels
    }

    /// Stages of each image.
    pub fn stages(&self) -> &[Vec<Stage>] {
        &self.stages
    }

    /// Entries that belong to no image; the features begin with them.
    pub fn others(&self) -> &[Range<usize>] {
        &self.others
    }

    /// All parameters.
    pub fn parameters(&self) -> &AlignedBuffer {
        &self.parameters
    }

    /// All parameters.
    pub fn parameters_mut(&mut self) -> &mut [f32] {
        &mut self.parameters
    }

    /// Number of features: entries of no image, and the results of each image.
    pub fn n_features(&self) -> usize {
        let others: usize = self.others.iter().map(ExactSizeIterator::len).sum();
        others
            + (0..self.images.len())
                .map(|image| self.len_of(image))
                .sum::<usize>()
    }

    /// Number of features of an image.
    fn len_of(&self, image: usize) -> usize {
        let last = &self.stages[image][self.channels.len() - 1];
        last.convolution.n_positions() * last.layer.n_outputs
    }

    /// Weights of a stage, shape `[n_outputs, patch_len]`, and its bias.
    pub fn stage(&self, image: usize, stage: usize) -> (Vec<f32>, Vec<f32>) {
        let layer = &self.stages[image][stage].layer;
        let weights = &self.parameters[layer.weights.clone()];
        let transposed = (0..layer.n_outputs)
            .flat_map(|output| weights[output..].iter().step_by(layer.width).copied());
        let bias = self.parameters[layer.bias.clone()].to_vec();
        (transposed.collect(), bias)
    }

    /// Sets weights, shape `[n_outputs, patch_len]`, and bias of a stage.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn set_stage(&mut self, image: usize, stage: usize, weights: &[f32], bias: &[f32]) {
        let layer = &self.stages[image][stage].layer;
        assert_eq!(weights.len(), layer.n_inputs * layer.n_outputs, "weights");
        for (output, row) in weights.chunks_exact(layer.n_inputs).enumerate() {
            for (input, weight) in row.iter().enumerate() {
                self.parameters[layer.weights.start + input * layer.width + output] = *weight;
            }
        }
        self.parameters[layer.bias.clone()].copy_from_slice(bias);
    }

    /// Memory for passes over up to `max_rows` rows.
    pub fn workspace(&self, max_rows: usize) -> EncoderWorkspace {
        let images = self.stages.iter();
        EncoderWorkspace {
            max_rows,
            images: images
                .map(|stages| {
                    stages
                        .iter()
                        .map(|stage| Memory::new(stage, max_rows))
                        .collect()
                })
                .collect(),
        }
    }

    /// Writes the features of `n_rows` observations, shape `[n_rows, n_features]`.
    ///
    /// # Panics
    /// If there are more rows than the workspace holds.
    pub fn forward(
        &self,
        inputs: &[f32],
        n_rows: usize,
        workspace: &mut EncoderWorkspace,
        features: &mut [f32],
    ) {
        assert!(n_rows <= workspace.max_rows, "rows fit the workspace");
        let n_features = self.n_features();
        let rows = inputs.chunks_exact(self.n_inputs);
        for (row, to) in rows.zip(features.chunks_exact_mut(n_features)).take(n_rows) {
            let mut next = 0;
            for range in &self.others {
                to[next..next + range.len()].copy_from_slice(&row[range.clone()]);
                next += range.len();
            }
        }
        let mut first: usize = self.others.iter().map(ExactSizeIterator::len).sum();
        for (image, memory) in workspace.images.iter_mut().enumerate() {
            for index in 0..memory.len() {
                let (before, rest) = memory.split_at_mut(index);
                let pixels = match before.last() {
                    Some(earlier) => Pixels::Result(&earlier.outputs),
                    None => Pixels::Observation(inputs, self.n_inputs, self.images[image].range()),
                };
                self.apply(&self.stages[image][index], &pixels, n_rows, &mut rest[0]);
            }
            let len = self.len_of(image);
            let outputs = memory[memory.len() - 1].outputs.chunks_exact(len);
            for (outputs, to) in outputs
                .zip(features.chunks_exact_mut(n_features))
                .take(n_rows)
            {
                to[first..first + len].copy_from_slice(outputs);
            }
            first += len;
        }
    }

    /// One stage.
    fn apply(&self, stage: &Stage, pixels: &Pixels<'_>, n_rows: usize, memory: &mut Memory) {
        let Stage { convolution, layer } = stage;
        let n_patches = convolution.n_positions();
        let patches = memory.patches.chunks_exact_mut(n_patches * layer.n_inputs);
        for (row, patches) in patches.take(n_rows).enumerate() {
            convolution.gather(pixels.row(row, convolution), patches);
        }
        let outputs = &mut memory.outputs[..n_rows * n_patches * layer.width];
        self.arch.dispatch(Matmul {
            left: Left::Rows(&memory.patches, layer.n_inputs),
            right: &self.parameters[layer.weights.clone()],
            start: Start::Bias(&self.parameters[layer.bias.clone()]),
            product: outputs,
            n_rows: n_rows * n_patches,
            depth: layer.n_inputs,
            width: layer.width,
        });
        self.arch.dispatch(Activate {
            activation: Activation::Relu,
            values: outputs,
            slopes: &mut memory.slopes[..n_rows * n_patches * layer.width],
        });
    }

    /// Writes the gradient with respect to the parameters, or adds to it, after [`Encoder::forward`] over the same rows. `by_features`
    /// gives the gradient with respect to the features of each row.
    pub fn backward(
        &self,
        by_features: &InputGradient,
        n_rows: usize,
        workspace: &mut EncoderWorkspace,
        gradient: &mut [f32],
        accumulate: bool,
    ) {
        let start = if accumulate {
            Start::Product
        } else {
            Start::Zero
        };
        let mut first: usize = self.others.iter().map(ExactSizeIterator::len).sum();
        for (image, memory) in workspace.images.iter_mut().enumerate() {
            let len = self.len_of(image);
            let last = memory.len() - 1;
            let by_outputs = memory[last].gradients.chunks_exact_mut(len);
            for (from, to) in by_features.rows().zip(by_outputs).take(n_rows) {
                to.copy_from_slice(&from[first..first + len]);
            }
            first += len;
            for index in (0..=last).rev() {
                let Stage { convolution, layer } = &self.stages[image][index];
                let n_patches = n_rows * convolution.n_positions();
                let (before, rest) = memory.split_at_mut(index);
                let own = &mut rest[0];
                let by_output = &mut own.gradients[..n_patches * layer.width];
                self.arch.dispatch(Multiply {
                    gradients: by_output,
                    slopes: &own.slopes,
                });
                self.arch.dispatch(Matmul {
                    left: Left::Columns(&own.patches, layer.n_inputs),
                    right: by_output,
                    start,
                    product: &mut gradient[layer.weights.clone()],
                    n_rows: layer.n_inputs,
                    depth: n_patches,
                    width: layer.width,
                });
                self.arch.dispatch(ColumnSums {
                    rows: by_output,
                    sums: &mut gradient[layer.bias.clone()],
                    accumulate,
                });
                let Some(earlier) = before.last_mut() else {
                    continue;
                };
                let width = padded(layer.n_inputs);
                let weights = &self.parameters[layer.weights.clone()];
                layer.transpose(weights, width, &mut own.transposed);
                self.arch.dispatch(Matmul {
                    left: Left::Rows(by_output, layer.width),
                    right: &own.transposed,
                    start: Start::Zero,
                    product: &mut own.by_patches[..n_patches * width],
                    n_rows: n_patches,
                    depth: layer.n_outputs,
                    width,
                });
                let n_pixels: usize = convolution.shape.iter().product();
                let images = earlier.gradients.chunks_exact_mut(n_pixels);
                let patches = own
                    .by_patches
                    .chunks_exact(convolution.n_positions() * width);
                for (patches, image) in patches.zip(images).take(n_rows) {
                    convolution.scatter(patches, width, image);
                }
            }
        }
    }
}

/// Where a stage's pixels are.
enum Pixels<'a> {
    /// A part of each observation; the length of an observation.
    Observation(&'a [f32], usize, Range<usize>),
    /// The result of the stage before.
    Result(&'a [f32]),
}

impl Pixels<'_> {
    fn row(&self, row: usize, convolution: &Convolution) -> &[f32] {
        match self {
            Self::Observation(inputs, n_inputs, range) => {
                &inputs[row * n_inputs..][..*n_inputs][range.clone()]
            }
            Self::Result(outputs) => {
                let n: usize = convolution.shape.iter().product();
                &outputs[row * n..][..n]
            }
        }
    }
}

/// Memory of a stage.
#[derive(Debug, Clone)]
struct Memory {
    /// Shape `[max_rows, n_positions, patch_len]`.
    patches: AlignedBuffer,
    /// Shape `[max_rows, n_positions, n_outputs]`, and the next two.
    outputs: AlignedBuffer,
    slopes: AlignedBuffer,
    gradients: AlignedBuffer,
    /// Shape `[max_rows, n_positions, padded patch_len]`.
    by_patches: AlignedBuffer,
    /// Shape `[n_outputs, padded patch_len]`.
    transposed: AlignedBuffer,
}

impl Memory {
    fn new(stage: &Stage, max_rows: usize) -> Self {
        let n = max_rows * stage.convolution.n_positions();
        let Layer {
            n_inputs, width, ..
        } = stage.layer;
        let zeros = |len: usize| AlignedBuffer::zeros(len);
        Self {
            patches: zeros(n * n_inputs),
            outputs: zeros(n * width),
            slopes: zeros(n * width),
            gradients: zeros(n * width),
            by_patches: zeros(n * padded(n_inputs)),
            transposed: zeros(width * padded(n_inputs)),
        }
    }
}

/// Memory for passes of an encoder over at most `max_rows` rows; see [`Encoder::workspace`].
#[derive(Debug, Clone)]
pub struct EncoderWorkspace {
    max_rows: usize,
    images: Vec<Vec<Memory>>,
}
