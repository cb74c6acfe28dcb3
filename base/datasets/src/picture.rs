//! Images as PNG.

use std::io::Cursor;

use image::codecs::png::{CompressionType, FilterType, PngDecoder, PngEncoder};
use image::{DynamicImage, ExtendedColorType, ImageDecoder as _, ImageEncoder as _, ImageError};

use crate::CameraInfo;

/// Maximum memory to decode one image [bytes].
const MAX_MEMORY: u64 = 64 << 20;

/// Encodes an RGB frame as PNG.
pub(crate) fn encode(camera: &CameraInfo, rgb: &[u8]) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Vec::new();
    let (compression, filter) = (CompressionType::Fast, FilterType::Adaptive);
    PngEncoder::new_with_quality(&mut bytes, compression, filter).write_image(
        rgb,
        camera.width,
        camera.height,
        ExtendedColorType::Rgb8,
    )?;
    Ok(bytes)
}

/// Decodes a PNG and appends its frame. It must have the camera's size.
pub(crate) fn decode(camera: &CameraInfo, bytes: &[u8], rgb: &mut Vec<u8>) -> Result<(), String> {
    let mut limits = image::Limits::no_limits();
    limits.max_alloc = Some(MAX_MEMORY);
    let damaged = |error: ImageError| format!("is not a valid image: {error}");
    let decoder = PngDecoder::with_limits(Cursor::new(bytes), limits).map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    if (width, height) != (camera.width, camera.height) {
        let (w, h) = (camera.width, camera.height);
        return Err(format!("is {width}x{height}, but the camera's are {w}x{h}"));
    }
    match DynamicImage::from_decoder(decoder).map_err(damaged)? {
        DynamicImage::ImageRgb8(image) => rgb.extend(image.as_raw()),
        DynamicImage::ImageRgb16(image) => {
            rgb.extend(image.as_raw().iter().map(|level| (level >> 8) as u8));
        }
        _ => return Err("has channels that are not red, green and blue".to_owned()),
    }
    Ok(())
}
