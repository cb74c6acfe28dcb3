//! The operators of an encoder: slices of the observation, convolutions with rectifiers, and the features in one row.

use super::graph::Graph;
use super::messages::{Attribute, floats, integers};
use crate::network::Encoder;

impl Graph {
    /// Replaces the last output, an observation, by its features.
    pub(super) fn encode(&mut self, encoder: &Encoder) {
        let observation = self.last.clone();
        let mut parts = Vec::new();
        for (index, range) in encoder.others().iter().enumerate() {
            let part = format!("others_{index}");
            self.slice(&observation, [range.start, range.end], &part);
            parts.push(part);
        }
        for (index, image) in encoder.images().iter().enumerate() {
            let name = format!("image_{index}");
            let range = image.range();
            self.slice(&observation, [range.start, range.end], &name);
            let [rows, columns, channels] = image.shape;
            self.reshape(&[rows, columns, channels], &format!("{name}_pixels"));
            self.transpose([0, 3, 1, 2], &format!("{name}_planes"));
            for (stage, of_stage) in encoder.stages()[index].iter().enumerate() {
                let (weights, bias) = encoder.stage(index, stage);
                let [_, _, n_channels] = of_stage.convolution.shape;
                let n_outputs = of_stage.layer.n_outputs;
                let kernel = planes(&weights, n_channels);
                let [kernel_name, bias_name] =
                    ["weight", "bias"].map(|kind| format!("encoder.{index}.{}.{kind}", 2 * stage));
                self.constants.extend([
                    floats(&kernel_name, &[n_outputs, n_channels, 3, 3], &kernel),
                    floats(&bias_name, &[n_outputs], &bias),
                ]);
                let shape = [
                    Attribute::Integers("kernel_shape", &[3, 3]),
                    Attribute::Integers("strides", &[2, 2]),
                    Attribute::Integers("pads", &[1, 1, 1, 1]),
                ];
                let output = format!("{name}_convolved_{stage}");
                self.then("Conv", &[&kernel_name, &bias_name], &output, &shape);
                self.then("Relu", &[], &format!("{name}_rectified_{stage}"), &[]);
            }
            // Features are in the order of pixels, with their channels next to each other.
            self.transpose([0, 2, 3, 1], &format!("{name}_results"));
            let last = &encoder.stages()[index][encoder.channels().len() - 1];
            let n = last.convolution.n_positions() * last.layer.n_outputs;
            self.reshape(&[n], &format!("{name}_features"));
            parts.push(self.last.clone());
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        self.join(&parts, "features");
    }

    fn slice(&mut self, from: &str, ends: [usize; 2], output: &str) {
        let [start, end] = ["start", "end"].map(|which| format!("{output}_{which}"));
        self.constants.extend([
            integers(&start, &[ends[0] as i64]),
            integers(&end, &[ends[1] as i64]),
            integers(&format!("{output}_axis"), &[1]),
        ]);
        from.clone_into(&mut self.last);
        let axis = format!("{output}_axis");
        self.then("Slice", &[&start, &end, &axis], output, &[]);
    }

    /// Gives each row a shape; the number of rows stays.
    fn reshape(&mut self, shape: &[usize], output: &str) {
        let shape: Vec<i64> = std::iter::once(-1)
            .chain(shape.iter().map(|n| *n as i64))
            .collect();
        let name = format!("{output}_shape");
        self.constants.push(integers(&name, &shape));
        self.then("Reshape", &[&name], output, &[]);
    }

    fn transpose(&mut self, order: [i64; 4], output: &str) {
        let order = [Attribute::Integers("perm", &order)];
        self.then("Transpose", &[], output, &order);
    }
}

/// Weights of patches, `[n_outputs, 3, 3, n_channels]`, as `[n_outputs, n_channels, 3, 3]`.
fn planes(weights: &[f32], n_channels: usize) -> Vec<f32> {
    let patches = weights.chunks_exact(9 * n_channels);
    let planes = patches.flat_map(|patch| {
        (0..n_channels)
            .flat_map(move |channel| patch[channel..].iter().step_by(n_channels).copied())
    });
    planes.collect()
}
