//! Errors of reports.

use insonate_drawing::DrawingError;

/// A report cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A plot cannot be drawn.
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    /// A result cannot be written as JSON.
    #[error("cannot write the result as JSON")]
    Json(#[from] serde_json::Error),
}
