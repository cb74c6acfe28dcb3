//! A named array of a file.

use std::borrow::Cow;

use safetensors::tensor::{Dtype, TensorView, View};

/// An array with its shape. Numbers are little-endian.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tensor {
    pub(crate) shape: Vec<usize>,
    pub(crate) dtype: Dtype,
    pub(crate) data: Vec<u8>,
}

impl Tensor {
    /// Creates a single-precision array.
    pub(crate) fn f32(numbers: &[f32], shape: &[usize]) -> Self {
        let data = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        Self::new(Dtype::F32, shape, numbers.len(), data)
    }

    /// Creates a double-precision array.
    pub(crate) fn f64(numbers: &[f64], shape: &[usize]) -> Self {
        let data = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        Self::new(Dtype::F64, shape, numbers.len(), data)
    }

    /// Creates a UTF-8 text.
    pub(crate) fn text(text: String) -> Self {
        Self::bytes(text.into_bytes())
    }

    /// Creates an array of bytes.
    pub(crate) fn bytes(bytes: Vec<u8>) -> Self {
        Self::new(Dtype::U8, &[bytes.len()], bytes.len(), bytes)
    }

    /// Bytes. `None` for another type.
    pub(crate) fn into_bytes(self) -> Option<Vec<u8>> {
        (self.dtype == Dtype::U8).then_some(self.data)
    }

    fn new(dtype: Dtype, shape: &[usize], n: usize, data: Vec<u8>) -> Self {
        assert_eq!(n, shape.iter().product::<usize>(), "shape");
        Self {
            shape: shape.to_vec(),
            dtype,
            data,
        }
    }

    /// Creates an array from a view whose size was checked. `None` if the number type is not supported.
    pub(crate) fn of(view: &TensorView<'_>) -> Option<Self> {
        let dtype = view.dtype();
        matches!(dtype, Dtype::F32 | Dtype::F64 | Dtype::U8).then(|| Self {
            shape: view.shape().to_vec(),
            dtype,
            data: view.data().to_vec(),
        })
    }

    /// Single-precision numbers. `None` for another type.
    pub(crate) fn to_f32(&self) -> Option<Vec<f32>> {
        let (numbers, _) = self.data.as_chunks();
        let numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
        (self.dtype == Dtype::F32).then(|| numbers.collect())
    }

    /// Double-precision numbers. `None` for another type.
    pub(crate) fn to_f64(&self) -> Option<Vec<f64>> {
        let (numbers, _) = self.data.as_chunks();
        let numbers = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes));
        (self.dtype == Dtype::F64).then(|| numbers.collect())
    }

    /// Name of the type in safetensors.
    pub(crate) fn type_name(&self) -> &'static str {
        match self.dtype {
            Dtype::F32 => "F32",
            Dtype::F64 => "F64",
            _ => "U8",
        }
    }
}

impl View for &Tensor {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.data)
    }

    fn data_len(&self) -> usize {
        self.data.len()
    }
}
