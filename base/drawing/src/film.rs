//! Films as animated GIFs: all frames share a palette, and a frame stores only the pixels that change.

use gif::{DisposalMethod, Encoder, Repeat};

use crate::DrawingError;

/// Bits per colour channel when a colour of the palette is looked up.
const BITS: u32 = 5;

/// Palette index for a pixel that does not change.
const UNCHANGED: u8 = 255;

/// Maximum number of pixels from which the palette is made.
const MAX_SAMPLES: usize = 200_000;

/// Duration of the last frame before the film repeats [s].
const HOLD: f64 = 1.0;

/// Thresholds of ordered dithering (Bayer 1973). It hides bands and does not flicker between frames.
const BAYER: [[i16; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// Frames of the same size.
#[derive(Debug, Clone)]
pub struct Film {
    /// Width [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
    /// Duration of each frame [s]; a whole number of hundredths.
    pub interval: f64,
    /// Colours 0 to 255, shape `[height, width, 3]` each.
    pub frames: Vec<Vec<u8>>,
}

impl Film {
    /// Encodes an animated GIF that repeats without end.
    ///
    /// # Errors
    /// If there are no frames, if frames differ in size, or if they are too large for the format.
    pub fn to_gif(&self) -> Result<Vec<u8>, DrawingError> {
        let side = |pixels| {
            u16::try_from(pixels).map_err(|_| DrawingError::FilmSize {
                width: self.width,
                height: self.height,
            })
        };
        let (width, height) = (side(self.width)?, side(self.height)?);
        let n_bytes = 3 * self.width as usize * self.height as usize;
        if self.frames.is_empty() {
            return Err(DrawingError::NoFrames);
        }
        if self.frames.iter().any(|frame| frame.len() != n_bytes) {
            return Err(DrawingError::FrameSizes);
        }
        let palette = self.palette();
        let nearest = Nearest::of(&palette);
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, width, height, &palette)?;
        encoder.set_repeat(Repeat::Infinite)?;
        let mut shown: Vec<u8> = Vec::new();
        for (index, frame) in self.frames.iter().enumerate() {
            let is_last = index + 1 == self.frames.len();
            let seconds = if is_last {
                self.interval.max(HOLD)
            } else {
                self.interval
            };
            let indices = nearest.indices(frame, self.width as usize);
            let mut change = self.difference(&shown, &indices);
            change.delay = (100.0 * seconds).round() as u16;
            encoder.write_frame(&change)?;
            shown = indices;
        }
        drop(encoder);
        Ok(file)
    }

    /// A palette of 255 colours for all frames, and a last one that is never shown.
    fn palette(&self) -> Vec<u8> {
        let n_pixels: usize = self.frames.iter().map(|frame| frame.len() / 3).sum();
        // An odd stride samples all columns of a picture.
        let stride = (n_pixels / MAX_SAMPLES).max(1) | 1;
        let pixels = self.frames.iter().flat_map(|frame| frame.chunks_exact(3));
        let mut samples: Vec<u8> = pixels.step_by(stride).flatten().copied().collect();
        // The quantiser needs a picture, so put the samples into rows.
        let row = u16::MAX as usize;
        samples.truncate(3 * row * (samples.len() / 3).div_ceil(row).min(row));
        let n = samples.len() / 3;
        let (width, height) = if n <= row { (n, 1) } else { (row, n / row) };
        samples.truncate(3 * width * height);
        let quantised = gif::Frame::from_rgb_speed(width as u16, height as u16, &samples, 5);
        let mut palette = quantised.palette.unwrap_or_default();
        palette.resize(3 * 256, 0);
        palette
    }

    /// The smallest rectangle that contains all changes. Unchanged pixels in it are transparent.
    fn difference(&self, shown: &[u8], indices: &[u8]) -> gif::Frame<'static> {
        let (width, height) = (self.width as usize, self.height as usize);
        let changes = |x: usize, y: usize| shown.get(y * width + x) != indices.get(y * width + x);
        let rows = |y: &usize| (0..width).any(|x| changes(x, *y));
        let top = (0..height).find(rows).unwrap_or(0);
        let bottom = (0..height).rev().find(rows).unwrap_or(0);
        let columns = |x: &usize| (top..=bottom).any(|y| changes(*x, y));
        let left = (0..width).find(columns).unwrap_or(0);
        let right = (0..width).rev().find(columns).unwrap_or(0);
        let mut buffer = Vec::with_capacity((right + 1 - left) * (bottom + 1 - top));
        for y in top..=bottom {
            let index = |x: usize| {
                let is_new = changes(x, y);
                if is_new {
                    indices[y * width + x]
                } else {
                    UNCHANGED
                }
            };
            buffer.extend((left..=right).map(index));
        }
        gif::Frame {
            dispose: DisposalMethod::Keep,
            transparent: Some(UNCHANGED),
            top: top as u16,
            left: left as u16,
            width: (right + 1 - left) as u16,
            height: (bottom + 1 - top) as u16,
            buffer: buffer.into(),
            ..gif::Frame::default()
        }
    }
}

/// The nearest palette colour for each coarse colour.
struct Nearest {
    table: Vec<u8>,
}

impl Nearest {
    fn of(palette: &[u8]) -> Self {
        let n = 1_usize << BITS;
        let value = |level: usize| ((level * 255) / (n - 1)) as i32;
        let table = (0..n * n * n).map(|index| {
            let color = [index / (n * n), index / n % n, index % n].map(value);
            let colors = palette
                .chunks_exact(3)
                .take(usize::from(UNCHANGED))
                .enumerate();
            let distance = |known: &[u8]| -> i32 {
                let channels = known.iter().zip(color);
                channels
                    .map(|(&known, wanted)| (i32::from(known) - wanted).pow(2))
                    .sum()
            };
            let nearest = colors.min_by_key(|(_, known)| distance(known));
            nearest.map_or(0, |(index, _)| index as u8)
        });
        Self {
            table: table.collect(),
        }
    }

    fn indices(&self, frame: &[u8], width: usize) -> Vec<u8> {
        let pixels = frame.chunks_exact(3).enumerate();
        let coarse = |value: u8, offset: i16| {
            let moved = (i16::from(value) + offset).clamp(0, 255);
            (moved as usize * ((1 << BITS) - 1) + 127) / 255
        };
        pixels
            .map(|(index, pixel)| {
                let (x, y) = (index % width, index / width);
                let offset = (BAYER[y % 4][x % 4] - 7) / 2;
                let [r, g, b] = [0, 1, 2].map(|channel| coarse(pixel[channel], offset));
                self.table[(r << (2 * BITS)) | (g << BITS) | b]
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A red square that moves on white.
    fn film(n_frames: usize) -> Film {
        let frame = |index: usize| {
            let pixel = |i: usize| {
                let (x, y) = (i % 40, i / 40);
                let is_red = (10..20).contains(&y) && (index * 3..index * 3 + 8).contains(&x);
                if is_red { [200, 30, 30] } else { [255; 3] }
            };
            (0..40 * 30).flat_map(pixel).collect()
        };
        Film {
            width: 40,
            height: 30,
            interval: 0.05,
            frames: (0..n_frames).map(frame).collect(),
        }
    }

    #[test]
    fn a_gif_reads_back_to_its_frames() {
        let film = film(5);
        let file = film.to_gif().unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(&file[..]).unwrap();
        let mut canvas = vec![0_u8; 3 * 40 * 30];
        let mut n_frames = 0;
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            assert_eq!(frame.delay, if n_frames == 4 { 100 } else { 5 });
            for (index, pixel) in frame.buffer.chunks_exact(4).enumerate() {
                let x = usize::from(frame.left) + index % usize::from(frame.width);
                let y = usize::from(frame.top) + index / usize::from(frame.width);
                if pixel[3] > 0 {
                    canvas[3 * (y * 40 + x)..][..3].copy_from_slice(&pixel[..3]);
                }
            }
            let pairs = canvas.iter().zip(&film.frames[n_frames]);
            let worst = pairs.map(|(a, b)| a.abs_diff(*b)).max();
            assert!(worst <= Some(6), "frame {n_frames}: {worst:?}");
            n_frames += 1;
        }
        assert_eq!(n_frames, 5);
    }

    #[test]
    fn a_film_without_frames_is_refused() {
        assert!(film(0).to_gif().is_err());
        let mut wrong = film(2);
        wrong.frames[1].pop();
        assert!(wrong.to_gif().unwrap_err().to_string().contains("one size"));
    }
}
