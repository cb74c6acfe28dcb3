//! A ruler on a picture: ticks of depth, a mark that tells left from right, and a caption.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::error::DrawResult;
use crate::{DrawingError, register_fonts};

/// Distance between ticks, and between ticks with a number [m].
const TICKS: (f64, usize) = (0.01, 5);
/// Lengths of both kinds of tick [pixels].
const LENGTHS: [i32; 2] = [5, 10];
/// Colour of ticks, mark and texts.
const COLOR: RGBColor = RGBColor(255, 214, 102);

/// Scale of a picture, and what is written on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruler {
    /// Size of a pixel [m].
    pub pixel: f64,
    /// Depth of the upper edge [m]; may be negative.
    pub top: f64,
    /// Whether the upper left corner has the mark of ultrasound pictures.
    pub has_mark: bool,
    /// Text at the lower edge.
    pub caption: String,
}

impl Ruler {
    /// Draws ticks every centimetre at the left edge, with numbers [cm] every five, the mark at the upper left corner, and the caption.
    /// `rgb` has shape `[height, width, 3]`.
    ///
    /// # Errors
    /// [`DrawingError::FrameSizes`] if the pixels are of another number, [`DrawingError::Plot`].
    pub fn draw(&self, rgb: &mut [u8], (width, height): (u32, u32)) -> Result<(), DrawingError> {
        if rgb.len() != 3 * width as usize * height as usize {
            return Err(DrawingError::FrameSizes);
        }
        register_fonts();
        let drawn = self.draw_on(rgb, (width, height));
        drawn.map_err(|source| DrawingError::Plot {
            name: "the ruler of a picture".to_owned(),
            source,
        })
    }

    /// Row of a depth [m].
    fn row(&self, depth: f64) -> i32 {
        ((depth - self.top) / self.pixel).round() as i32
    }

    fn draw_on(&self, rgb: &mut [u8], (width, height): (u32, u32)) -> DrawResult {
        let area = BitMapBackend::with_buffer(rgb, (width, height)).into_drawing_area();
        let font = ("sans-serif", 13).into_font().color(&COLOR);
        let bottom = height as i32 - 18;
        for index in 0.. {
            let y = self.row(TICKS.0 * index as f64);
            if y >= bottom {
                break;
            }
            let has_number = index % TICKS.1 == 0;
            let tick = [(0, y), (LENGTHS[usize::from(has_number)], y)];
            area.draw(&PathElement::new(tick, COLOR))?;
            if has_number && index > 0 {
                let style = font.clone().pos(Pos::new(HPos::Left, VPos::Center));
                area.draw_text(&format!("{index} cm"), &style, (LENGTHS[1] + 4, y))?;
            }
        }
        if self.has_mark {
            area.draw(&Circle::new((26, 9), 5, COLOR.filled()))?;
        }
        let style = font.pos(Pos::new(HPos::Left, VPos::Bottom));
        area.draw_text(&self.caption, &style, (6, height as i32 - 2))?;
        area.present()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pixels are 1 mm, and the face is 10 pixels below the upper edge.
    #[test]
    fn ticks_are_a_centimetre_apart() {
        let ruler = Ruler {
            pixel: 0.001,
            top: -0.01,
            has_mark: true,
            caption: String::new(),
        };
        let (width, height) = (80, 120);
        let mut rgb = vec![0; 3 * width * height];
        ruler
            .draw(&mut rgb, (width as u32, height as u32))
            .expect("it is drawn");
        let rows = (0..height).filter(|y| rgb[3 * y * width] > 0);
        let expected = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
        assert_eq!(rows.collect::<Vec<_>>(), expected);
        // Those of 0 and 5 cm are longer.
        let long = (0..height).filter(|y| rgb[3 * (y * width + 8)] > 0);
        assert_eq!(long.collect::<Vec<_>>(), [10, 60]);
        assert!(ruler.draw(&mut rgb[3..], (80, 120)).is_err());
    }
}
