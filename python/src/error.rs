//! Conversion of errors to Python exceptions with the same text.
//!
//! An invalid value is a `ValueError`, an invalid type a `TypeError`, a missing file a `FileNotFoundError`. All other
//! errors are an `Error`.

use std::io;

use insonate::datasets::DatasetError;
use insonate::dvrk::DvrkError;
use insonate::experiments::ExperimentError;
use insonate::files::FileError;
use insonate::learning::LearningError;
use insonate::report::ReportError;
use insonate_drawing::DrawingError;
use insonate_envs::EnvError;
use insonate_models::ModelError;
use insonate_rl::RlError;
use insonate_sim::SimError;
use pyo3::create_exception;
use pyo3::exceptions::{
    PyException, PyFileExistsError, PyFileNotFoundError, PyOSError, PyValueError,
};
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

impl Raised {
    /// The same exception with what it is about before its text.
    pub(crate) fn within(self, py: Python<'_>, what: &str) -> Self {
        let text = format!("{what}: {}", self.0.value(py));
        Self(PyErr::from_type(self.0.get_type(py), text))
    }
}

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
        let error = match raised_by_task(error) {
            Ok(raised) => return Self(raised),
            Err(error) => error,
        };
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

/// The exception of a task in Python, or the error itself if it is another one.
fn raised_by_task(error: EnvError) -> std::result::Result<PyErr, EnvError> {
    match error {
        EnvError::Task(error) => match error.downcast::<PyErr>() {
            Ok(raised) => Ok(*raised),
            Err(error) => Err(EnvError::Task(error)),
        },
        EnvError::At { env_idx, source } => {
            raised_by_task(*source).map_err(|source| EnvError::At {
                env_idx,
                source: Box::new(source),
            })
        }
        other => Err(other),
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

/// The text of an error and of its causes.
fn with_causes(error: impl std::error::Error + Send + Sync + 'static) -> String {
    format!("{:#}", anyhow::Error::from(error))
}

impl From<ExperimentError> for Raised {
    fn from(error: ExperimentError) -> Self {
        match error {
            ExperimentError::Model(error) => error.into(),
            ExperimentError::Setting(error) => value_error(error.to_string()),
            ExperimentError::Sim(error) => error.into(),
            ExperimentError::Env(error) => error.into(),
            ExperimentError::Arm(error) => error.into(),
            ExperimentError::Ultrasound(error) => error.into(),
            ExperimentError::Calibration(error) => error.into(),
            ExperimentError::Advised { error, .. } => (*error).into(),
            other => Self(SimulationError::new_err(with_causes(other))),
        }
    }
}

impl From<DvrkError> for Raised {
    fn from(error: DvrkError) -> Self {
        value_error(with_causes(error))
    }
}

impl From<DrawingError> for Raised {
    fn from(error: DrawingError) -> Self {
        Self(Error::new_err(with_causes(error)))
    }
}

impl From<ReportError> for Raised {
    fn from(error: ReportError) -> Self {
        Self(Error::new_err(with_causes(error)))
    }
}

impl From<FileError> for Raised {
    fn from(error: FileError) -> Self {
        let text = error.to_string();
        Self(match error {
            FileError::Write { source, .. } | FileError::Folder { source, .. } => {
                io_error(&source, text)
            }
            FileError::Occupied { .. } => PyFileExistsError::new_err(text),
            _ => PyOSError::new_err(text),
        })
    }
}

impl From<DatasetError> for Raised {
    fn from(error: DatasetError) -> Self {
        let text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            if let Some(source) = error.downcast_ref::<io::Error>() {
                return Self(io_error(source, text));
            }
            cause = error.source();
        }
        value_error(text)
    }
}

impl From<LearningError> for Raised {
    fn from(error: LearningError) -> Self {
        match error {
            LearningError::Env(error) => error.into(),
            LearningError::Rl(error) => error.into(),
            LearningError::Experiment(error) => error.into(),
            LearningError::File(error) => error.into(),
            LearningError::Model(error) => error.into(),
            LearningError::Sim(error) => error.into(),
            LearningError::Policy { name, source } => Self::from(*source).of(&name),
            LearningError::Exists { .. } => Self(PyFileExistsError::new_err(error.to_string())),
            LearningError::Io { ref source, .. } => Self(io_error(source, with_text(&error))),
            LearningError::Dataset(error) => error.into(),
            LearningError::NoTask
            | LearningError::NoTaskOfPolicy
            | LearningError::Differs { .. }
            | LearningError::OtherStudy { .. }
            | LearningError::OtherLogs { .. }
            | LearningError::Content { .. }
            | LearningError::InFile { .. }
            | LearningError::Settings { .. }
            | LearningError::NoScene { .. }
            | LearningError::NoSoftness { .. }
            | LearningError::NoLog => value_error(with_causes(error)),
            other => Self(Error::new_err(with_causes(other))),
        }
    }
}

/// The text of an error and of its cause.
fn with_text(error: &LearningError) -> String {
    let cause = std::error::Error::source(error);
    cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

impl Raised {
    /// The same exception with the name of a policy before its text.
    fn of(self, policy: &str) -> Self {
        Python::attach(|py| {
            let text = format!("policy {policy}: {}", self.0.value(py));
            Self(PyErr::from_type(self.0.get_type(py), text))
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
