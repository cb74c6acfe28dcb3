//! Errors of drawings.

/// What a backend reports if it cannot draw.
pub type DrawError = Box<dyn std::error::Error + Send + Sync>;

/// Result of drawing.
pub type DrawResult = Result<(), DrawError>;

/// A drawing, picture or film cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum DrawingError {
    /// A plot cannot be drawn.
    #[error("cannot draw {name}")]
    Plot {
        /// Name of the plot.
        name: String,
        /// What the drawing reported.
        source: DrawError,
    },
    /// A PNG file cannot be encoded.
    #[error("cannot encode a picture")]
    Png(#[from] png::EncodingError),
    /// A film without frames.
    #[error("a film needs a frame")]
    NoFrames,
    /// Frames of a film that differ in size.
    #[error("the frames of a film have one size")]
    FrameSizes,
    /// A film that is too large for its format.
    #[error("a GIF is at most 65535 pixels wide and high, not {width} x {height}")]
    FilmSize {
        /// Width [pixels].
        width: u32,
        /// Height [pixels].
        height: u32,
    },
    /// A GIF file cannot be encoded.
    #[error("cannot encode a film")]
    Gif(#[from] gif::EncodingError),
}
