//! Conversion of errors to Python exceptions with the same text.
//!
//! An invalid value is a `ValueError`, an invalid type a `TypeError`, a missing file a `FileNotFoundError`. All other
//! errors are an `Error`.

use std::io;

use insonate_envs::EnvError;
use insonate_models::ModelError;
use insonate_rl::RlError;
use insonate_sim::SimError;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    insonate,
    Error,
    PyException,
    "Base class of insonate's errors."
);
create_exception!(
    insonate,
    SimulationError,
    Error,
    "A scene cannot be compiled or drawn, or a simulation failed."
);
create_exception!(
    insonate,
    OrderError,
    Error,
    "A call out of order: a step before the first reset, calls from two threads at once, or a call after a fork."
);
create_exception!(insonate, ClosedError, OrderError, "A call after `close`.");

/// An error that will be raised in Python.
pub(crate) struct Raised(PyErr);

impl From<Raised> for PyErr {
    fn from(raised: Raised) -> Self {
        raised.0
    }
}

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

/// Result whose error will be raised in Python.
pub(crate) type Result<T> = std::result::Result<T, Raised>;

/// An invalid value.
pub(crate) fn value_error(problem: impl Into<String>) -> Raised {
    Raised(PyValueError::new_err(problem.into()))
}

impl From<EnvError> for Raised {
    fn from(error: EnvError) -> Self {
        fn is_order(error: &EnvError) -> bool {
            match error {
                EnvError::At { source, .. } => is_order(source),
                EnvError::Order(_) => true,
                _ => false,
            }
        }
        fn is_failure(error: &EnvError) -> bool {
            match error {
                EnvError::At { source, .. } => is_failure(source),
                EnvError::Failed(_) | EnvError::Sim(_) | EnvError::Start(_) => true,
                _ => false,
            }
        }
        let text = error.to_string();
        Self(if is_order(&error) {
            OrderError::new_err(text)
        } else if is_failure(&error) {
            SimulationError::new_err(text)
        } else {
            PyValueError::new_err(text)
        })
    }
}

impl From<SimError> for Raised {
    fn from(error: SimError) -> Self {
        let text = error.to_string();
        Self(match error {
            SimError::UnknownName { .. } | SimError::PictureSize { .. } => {
                PyValueError::new_err(text)
            }
            _ => SimulationError::new_err(text),
        })
    }
}

impl From<ModelError> for Raised {
    fn from(error: ModelError) -> Self {
        value_error(error.to_string())
    }
}

impl From<RlError> for Raised {
    fn from(error: RlError) -> Self {
        let text = error.to_string();
        Self(match error {
            RlError::Env(error) => return error.into(),
            RlError::Io { source, .. } => io_error(&source, text),
            RlError::OutOfRange(_)
            | RlError::Config { .. }
            | RlError::File { .. }
            | RlError::Misfit { .. } => PyValueError::new_err(text),
            _ => Error::new_err(text),
        })
    }
}

/// The exception for an error of the operating system with a file.
pub(crate) fn io_error(source: &io::Error, text: String) -> PyErr {
    match source.kind() {
        io::ErrorKind::NotFound => PyFileNotFoundError::new_err(text),
        _ => PyOSError::new_err(text),
    }
}
