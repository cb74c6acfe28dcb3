//! Spaces in files.

use insonate_envs::BoxSpace;
use serde::{Deserialize, Serialize};

use crate::RlError;
use crate::tensor_file::{Tensor, TensorFile, TensorWriter};

/// Text fields of a space. Its bounds, which may be infinite, are tensors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpaceRecord {
    names: Vec<String>,
    /// Empty for files of version 1, which lack this field.
    #[serde(default)]
    frames: Vec<String>,
    #[serde(default)]
    filters: Vec<String>,
}

impl SpaceRecord {
    /// Adds the bounds to a file as `<name>.low` and `<name>.high`.
    pub(crate) fn add(space: &BoxSpace, name: &str, writer: &mut TensorWriter) -> Self {
        for (side, bounds) in [("low", &space.low), ("high", &space.high)] {
            writer.add(
                format!("{name}.{side}"),
                Tensor::f32(bounds, &[bounds.len()]),
            );
        }
        Self {
            names: space.names.clone(),
            frames: space.frames.clone(),
            filters: space.filters.clone(),
        }
    }

    /// Reads the space with this name.
    pub(crate) fn take(self, name: &str, file: &mut TensorFile) -> Result<BoxSpace, RlError> {
        let n = self.names.len();
        if n == 0 {
            return Err(file.invalid(format!("has an empty {name}")));
        }
        let [frames, filters] = [self.frames, self.filters].map(|mut words| {
            if words.is_empty() {
                words.resize(n, String::new());
            }
            words
        });
        if frames.len() != n || filters.len() != n {
            return Err(file.invalid(format!(
                "has {} frames and {} filters for {n} entries of the {name}",
                frames.len(),
                filters.len()
            )));
        }
        let low = file.take_f32(&format!("{name}.low"), &[n])?;
        let high = file.take_f32(&format!("{name}.high"), &[n])?;
        // Written with `all`, so that NaN is rejected too.
        if !low.iter().zip(&high).all(|(low, high)| low <= high) {
            return Err(file.invalid(format!("has bounds of {name} with low > high")));
        }
        Ok(BoxSpace {
            names: self.names,
            low,
            high,
            frames,
            filters,
        })
    }
}
