//! A strip below the frames of a film: a curve that grows with the film.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::canvas::{BLUE_LINE, INK, ORANGE_LINE, WINDOW, range_of, tick};
use crate::error::DrawResult;
use crate::{DrawingError, register_fonts};

/// A curve over time that is drawn up to a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveStrip {
    /// Quantity with its unit.
    pub label: String,
    /// Text in the upper right corner.
    pub note: String,
    /// Times [s] and values, in order of time.
    pub points: Vec<(f64, f64)>,
    /// Target, and half the width of the band around it.
    pub goal: Option<(f64, f64)>,
}

impl CurveStrip {
    /// Height of the strip [pixels].
    pub const HEIGHT: u32 = 144;

    /// The strip with the first `n_done` points, shape `[HEIGHT, width, 3]`.
    ///
    /// # Errors
    /// [`DrawingError::Plot`].
    pub fn pixels(&self, width: u32, n_done: usize) -> Result<Vec<u8>, DrawingError> {
        register_fonts();
        let mut pixels = vec![0; 3 * width as usize * Self::HEIGHT as usize];
        let drawn = self.draw(&mut pixels, width, n_done);
        drawn.map_err(|source| DrawingError::Plot {
            name: "the strip of a film".to_owned(),
            source,
        })?;
        Ok(pixels)
    }

    fn draw(&self, pixels: &mut [u8], width: u32, n_done: usize) -> DrawResult {
        let area = BitMapBackend::with_buffer(pixels, (width, Self::HEIGHT)).into_drawing_area();
        area.fill(&WHITE)?;
        let right = Pos::new(HPos::Right, VPos::Top);
        let style = ("sans-serif", 13).into_font().color(&INK).pos(right);
        area.draw_text(&self.note, &style, (width as i32 - 14, 2))?;
        let end = self.points.last().map_or(1.0, |p| p.0.max(1e-3));
        let goal = self.goal.map(|(goal, well)| [goal - well, goal + well]);
        let heights = self
            .points
            .iter()
            .map(|p| p.1)
            .chain(goal.into_iter().flatten())
            .chain([0.0]);
        let mut chart = ChartBuilder::on(&area)
            .margin(6)
            .margin_top(18)
            .margin_right(14)
            .x_label_area_size(24)
            .y_label_area_size(52)
            .build_cartesian_2d(0.0..end, range_of(heights, 0.08))?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(INK)
            .y_desc(&self.label)
            .x_labels(6)
            .y_labels(4)
            .x_label_formatter(&|time| format!("{} s", tick(time)))
            .y_label_formatter(&tick)
            .label_style(("sans-serif", 13).into_font().color(&INK))
            .draw()?;
        if let Some((goal, well)) = self.goal {
            let band = [(0.0, goal - well), (end, goal + well)];
            chart.draw_series([Rectangle::new(band, WINDOW.filled())])?;
            let target = [(0.0, goal), (end, goal)];
            chart.draw_series(LineSeries::new(target, ORANGE_LINE.stroke_width(1)))?;
        }
        let so_far = &self.points[..n_done.min(self.points.len())];
        chart.draw_series(LineSeries::new(
            so_far.iter().copied(),
            BLUE_LINE.stroke_width(2),
        ))?;
        let head = so_far
            .last()
            .map(|&point| Circle::new(point, 4, BLUE_LINE.filled()));
        chart.draw_series(head)?;
        area.present()?;
        Ok(())
    }
}
