//! A plot with a line of marks for each name.

use insonate_drawing::{Area, DrawResult, GREY_LINE, INK, WINDOW, range_of, tick};
use plotters::prelude::*;

/// Least width of the names [pixels]; a letter is 7 wide.
const LABELS: usize = 110;

/// A name with marks: value, interval and colour.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) marks: Vec<(f64, [f64; 2], RGBColor)>,
}

/// Draws one line per name, from top to bottom, over a band.
pub(super) fn rows<B: DrawingBackend>(
    area: &Area<B>,
    label: &str,
    rows: &[Row],
    band: [f64; 2],
) -> DrawResult
where
    B::ErrorType: 'static,
{
    let n = rows.len() as f64;
    let ends = rows
        .iter()
        .flat_map(|row| &row.marks)
        .flat_map(|(value, [low, high], _)| [*value, *low, *high]);
    let x = range_of(ends.chain(band), 0.05);
    let longest = rows.iter().map(|row| row.name.chars().count()).max();
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .margin_right(22)
        .x_label_area_size(42)
        .y_label_area_size(LABELS.max(7 * longest.unwrap_or(0) + 12) as u32)
        .build_cartesian_2d(x, -0.7..n - 0.3)?;
    let name = |y: &f64| {
        let index = n - 1.0 - y.round();
        let is_row = (y - y.round()).abs() < 1e-6 && (0.0..n).contains(&index);
        let row = is_row.then(|| rows.get(index as usize)).flatten();
        row.map(|row| row.name.clone()).unwrap_or_default()
    };
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(GREY_LINE.mix(0.25))
        .axis_style(INK)
        .x_desc(label)
        .x_labels(8)
        .x_label_formatter(&tick)
        .y_labels(rows.len().max(2))
        .y_label_formatter(&name)
        .label_style(("sans-serif", 13).into_font().color(&INK))
        .draw()?;
    let [low, high] = band;
    if high > low {
        let corners = [(low, -0.7), (high, n - 0.3)];
        chart.draw_series([Rectangle::new(corners, WINDOW.filled())])?;
    }
    for (index, row) in rows.iter().enumerate() {
        let n_marks = row.marks.len() as f64;
        for (place, (value, [low, high], color)) in row.marks.iter().enumerate() {
            let y = n - 1.0 - index as f64 + 0.2 * ((n_marks - 1.0) / 2.0 - place as f64);
            let line = PathElement::new([(*low, y), (*high, y)], color.stroke_width(2));
            if low.is_finite() && high > low {
                chart.draw_series([line])?;
            }
            chart.draw_series([Circle::new((*value, y), 4, color.filled())])?;
        }
    }
    Ok(())
}
