//! Force and indentation over time: measured, predicted, fitted window and removed bias.

use insonate_calibration::Calibration;
use insonate_drawing::{
    Area, Axis, BLUE_LINE, DrawResult, Drawing, GREY_LINE, ORANGE_LINE, WINDOW, chart, legend,
    line, range_of, thin, titled,
};
use plotters::prelude::*;

const MAX_POINTS: usize = 1600;

/// Maximum number of pieces of a prediction; with more, it is drawn as one line.
const MAX_PIECES: usize = 60;

/// The two panels.
pub(super) struct TimePlot {
    title: String,
    window: [f64; 2],
    /// Force of the whole log.
    force: Vec<(f64, f64)>,
    /// Indentation of the whole log [mm].
    indentation: Vec<(f64, f64)>,
    /// Predicted force of the fitted samples, in pieces without gaps.
    predicted: Vec<Vec<(f64, f64)>>,
    bias: f64,
}

impl TimePlot {
    pub(super) fn of(title: &str, log: &Calibration) -> Self {
        let overview = &log.prepared.overview;
        let samples = &log.prepared.samples;
        let (time, depth, force) = if overview.time.is_empty() {
            (&samples.time, &samples.indentation, &samples.force)
        } else {
            (&overview.time, &overview.indentation, &overview.force)
        };
        let series = |values: &[f64], scale: f64| -> Vec<(f64, f64)> {
            let points = time
                .iter()
                .zip(values)
                .map(|(&t, &value)| (t, scale * value));
            thin(&points.collect::<Vec<_>>(), MAX_POINTS)
        };
        Self {
            title: title.to_owned(),
            window: log.prepared.window,
            force: series(force, 1.0),
            indentation: series(depth, 1e3),
            predicted: pieces(log),
            bias: log.prepared.force_bias,
        }
    }
}

/// Predicted force over time, split where samples are excluded.
fn pieces(log: &Calibration) -> Vec<Vec<(f64, f64)>> {
    let samples = &log.prepared.samples;
    let gap = 10.0 * samples.sampling_interval;
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    for (&index, &force) in log.fit.used.iter().zip(&log.fit.predicted) {
        let point = (samples.time[index], force);
        match pieces.last_mut() {
            Some(piece) if piece.last().is_none_or(|last| point.0 - last.0 <= gap) => {
                piece.push(point);
            }
            _ => pieces.push(vec![point]),
        }
    }
    if pieces.len() > MAX_PIECES {
        pieces = vec![pieces.concat()];
    }
    let share = MAX_POINTS / pieces.len().max(1);
    pieces
        .iter()
        .map(|piece| thin(piece, share.max(20)))
        .collect()
}

impl TimePlot {
    fn panel<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        label: &str,
        measured: &[(f64, f64)],
        predicted: &[Vec<(f64, f64)>],
    ) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let heights = || {
            measured
                .iter()
                .chain(predicted.iter().flatten())
                .map(|p| p.1)
        };
        let y = range_of(heights().chain([0.0]), 0.07);
        let x = range_of(measured.iter().map(|p| p.0).chain(self.window), 0.01);
        let mut chart = chart(
            area,
            "",
            &Axis {
                range: x.clone(),
                label: "time [s]",
            },
            &Axis {
                range: y.clone(),
                label,
            },
        )?;
        let [start, stop] = self.window;
        let shade = WINDOW.mix(0.55).filled();
        let series =
            chart.draw_series([Rectangle::new([(start, y.start), (stop, y.end)], shade)])?;
        if !predicted.is_empty() {
            series
                .label("fitted window")
                .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 18, y + 5)], shade));
        }
        line(
            &mut chart,
            vec![(x.start, 0.0), (x.end, 0.0)],
            GREY_LINE.stroke_width(1),
            "",
        )?;
        let name = if predicted.is_empty() { "" } else { "measured" };
        line(
            &mut chart,
            measured.to_vec(),
            BLUE_LINE.stroke_width(2),
            name,
        )?;
        for (index, piece) in predicted.iter().enumerate() {
            let name = if index == 0 { "predicted" } else { "" };
            line(&mut chart, piece.clone(), ORANGE_LINE.stroke_width(2), name)?;
        }
        if predicted.is_empty() {
            return Ok(());
        }
        legend(&mut chart, SeriesLabelPosition::UpperRight)
    }
}

impl Drawing for TimePlot {
    const SIZE: (u32, u32) = (900, 640);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let title = format!(
            "{} (bias removed: {} N)",
            self.title,
            super::number(self.bias)
        );
        let area = titled(area, &title)?;
        let (upper, lower) = area.split_vertically(380);
        self.panel(&upper, "force [N]", &self.force, &self.predicted)?;
        self.panel(&lower, "indentation [mm]", &self.indentation, &[])
    }
}
