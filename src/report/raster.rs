//! Pictures of one value per pixel as PNG files.

/// A PNG file of grey levels, row by row.
///
/// # Errors
/// When it has no pixels.
pub fn grey_picture(width: usize, grey: &[u8]) -> anyhow::Result<Vec<u8>> {
    encode(width, grey, None)
}

/// A PNG file of numbers below `n`, each of its own colour; `n` and above are black.
///
/// # Errors
/// When it has no pixels.
pub fn label_picture(width: usize, labels: &[u8], n: usize) -> anyhow::Result<Vec<u8>> {
    let n = n.min(255);
    // Hues a golden section apart differ from their neighbours.
    let color = |index: usize| {
        let hue = (index as f64 * 0.618_034).fract();
        let light = [0.9, 0.65][index % 2];
        [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|third| {
            let wave = 0.5 + 0.5 * (std::f64::consts::TAU * (hue + third)).cos();
            (255.0 * light * (0.25 + 0.75 * wave)) as u8
        })
    };
    let mut colors: Vec<u8> = (0..n).flat_map(color).collect();
    colors.extend([0, 0, 0]);
    let labels: Vec<u8> = labels.iter().map(|label| (*label).min(n as u8)).collect();
    encode(width, &labels, Some(colors))
}

fn encode(width: usize, pixels: &[u8], colors: Option<Vec<u8>>) -> anyhow::Result<Vec<u8>> {
    let mut file = Vec::new();
    let height = pixels.len() / width.max(1);
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_depth(png::BitDepth::Eight);
    match colors {
        Some(colors) => {
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette(colors);
        }
        None => encoder.set_color(png::ColorType::Grayscale),
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}
