//! Force over indentation for loading and unloading: measured and predicted, or measured and simulated.

use insonate_calibration::{Calibration, Samples};
use insonate_drawing::{
    Area, Axis, BLUE_LINE, DrawResult, Drawing, ORANGE_LINE, chart, dots, every, legend, line,
    range_of,
};
use plotters::prelude::*;

const MAX_POINTS: usize = 1200;
const MAX_LINE: usize = 2400;

/// A loop that is ready to be drawn.
pub(super) struct ForceLoop {
    title: String,
    /// Indentation [mm] and force [N].
    measured: Vec<(f64, f64)>,
    other: Vec<(f64, f64)>,
    other_label: &'static str,
}

/// Indentation [mm] and force [N] of approximately `most` samples at most.
fn points(samples: &Samples, used: &[usize], force: &[f64], most: usize) -> Vec<(f64, f64)> {
    every(used.len().min(force.len()), most)
        .map(|at| (1e3 * samples.indentation[used[at]], force[at]))
        .collect()
}

/// Measured samples.
fn measured(log: &Calibration, most: usize) -> Vec<(f64, f64)> {
    let (samples, used) = (&log.prepared.samples, &log.fit.used);
    let force: Vec<f64> = used.iter().map(|&index| samples.force[index]).collect();
    points(samples, used, &force, most)
}

impl ForceLoop {
    /// Measured force and the prediction of the law.
    pub(super) fn predicted(title: &str, log: &Calibration) -> Self {
        let (samples, fit) = (&log.prepared.samples, &log.fit);
        Self {
            title: title.to_owned(),
            measured: measured(log, MAX_POINTS),
            other: points(samples, &fit.used, &fit.predicted, MAX_LINE),
            other_label: "predicted",
        }
    }

    /// Measured force and the force of a simulated press on the tuned torso.
    pub(super) fn simulated(title: &str, recorded: &Calibration, simulated: &Calibration) -> Self {
        Self {
            title: title.to_owned(),
            measured: measured(recorded, MAX_POINTS),
            other: measured(simulated, MAX_LINE),
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
