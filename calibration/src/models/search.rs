//! Solver of a law: linear coefficients by least squares inside, nonlinear ones by damped Gauss–Newton outside
//! (variable projection, Golub and Pereyra 1973, with Kaufman's 1975 simplification).

use nalgebra::{DMatrix, DVector};

use super::law::{FORCE_OFFSET, Inputs, Law, MASS, Nonlinear, Spec};
use crate::{
    FitOptions, Loss, Mass, Samples,
    statistics::{
        least_squares::{self, weighted_dot},
        robust,
    },
};

/// Gauss–Newton steps; a step's relative size at which it ends.
const STEPS: usize = 60;
const STEP_TOLERANCE: f64 = 1e-9;
/// Rounds of reweighting, and the relative change at which they end.
const ROUNDS: usize = 60;
const ROUND_TOLERANCE: f64 = 1e-8;

/// What is fitted to what.
pub(crate) struct Problem<'a> {
    /// The law.
    pub(crate) law: &'a dyn Law,
    /// Samples.
    pub(crate) samples: &'a Samples,
    /// Options.
    pub(crate) options: &'a FitOptions,
    /// Those that are fitted.
    pub(crate) used: Vec<usize>,
    /// Acceleration of all samples, where a mass is known or fitted.
    pub(crate) acceleration: Option<Vec<f64>>,
    /// Whether to take out what the velocity's noise does.
    pub(crate) attenuation: bool,
    /// How far the surface may be moved [m]; 0: not at all.
    pub(crate) shift_limit: f64,
}

/// Rows at given nonlinear parameters.
pub(crate) struct System {
    /// Linear columns, `[p][n]`.
    pub(crate) columns: Vec<Vec<f64>>,
    /// What they explain, shape `[n]`.
    pub(crate) target: Vec<f64>,
    /// Noise of the Gram matrix.
    pub(crate) noise: DMatrix<f64>,
    /// Column with noise, and each row's share of its variance.
    pub(crate) noisy: Option<(usize, Vec<f64>)>,
    /// What a row was divided by, shape `[n]`; empty: nothing.
    pub(crate) divisor: Vec<f64>,
}

/// A solution.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Nonlinear parameters of the law.
    pub(crate) nonlinear: Vec<f64>,
    /// Shift of the surface [m].
    pub(crate) shift: f64,
    /// Linear coefficients: the law's, force offset, mass.
    pub(crate) linear: Vec<f64>,
    /// Objective.
    pub(crate) objective: f64,
    /// ψ(u)/u and dψ/du of a robust loss.
    pub(crate) robust: Option<(Vec<f64>, Vec<f64>)>,
}

impl Problem<'_> {
    /// Parameters that are linear beyond the law's.
    pub(crate) fn extra_specs(&self) -> Vec<Spec> {
        let mut specs = Vec::new();
        if self.options.force_offset {
            specs.push(FORCE_OFFSET);
        }
        if self.options.mass == Mass::Fitted {
            specs.push(MASS);
        }
        specs
    }

    /// Rows with the surface moved by `shift` [m] and the force lowered by `bias` [N].
    pub(crate) fn system(&self, nonlinear: &[f64], shift: f64, bias: f64) -> System {
        let moved: Vec<f64>;
        let indentation = if shift == 0.0 {
            &self.samples.indentation
        } else {
            moved = self.samples.indentation.iter().map(|r| r - shift).collect();
            &moved
        };
        let inputs = Inputs {
            time: &self.samples.time,
            indentation,
            velocity: &self.samples.velocity,
            used: &self.used,
        };
        let mut columns = self.law.columns(&inputs, nonlinear);
        let mut target: Vec<f64> = self
            .used
            .iter()
            .map(|&i| self.samples.force[i] - bias)
            .collect();
        if self.options.force_offset {
            columns.push(vec![1.0; self.used.len()]);
        }
        if let Some(acceleration) = &self.acceleration {
            let of_used = self.used.iter().map(|&i| acceleration[i]);
            match self.options.mass {
                Mass::Known(mass) => target
                    .iter_mut()
                    .zip(of_used)
                    .for_each(|(force, value)| *force -= mass * value),
                _ => columns.push(of_used.collect()),
            }
        }
        let variance = self.samples.velocity_noise.powi(2);
        let mut noisy = if self.attenuation && variance > 0.0 {
            self.law.velocity_gain(&inputs, nonlinear)
        } else {
            None
        };
        let mut divisor = Vec::new();
        if self.law.divided() {
            divisor = inputs.column(|r, _| r);
            for values in columns.iter_mut().chain(std::iter::once(&mut target)) {
                divide(values, &divisor);
            }
            if let Some((_, gain)) = &mut noisy {
                divide(gain, &divisor);
            }
        }
        let mut noise = DMatrix::zeros(columns.len(), columns.len());
        if let Some((column, gain)) = &mut noisy {
            for value in gain.iter_mut() {
                *value *= *value * variance;
            }
            noise[(*column, *column)] = gain.iter().sum();
        }
        System {
            columns,
            target,
            noise,
            noisy,
            divisor,
        }
    }

    /// Solves, from `start` (nonlinear parameters), with a robust loss where asked for.
    pub(crate) fn solve(&self, start: &[f64], shift: f64, bias: f64) -> State {
        let mut state = self.minimise(start, shift, bias, None);
        let stages: &[Loss] = match self.options.loss {
            Loss::LeastSquares => &[],
            Loss::Huber => &[Loss::Huber],
            Loss::Tukey => &[Loss::Huber, Loss::Tukey],
        };
        for &loss in stages {
            for _ in 0..ROUNDS {
                let system = self.system(&state.nonlinear, state.shift, bias);
                let residual =
                    least_squares::residual(&system.columns, &system.target, &state.linear);
                let scale = robust::scale(&residual);
                if scale <= 0.0 {
                    break;
                }
                let of = |function: fn(Loss, f64) -> f64| -> Vec<f64> {
                    residual.iter().map(|e| function(loss, e / scale)).collect()
                };
                let weights = of(robust::weight);
                let slopes = of(robust::slope);
                let mut next = self.minimise(&state.nonlinear, state.shift, bias, Some(&weights));
                let change = relative_change(&state.linear, &next.linear);
                next.robust = Some((weights, slopes));
                state = next;
                if change < ROUND_TOLERANCE {
                    break;
                }
            }
        }
        state
    }

    fn minimise(&self, start: &[f64], shift: f64, bias: f64, weights: Option<&[f64]>) -> State {
        let mut state = self.project(start, shift, bias, weights);
        let ranges = self.ranges();
        if ranges.is_empty() {
            return state;
        }
        for _ in 0..STEPS {
            let system = self.system(&state.nonlinear, state.shift, bias);
            let (jacobian, tilt) = self.jacobian(&system, &state, bias);
            let residual = least_squares::residual(&system.columns, &system.target, &state.linear);
            let step = gauss_newton_step(&jacobian, &residual, weights, &system, &state, &tilt);
            let Some(next) = self.line_search(&state, &step, &ranges, bias, weights) else {
                break;
            };
            let before = state.free(self.shift_limit);
            let after = next.free(self.shift_limit);
            state = next;
            let small = before
                .iter()
                .zip(&after)
                .zip(&ranges)
                .all(|((a, b), range)| {
                    (a - b).abs() < STEP_TOLERANCE * (range.range[1] - range.range[0])
                });
            if small {
                break;
            }
        }
        state
    }

    /// Halves the step until the objective falls; `None` where it does not.
    fn line_search(
        &self,
        state: &State,
        step: &[f64],
        ranges: &[Nonlinear],
        bias: f64,
        weights: Option<&[f64]>,
    ) -> Option<State> {
        let here = state.free(self.shift_limit);
        let mut length = 1.0;
        for _ in 0..12 {
            let mut there: Vec<f64> = here
                .iter()
                .zip(step)
                .zip(ranges)
                .map(|((value, step), range)| {
                    (value + length * step).clamp(range.range[0], range.range[1])
                })
                .collect();
            let shift = if self.shift_limit > 0.0 {
                there.pop().unwrap_or_default()
            } else {
                state.shift
            };
            let next = self.project(&there, shift, bias, weights);
            if next.objective < state.objective {
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }

    /// Solves for the linear coefficients.
    pub(crate) fn project(
        &self,
        nonlinear: &[f64],
        shift: f64,
        bias: f64,
        weights: Option<&[f64]>,
    ) -> State {
        let system = self.system(nonlinear, shift, bias);
        let first = match weights {
            None => self
                .law
                .ordinary_least_squares(&system.columns, &system.target),
            Some(_) => None,
        };
        let linear = least_squares::solve(
            &system.columns,
            &system.target,
            weights,
            &system.noise,
            first,
        );
        let residual = least_squares::residual(&system.columns, &system.target, &linear);
        let vector = DVector::from_column_slice(&linear);
        let objective = weighted_dot(&residual, &residual, weights)
            - (vector.transpose() * &system.noise * &vector)[(0, 0)];
        State {
            nonlinear: nonlinear.to_vec(),
            shift,
            linear,
            objective,
            robust: None,
        }
    }

    /// Columns of all parameters at a state, and half the slope of βᵀSβ along the nonlinear ones.
    pub(crate) fn jacobian(
        &self,
        system: &System,
        state: &State,
        bias: f64,
    ) -> (Vec<Vec<f64>>, Vec<f64>) {
        let mut jacobian = system.columns.clone();
        let mut tilt = vec![0.0; state.linear.len()];
        let linear = DVector::from_column_slice(&state.linear);
        for (k, range) in self.ranges().iter().enumerate() {
            let step = 1e-5 * (range.range[1] - range.range[0]);
            let at = |sign: f64| {
                let mut nonlinear = state.nonlinear.clone();
                let mut shift = state.shift;
                match nonlinear.get_mut(k) {
                    Some(value) => *value += sign * step,
                    None => shift += sign * step,
                }
                let system = self.system(&nonlinear, shift, bias);
                let left = least_squares::residual(&system.columns, &system.target, &state.linear);
                let noise = (linear.transpose() * &system.noise * &linear)[(0, 0)];
                (left, noise)
            };
            let (above, noise_above) = at(1.0);
            let (below, noise_below) = at(-1.0);
            jacobian.push(
                above
                    .iter()
                    .zip(&below)
                    .map(|(above, below)| (below - above) / (2.0 * step))
                    .collect(),
            );
            tilt.push((noise_above - noise_below) / (4.0 * step));
        }
        (jacobian, tilt)
    }

    /// The law's nonlinear parameters and, where it is free, the shift.
    pub(crate) fn ranges(&self) -> Vec<Nonlinear> {
        let mut ranges = self.law.nonlinear();
        if self.shift_limit > 0.0 {
            ranges.push(Nonlinear {
                start: 0.0,
                range: [-self.shift_limit, self.shift_limit],
            });
        }
        ranges
    }
}

impl State {
    /// The free nonlinear parameters, the shift last.
    fn free(&self, shift_limit: f64) -> Vec<f64> {
        let mut free = self.nonlinear.clone();
        if shift_limit > 0.0 {
            free.push(self.shift);
        }
        free
    }

    /// All numbers: linear, nonlinear, and the shift where it is free.
    pub(crate) fn raw(&self, shift_limit: f64) -> Vec<f64> {
        let mut raw = self.linear.clone();
        raw.extend(self.free(shift_limit));
        raw
    }
}

/// A matrix with zeros for the parameters that noise does not touch.
pub(crate) fn padded(noise: &DMatrix<f64>, p: usize) -> DMatrix<f64> {
    noise.clone().resize(p, p, 0.0)
}

fn gauss_newton_step(
    jacobian: &[Vec<f64>],
    residual: &[f64],
    weights: Option<&[f64]>,
    system: &System,
    state: &State,
    tilt: &[f64],
) -> Vec<f64> {
    let p = jacobian.len();
    let gram = least_squares::gram(jacobian, weights);
    let scale = least_squares::lengths(&gram);
    let noise = padded(&system.noise, p);
    let inverse = least_squares::scaled_inverse(&(&gram - &noise), &scale).matrix;
    let mut padded_linear = DVector::zeros(p);
    padded_linear
        .rows_mut(0, state.linear.len())
        .copy_from_slice(&state.linear);
    let score = DVector::from_iterator(
        p,
        jacobian
            .iter()
            .map(|column| weighted_dot(column, residual, weights)),
    ) + noise * padded_linear
        + DVector::from_column_slice(tilt);
    let step = inverse * score;
    step.as_slice()[state.linear.len()..].to_vec()
}

fn divide(values: &mut [f64], divisor: &[f64]) {
    for (value, divisor) in values.iter_mut().zip(divisor) {
        *value /= divisor;
    }
}

fn relative_change(before: &[f64], after: &[f64]) -> f64 {
    before
        .iter()
        .zip(after)
        .map(|(before, after)| (before - after).abs() / after.abs().max(f64::MIN_POSITIVE))
        .fold(0.0, f64::max)
}
