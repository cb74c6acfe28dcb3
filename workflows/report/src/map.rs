//! Map of a parameter over the skin: its value and its interval as two pictures, and the same data as text and JSON.

use insonate_calibration::map::{MapGrid, MapPoint};
use insonate_drawing::{
    Area, DrawResult, Drawing, GREY_LINE, INK, ORANGE_LINE, range_of, tick, titled,
};
use plotters::prelude::*;
use serde_json::{Value, json};

use super::{number, shown};

/// Caption of the picture.
pub(super) const CAPTION: &str = "The parameter over the skin, seen from above, in the frame of the logs. Left: the median. Right: half of the 95 % interval, as a share of it. White dots are the sites; orange rings are the places to press next.";

/// Number of standard deviations from which a site disagrees with its neighbours.
const DISAGREES: f64 = 3.0;
/// Colours from the smallest to the largest value.
const COLORS: [[f64; 3]; 5] = [
    [68.0, 1.0, 84.0],
    [59.0, 82.0, 139.0],
    [33.0, 145.0, 140.0],
    [94.0, 201.0, 98.0],
    [253.0, 231.0, 37.0],
];
/// Number of steps of the colour bar.
const BAR: usize = 64;

/// The picture of a map.
pub(super) struct MapPlot<'a> {
    map: &'a MapGrid,
}

impl<'a> MapPlot<'a> {
    pub(super) fn of(map: &'a MapGrid) -> Self {
        Self { map }
    }
}

/// One of the two maps.
struct MapPanel {
    title: String,
    /// Values row by row.
    values: Vec<f64>,
}

impl Drawing for MapPlot<'_> {
    const SIZE: (u32, u32) = (1100, 520);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let map = self.map;
        let name = map.parameter.replace('_', " ");
        let area = titled(area, &format!("{name} over the skin"))?;
        let panels = [
            MapPanel {
                title: format!("{name} [{}]", map.unit),
                values: map.points.iter().map(|point| point.value).collect(),
            },
            MapPanel {
                title: "half of the 95 % interval [%]".to_owned(),
                values: map
                    .points
                    .iter()
                    .map(|point| 100.0 * half_width(point))
                    .collect(),
            },
        ];
        for (area, panel) in area.split_evenly((1, 2)).iter().zip(&panels) {
            self.panel(area, panel)?;
        }
        Ok(())
    }
}

impl MapPlot<'_> {
    fn panel<B: DrawingBackend>(&self, area: &Area<B>, panel: &MapPanel) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let map = self.map;
        let (width, _) = area.dim_in_pixel();
        let (left, bar) = area.split_horizontally(width.saturating_sub(96));
        let millimetres = |axis: &[f64]| range_of(axis.iter().map(|x| 1e3 * x), 0.0);
        let half = |axis: &[f64]| 0.5e3 * (axis[1] - axis[0]);
        let (dx, dy) = (half(&map.x), half(&map.y));
        let (x, y) = (millimetres(&map.x), millimetres(&map.y));
        let mut chart = ChartBuilder::on(&left)
            .margin(8)
            .caption(&panel.title, ("sans-serif", 16).into_font().color(&INK))
            .x_label_area_size(42)
            .y_label_area_size(60)
            .build_cartesian_2d(x.start - dx..x.end + dx, y.start - dy..y.end + dy)?;
        let values = range_of(panel.values.iter().copied(), 0.0);
        let cells = map.y.iter().enumerate().flat_map(|(row, &y)| {
            let columns = map.x.iter().enumerate();
            columns.map(move |(column, &x)| (row, column, 1e3 * x, 1e3 * y))
        });
        chart.draw_series(cells.map(|(row, column, x, y)| {
            let value = panel.values[row * map.x.len() + column];
            let corners = [(x - dx, y - dy), (x + dx, y + dy)];
            Rectangle::new(corners, color_of(value, &values).filled())
        }))?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(INK)
            .x_desc("x [mm]")
            .y_desc("y [mm]")
            .x_labels(6)
            .y_labels(6)
            .x_label_formatter(&tick)
            .y_label_formatter(&tick)
            .label_style(("sans-serif", 13).into_font().color(&INK))
            .draw()?;
        let at = |point: &MapPoint| (1e3 * point.place[0], 1e3 * point.place[1]);
        chart.draw_series(
            map.sites
                .iter()
                .map(|site| Circle::new(at(site), 5, INK.filled())),
        )?;
        chart.draw_series(
            map.sites
                .iter()
                .map(|site| Circle::new(at(site), 4, WHITE.filled())),
        )?;
        chart.draw_series(
            map.next
                .iter()
                .map(|next| Circle::new(at(next), 7, ORANGE_LINE.stroke_width(3))),
        )?;
        color_bar(&bar, &values)
    }
}

/// Draws the colour bar with its values.
fn color_bar<B: DrawingBackend>(area: &Area<B>, values: &std::ops::Range<f64>) -> DrawResult
where
    B::ErrorType: 'static,
{
    let mut chart = ChartBuilder::on(area)
        .margin_top(36)
        .margin_bottom(50)
        .margin_left(4)
        .margin_right(4)
        .y_label_area_size(62)
        .build_cartesian_2d(0.0..1.0, values.clone())?;
    let step = (values.end - values.start) / BAR as f64;
    chart.draw_series((0..BAR).map(|i| {
        let low = values.start + step * i as f64;
        let color = color_of(low + 0.5 * step, values);
        Rectangle::new([(0.0, low), (1.0, low + step)], color.filled())
    }))?;
    chart
        .configure_mesh()
        .disable_mesh()
        .axis_style(GREY_LINE)
        .y_labels(6)
        .y_label_formatter(&tick)
        .label_style(("sans-serif", 13).into_font().color(&INK))
        .draw()?;
    Ok(())
}

/// The colour of a value in a range.
fn color_of(value: f64, range: &std::ops::Range<f64>) -> RGBColor {
    let share = ((value - range.start) / (range.end - range.start)).clamp(0.0, 1.0);
    let place = share * (COLORS.len() - 1) as f64;
    let below = (place.floor() as usize).min(COLORS.len() - 2);
    let rest = place - below as f64;
    let channel = |i: usize| {
        let mixed = COLORS[below][i] * (1.0 - rest) + COLORS[below + 1][i] * rest;
        mixed.round() as u8
    };
    RGBColor(channel(0), channel(1), channel(2))
}

/// Half of a point's interval relative to its value.
fn half_width(point: &MapPoint) -> f64 {
    0.5 * (point.ci95[1] - point.ci95[0]) / point.value
}

/// A map as lines of text.
pub(super) fn lines(map: &MapGrid) -> Vec<String> {
    let values = range_of(map.points.iter().map(|point| point.value), 0.0);
    let mut lines = vec![format!(
        "{} over the skin: {} to {} {}, each place ± {:.0} % (median), changing over about {:.0} mm",
        map.parameter.replace('_', " "),
        number(values.start),
        number(values.end),
        map.unit,
        100.0 * map.half_width,
        1e3 * map.length
    )];
    for site in &map.left_out {
        if site.deviation.abs() >= DISAGREES {
            lines.push(format!(
                "warning: {} lies {:.1} standard deviations {} what the other sites say: press it again, or more places around it",
                shown(&site.name),
                site.deviation.abs(),
                if site.deviation > 0.0 { "above" } else { "below" }
            ));
        }
    }
    let next: Vec<String> = map
        .next
        .iter()
        .map(|point| {
            format!(
                "({:.3}, {:.3}) m, known to ± {:.0} %",
                point.place[0],
                point.place[1],
                100.0 * half_width(point)
            )
        })
        .collect();
    if !next.is_empty() {
        lines.push(format!("worth pressing next: {}", next.join("; ")));
    }
    lines
}

/// A map as JSON.
pub(super) fn json(map: &MapGrid) -> Value {
    let point = |point: &MapPoint| json!({ "place": point.place, "value": point.value, "ci95": point.ci95 });
    let left_out = map.left_out.iter();
    let left_out: Vec<Value> = left_out
        .map(|site| json!({ "log": site.name, "deviation": site.deviation }))
        .collect();
    json!({
        "unit": map.unit,
        "x_m": map.x,
        "y_m": map.y,
        "points": map.points.iter().map(point).collect::<Vec<_>>(),
        "sites": map.sites.iter().map(point).collect::<Vec<_>>(),
        "leave_one_out": left_out,
        "next": map.next.iter().map(point).collect::<Vec<_>>(),
        "length_m": map.length,
        "median_half_width": map.half_width,
    })
}
