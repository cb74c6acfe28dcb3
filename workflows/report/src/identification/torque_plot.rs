//! Measured and predicted torques over time, with one panel per joint.

use insonate_drawing::{
    Area, Axis, BLUE_LINE, DrawResult, Drawing, DrawingError, GREY_LINE, INK, ORANGE_LINE, Picture,
    chart, legend, line, range_of, thin, titled,
};
use insonate_dvrk::N_JOINTS;
use plotters::prelude::*;

use super::{Comparison, percent};

/// Maximum number of points of a curve.
const MAX_POINTS: usize = 1600;
/// Maximum duration in the plot [s]: about two periods of an excitation.
const LONGEST_S: f64 = 12.0;

/// Draws the first seconds of a comparison.
pub(super) fn draw(
    name: &str,
    comparison: &Comparison,
    names: &[&'static str; N_JOINTS],
) -> Result<Picture, DrawingError> {
    let shown = (LONGEST_S * comparison.rate_hz) as usize;
    let samples = &comparison.torques[..shown.min(comparison.torques.len())];
    let curve = |of: &dyn Fn(&[insonate_dvrk::JointVector; 2]) -> f64| {
        let points: Vec<(f64, f64)> = (samples.iter().enumerate())
            .map(|(index, sample)| (index as f64 / comparison.rate_hz, of(sample)))
            .collect();
        thin(&points, MAX_POINTS)
    };
    let panels = std::array::from_fn(|joint| TorquePanel {
        label: names[joint],
        error: percent(comparison.relative_error[joint]),
        measured: curve(&|sample| sample[0][joint]),
        predicted: curve(&|sample| sample[1][joint]),
        difference: curve(&|sample| sample[0][joint] - sample[1][joint]),
    });
    let drawing = TorquePlot {
        title: format!("{name}: torques of {}", comparison.log),
        end: samples.len() as f64 / comparison.rate_hz,
        panels,
    };
    let caption = format!(
        "Torques of {} after the same filter: measured, predicted, and what is left; the share is the norm of the error over the norm of the torque, over the whole log.",
        comparison.log
    );
    Picture::of(format!("torques_{name}"), caption, &drawing)
}

struct TorquePlot {
    title: String,
    end: f64,
    panels: [TorquePanel; N_JOINTS],
}

type Points = Vec<(f64, f64)>;

struct TorquePanel {
    label: &'static str,
    error: String,
    measured: Points,
    predicted: Points,
    difference: Points,
}

impl TorquePanel {
    fn draw<B: DrawingBackend>(&self, area: &Area<B>, end: f64, is_last: bool) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let curves = [&self.measured, &self.predicted, &self.difference];
        let heights = curves.into_iter().flatten().map(|point| point.1);
        let x = Axis {
            range: 0.0..end * 1.22,
            label: if is_last { "time [s]" } else { "" },
        };
        let y = Axis {
            range: range_of(heights.chain([0.0]), 0.07),
            label: self.label,
        };
        let mut chart = chart(area, "", &x, &y)?;
        let zero = vec![(0.0, 0.0), (end, 0.0)];
        line(&mut chart, zero, GREY_LINE.stroke_width(1), "")?;
        let left = format!("left, {}", self.error);
        for (points, style, name) in [
            (
                &self.measured,
                BLUE_LINE.mix(0.4).stroke_width(5),
                "measured",
            ),
            (&self.predicted, ORANGE_LINE.stroke_width(2), "predicted"),
            (&self.difference, INK.stroke_width(1), left.as_str()),
        ] {
            line(&mut chart, points.clone(), style, name)?;
        }
        legend(&mut chart, SeriesLabelPosition::UpperRight)
    }
}

impl Drawing for TorquePlot {
    const SIZE: (u32, u32) = (1000, 1500);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let area = titled(area, &self.title)?;
        let areas = area.split_evenly((N_JOINTS, 1));
        for (index, (area, panel)) in areas.iter().zip(&self.panels).enumerate() {
            panel.draw(area, self.end, index + 1 == N_JOINTS)?;
        }
        Ok(())
    }
}
