//! Curves over time in stacked panels.

use plotters::prelude::*;

use crate::canvas::{Area, Axis, Drawing, GREY_LINE, chart, legend, line, range_of, titled};
use crate::error::DrawResult;

/// Maximum number of points of a curve.
pub const MAX_POINTS: usize = 1500;

/// Stacked panels with a common time axis.
#[derive(Clone, Debug)]
pub struct StackedPlot {
    /// Title.
    pub title: String,
    /// Last time [s].
    pub end: f64,
    /// The panels from top to bottom.
    pub panels: Vec<Panel>,
}

/// Points of a curve.
pub type Points = Vec<(f64, f64)>;

/// A panel with its label and its named curves.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Quantity with its unit.
    pub label: &'static str,
    /// Name, colour and points of each curve.
    pub curves: Vec<(&'static str, RGBColor, Points)>,
}

impl Panel {
    fn draw<B: DrawingBackend>(&self, area: &Area<B>, end: f64) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let heights = self
            .curves
            .iter()
            .flat_map(|(_, _, points)| points)
            .map(|p| p.1);
        let x = Axis {
            range: 0.0..end * 1.16,
            label: "time [s]",
        };
        let y = Axis {
            range: range_of(heights.chain([0.0, 0.01]), 0.07),
            label: self.label,
        };
        let mut chart = chart(area, "", &x, &y)?;
        let zero = vec![(0.0, 0.0), (end, 0.0)];
        line(&mut chart, zero, GREY_LINE.stroke_width(1), "")?;
        for (name, color, points) in &self.curves {
            line(&mut chart, points.clone(), color.stroke_width(2), name)?;
        }
        if self.curves.len() > 1 {
            legend(&mut chart, SeriesLabelPosition::UpperRight)?;
        }
        Ok(())
    }
}

impl Drawing for StackedPlot {
    const SIZE: (u32, u32) = (900, 860);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let area = titled(area, &self.title)?;
        for (area, panel) in area
            .split_evenly((self.panels.len(), 1))
            .iter()
            .zip(&self.panels)
        {
            panel.draw(area, self.end)?;
        }
        Ok(())
    }
}
