//! The pressure on the probe's face as a picture.

use insonate_drawing::{Area, DrawResult, Drawing, DrawingError, INK, WINDOW, svg_of};
use insonate_sim::readings::{PRESSURE_ELEMENT, PressureMap};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Plot;

/// The pressure of each element of the face in kPa, seen along the probe's axis: x along the array.
///
/// # Errors
/// [`DrawingError::Plot`].
pub fn pressure_plot(map: &PressureMap) -> Result<Plot, DrawingError> {
    let svg = svg_of("the pressure map", &PressurePlot { map })?;
    Ok(Plot { svg })
}

struct PressurePlot<'a> {
    map: &'a PressureMap,
}

impl Drawing for PressurePlot<'_> {
    const SIZE: (u32, u32) = (960, 420);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let map = self.map;
        let title = format!(
            "pressure on the probe's face [kPa] when the mean over 1 cm² was greatest, {:.1} kPa",
            1e-3 * map.peak()
        );
        let root = area.titled(&title, ("sans-serif", 20).into_font().color(&INK))?;
        let [n_x, n_y] = map.shape;
        let mm = 1e3 * PRESSURE_ELEMENT;
        let half = [n_x, n_y].map(|n| 0.5 * mm * n as f64);
        let greatest = map.pressures.iter().copied().fold(1.0, f64::max);
        let mut chart = ChartBuilder::on(&root)
            .margin(14)
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(-half[0]..half[0], -half[1]..half[1])?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(INK)
            .x_desc("along the array [mm]")
            .y_desc("across it [mm]")
            .label_style(("sans-serif", 13).into_font().color(&INK))
            .draw()?;
        let cells = map.pressures.iter().enumerate().map(|(index, &pressure)| {
            let low = [index / n_y, index % n_y].map(|place| place as f64 * mm);
            ([low[0] - half[0], low[1] - half[1]], pressure)
        });
        chart.draw_series(cells.clone().map(|([x, y], pressure)| {
            let share = (pressure / greatest).clamp(0.0, 1.0);
            Rectangle::new([(x, y), (x + mm, y + mm)], shade(share).filled())
        }))?;
        chart.draw_series(cells.map(|([x, y], pressure)| {
            let is_dark = pressure > 0.5 * greatest;
            let color = if is_dark { WHITE } else { INK };
            let style = ("sans-serif", 13).into_font().color(&color);
            let style = style.pos(Pos::new(HPos::Center, VPos::Center));
            let text = format!("{:.1}", 1e-3 * pressure);
            Text::new(text, (x + 0.5 * mm, y + 0.5 * mm), style)
        }))?;
        Ok(())
    }
}

/// From the background to dark blue.
pub(super) fn shade(share: f64) -> RGBColor {
    const DARK: [f64; 3] = [16.0, 62.0, 122.0];
    let light = [WINDOW.0, WINDOW.1, WINDOW.2].map(f64::from);
    let [r, g, b] = std::array::from_fn(|i| (light[i] + share * (DARK[i] - light[i])) as u8);
    RGBColor(r, g, b)
}
