//! Plots of a record, as SVG.

use insonate_drawing::{
    Area, BLUE_LINE, DrawResult, Drawing, DrawingError, GREY_LINE, INK, ORANGE_LINE, WINDOW,
    svg_of, thin,
};
use plotters::prelude::*;

use super::Record;

/// A finished plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The picture as SVG text.
    pub svg: String,
}

/// One stacked panel of a time plot.
struct TimePanel {
    label: &'static str,
    values: Vec<(f64, f64)>,
    /// Target value, drawn as a horizontal line; `None` if there is no target.
    goal: Option<f64>,
    least_range: f64,
}

/// Force, speed and contact over time in stacked panels (as Fig. 4.3 of Jakobsen 2021).
///
/// # Errors
/// [`DrawingError::Plot`].
pub fn time_plot(
    record: &Record,
    title: &str,
    force: Option<f64>,
    speed: Option<f64>,
) -> Result<Plot, DrawingError> {
    let series = |value: fn(&super::Sample) -> f64| -> Vec<(f64, f64)> {
        record
            .samples
            .iter()
            .map(|sample| (sample.time, value(sample)))
            .collect()
    };
    let panels = [
        TimePanel {
            label: "force along the probe [N]",
            values: series(|s| s.force[2]),
            goal: force,
            least_range: 2.0,
        },
        TimePanel {
            label: "speed of the face [mm/s]",
            values: series(|s| 1e3 * norm(s.velocity)),
            goal: speed.map(|v| 1e3 * v),
            least_range: 10.0,
        },
        TimePanel {
            label: "indentation [mm]",
            values: series(|s| 1e3 * s.indentation),
            goal: None,
            least_range: 2.0,
        },
        TimePanel {
            label: "contact",
            values: series(|s| f64::from(u8::from(s.in_contact))),
            goal: None,
            least_range: 1.0,
        },
    ];
    let drawing = TimePlot {
        record,
        title,
        panels,
    };
    let svg = svg_of("the time plot", &drawing)?;
    Ok(Plot { svg })
}

struct TimePlot<'a> {
    record: &'a Record,
    title: &'a str,
    panels: [TimePanel; 4],
}

impl Drawing for TimePlot<'_> {
    const SIZE: (u32, u32) = (960, 900);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let root = area
            .titled(self.title, ("sans-serif", 22).into_font().color(&INK))
            .map_err(|e| e.to_string())?;
        let (upper, contact) = root.split_vertically(720);
        for (area, panel) in upper
            .split_evenly((3, 1))
            .iter()
            .chain([&contact])
            .zip(&self.panels)
        {
            draw_panel(area, self.record, panel)?;
        }
        Ok(())
    }
}

fn draw_panel<B: DrawingBackend>(area: &Area<B>, record: &Record, panel: &TimePanel) -> DrawResult
where
    B::ErrorType: 'static,
{
    let end = record
        .samples
        .last()
        .map_or(1.0, |sample| sample.time.max(1e-3));
    let highest = |values: &mut dyn Iterator<Item = f64>| values.fold(panel.least_range, f64::max);
    let top = 1.08 * highest(&mut panel.values.iter().map(|v| v.1).chain(panel.goal));
    let bottom = panel.values.iter().map(|v| v.1).fold(0.0, f64::min) * 1.08;
    let mut chart = ChartBuilder::on(area)
        .margin_left(16)
        .margin_right(18)
        .margin_top(6)
        .x_label_area_size(34)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..end, bottom..top)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(GREY_LINE.mix(0.25))
        .axis_style(INK)
        .x_desc("time [s]")
        .y_desc(panel.label)
        .label_style(("sans-serif", 13).into_font().color(&INK))
        .y_labels(if panel.label == "contact" { 2 } else { 5 })
        .draw()?;
    // Every other phase has a band, which separates approach, slide and retreat.
    for (start, stop, phase) in phases(record) {
        if phase % 2 == 1 {
            chart.draw_series([Rectangle::new(
                [(start, bottom), (stop, top)],
                WINDOW.mix(0.5).filled(),
            )])?;
        }
    }
    if let Some(goal) = panel.goal {
        chart.draw_series(LineSeries::new(
            [(0.0, goal), (end, goal)],
            ORANGE_LINE.stroke_width(1),
        ))?;
    }
    chart.draw_series(LineSeries::new(
        thin(&panel.values, 1500),
        BLUE_LINE.stroke_width(2),
    ))?;
    Ok(())
}

/// Start, end and index of each phase.
fn phases(record: &Record) -> Vec<(f64, f64, usize)> {
    let mut bands: Vec<(f64, f64, usize)> = Vec::new();
    for sample in &record.samples {
        match bands.last_mut() {
            Some((_, stop, phase)) if *phase == sample.phase => *stop = sample.time,
            _ => bands.push((sample.time, sample.time, sample.phase)),
        }
    }
    bands
}

/// Force over indentation for one or several presses, with loading and unloading.
///
/// # Errors
/// [`DrawingError::Plot`].
pub fn force_indentation_plot(
    curves: &[(String, Vec<(f64, f64)>)],
    title: &str,
) -> Result<Plot, DrawingError> {
    let drawing = ForceIndentationPlot { curves, title };
    let svg = svg_of("the force-indentation plot", &drawing)?;
    Ok(Plot { svg })
}

const PALETTE: [RGBColor; 6] = [
    BLUE_LINE,
    ORANGE_LINE,
    RGBColor(45, 150, 85),
    RGBColor(150, 75, 160),
    RGBColor(190, 50, 60),
    GREY_LINE,
];

struct ForceIndentationPlot<'a> {
    curves: &'a [(String, Vec<(f64, f64)>)],
    title: &'a str,
}

impl Drawing for ForceIndentationPlot<'_> {
    const SIZE: (u32, u32) = (800, 560);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        draw_curves(area, self.curves, self.title)
    }
}

fn draw_curves<B: DrawingBackend>(
    root: &Area<B>,
    curves: &[(String, Vec<(f64, f64)>)],
    title: &str,
) -> DrawResult
where
    B::ErrorType: 'static,
{
    let points = || curves.iter().flat_map(|(_, points)| points);
    let right = points().map(|p| 1e3 * p.0).fold(1.0, f64::max) * 1.03;
    let left = points().map(|p| 1e3 * p.0).fold(0.0, f64::min);
    let top = points().map(|p| p.1).fold(1.0, f64::max) * 1.08;
    let bottom = points().map(|p| p.1).fold(0.0, f64::min);
    let mut chart = ChartBuilder::on(root)
        .caption(title, ("sans-serif", 20).into_font().color(&INK))
        .margin(14)
        .x_label_area_size(40)
        .y_label_area_size(58)
        .build_cartesian_2d(left..right, bottom..top)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(GREY_LINE.mix(0.25))
        .axis_style(INK)
        .x_desc("indentation [mm]")
        .y_desc("force along the probe [N]")
        .label_style(("sans-serif", 14).into_font().color(&INK))
        .draw()?;
    for (index, ((name, points), color)) in curves.iter().zip(PALETTE.iter().cycle()).enumerate() {
        let line = thin(points, 1500).into_iter().map(|(x, y)| (1e3 * x, y));
        // The first curve is wide and pale below the others, so that it stays visible under an equal curve.
        let is_ground = index == 0 && curves.len() > 1;
        let style = if is_ground {
            color.mix(0.4).stroke_width(7)
        } else {
            color.stroke_width(2)
        };
        chart
            .draw_series(LineSeries::new(line, style))?
            .label(name.as_str())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(GREY_LINE)
        .label_font(("sans-serif", 14).into_font().color(&INK))
        .draw()?;
    Ok(())
}

fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_record_can_be_plotted() {
        let record = Record {
            phases: vec!["approach"],
            ..Record::default()
        };
        assert!(
            time_plot(&record, "empty", Some(5.0), None)
                .unwrap()
                .svg
                .starts_with("<svg")
        );
        assert!(
            force_indentation_plot(&[], "empty")
                .unwrap()
                .svg
                .contains("indentation [mm]")
        );
    }
}
