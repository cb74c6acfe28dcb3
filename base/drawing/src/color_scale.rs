//! Colours of numbers, and their scale next to a picture.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::error::DrawResult;
use crate::raster::color_picture;
use crate::{DrawingError, register_fonts};

/// Width of the scale [pixels].
const WIDTH: usize = 90;
/// Left and right edge of the bar in it [pixels].
const BAR: [i32; 2] = [14, 34];
/// Space above and below the bar [pixels].
const MARGIN: [i32; 2] = [34, 16];
/// Labels of the bar, without the first.
const N_LABELS: i32 = 4;

/// Colours of numbers in a range, from violet over green to yellow (Viridis).
#[derive(Clone, Debug, PartialEq)]
pub struct ColorScale {
    /// Numbers of the first and the last colour.
    pub range: [f64; 2],
    /// Unit at the scale.
    pub unit: String,
    /// Factor of the numbers at the scale.
    pub factor: f64,
    /// Text above the scale.
    pub title: String,
}

impl ColorScale {
    /// Colour of a number; those outside of the range have the colour of its end.
    pub fn color(&self, number: f64) -> [u8; 3] {
        let [low, high] = self.range;
        let share = ((number - low) / (high - low)).clamp(0.0, 1.0);
        let RGBColor(r, g, b) = ViridisRGB.get_color(share as f32);
        [r, g, b]
    }

    /// A PNG file of a picture of shape `[height, width, 3]` with the scale to its right.
    ///
    /// # Errors
    /// [`DrawingError::FrameSizes`] if the pixels are of another number, [`DrawingError::Plot`], [`DrawingError::Png`].
    pub fn next_to(
        &self,
        rgb: &[u8],
        (width, height): (usize, usize),
    ) -> Result<Vec<u8>, DrawingError> {
        if rgb.len() != 3 * width * height || width == 0 {
            return Err(DrawingError::FrameSizes);
        }
        register_fonts();
        let mut scale = vec![0; 3 * WIDTH * height];
        let drawn = self.draw(&mut scale, height);
        drawn.map_err(|source| DrawingError::Plot {
            name: "the scale of a picture".to_owned(),
            source,
        })?;
        let rows = rgb
            .chunks_exact(3 * width)
            .zip(scale.chunks_exact(3 * WIDTH));
        let all: Vec<u8> = rows.flat_map(|(a, b)| [a, b].concat()).collect();
        color_picture(width + WIDTH, &all)
    }

    fn draw(&self, rgb: &mut [u8], height: usize) -> DrawResult {
        let area = BitMapBackend::with_buffer(rgb, (WIDTH as u32, height as u32));
        let area = area.into_drawing_area();
        let font = ("sans-serif", 14).into_font().color(&WHITE);
        let (top, bottom) = (MARGIN[0], height as i32 - MARGIN[1]);
        let [low, high] = self.range;
        let number = |y: i32| high + (low - high) * f64::from(y - top) / f64::from(bottom - top);
        for y in top..=bottom {
            let [r, g, b] = self.color(number(y));
            let line = [(BAR[0], y), (BAR[1], y)];
            area.draw(&PathElement::new(line, RGBColor(r, g, b)))?;
        }
        let style = font.clone().pos(Pos::new(HPos::Left, VPos::Center));
        for label in 0..=N_LABELS {
            let y = top + (bottom - top) * label / N_LABELS;
            let text = format!("{:.2} {}", self.factor * number(y), self.unit);
            area.draw_text(&text, &style, (BAR[1] + 5, y))?;
        }
        area.draw_text(&self.title, &style, (BAR[0], MARGIN[0] / 2 - 2))?;
        area.present()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale() -> ColorScale {
        ColorScale {
            range: [0.0, 2.0],
            unit: "%".to_owned(),
            factor: 100.0,
            title: "strain".to_owned(),
        }
    }

    /// Luminance rises over the range, and the ends hold.
    #[test]
    fn colors_get_brighter() {
        let light = |number: f64| {
            let [r, g, b] = scale().color(number).map(f64::from);
            0.21 * r + 0.72 * g + 0.07 * b
        };
        let lights: Vec<f64> = (0..=20).map(|n| light(0.1 * f64::from(n))).collect();
        assert!(
            lights.windows(2).all(|pair| pair[1] > pair[0]),
            "{lights:?}"
        );
        assert_eq!(scale().color(-1.0), scale().color(0.0));
        assert_eq!(scale().color(9.0), scale().color(2.0));
    }

    #[test]
    fn a_scale_is_as_high_as_its_picture() {
        let file = scale()
            .next_to(&[0; 3 * 40 * 120], (40, 120))
            .expect("it is drawn");
        // Width and height in a PNG's header.
        let number =
            |at: usize| u32::from_be_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]]);
        assert_eq!((number(16), number(20)), (40 + WIDTH as u32, 120));
        assert!(scale().next_to(&[0; 10], (40, 120)).is_err());
    }
}
