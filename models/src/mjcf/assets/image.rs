//! The mean colour of a PNG image.

use png::{BitDepth, ColorType, Decoder, Limits, Transformations};

/// Upper limit of the pixels of an image.
const MAX_PIXELS: u64 = 1 << 26;

/// Upper limit of the memory for decoding, which goes row by row [bytes].
const MAX_BYTES: usize = 16 << 20;

/// Mean of all pixels as red, green, blue in 0–1.
pub(in crate::mjcf) fn mean_colour(bytes: &[u8]) -> Result<[f64; 3], String> {
    let limits = Limits { bytes: MAX_BYTES };
    let mut decoder = Decoder::new_with_limits(std::io::Cursor::new(bytes), limits);
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let (width, height) = (reader.info().width, reader.info().height);
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(format!("the image has {width} × {height} pixels"));
    }
    let (colour, depth) = reader.output_color_type();
    let (samples, is_grey) = match colour {
        ColorType::Grayscale => (1, true),
        ColorType::GrayscaleAlpha => (2, true),
        ColorType::Rgb => (3, false),
        ColorType::Rgba => (4, false),
        ColorType::Indexed => return Err("the palette was not expanded".to_owned()),
    };
    if depth != BitDepth::Eight {
        return Err(format!("a depth of {depth:?} is not read"));
    }
    let (mut sum, mut count) = ([0_u64; 3], 0_u64);
    while let Some(row) = reader.next_row().map_err(|error| error.to_string())? {
        for pixel in row.data().chunks_exact(samples) {
            for (channel, sum) in sum.iter_mut().enumerate() {
                *sum += u64::from(pixel[if is_grey { 0 } else { channel }]);
            }
            count += 1;
        }
    }
    if count == 0 {
        return Err("the image is empty".to_owned());
    }
    Ok(sum.map(|sum| sum as f64 / (255 * count) as f64))
}
