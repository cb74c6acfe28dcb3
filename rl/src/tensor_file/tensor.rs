//! One named array of a file.

use safetensors::tensor::{Dtype, TensorView, View};
use std::borrow::Cow;

/// The numbers of an array.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Numbers {
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
    /// Bytes of text.
    U8(Vec<u8>),
}

/// An array with its shape.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tensor {
    pub(crate) shape: Vec<usize>,
    pub(crate) numbers: Numbers,
}

impl Tensor {
    /// Single precision.
    pub(crate) fn f32(numbers: &[f32], shape: &[usize]) -> Self {
        assert_eq!(numbers.len(), shape.iter().product::<usize>(), "shape");
        Self {
            shape: shape.to_vec(),
            numbers: Numbers::F32(numbers.to_vec()),
        }
    }

    /// Double precision.
    pub(crate) fn f64(numbers: &[f64], shape: &[usize]) -> Self {
        assert_eq!(numbers.len(), shape.iter().product::<usize>(), "shape");
        Self {
            shape: shape.to_vec(),
            numbers: Numbers::F64(numbers.to_vec()),
        }
    }

    /// Text.
    pub(crate) fn text(text: String) -> Self {
        Self {
            shape: vec![text.len()],
            numbers: Numbers::U8(text.into_bytes()),
        }
    }

    /// Of a view whose size was checked; none for another type of numbers.
    pub(crate) fn of(view: &TensorView<'_>) -> Option<Self> {
        let data = view.data();
        let numbers = match view.dtype() {
            Dtype::F32 => Numbers::F32(
                data.as_chunks::<4>()
                    .0
                    .iter()
                    .map(|bytes| f32::from_le_bytes(*bytes))
                    .collect(),
            ),
            Dtype::F64 => Numbers::F64(
                data.as_chunks::<8>()
                    .0
                    .iter()
                    .map(|bytes| f64::from_le_bytes(*bytes))
                    .collect(),
            ),
            Dtype::U8 => Numbers::U8(data.to_vec()),
            _ => return None,
        };
        Some(Self {
            shape: view.shape().to_vec(),
            numbers,
        })
    }

    /// The numbers as the file holds them.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match &self.numbers {
            Numbers::F32(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Numbers::F64(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Numbers::U8(bytes) => bytes.clone(),
        }
    }

    /// The type's name in safetensors.
    pub(crate) fn type_name(&self) -> &'static str {
        match self.numbers {
            Numbers::F32(_) => "F32",
            Numbers::F64(_) => "F64",
            Numbers::U8(_) => "U8",
        }
    }
}

impl View for &Tensor {
    fn dtype(&self) -> Dtype {
        match self.numbers {
            Numbers::F32(_) => Dtype::F32,
            Numbers::F64(_) => Dtype::F64,
            Numbers::U8(_) => Dtype::U8,
        }
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Owned(self.bytes())
    }

    fn data_len(&self) -> usize {
        match &self.numbers {
            Numbers::F32(numbers) => 4 * numbers.len(),
            Numbers::F64(numbers) => 8 * numbers.len(),
            Numbers::U8(bytes) => bytes.len(),
        }
    }
}
