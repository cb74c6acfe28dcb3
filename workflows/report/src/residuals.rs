//! Residuals of the fit: residual force over time, and its distribution with a Gaussian of the same standard deviation.

use insonate_calibration::Calibration;
use insonate_drawing::{
    Area, Axis, BLUE_LINE, DrawResult, Drawing, GREY_LINE, ORANGE_LINE, central_range, chart,
    legend, line, range_of, thin, titled,
};
use plotters::prelude::*;

const MAX_POINTS: usize = 1600;
const N_BINS: usize = 40;

/// The two panels.
pub(super) struct Residuals {
    title: String,
    over_time: Vec<(f64, f64)>,
    /// Left edge, right edge and share of the samples per newton.
    bins: Vec<(f64, f64, f64)>,
    mean: f64,
    sd: f64,
}

impl Residuals {
    pub(super) fn of(title: &str, log: &Calibration) -> Self {
        let samples = &log.prepared.samples;
        let points: Vec<(f64, f64)> = log
            .fit
            .used
            .iter()
            .zip(&log.fit.predicted)
            .map(|(&i, predicted)| (samples.time[i], samples.force[i] - predicted))
            .collect();
        let values: Vec<f64> = points.iter().map(|p| p.1).collect();
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        Self {
            title: title.to_owned(),
            over_time: thin(&points, MAX_POINTS),
            bins: histogram(&values),
            mean,
            sd: variance.sqrt(),
        }
    }
}

/// Histogram of the values without the outermost thousandth.
fn histogram(values: &[f64]) -> Vec<(f64, f64, f64)> {
    let range = central_range(values, 0.0005, 0.02);
    let width = (range.end - range.start) / N_BINS as f64;
    let mut counts = [0usize; N_BINS];
    for value in values {
        let bin = ((value - range.start) / width).floor();
        if (0.0..N_BINS as f64).contains(&bin) {
            counts[bin as usize] += 1;
        }
    }
    let n = values.len().max(1) as f64;
    let edge = |i: usize| range.start + width * i as f64;
    counts
        .iter()
        .enumerate()
        .map(|(i, &count)| (edge(i), edge(i + 1), count as f64 / n / width))
        .collect()
}

impl Drawing for Residuals {
    const SIZE: (u32, u32) = (900, 420);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let area = titled(area, &self.title)?;
        let (left, right) = area.split_horizontally(560);
        let x = range_of(self.over_time.iter().map(|p| p.0), 0.01);
        let time = Axis {
            range: x.clone(),
            label: "time [s]",
        };
        let residual = Axis {
            range: range_of(self.over_time.iter().map(|p| p.1).chain([0.0]), 0.07),
            label: "measured − predicted force [N]",
        };
        let mut chart_left = chart(&left, "", &time, &residual)?;
        line(
            &mut chart_left,
            self.over_time.clone(),
            BLUE_LINE.stroke_width(1),
            "",
        )?;
        line(
            &mut chart_left,
            vec![(x.start, 0.0), (x.end, 0.0)],
            GREY_LINE.stroke_width(1),
            "",
        )?;

        let gaussian = |x: f64| {
            let z = (x - self.mean) / self.sd;
            (-0.5 * z * z).exp() / (self.sd * std::f64::consts::TAU.sqrt())
        };
        let middles = self.bins.iter().map(|bin| 0.5 * (bin.0 + bin.1));
        let curve: Vec<(f64, f64)> = middles
            .map(|x| (x, gaussian(x)))
            .filter(|p| p.1.is_finite())
            .collect();
        let tops = self
            .bins
            .iter()
            .map(|bin| bin.2)
            .chain(curve.iter().map(|p| p.1));
        let force = Axis {
            range: range_of(self.bins.iter().flat_map(|bin| [bin.0, bin.1]), 0.0),
            label: "measured − predicted force [N]",
        };
        let density = Axis {
            range: 0.0..range_of(tops.chain([0.0]), 0.18).end,
            label: "density [1/N]",
        };
        let mut chart_right = chart(&right, "", &force, &density)?;
        let bars = self.bins.iter().map(|&(low, high, height)| {
            Rectangle::new([(low, 0.0), (high, height)], BLUE_LINE.mix(0.45).filled())
        });
        chart_right.draw_series(bars)?;
        line(
            &mut chart_right,
            curve,
            ORANGE_LINE.stroke_width(2),
            "Gaussian",
        )?;
        legend(&mut chart_right, SeriesLabelPosition::UpperRight)
    }
}
