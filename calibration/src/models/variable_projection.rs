//! Solver of a law: linear coefficients by least squares inside, nonlinear ones by damped Gauss–Newton outside
//! (variable projection, Golub and Pereyra 1973, with Kaufman's 1975 simplification).

use std::{cell::RefCell, rc::Rc};

use nalgebra::{DMatrix, DVector};

use super::law::{FORCE_OFFSET, Inputs, Law, MASS, Nonlinear, Spec};
use crate::{
    FitOptions, Loss, MovingMass, Samples,
    statistics::{
        least_squares::{self, weighted_dot},
        robust,
        tangent::Tangent,
    },
};

/// Maximum number of Gauss–Newton steps, and the relative size of a step at which iteration ends.
const STEPS: usize = 60;
const STEP_TOLERANCE: f64 = 1e-9;
/// Relative decrease of the objective at which iteration ends.
const OBJECTIVE_TOLERANCE: f64 = 1e-13;
/// Maximum number of reweighting rounds, and the relative change at which they end.
const ROUNDS: usize = 60;
const ROUND_TOLERANCE: f64 = 1e-8;

/// A fit problem.
pub(crate) struct Problem<'a> {
    /// Name of the law, for messages.
    pub(crate) model: &'static str,
    /// The law.
    pub(crate) law: &'a dyn Law,
    /// Samples.
    pub(crate) samples: &'a Samples,
    /// Options.
    pub(crate) options: &'a FitOptions,
    /// Indices of the fitted samples.
    used: Vec<usize>,
    /// Acceleration of all samples, if a mass is known or fitted.
    pub(crate) acceleration: Option<Vec<f64>>,
    /// Whether to correct the attenuation by the velocity's noise.
    attenuation: bool,
    /// Limit of a shift of the surface [m]; 0: fixed.
    pub(crate) shift_limit: f64,
    /// Cache of the latest rows with their arguments, because they are often requested again.
    last: RefCell<Option<(NonlinearPoint, Rc<System>)>>,
}

/// Nonlinear parameters, shift [m] and bias [N].
type NonlinearPoint = (Vec<f64>, f64, f64);

/// Rows at given nonlinear parameters.
pub(crate) struct System {
    /// Linear columns, `[p][n]`.
    pub(crate) columns: Vec<Vec<f64>>,
    /// Target of the regression, shape `[n]`.
    pub(crate) target: Vec<f64>,
    /// Contribution of the velocity's noise to the Gram matrix of the columns.
    pub(crate) noise: DMatrix<f64>,
    /// Column that contains the velocity, and the factor of the velocity in it; `None` if noise is not corrected.
    pub(crate) gain: Option<(usize, Vec<f64>)>,
    /// Divisor of each row, shape `[n]`; empty: none.
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

impl<'a> Problem<'a> {
    /// Creates a problem.
    pub(crate) fn new(
        model: &'static str,
        law: &'a dyn Law,
        samples: &'a Samples,
        options: &'a FitOptions,
        used: Vec<usize>,
        acceleration: Option<Vec<f64>>,
    ) -> Self {
        Self {
            model,
            law,
            samples,
            options,
            used,
            acceleration,
            attenuation: samples.velocity_noise > 0.0,
            shift_limit: 0.0,
            last: RefCell::new(None),
        }
    }

    /// The same problem with other samples of the same number.
    pub(crate) fn with_samples<'b>(&self, samples: &'b Samples) -> Problem<'b>
    where
        'a: 'b,
    {
        let mut other = Problem::new(
            self.model,
            self.law,
            samples,
            self.options,
            self.used.clone(),
            self.acceleration.clone(),
        );
        other.attenuation = self.attenuation;
        other.shift_limit = self.shift_limit;
        other
    }

    /// The same problem with every k-th sample, about `n` in total, for slopes, which do not need more.
    pub(crate) fn thinned(&self, n: usize) -> Self {
        let stride = self.used.len().div_ceil(n).max(1);
        let used = self.used.iter().copied().step_by(stride).collect();
        let acceleration = self.acceleration.clone();
        let mut thinned = Self::new(
            self.model,
            self.law,
            self.samples,
            self.options,
            used,
            acceleration,
        );
        thinned.attenuation = self.attenuation;
        thinned.shift_limit = self.shift_limit;
        thinned
    }

    /// The linear column that contains the velocity, if the law has one.
    pub(crate) fn velocity_column(&self, state: &State) -> Option<usize> {
        let inputs = Inputs {
            time: &self.samples.time,
            indentation: &self.samples.indentation,
            velocity: &self.samples.velocity,
            used: &[],
        };
        let gain = self.law.velocity_gain(&inputs, &state.nonlinear);
        gain.map(|(column, _)| column)
    }

    /// Indices of the fitted samples.
    pub(crate) fn used(&self) -> &[usize] {
        &self.used
    }

    /// Replaces the fitted samples and returns the previous ones.
    pub(crate) fn set_used(&mut self, used: Vec<usize>) -> Vec<usize> {
        self.last.take();
        std::mem::replace(&mut self.used, used)
    }

    /// Whether the attenuation by the velocity's noise is corrected.
    pub(crate) fn attenuation(&self) -> bool {
        self.attenuation
    }

    /// Sets whether the attenuation is corrected.
    pub(crate) fn set_attenuation(&mut self, attenuation: bool) {
        self.last.take();
        self.attenuation = attenuation;
    }

    /// Linear parameters in addition to the law's.
    pub(crate) fn extra_specs(&self) -> Vec<Spec> {
        let mut specs = Vec::new();
        if self.options.force_offset {
            specs.push(FORCE_OFFSET);
        }
        if self.options.mass == MovingMass::Fitted {
            specs.push(MASS);
        }
        specs
    }

    /// Rows with the surface moved by `shift` [m] and the force reduced by `bias` [N].
    pub(crate) fn system(&self, nonlinear: &[f64], shift: f64, bias: f64) -> Rc<System> {
        if let Some((place, system)) = self.last.borrow().as_ref()
            && (place.0.as_slice(), place.1, place.2) == (nonlinear, shift, bias)
        {
            return Rc::clone(system);
        }
        self.last.take();
        let system = Rc::new(self.rows(nonlinear, shift, bias));
        let place = (nonlinear.to_vec(), shift, bias);
        self.last.replace(Some((place, Rc::clone(&system))));
        system
    }

    fn rows(&self, nonlinear: &[f64], shift: f64, bias: f64) -> System {
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
                MovingMass::Known(mass) => target
                    .iter_mut()
                    .zip(of_used)
                    .for_each(|(force, value)| *force -= mass * value),
                _ => columns.push(of_used.collect()),
            }
        }
        let mut gain = if self.attenuation {
            self.law.velocity_gain(&inputs, nonlinear)
        } else {
            None
        };
        let mut divisor = Vec::new();
        if self.law.direct_form().is_some() {
            divisor = inputs.column(|r, _| r);
            for values in columns
                .iter_mut()
                .chain(std::iter::once(&mut target))
                .chain(gain.iter_mut().map(|(_, gain)| gain))
            {
                divide(values, &divisor);
            }
        }
        let mut noise = DMatrix::zeros(columns.len(), columns.len());
        if let Some((column, gain)) = &gain {
            noise[(*column, *column)] = self.noise_variance() * weighted_dot(gain, gain, None);
        }
        System {
            columns,
            target,
            noise,
            gain,
            divisor,
        }
    }

    /// Solves from `start` (nonlinear parameters), with the loss of the options.
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
        if let Some(shift) = self.surface_of_offset(&state, bias, weights) {
            return self.project(start, shift, bias, weights);
        }
        for _ in 0..STEPS {
            let system = self.system(&state.nonlinear, state.shift, bias);
            let tangent = self.tangent(&system, &state, bias);
            let residual = least_squares::residual(&system.columns, &system.target, &state.linear);
            let step = tangent.step(&residual, weights, state.linear.len());
            let small = step.iter().zip(&ranges).all(|(step, range)| {
                step.abs() < STEP_TOLERANCE * (range.range[1] - range.range[0])
            });
            if small {
                break;
            }
            let Some(next) = self.line_search(&state, &step, &ranges, bias, weights) else {
                break;
            };
            // Below the rounding error of the objective no further gain is possible.
            let gain = state.objective - next.objective;
            let settled = gain < OBJECTIVE_TOLERANCE * next.objective;
            state = next;
            if settled {
                break;
            }
        }
        state
    }

    /// The shift that is equivalent to a constant force, if the law is linear in it: f₀ = −β₁ s.
    fn surface_of_offset(&self, state: &State, bias: f64, weights: Option<&[f64]>) -> Option<f64> {
        if !self.law.linear_in_surface() || self.shift_limit <= 0.0 {
            return None;
        }
        let system = self.system(&state.nonlinear, state.shift, bias);
        let mut columns = system.columns.clone();
        columns.push(vec![1.0; self.used.len()]);
        let noise = system
            .noise
            .clone()
            .resize(columns.len(), columns.len(), 0.0);
        let linear = least_squares::solve(&columns, &system.target, weights, &noise, None);
        let shift = state.shift - linear[columns.len() - 1] / linear[0];
        Some(if shift.is_finite() {
            shift.clamp(-self.shift_limit, self.shift_limit)
        } else {
            0.0
        })
    }

    /// Halves the step until the objective decreases; `None` if it does not.
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

    /// Derivatives of prediction and velocity gain with respect to all parameters at a state.
    pub(crate) fn tangent(&self, system: &System, state: &State, bias: f64) -> Tangent {
        let mut jacobian = system.columns.clone();
        let mut gains: Vec<Option<Vec<f64>>> = vec![None; jacobian.len()];
        let mut total = Vec::new();
        if let Some((column, gain)) = &system.gain {
            total = gain
                .iter()
                .map(|gain| gain * state.linear[*column])
                .collect();
            gains[*column] = Some(gain.clone());
        }
        if self.shift_limit > 0.0 && self.law.linear_in_surface() {
            jacobian.push(vec![-state.linear[0]; self.used.len()]);
            gains.push(None);
            return Tangent {
                jacobian,
                gains,
                total,
                variance: self.noise_variance(),
            };
        }
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
                (left, system.gain.clone())
            };
            let ((above, gain_above), (below, gain_below)) = (at(1.0), at(-1.0));
            let slope = |above: &[f64], below: &[f64], factor: f64| -> Vec<f64> {
                let differences = above.iter().zip(below);
                differences
                    .map(|(above, below)| factor * (above - below) / (2.0 * step))
                    .collect()
            };
            jacobian.push(slope(&above, &below, -1.0));
            gains.push(match (gain_above, gain_below) {
                (Some((column, above)), Some((_, below))) => {
                    Some(slope(&above, &below, state.linear[column]))
                }
                _ => None,
            });
        }
        Tangent {
            jacobian,
            gains,
            total,
            variance: self.noise_variance(),
        }
    }

    fn noise_variance(&self) -> f64 {
        if self.attenuation {
            self.samples.velocity_noise.powi(2)
        } else {
            0.0
        }
    }

    /// The law's nonlinear parameters and, if free, the shift.
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

    /// All numbers: linear, nonlinear, and the shift if it is free.
    pub(crate) fn raw(&self, shift_limit: f64) -> Vec<f64> {
        let mut raw = self.linear.clone();
        raw.extend(self.free(shift_limit));
        raw
    }
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
