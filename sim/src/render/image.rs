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

    /// The image with `factor` times fewer rows and columns: the mean colour of each block, and the depth of the pixel at its middle. A mean
    /// depth would be a depth at which there is nothing.
    pub(super) fn reduced(&self, factor: u32) -> Self {
        let (width, height) = (self.width / factor, self.height / factor);
        let n_samples = factor * factor;
        let at = |column: u32, row: u32| (row * self.width + column) as usize;
        let mut reduced = Self {
            width,
            height,
            rgb: Vec::with_capacity(3 * (width * height) as usize),
            depth: Vec::with_capacity((width * height) as usize),
        };
        for row in 0..height {
            for column in 0..width {
                let mut sums = [n_samples / 2; 3];
                for sample in 0..n_samples {
                    let (right, down) = (sample % factor, sample / factor);
                    let pixel = 3 * at(column * factor + right, row * factor + down);
                    for (sum, value) in sums.iter_mut().zip(&self.rgb[pixel..pixel + 3]) {
                        *sum += u32::from(*value);
                    }
                }
                reduced.rgb.extend(sums.map(|sum| (sum / n_samples) as u8));
                let middle = at(column * factor + factor / 2, row * factor + factor / 2);
                reduced.depth.push(self.depth[middle]);
            }
        }
        reduced
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reduced_image_has_mean_colours_and_depths_that_exist() {
        let grey = [0, 10, 200, 200, 20, 31, 200, 201];
        let image = Image {
            width: 4,
            height: 2,
            rgb: grey.iter().flat_map(|&value| [value; 3]).collect(),
            depth: (0..8_u8).map(f32::from).collect(),
        };
        let reduced = image.reduced(2);
        assert_eq!((reduced.width, reduced.height), (2, 1));
        // The means are 15.25 and 200.25.
        assert_eq!(reduced.rgb, [15, 15, 15, 200, 200, 200]);
        assert_eq!(reduced.depth, [5.0, 7.0]);
        assert_eq!(image.reduced(1), image);
    }
}
