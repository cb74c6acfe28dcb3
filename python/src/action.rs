//! Arrays from Python, checked before anything moves.

use numpy::{PyArrayDyn, PyArrayMethods as _, PyUntypedArray, PyUntypedArrayMethods as _};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::{Raised, Result, value_error};

/// Copies a C-contiguous `float32` array of this shape.
///
/// The copy is what the environments see: Python may write to the array while they step.
pub(crate) fn copy_f32(
    what: &str,
    given: &Bound<'_, PyAny>,
    shape: &[usize],
    numbers: &mut [f32],
) -> Result<()> {
    let Ok(array) = given.cast::<PyArrayDyn<f32>>() else {
        return Err(wrong_kind(what, given));
    };
    if array.shape() != shape {
        return Err(value_error(format!(
            "{what} has shape {:?}, but {shape:?} is needed",
            array.shape()
        )));
    }
    // A slice of a Fortran-ordered array would be in another order.
    if !array.is_c_contiguous() {
        return Err(not_contiguous(what));
    }
    let view = array.try_readonly().map_err(PyErr::from)?;
    let slice = view.as_slice().map_err(|_| not_contiguous(what))?;
    numbers.copy_from_slice(slice);
    Ok(())
}

fn not_contiguous(what: &str) -> Raised {
    value_error(format!(
        "{what} is not C-contiguous: give `numpy.ascontiguousarray` of it"
    ))
}

fn wrong_kind(what: &str, given: &Bound<'_, PyAny>) -> Raised {
    let found = match given.cast::<PyUntypedArray>() {
        Ok(array) => format!("has dtype {}", array.dtype()),
        Err(_) => format!("is a {}", given.get_type()),
    };
    PyTypeError::new_err(format!(
        "{what} {found}, but an array of dtype float32 is needed: give `numpy.asarray({what}, numpy.float32)`"
    ))
    .into()
}
