//! Errors of settings and inputs.

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UltrasoundError {
    /// A setting or an input is out of range.
    #[error("{field} is {value}; it must be {allowed}")]
    Setting {
        /// Name of the setting.
        field: String,
        /// Its value.
        value: String,
        /// Allowed range.
        allowed: String,
    },
    /// A file cannot be read, or its content is wrong.
    #[error("{file}: {problem}")]
    File {
        /// Path, or another name of the file.
        file: String,
        /// What is wrong, with the field or line.
        problem: String,
    },
    /// The GPU is missing, insufficient or lost.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] insonate_gpu::DeviceError),
}

impl UltrasoundError {
    pub(crate) fn setting(
        field: impl Into<String>,
        value: impl std::fmt::Debug,
        allowed: impl Into<String>,
    ) -> Self {
        Self::Setting {
            field: field.into(),
            value: format!("{value:?}"),
            allowed: allowed.into(),
        }
    }

    pub(crate) fn file(file: &impl ToString, problem: String) -> Self {
        Self::File {
            file: file.to_string(),
            problem,
        }
    }

    /// Checks that a number is finite and within `[least, most]`.
    pub(crate) fn check_range(
        field: &str,
        value: f64,
        [least, most]: [f64; 2],
        unit: &str,
    ) -> Result<(), Self> {
        if (least..=most).contains(&value) {
            return Ok(());
        }
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" {unit}")
        };
        Err(Self::setting(
            field,
            value,
            format!("{least} to {most}{unit}"),
        ))
    }
}
