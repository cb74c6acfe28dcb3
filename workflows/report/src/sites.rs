//! Comparison of the sites: each estimate and the pooled mean with their 95 % intervals.

use insonate_calibration::{Parameter, PooledParameter, SiteCalibrations};
use insonate_drawing::{
    Area, BLUE_LINE, DrawResult, Drawing, GREY_LINE, INK, ORANGE_LINE, range_of, tick, titled,
};
use plotters::prelude::*;

use super::{labelled, name_of, pooled_of};

/// Maximum number of characters of a name.
const MAX_NAME: usize = 22;

/// One panel per parameter.
pub(super) struct Sites {
    names: Vec<String>,
    panels: Vec<SitePanel>,
}

struct SitePanel {
    label: String,
    /// Value and 95 % interval of each site.
    sites: Vec<(f64, [f64; 2])>,
    pooled: PooledParameter,
}

impl Sites {
    /// Up to two of the pooled parameters.
    pub(super) fn of(sites: &SiteCalibrations) -> Self {
        let panels = pooled_of(sites).into_iter().take(2);
        let panels = panels.map(|(Parameter { name, unit, .. }, pooled)| {
            let each = sites.logs.iter().filter_map(|log| log.fit.parameter(name));
            SitePanel {
                label: labelled(&name.replace('_', " "), unit),
                sites: each.map(|p| (p.value, p.ci95)).collect(),
                pooled: *pooled,
            }
        });
        let short = |name: &str| {
            if name.chars().count() <= MAX_NAME {
                name.to_owned()
            } else {
                name.chars().take(MAX_NAME - 1).chain(['…']).collect()
            }
        };
        Self {
            panels: panels.collect(),
            names: sites.logs.iter().map(|log| short(&name_of(log))).collect(),
        }
    }
}

impl Drawing for Sites {
    const SIZE: (u32, u32) = (900, 420);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let area = titled(
            area,
            "sites with 95 % intervals; orange: their mean with its own",
        )?;
        let areas = area.split_evenly((1, self.panels.len().max(1)));
        for (area, panel) in areas.iter().zip(&self.panels) {
            self.panel(area, panel)?;
        }
        Ok(())
    }
}

impl Sites {
    fn panel<B: DrawingBackend>(&self, area: &Area<B>, panel: &SitePanel) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let n = panel.sites.len() as f64;
        let ends = panel
            .sites
            .iter()
            .flat_map(|(value, [low, high])| [*value, *low, *high]);
        let x = range_of(ends.chain(panel.pooled.ci95), 0.06);
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .margin_right(22)
            .x_label_area_size(42)
            .y_label_area_size(120)
            .build_cartesian_2d(x, -0.7..n - 0.3)?;
        // The first site is at the top.
        let height = |i: usize| n - 1.0 - i as f64;
        let name = |y: &f64| {
            let index = n - 1.0 - y.round();
            let is_site = (y - y.round()).abs() < 1e-6 && (0.0..n).contains(&index);
            let name = is_site.then(|| self.names.get(index as usize)).flatten();
            name.cloned().unwrap_or_default()
        };
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GREY_LINE.mix(0.25))
            .axis_style(INK)
            .x_desc(panel.label.as_str())
            .x_labels(5)
            .x_label_formatter(&tick)
            .y_labels(panel.sites.len().max(2))
            .y_label_formatter(&name)
            .label_style(("sans-serif", 13).into_font().color(&INK))
            .draw()?;
        let [low, high] = panel.pooled.ci95;
        chart.draw_series([Rectangle::new(
            [(low, -0.7), (high, n - 0.3)],
            ORANGE_LINE.mix(0.18).filled(),
        )])?;
        let mean = panel.pooled.mean;
        chart.draw_series([PathElement::new(
            [(mean, -0.7), (mean, n - 0.3)],
            ORANGE_LINE.stroke_width(2),
        )])?;
        for (i, (value, [low, high])) in panel.sites.iter().enumerate() {
            let y = height(i);
            let bar = BLUE_LINE.stroke_width(2);
            chart.draw_series([
                PathElement::new([(*low, y), (*high, y)], bar),
                PathElement::new([(*low, y - 0.12), (*low, y + 0.12)], bar),
                PathElement::new([(*high, y - 0.12), (*high, y + 0.12)], bar),
            ])?;
            chart.draw_series([Circle::new((*value, y), 4, BLUE_LINE.filled())])?;
        }
        Ok(())
    }
}
