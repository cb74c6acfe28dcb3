//! A law with a latency of the force as an additional parameter.
//!
//! ```text
//! f(t) = Σ βⱼ φⱼ(r(t − L), ṙ(t − L))
//! ```
//!
//! To first order a latency L reduces the damping by k L. Only the part of the acceleration that depth and velocity
//! do not explain separates the two: presses at one frequency, or at one speed, leave them undetermined.

use std::cell::RefCell;

use super::{
    kind::ModelKind,
    law::{Inputs, Law, Nonlinear, Spec},
    solver,
};
use crate::{CalibrationError, ContactPoint, Fit, FitOptions, Parameter, Samples};

/// The command-line option that requests it.
pub(super) const OPTION: &str = "--force-latency fit";

/// Range of latencies [s]; a negative value means that the position is late.
const RANGE: [f64; 2] = [-0.03, 0.08];
/// Number of searches, with evenly spaced starts, because there are local minima.
const STARTS: usize = 23;
/// A latency with a larger standard error is undetermined [s].
const LARGEST_ERROR: f64 = 0.01;
/// Share of the largest indentation above which samples are fitted: a press begins and ends near the surface, which a
/// latency moves.
const SHALLOW: f64 = 0.25;
/// Samples further apart than this number of intervals belong to different segments.
const GAP: f64 = 5.0;
/// Maximum number of fitted samples.
const ROWS: usize = 20_000;

const LATENCY: Spec = Spec {
    name: "force_latency",
    title: "force latency L",
    unit: "s",
    positive: false,
    advice: "press at several speeds and frequencies, or give the latency: --force-latency S",
};

/// A law fitted together with a latency.
pub(crate) struct LatencyFit {
    /// The law's parameters and the latency.
    pub(crate) fit: Fit,
    /// The fitted samples: deep ones, with the force smoothed like depth and velocity at shifted times.
    pub(crate) samples: Samples,
}

/// The samples of a late fit, with depth and velocity taken from `samples` earlier by a latency [s].
pub(crate) fn delayed(inner: &Samples, samples: &Samples, latency: f64) -> Samples {
    let time: Vec<f64> = inner.time.iter().map(|time| time - latency).collect();
    let series = [&samples.indentation[..], &samples.velocity];
    let [indentation, velocity] = smoothed(samples, series, &time);
    Samples {
        indentation,
        velocity,
        ..inner.clone()
    }
}

impl LatencyFit {
    /// The latency [s], if the samples determine it.
    pub(crate) fn latency(&self) -> Option<&Parameter> {
        let latency = self.fit.parameter(LATENCY.name);
        latency.filter(|latency| latency.identifiable)
    }
}

impl ModelKind {
    /// Whether the law can be fitted with a latency: a spring parallel to a damper.
    pub(crate) fn finds_latency(&self) -> bool {
        self.options.contains(&OPTION)
    }

    /// Latency of the force relative to the position [s].
    ///
    /// # Errors
    /// [`CalibrationError::Option`] for laws without a damper, [`CalibrationError::Fit`] if the samples do not
    /// determine the latency.
    pub(crate) fn fit_latency(
        &self,
        samples: &Samples,
        options: &FitOptions,
    ) -> Result<Parameter, CalibrationError> {
        let late = self.fit_with_latency(samples, options, ROWS)?;
        late.latency().cloned().ok_or_else(|| CalibrationError::Fit {
            log: samples.log.clone(),
            model: self.name,
            problem: format!(
                "the log does not tell how late the force is ({}): give it in s with --force-latency, and its standard error with --force-latency-error",
                late.fit
                    .parameter(LATENCY.name)
                    .map_or("", |latency| latency.reason.as_str())
            ),
        })
    }

    /// Fits the law to at most `rows` samples, with a latency and a constant force, which absorbs the effect of the
    /// latency on surface and preload.
    ///
    /// # Errors
    /// [`CalibrationError::Option`] for laws without a damper, [`CalibrationError::Fit`] for samples that do not
    /// allow a fit.
    pub(crate) fn fit_with_latency(
        &self,
        samples: &Samples,
        options: &FitOptions,
        rows: usize,
    ) -> Result<LatencyFit, CalibrationError> {
        let law = (self.law)(samples, options)?;
        let law: &dyn Law = law.direct_form().unwrap_or(&*law);
        if !self.finds_latency() || !law.nonlinear().is_empty() {
            return Err(CalibrationError::option(
                "--force-latency",
                format!(
                    "fit finds it with {} and set exponents, not with {}: give it in s instead",
                    super::names_with(ModelKind::finds_latency),
                    self.name
                ),
            ));
        }
        let options = FitOptions {
            force_offset: true,
            n_bootstrap: 0,
            indenter: None,
            ..options.clone()
        };
        let late = DelayedLaw {
            law,
            samples,
            last: RefCell::default(),
        };
        let inner = inner(samples, rows);
        let fit = solver::solve(self.name, &late, &inner, &options)?.fit();
        Ok(LatencyFit {
            fit,
            samples: inner,
        })
    }
}

/// Selects at most `rows` deep samples whose neighbours at all tested latencies were recorded, and smooths the force.
fn inner(samples: &Samples, rows: usize) -> Samples {
    let deep = SHALLOW * samples.indentation.iter().copied().fold(0.0, f64::max);
    let n = samples.len();
    let broken =
        |i: &usize| samples.time[*i] - samples.time[i - 1] > GAP * samples.sampling_interval;
    let mut cuts = vec![0];
    cuts.extend((1..n).filter(broken));
    cuts.push(n);
    let reach = REACH * samples.sampling_interval;
    let kept: Vec<usize> = cuts
        .windows(2)
        .flat_map(|run| {
            let (first, last) = (samples.time[run[0]], samples.time[run[1] - 1]);
            let inside = first + RANGE[1] + reach..=last + RANGE[0] - reach;
            (run[0]..run[1]).filter(move |&i| inside.contains(&samples.time[i]))
        })
        .filter(|&i| samples.indentation[i] > deep)
        .collect();
    let stride = kept.len().div_ceil(rows).max(1);
    let kept: Vec<usize> = kept.into_iter().step_by(stride).collect();
    let pick = |values: &[f64]| -> Vec<f64> { kept.iter().map(|&i| values[i]).collect() };
    let time = pick(&samples.time);
    let [force] = smoothed(samples, [&samples.force], &time);
    Samples {
        log: samples.log.clone(),
        indentation: pick(&samples.indentation),
        velocity: pick(&samples.velocity),
        force,
        time,
        velocity_noise: samples.velocity_noise * (SQUARE / REACH).sqrt(),
        smoothing: samples.smoothing.max(2 * REACH as usize),
        contact: ContactPoint::KNOWN,
        latency_standard_error: 0.0,
        longest_latency: 0.0,
        bias_standard_error: 0.0,
        presses: Vec::new(),
        changes: Vec::new(),
        sampling_interval: samples.sampling_interval * stride as f64,
        ..*samples
    }
}

/// Radius of the smoothing kernel (1 − u²)³ in sampling intervals, and the integral of its square if its own integral
/// is 1. Linear interpolation would remove more noise the closer a point is to the middle between samples, and so
/// bias latencies towards it.
const REACH: f64 = 5.0;
const SQUARE: f64 = 350.0 / 429.0;

/// Series of the samples at other, increasing times by local linear regression, with the same weights for all series
/// and times.
fn smoothed<const N: usize>(samples: &Samples, series: [&[f64]; N], at: &[f64]) -> [Vec<f64>; N] {
    let (time, interval) = (&samples.time, samples.sampling_interval);
    let mut first = 0;
    let mut smoothed = [(); N].map(|()| Vec::with_capacity(at.len()));
    for &wanted in at {
        first = advance(time, first, |time| time < wanted - REACH * interval);
        let end = advance(time, first, |time| time <= wanted + REACH * interval);
        first = first.min(time.len() - 1);
        let (mut sum, mut lever, mut inertia) = (0.0, 0.0, 0.0);
        let mut values = [[0.0; 2]; N];
        for i in first..end.max(first + 1) {
            let offset = (time[i] - wanted) / interval;
            let weight = (1.0 - (offset / REACH).powi(2)).max(0.0).powi(3);
            sum += weight;
            lever += weight * offset;
            inertia += weight * offset * offset;
            for (value, series) in values.iter_mut().zip(&series) {
                value[0] += weight * series[i];
                value[1] += weight * offset * series[i];
            }
        }
        let determinant = sum * inertia - lever * lever;
        for (out, [value, moment]) in smoothed.iter_mut().zip(values) {
            out.push((inertia * value - lever * moment) / determinant);
        }
    }
    smoothed
}

/// The first index from `from` on for which `is_before` does not hold. The cost grows with the logarithm of the distance.
fn advance(time: &[f64], from: usize, is_before: impl Fn(f64) -> bool) -> usize {
    let mut reach = 1;
    while time.get(from + reach).is_some_and(|time| is_before(*time)) {
        reach *= 2;
    }
    let end = (from + reach + 1).min(time.len());
    from + time[from..end].partition_point(|time| is_before(*time))
}

/// The law with a latency in addition to its own parameters.
struct DelayedLaw<'a> {
    law: &'a dyn Law,
    /// All samples, for depth and velocity at other times.
    samples: &'a Samples,
    /// The times of the last evaluation, with depth and velocity there: columns and gain are evaluated in turn.
    last: RefCell<(Vec<f64>, [Vec<f64>; 2])>,
}

impl DelayedLaw<'_> {
    /// Evaluates a function of the law's inputs for depth and velocity at earlier times.
    fn earlier<T>(&self, inputs: &Inputs, latency: f64, of: impl Fn(&Inputs) -> T) -> T {
        let time: Vec<f64> = inputs
            .used
            .iter()
            .map(|&i| inputs.time[i] - latency)
            .collect();
        let used: Vec<usize> = (0..time.len()).collect();
        let mut last = self.last.borrow_mut();
        if last.0 != time {
            let series = [&self.samples.indentation[..], &self.samples.velocity];
            *last = (time.clone(), smoothed(self.samples, series, &time));
        }
        let [indentation, velocity] = &last.1;
        of(&Inputs {
            time: &time,
            indentation,
            velocity,
            used: &used,
        })
    }
}

impl Law for DelayedLaw<'_> {
    fn columns(&self, inputs: &Inputs, nonlinear: &[f64]) -> Vec<Vec<f64>> {
        self.earlier(inputs, nonlinear[0], |inputs| self.law.columns(inputs, &[]))
    }

    fn velocity_gain(&self, inputs: &Inputs, nonlinear: &[f64]) -> Option<(usize, Vec<f64>)> {
        self.earlier(inputs, nonlinear[0], |inputs| {
            self.law.velocity_gain(inputs, &[])
        })
    }

    fn nonlinear(&self) -> Vec<Nonlinear> {
        vec![Nonlinear {
            start: 0.0,
            range: RANGE,
        }]
    }

    fn starts(&self) -> Vec<Vec<f64>> {
        let step = (RANGE[1] - RANGE[0]) / STARTS as f64;
        (0..STARTS)
            .map(|start| vec![RANGE[0] + (start as f64 + 0.5) * step])
            .collect()
    }

    fn objections(&self, values: &[f64], standard_errors: &[f64]) -> Vec<Option<String>> {
        let last = self.law.specs().len();
        let mut objections = vec![None; values.len()];
        let (latency, error) = (values[last], standard_errors[last]);
        if latency <= RANGE[0] || latency >= RANGE[1] {
            objections[last] = Some(format!("it ran to {:.0} ms", 1e3 * latency));
        } else if error > LARGEST_ERROR {
            objections[last] = Some(format!("its standard error is {:.0} ms", 1e3 * error));
        }
        objections
    }

    fn specs(&self) -> Vec<Spec> {
        let mut specs = self.law.specs();
        specs.push(LATENCY);
        specs
    }

    fn report(&self, linear: &[f64], nonlinear: &[f64]) -> Vec<f64> {
        let mut values = self.law.report(linear, &[]);
        values.extend(nonlinear);
        values
    }
}
