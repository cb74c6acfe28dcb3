//! The calibration curve: the measurement against the law, with the 95 % band of the fit.
//!
//! For the divided form it is the picture of the thesis (Jakobsen 2021, Fig. 4.5): f/r over ṙ/r with the fitted line k + c ṙ/r.
//! For laws with an elastic part g(r) it is the force without damping over indentation.
//! Both are component-plus-residual plots: a point is the law's value plus the residual, so that other terms, such as a force offset,
//! do
//! not blur the picture. For other laws it is the measured over the predicted force.

use insonate_calibration::{Calibration, Fit};
use insonate_drawing::{
    Area, Axis, BLUE_LINE, DrawResult, Drawing, ORANGE_LINE, band, central_range, chart, dots,
    every, legend, line, range_of,
};
use plotters::prelude::*;

/// Maximum number of points; more would hide each other.
const MAX_POINTS: usize = 1200;

/// Number of points along a fitted line.
const N_LINE: usize = 60;

/// A curve that is ready to be drawn.
pub(super) struct Curve {
    title: String,
    x_label: &'static str,
    y_label: &'static str,
    points: Vec<(f64, f64)>,
    line: Vec<(f64, f64)>,
    /// Half width of the 95 % band at each point of `line`.
    half_width: Vec<f64>,
    line_label: String,
    /// Description of the curve for the caption.
    pub(super) caption: String,
}

/// The elastic part of a law: g(r) and the relative half width of its 95 % band.
struct Elastic {
    force: Box<dyn Fn(f64) -> f64>,
    half_width: Box<dyn Fn(f64) -> f64>,
    label: String,
}

impl Curve {
    /// The curve of a calibrated log.
    pub(super) fn of(title: &str, log: &Calibration) -> Self {
        match elastic(&log.fit) {
            _ if log.fit.divided => Self::divided(title, log),
            Some(elastic) => Self::elastic(title, log, &elastic),
            None => Self::agreement(title, log),
        }
    }

    fn divided(title: &str, log: &Calibration) -> Self {
        let fit = &log.fit;
        let (k, c) = (value(fit, "stiffness"), value(fit, "damping"));
        let samples = &log.prepared.samples;
        let rate = |i: usize| samples.velocity[i] / samples.indentation[i];
        let points: Vec<_> = residuals(log)
            .map(|(i, residual)| {
                let x = rate(i);
                (x, k + c * x + residual / samples.indentation[i])
            })
            .collect();
        let along = steps(&range_of(points.iter().map(|p| p.0), 0.0));
        let covariance = |a, b| covariance(fit, a, b);
        let (kk, kc, cc) = (
            covariance("stiffness", "stiffness"),
            covariance("stiffness", "damping"),
            covariance("damping", "damping"),
        );
        let t = quantile(fit, "stiffness");
        Self {
            title: title.to_owned(),
            x_label: "indentation velocity / indentation [1/s]",
            y_label: "force / indentation [N/m]",
            line: along.iter().map(|&x| (x, k + c * x)).collect(),
            half_width: along
                .iter()
                .map(|&x| t * (kk + 2.0 * x * kc + x * x * cc).max(0.0).sqrt())
                .collect(),
            points,
            line_label: format!("k + c ṙ/r, k = {k:.1} N/m, c = {c:.2} N·s/m"),
            caption: "The calibration curve: force over indentation against velocity over indentation. \
                      Its height at zero is the stiffness, its slope the damping; the band is where the line lies with 95 %."
                .to_owned(),
        }
    }

    fn elastic(title: &str, log: &Calibration, elastic: &Elastic) -> Self {
        let samples = &log.prepared.samples;
        let shift = log.fit.contact_shift.unwrap_or(0.0);
        let depth = |i: usize| samples.indentation[i] - shift;
        let points: Vec<_> = residuals(log)
            .map(|(i, residual)| (1e3 * depth(i), (elastic.force)(depth(i)) + residual))
            .collect();
        let deepest = range_of(points.iter().map(|p| p.0), 0.0).end.max(0.0);
        let along = steps(&(0.0..deepest));
        Self {
            title: title.to_owned(),
            x_label: "indentation [mm]",
            y_label: "force without damping [N]",
            line: along
                .iter()
                .map(|&x| (x, (elastic.force)(1e-3 * x)))
                .collect(),
            half_width: along
                .iter()
                .map(|&x| (elastic.half_width)(1e-3 * x))
                .collect(),
            points,
            line_label: elastic.label.clone(),
            caption:
                "The elastic part: force without the fitted damping (and offset) over indentation. \
                      The line is the law, the band where it lies with 95 %."
                    .to_owned(),
        }
    }

    fn agreement(title: &str, log: &Calibration) -> Self {
        let samples = &log.prepared.samples;
        let pairs: Vec<_> = log
            .fit
            .used
            .iter()
            .zip(&log.fit.predicted)
            .map(|(&i, &predicted)| (predicted, samples.force[i]))
            .collect();
        let along = steps(&range_of(pairs.iter().map(|p| p.0), 0.0));
        Self {
            title: title.to_owned(),
            x_label: "predicted force [N]",
            y_label: "measured force [N]",
            points: every(pairs.len(), MAX_POINTS).map(|i| pairs[i]).collect(),
            line: along.iter().map(|&x| (x, x)).collect(),
            half_width: vec![0.0; along.len()],
            line_label: "measured = predicted".to_owned(),
            caption:
                "Measured against predicted force: a law that fits keeps its points on the line."
                    .to_owned(),
        }
    }
}

/// Index and residual force of some of the samples in the fit.
fn residuals(log: &Calibration) -> impl Iterator<Item = (usize, f64)> {
    let (used, predicted) = (&log.fit.used, &log.fit.predicted);
    let force = &log.prepared.samples.force;
    every(used.len().min(predicted.len()), MAX_POINTS)
        .map(move |at| (used[at], force[used[at]] - predicted[at]))
}

/// The elastic part of laws that have one.
fn elastic(fit: &Fit) -> Option<Elastic> {
    let exponent = fit.elastic?.exponent;
    let parameter = fit.parameter(fit.elastic?.coefficient)?;
    let symbol = parameter.title.rsplit(' ').next().unwrap_or_default();
    let (factor, error) = (
        parameter.value,
        0.5 * (parameter.ci95[1] - parameter.ci95[0]),
    );
    let power = move |depth: f64| depth.max(0.0).powf(exponent);
    let law = if exponent == 1.0 {
        format!("{symbol} r")
    } else {
        format!("{symbol} r^{}", (1e4 * exponent).round() / 1e4)
    };
    Some(Elastic {
        force: Box::new(move |depth| factor * power(depth)),
        half_width: Box::new(move |depth| error * power(depth)),
        label: format!(
            "{law}, {symbol} = {} {}",
            super::number(factor),
            parameter.unit
        ),
    })
}

fn value(fit: &Fit, name: &str) -> f64 {
    fit.parameter(name).map_or(0.0, |parameter| parameter.value)
}

/// Covariance of two parameters: the fit's correlation times the standard errors. The standard errors contain more than the fit's
/// covariance.
fn covariance(fit: &Fit, first: &str, second: &str) -> f64 {
    let error = |name: &str| fit.parameter(name).map_or(0.0, |p| p.standard_error);
    let correlation = if first == second {
        1.0
    } else {
        fit.correlation(first, second)
    };
    error(first) * error(second) * correlation
}

/// The quantile of the parameter's own interval.
fn quantile(fit: &Fit, name: &str) -> f64 {
    let own = fit
        .parameter(name)
        .map(|p| 0.5 * (p.ci95[1] - p.ci95[0]) / p.standard_error);
    own.filter(|t| t.is_finite()).unwrap_or(1.96)
}

fn steps(range: &std::ops::Range<f64>) -> Vec<f64> {
    (0..=N_LINE)
        .map(|i| range.start + (range.end - range.start) * i as f64 / N_LINE as f64)
        .collect()
}

impl Drawing for Curve {
    const SIZE: (u32, u32) = (900, 560);

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> DrawResult
    where
        B::ErrorType: 'static,
    {
        let heights: Vec<f64> = self.points.iter().map(|p| p.1).collect();
        let (cloud, fitted) = (
            central_range(&heights, 0.002, 0.06),
            range_of(self.line.iter().map(|p| p.1), 0.03),
        );
        let y = Axis {
            range: cloud.start.min(fitted.start)..cloud.end.max(fitted.end),
            label: self.y_label,
        };
        let x = Axis {
            range: range_of(self.points.iter().chain(&self.line).map(|p| p.0), 0.02),
            label: self.x_label,
        };
        let mut chart = chart(area, &self.title, &x, &y)?;
        let inside: Vec<_> = self
            .points
            .iter()
            .copied()
            .filter(|p| y.range.contains(&p.1))
            .collect();
        dots(&mut chart, &inside, BLUE_LINE, "measured")?;
        let edge = |sign: f64| -> Vec<(f64, f64)> {
            let widths = self.line.iter().zip(&self.half_width);
            widths.map(|(&(x, y), half)| (x, y + sign * half)).collect()
        };
        if self.half_width.iter().any(|&half| half > 0.0) {
            band(
                &mut chart,
                &edge(-1.0),
                &edge(1.0),
                ORANGE_LINE,
                "95 % band",
            )?;
        }
        line(
            &mut chart,
            self.line.clone(),
            ORANGE_LINE.stroke_width(2),
            &self.line_label,
        )?;
        legend(&mut chart, SeriesLabelPosition::UpperLeft)
    }
}
