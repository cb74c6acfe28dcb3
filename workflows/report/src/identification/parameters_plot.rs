//! Relative standard error of each base parameter, on a logarithmic scale.

use insonate_drawing::{
    Area, Axis, BLUE_LINE, DrawResult, Drawing, DrawingError, GREY_LINE, INK, ORANGE_LINE, Picture,
    chart, line, range_of,
};
use insonate_dvrk::identification::Identification;
use plotters::prelude::*;

/// Maximum length of a name in the plot.
const NAME_LENGTH: usize = 34;

/// Draws one dot per base parameter.
pub(super) fn draw(identification: &Identification) -> Result<Picture, DrawingError> {
    let values = identification
        .values
        .iter()
        .zip(&identification.standard_errors);
    let rows = identification
        .base
        .names()
        .into_iter()
        .zip(values)
        .map(|(name, (value, error))| {
            let share = (error / value.abs()).clamp(1e-5, 1e3);
            let short: String = name.chars().take(NAME_LENGTH).collect();
            let cut = if short.len() < name.len() { "…" } else { "" };
            (format!("{short}{cut}"), share.log10())
        });
    let drawing = ParametersPlot {
        rows: rows.collect(),
    };
    let caption = "Standard error of each base parameter over its size. Left of the line the error is below 10 %; orange parameters do not differ from zero at 95 %.".to_owned();
    Picture::of("parameters".to_owned(), caption, &drawing)
}

struct ParametersPlot {
    /// Name, and decimal logarithm of the relative standard error.
    rows: Vec<(String, f64)>,
}

impl Drawing for ParametersPlot {
    const SIZE: (u32, u32) = (1000, 1100);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let (names, plot) = area.split_horizontally(300);
        let n = self.rows.len() as f64;
        let x = Axis {
            range: range_of(self.rows.iter().map(|row| row.1).chain([-4.0, 1.0]), 0.05),
            label: "standard error over value, powers of ten",
        };
        let y = Axis {
            range: 0.0..n + 1.0,
            label: "",
        };
        let mut chart = chart(&plot, "", &x, &y)?;
        line(
            &mut chart,
            vec![(-1.0, 0.0), (-1.0, n + 1.0)],
            GREY_LINE.stroke_width(2),
            "",
        )?;
        let unknown = (1.0_f64 / 1.96).log10();
        chart.draw_series(self.rows.iter().enumerate().map(|(index, (_, share))| {
            let color = if *share > unknown {
                ORANGE_LINE
            } else {
                BLUE_LINE
            };
            Circle::new((*share, n - index as f64), 4, color.filled())
        }))?;
        // The rows have names instead of numbers.
        let (_, height) = plot.dim_in_pixel();
        let numbers = Rectangle::new([(0, 0), (70, height as i32 - 60)], WHITE.filled());
        plot.draw(&numbers)?;
        // Names are next to their dots, at the same heights in the picture.
        let (_, rows) = chart.plotting_area().get_pixel_range();
        let (top, bottom) = (f64::from(rows.start), f64::from(rows.end));
        let style = ("sans-serif", 13).into_font().color(&INK);
        for (index, (name, _)) in self.rows.iter().enumerate() {
            let height = top + (bottom - top) * (index as f64 + 1.0) / (n + 1.0);
            names.draw_text(name, &style, (14, height as i32 - 7))?;
        }
        Ok(())
    }
}
