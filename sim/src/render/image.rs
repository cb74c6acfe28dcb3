//! One image, and its files.

use std::io;
use std::path::Path;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _};
use insonate_files::write_with;

use crate::SimError;

/// Millimetres per metre: the unit of depth files.
const MM: f32 = 1000.0;

/// Colours and depth of one view; rows from the top.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// Width [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
    /// Colours 0 to 255, shape `[height, width, 3]`.
    pub rgb: Vec<u8>,
    /// Distance along the camera's axis [m], shape `[height, width]`.
    pub depth: Vec<f32>,
}

impl Image {
    /// Depth [m] of one pixel, counted from the top left corner.
    pub fn depth_at(&self, column: u32, row: u32) -> f32 {
        self.depth[(row * self.width + column) as usize]
    }

    /// Writes the colours as a compressed PNG file.
    ///
    /// # Errors
    /// [`SimError::Write`]; an existing file is kept.
    pub fn write_rgb(&self, path: &Path) -> Result<(), SimError> {
        self.write(path, ExtendedColorType::Rgb8, &self.rgb)
    }

    /// Writes the depth as a compressed 16-bit grey PNG file in millimetres; 65535 also stands for all larger depths.
    ///
    /// # Errors
    /// [`SimError::Write`]; an existing file is kept.
    pub fn write_depth(&self, path: &Path) -> Result<(), SimError> {
        // Float to integer conversion saturates, so larger depths become the last value.
        let millimetres = |depth: &f32| ((depth * MM).round() as u16).to_ne_bytes();
        let bytes: Vec<u8> = self.depth.iter().flat_map(millimetres).collect();
        self.write(path, ExtendedColorType::L16, &bytes)
    }

    fn write(&self, path: &Path, color: ExtendedColorType, bytes: &[u8]) -> Result<(), SimError> {
        let (compression, filter) = (CompressionType::Default, FilterType::Adaptive);
        write_with(path, |out| {
            PngEncoder::new_with_quality(out, compression, filter)
                .write_image(bytes, self.width, self.height, color)
                .map_err(io::Error::other)
        })?;
        Ok(())
    }
}
