//! Plots of a study: errors of the torsos relative to the log, and force errors of the policies.

use insonate_drawing::{
    Area, BLUE_LINE, DrawResult, Drawing, GREY_LINE, INK, ORANGE_LINE, WINDOW, range_of, tick,
    titled,
};
use insonate_learning::study::StudyResult;
use plotters::prelude::*;

/// Colours of the policies, in order.
const COLORS: [RGBColor; 3] = [BLUE_LINE, ORANGE_LINE, GREY_LINE];

/// Measured relative to recorded stiffness of each torso.
pub(super) struct TorsoErrors {
    rows: Vec<Row>,
    /// The log's interval relative to its mean.
    band: [f64; 2],
}

/// Force errors of each policy under each condition.
pub(super) struct ForceErrors {
    rows: Vec<Row>,
    policies: Vec<String>,
}

/// A name with marks: value, interval and colour.
struct Row {
    name: String,
    marks: Vec<(f64, [f64; 2], RGBColor)>,
}

impl TorsoErrors {
    pub(super) fn of(result: &StudyResult) -> Self {
        let stiffness = result.softness.stiffness;
        let rows = result.torsos.iter().map(|fit| {
            let mark = |value: f64, color| {
                let share = value / stiffness;
                (share, [share; 2], color)
            };
            Row {
                name: fit.torso.clone(),
                marks: vec![
                    mark(fit.untuned.stiffness, GREY_LINE),
                    mark(fit.simulated.stiffness, BLUE_LINE),
                ],
            }
        });
        Self {
            rows: rows.collect(),
            band: result.softness.stiffness_ci95.map(|end| end / stiffness),
        }
    }
}

impl ForceErrors {
    pub(super) fn of(result: &StudyResult) -> Self {
        let rows = result.conditions.iter().map(|condition| {
            let policies = condition.policies.iter().zip(COLORS);
            let marks = policies.map(|(policy, color)| {
                let error = &policy.force_mae_n;
                (error.mean, error.ci95, color)
            });
            Row {
                name: condition.name.clone(),
                marks: marks.collect(),
            }
        });
        let first = result.conditions.first();
        let policies = first.iter().flat_map(|condition| &condition.policies);
        Self {
            rows: rows.collect(),
            policies: policies.map(|policy| policy.name.clone()).collect(),
        }
    }
}

impl Drawing for TorsoErrors {
    const SIZE: (u32, u32) = (900, 300);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let area = titled(area, "grey: as it comes; blue: fitted")?;
        rows(
            &area,
            "measured over recorded stiffness",
            &self.rows,
            self.band,
        )
    }
}

impl Drawing for ForceErrors {
    const SIZE: (u32, u32) = (900, 520);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let colors = ["blue", "orange", "grey"];
        let names = colors.iter().zip(&self.policies);
        let names: Vec<String> = names
            .map(|(color, name)| format!("{color}: {name}"))
            .collect();
        let area = titled(area, &names.join("; "))?;
        rows(
            &area,
            "mean absolute error of the force [N]",
            &self.rows,
            [0.0; 2],
        )
    }
}

/// Draws one line per name, from top to bottom, over a band.
fn rows<B: DrawingBackend>(area: &Area<B>, label: &str, rows: &[Row], band: [f64; 2]) -> DrawResult
where
    B::ErrorType: 'static,
{
    let n = rows.len() as f64;
    let ends = rows
        .iter()
        .flat_map(|row| &row.marks)
        .flat_map(|(value, [low, high], _)| [*value, *low, *high]);
    let x = range_of(ends.chain(band), 0.05);
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .margin_right(22)
        .x_label_area_size(42)
        .y_label_area_size(110)
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
