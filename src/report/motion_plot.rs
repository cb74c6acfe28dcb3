//! A motion on soft tissue over time: forces on tool and supports, and the travel of the tool.

use plotters::prelude::*;

use super::canvas::{
    Area, Axis, BLUE_LINE, DrawResult, Drawing, GREY_LINE, ORANGE_LINE, Picture, chart, legend,
    line, range_of, thin, titled,
};
use crate::experiments::tissue::{MotionRecord, MotionSample};

/// Maximum number of points of a curve.
pub(super) const MAX_POINTS: usize = 1500;

const GREEN_LINE: RGBColor = RGBColor(45, 150, 85);

/// Draws a motion.
///
/// # Errors
/// If it cannot be drawn.
pub fn motion_plot(name: &str, title: &str, record: &MotionRecord) -> anyhow::Result<Picture> {
    let caption = "Force of the tissue on the tool, by components and by size; its size and that of all other forces on the tissue's \
                   surroundings; way of the tool since it touched or held the body."
        .to_owned();
    let curve = |of: &dyn Fn(&MotionSample) -> f64| -> Points {
        let points: Vec<(f64, f64)> = record
            .samples
            .iter()
            .map(|sample| (sample.time, of(sample)))
            .collect();
        thin(&points, MAX_POINTS)
    };
    let drawing = TimePlot {
        title: title.to_owned(),
        end: record.samples.last().map_or(1.0, |sample| sample.time),
        panels: vec![
            Panel {
                label: "force on the tool [N]",
                curves: vec![
                    ("size", INK_LINE, curve(&|s| s.force.norm())),
                    ("x", BLUE_LINE, curve(&|s| s.force.x)),
                    ("y", GREEN_LINE, curve(&|s| s.force.y)),
                    ("z", ORANGE_LINE, curve(&|s| s.force.z)),
                ],
            },
            Panel {
                label: "force on supports [N]",
                curves: vec![
                    ("size", INK_LINE, curve(&|s| s.support_force.norm())),
                    ("x", BLUE_LINE, curve(&|s| s.support_force.x)),
                    ("y", GREEN_LINE, curve(&|s| s.support_force.y)),
                    ("z", ORANGE_LINE, curve(&|s| s.support_force.z)),
                ],
            },
            Panel {
                label: "way of the tool [mm]",
                curves: vec![("way", BLUE_LINE, curve(&|s| 1e3 * s.travel))],
            },
        ],
    };
    Picture::of(name.to_owned(), caption, &drawing)
}

const INK_LINE: RGBColor = super::canvas::INK;

/// Stacked panels with a common time axis.
pub(super) struct TimePlot {
    pub(super) title: String,
    /// Last time [s].
    pub(super) end: f64,
    pub(super) panels: Vec<Panel>,
}

pub(super) type Points = Vec<(f64, f64)>;

/// A panel with its label and its named curves.
pub(super) struct Panel {
    pub(super) label: &'static str,
    pub(super) curves: Vec<(&'static str, RGBColor, Points)>,
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

impl Drawing for TimePlot {
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
