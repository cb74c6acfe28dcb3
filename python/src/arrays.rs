//! Validation and conversion of arrays from Python, and tables as arrays.

use insonate_envs::BoxSpace;
use numpy::{
    Element, PyArray1, PyArray2, PyArrayDescrMethods as _, PyArrayDyn, PyArrayMethods as _,
    PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods as _, dtype,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::{Raised, Result, value_error};

/// Copies a C-contiguous `float32` array of a given shape.
///
/// The environments use the copy, because Python may write to the array while they step.
pub(crate) fn copy_f32(
    what: &str,
    given: &Bound<'_, PyAny>,
    shape: &[usize],
    numbers: &mut [f32],
) -> Result<()> {
    let array = of_kind::<f32>(what, given)?;
    if array.shape() != shape {
        return Err(value_error(format!(
            "{what} has shape {:?}; it must have shape {shape:?}",
            array.shape()
        )));
    }
    let view = contiguous(what, array)?;
    let slice = view.as_slice().map_err(|_| not_contiguous(what))?;
    numbers.copy_from_slice(slice);
    Ok(())
}

/// Copies actions of a given shape, as `float32`: an array of any real type and memory order, or a list of numbers.
///
/// A value that is one unit in the last place out of bounds, as rounding leaves it, is clipped.
pub(crate) fn copy_actions(
    what: &str,
    given: &Bound<'_, PyAny>,
    shape: &[usize],
    space: &BoxSpace,
    numbers: &mut [f32],
) -> Result<()> {
    let is_ready = given.cast::<PyArrayDyn<f32>>().is_ok_and(|array| {
        let view = array.try_readonly();
        // An array whose elements are not aligned has no slice.
        array.shape() == shape
            && array.is_c_contiguous()
            && view.is_ok_and(|view| view.as_slice().is_ok())
    });
    if is_ready {
        copy_f32(what, given, shape, numbers)?;
    } else {
        copy_f32(what, &as_f32(what, given)?, shape, numbers)?;
    }
    for row in numbers.chunks_exact_mut(space.len().max(1)) {
        for ((value, &low), &high) in row.iter_mut().zip(&space.low).zip(&space.high) {
            if *value > high && *value <= high.next_up() {
                *value = high;
            } else if *value < low && *value >= low.next_down() {
                *value = low;
            }
        }
    }
    Ok(())
}

/// A C-contiguous `float32` array of numbers.
fn as_f32<'py>(what: &str, given: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let numpy = given.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (given,))?;
    let is_real = array
        .cast::<PyUntypedArray>()
        .is_ok_and(|array| matches!(array.dtype().kind(), b'f' | b'i' | b'u'));
    if !is_real {
        return Err(wrong_kind::<f32>(what, given));
    }
    Ok(array.call_method1("astype", ("float32", "C"))?)
}

/// A whole number of at least `least`.
pub(crate) fn whole(what: &str, value: i64, least: usize) -> Result<usize> {
    let found = usize::try_from(value).ok().filter(|&n| n >= least);
    found.ok_or_else(|| {
        value_error(format!(
            "{what} is {value}, but must be a whole number of at least {least}"
        ))
    })
}

/// Rows of a C-contiguous array of the element type, shape `[n, N]`.
pub(crate) fn rows<T: Element + Copy, const N: usize>(
    what: &str,
    given: &Bound<'_, PyAny>,
) -> Result<Vec<[T; N]>> {
    let array = of_kind::<T>(what, given)?;
    match array.shape() {
        [_, width] if *width == N => {}
        shape => {
            return Err(value_error(format!(
                "{what} has shape {shape:?}; it must have shape [n, {N}]"
            )));
        }
    }
    let view = contiguous(what, array)?;
    let slice = view.as_slice().map_err(|_| not_contiguous(what))?;
    Ok(slice.as_chunks().0.to_vec())
}

/// Rows of indices from an integer array of any type, shape `[n, N]`.
pub(crate) fn indices<const N: usize>(
    what: &str,
    given: &Bound<'_, PyAny>,
) -> Result<Vec<[u32; N]>> {
    let is_whole = given
        .cast::<PyUntypedArray>()
        .is_ok_and(|array| matches!(array.dtype().kind(), b'i' | b'u'));
    if !is_whole {
        return Err(wrong_kind::<i64>(what, given));
    }
    let whole: Vec<[i64; N]> = rows(what, &given.call_method1("astype", ("int64", "C"))?)?;
    let mut indices = Vec::with_capacity(whole.len());
    for (row, numbers) in whole.iter().enumerate() {
        let mut found = [0; N];
        for (index, &number) in found.iter_mut().zip(numbers) {
            *index = u32::try_from(number).map_err(|_| {
                value_error(format!("{what}[{row}] has {number}, which is no index"))
            })?;
        }
        indices.push(found);
    }
    Ok(indices)
}

/// An array of shape `[n, N]` that takes ownership of the rows.
pub(crate) fn table<T: Element, const N: usize>(
    py: Python<'_>,
    rows: Vec<[T; N]>,
) -> Result<Bound<'_, PyArray2<T>>> {
    let n = rows.len();
    Ok(PyArray1::from_vec(py, rows.into_flattened()).reshape([n, N])?)
}

fn of_kind<'a, 'py, T: Element>(
    what: &str,
    given: &'a Bound<'py, PyAny>,
) -> Result<&'a Bound<'py, PyArrayDyn<T>>> {
    given.cast().map_err(|_| wrong_kind::<T>(what, given))
}

/// A view whose rows are contiguous and can be read as one slice.
fn contiguous<'py, T: Element>(
    what: &str,
    array: &Bound<'py, PyArrayDyn<T>>,
) -> Result<PyReadonlyArrayDyn<'py, T>> {
    // A slice of a Fortran-ordered array would have a different order.
    if !array.is_c_contiguous() {
        return Err(not_contiguous(what));
    }
    Ok(array.try_readonly().map_err(PyErr::from)?)
}

fn not_contiguous(what: &str) -> Raised {
    value_error(format!(
        "{what} is not C-contiguous: give `numpy.ascontiguousarray` of it"
    ))
}

fn wrong_kind<T: Element>(what: &str, given: &Bound<'_, PyAny>) -> Raised {
    let found = match given.cast::<PyUntypedArray>() {
        Ok(array) => format!("has dtype {}", array.dtype()),
        Err(_) => format!("is a {}", given.get_type()),
    };
    let wanted = dtype::<T>(given.py());
    PyTypeError::new_err(format!(
        "{what} {found}, but an array of dtype {wanted} is needed: give `numpy.asarray({what}, numpy.{wanted})`"
    ))
    .into()
}
