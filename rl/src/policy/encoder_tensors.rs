//! Encoders in files: `encoder.<image>.<i>.weight` of shape `[n_outputs, patch_len]`, a patch by row, column and channel, and
//! `encoder.<image>.<i>.bias`. Index i counts convolutions and rectifiers.

use serde::{Deserialize, Serialize};

use crate::RlError;
use crate::network::{Encoder, ImageEntries, LINE, PATCH};
use crate::tensor_file::{Tensor, TensorFile, TensorWriter};

use super::network_tensors::take_finite;

/// Largest sizes that a file may specify.
const MAX_STAGES: usize = 8;
const MAX_CHANNELS: usize = 1 << 10;

/// The description of an encoder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EncoderRecord {
    images: Vec<ImageRecord>,
    /// Channels of each convolution.
    channels: Vec<usize>,
}

/// First entry and shape of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ImageRecord {
    first: usize,
    shape: [usize; 3],
}

impl EncoderRecord {
    /// Describes an encoder and adds its numbers.
    pub(super) fn add(encoder: &Encoder, writer: &mut TensorWriter) -> Self {
        for (image, stage) in encoder.places() {
            let layer = &encoder.stages()[image][stage].layer;
            let (weights, bias) = encoder.stage(image, stage);
            let [weight_name, bias_name] = names(image, stage);
            let shape = [layer.n_outputs, layer.n_inputs];
            writer.add(weight_name, Tensor::f32(&weights, &shape));
            writer.add(bias_name, Tensor::f32(&bias, &shape[..1]));
        }
        let images = encoder.images().iter().map(|image| ImageRecord {
            first: image.first,
            shape: image.shape,
        });
        Self {
            images: images.collect(),
            channels: encoder.channels().to_vec(),
        }
    }

    /// Reads the encoder of observations of `n_obs` entries.
    ///
    /// # Errors
    /// [`RlError::File`] if sizes are impossible or tensors do not fit them.
    pub(super) fn take(&self, n_obs: usize, file: &mut TensorFile) -> Result<Encoder, RlError> {
        let invalid = |what: &str| file.invalid(format!("has an encoder with impossible {what}"));
        let are_channels = |n: &usize| n.is_multiple_of(LINE) && (LINE..=MAX_CHANNELS).contains(n);
        if !(1..=MAX_STAGES).contains(&self.channels.len())
            || !self.channels.iter().all(are_channels)
        {
            return Err(invalid("channels"));
        }
        let mut next = 0;
        for ImageRecord { first, shape } in &self.images {
            let len = shape
                .iter()
                .try_fold(1, |len: usize, n| len.checked_mul(*n));
            let end = len
                .filter(|len| *len > 0)
                .and_then(|len| first.checked_add(len));
            match end {
                Some(end) if *first >= next && end <= n_obs => next = end,
                _ => return Err(invalid("images")),
            }
        }
        // Before memory is allocated.
        for (image, record) in self.images.iter().enumerate() {
            let mut n_channels = record.shape[2];
            for (stage, n_outputs) in self.channels.iter().enumerate() {
                let [weight_name, bias_name] = names(image, stage);
                file.check_shape(&weight_name, &[*n_outputs, PATCH * n_channels])?;
                file.check_shape(&bias_name, &[*n_outputs])?;
                n_channels = *n_outputs;
            }
        }
        let images = self.images.iter().map(|image| ImageEntries {
            first: image.first,
            shape: image.shape,
        });
        let images: Vec<ImageEntries> = images.collect();
        let mut encoder = Encoder::new(n_obs, &images, &self.channels);
        for (image, stage) in encoder.places() {
            let layer = encoder.stages()[image][stage].layer.clone();
            let [weight_name, bias_name] = names(image, stage);
            let shape = [layer.n_outputs, layer.n_inputs];
            let weights = take_finite(file, &weight_name, &shape)?;
            let bias = take_finite(file, &bias_name, &shape[..1])?;
            encoder.set_stage(image, stage, &weights, &bias);
        }
        Ok(encoder)
    }
}

fn names(image: usize, stage: usize) -> [String; 2] {
    ["weight", "bias"].map(|kind| format!("encoder.{image}.{}.{kind}", 2 * stage))
}
