//! Images as PNG.

use std::io::Cursor;

use crate::CameraInfo;

/// Maximum memory to decode one image [bytes].
const MAX_MEMORY: usize = 64 << 20;

/// Encodes an RGB frame as PNG.
pub(crate) fn encode(camera: &CameraInfo, rgb: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, camera.width, camera.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()?;
    Ok(bytes)
}

/// Decodes a PNG and appends its frame. It must have the camera's size.
pub(crate) fn decode(camera: &CameraInfo, bytes: &[u8], rgb: &mut Vec<u8>) -> Result<(), String> {
    let limits = png::Limits { bytes: MAX_MEMORY };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let damaged = |error: png::DecodingError| format!("is not a valid image: {error}");
    let mut reader = decoder.read_info().map_err(damaged)?;
    let (width, height) = (reader.info().width, reader.info().height);
    if (width, height) != (camera.width, camera.height) {
        let (w, h) = (camera.width, camera.height);
        return Err(format!("is {width}x{height}, but the camera's are {w}x{h}"));
    }
    if reader.output_color_type() != (png::ColorType::Rgb, png::BitDepth::Eight) {
        return Err("has channels that are not red, green and blue".to_owned());
    }
    let start = rgb.len();
    rgb.resize(start + camera.frame_len(), 0);
    reader.next_frame(&mut rgb[start..]).map_err(damaged)?;
    Ok(())
}
