//! Pictures with one value per pixel as PNG files.

use crate::DrawingError;

/// A PNG file of grey levels, row by row.
///
/// # Errors
/// [`DrawingError::Png`] if it has no pixels.
pub fn grey_picture(width: usize, grey: &[u8]) -> Result<Vec<u8>, DrawingError> {
    encode(width, grey, png::ColorType::Grayscale, None)
}

/// A PNG file of colours, row by row, shape `[height, width, 3]`.
///
/// # Errors
/// [`DrawingError::Png`] if it has no pixels.
pub fn color_picture(width: usize, rgb: &[u8]) -> Result<Vec<u8>, DrawingError> {
    encode(width, rgb, png::ColorType::Rgb, None)
}

/// A PNG file of numbers below `n`, each with its own colour. Numbers from `n` on are black.
///
/// # Errors
/// [`DrawingError::Png`] if it has no pixels.
pub fn label_picture(width: usize, labels: &[u8], n: usize) -> Result<Vec<u8>, DrawingError> {
    let n = n.min(255);
    let mut colors: Vec<u8> = (0..n).flat_map(label_color).collect();
    colors.extend([0, 0, 0]);
    let labels: Vec<u8> = labels.iter().map(|label| (*label).min(n as u8)).collect();
    encode(width, &labels, png::ColorType::Indexed, Some(colors))
}

/// Colour of a label in [`label_picture`]. Hues are a golden section apart, so that neighbours differ.
pub fn label_color(label: usize) -> [u8; 3] {
    let hue = (label as f64 * 0.618_034).fract();
    let light = [0.9, 0.65][label % 2];
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|third| {
        let wave = 0.5 + 0.5 * (std::f64::consts::TAU * (hue + third)).cos();
        (255.0 * light * (0.25 + 0.75 * wave)) as u8
    })
}

/// The legend of [`label_picture`] as SVG: number, colour and name of each label.
pub fn legend_picture(names: &[&str]) -> String {
    use std::fmt::Write as _;
    let height = 20 * names.len() + 10;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"320\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\">\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (number, name) in names.iter().enumerate() {
        let (y, [r, g, b]) = (20 * number + 5, label_color(number));
        let name = name.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            svg,
            "<rect x=\"10\" y=\"{y}\" width=\"24\" height=\"16\" fill=\"rgb({r},{g},{b})\" stroke=\"black\"/>\
             <text x=\"42\" y=\"{}\">{number} {name}</text>",
            y + 13
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn encode(
    width: usize,
    pixels: &[u8],
    kind: png::ColorType,
    palette: Option<Vec<u8>>,
) -> Result<Vec<u8>, DrawingError> {
    let mut file = Vec::new();
    let height = pixels.len() / (kind.samples() * width).max(1);
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(kind);
    if let Some(palette) = palette {
        encoder.set_palette(palette);
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}
