//! Force over indentation, loading and unloading: measured and predicted, or measured and simulated.

use plotters::prelude::*;

use super::canvas::{
    Area, Axis, BLUE_LINE, DrawResult, Drawing, ORANGE_LINE, chart, dots, every, legend, line,
    range_of,
};
use crate::calibration::Calibration;

const MAX_POINTS: usize = 1200;

/// The loop, ready to be drawn.
pub(super) struct ForceLoop {
    title: String,
    /// Indentation [mm] and force [N].
    measured: Vec<(f64, f64)>,
    other: Vec<(f64, f64)>,
    other_label: &'static str,
}

/// Indentation [mm] and force [N], thinned.
fn points(indentation: &[f64], force: impl Fn(usize) -> f64, indices: &[usize]) -> Vec<(f64, f64)> {
    every(indices.len(), MAX_POINTS)
        .map(|at| (1e3 * indentation[indices[at]], force(at)))
        .collect()
}

impl ForceLoop {
    /// What was measured and what the law says.
    pub(super) fn predicted(title: &str, log: &Calibration) -> Self {
        let samples = &log.prepared.samples;
        let used = &log.fit.used;
        Self {
            title: title.to_owned(),
            measured: points(&samples.indentation, |at| samples.force[used[at]], used),
            other: points(&samples.indentation, |at| log.fit.predicted[at], used),
            other_label: "predicted",
        }
    }

    /// What was measured and what a simulated press of the tuned torso gave.
    pub(super) fn simulated(title: &str, recorded: &Calibration, simulated: &Calibration) -> Self {
        let of = |log: &Calibration| {
            let samples = &log.prepared.samples;
            let all: Vec<usize> = (0..samples.len()).collect();
            points(&samples.indentation, |at| samples.force[all[at]], &all)
        };
        Self {
            title: title.to_owned(),
            measured: of(recorded),
            other: of(simulated),
            other_label: "simulated",
        }
    }
}

impl Drawing for ForceLoop {
    const SIZE: (u32, u32) = (900, 560);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let all = || self.measured.iter().chain(&self.other);
        let x = Axis {
            range: range_of(all().map(|p| p.0), 0.03),
            label: "indentation [mm]",
        };
        let y = Axis {
            range: range_of(all().map(|p| p.1), 0.07),
            label: "force [N]",
        };
        let mut chart = chart(area, &self.title, &x, &y)?;
        dots(&mut chart, &self.measured, BLUE_LINE, "measured")?;
        line(
            &mut chart,
            self.other.clone(),
            ORANGE_LINE.stroke_width(2),
            self.other_label,
        )?;
        legend(&mut chart, SeriesLabelPosition::UpperLeft)
    }
}
