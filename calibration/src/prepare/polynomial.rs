//! Savitzky and Golay 1964: the derivative of a polynomial fitted to the samples around each sample.
//!
//! In an evenly sampled segment this is a convolution. At its ends, and with uneven sampling, the polynomial is
//! fitted to the nearest samples of the same segment and differentiated at the sample, so polynomials up to the order
//! are always exact.

use super::time::Clock;

/// Highest order of a polynomial.
pub(super) const HIGHEST: usize = 6;
const SIZE: usize = HIGHEST + 1;

/// Smoothed value and derivative of samples in a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Smoother {
    /// Window [samples], odd.
    pub(super) window: usize,
    /// Order of the polynomial, less than the window.
    pub(super) order: usize,
}

/// Value and derivative of a polynomial at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalValue {
    pub(super) value: f64,
    pub(super) slope: f64,
}

impl Smoother {
    /// Derivative at every sample of the log; a segment shorter than the window gets a shorter window and a lower
    /// order.
    pub(super) fn derivative(self, time: &[f64], values: &[f64], clock: &Clock) -> Vec<f64> {
        let mut derivative = vec![0.0; time.len()];
        for stretch in &clock.stretches {
            let (time, values) = (&time[stretch.clone()], &values[stretch.clone()]);
            let smoother = self.fitting(time.len());
            smoother.stretch(time, values, clock.even, &mut derivative[stretch.clone()]);
        }
        derivative
    }

    /// Smoothed values whose rates of change are [`Self::derivative`], at every sample of the log.
    ///
    /// A derivative Σ dⱼ xⱼ is a weighted mean of the differences xⱼ₊₁ − xⱼ. The same weights, on the trapezia
    /// between samples, smooth other channels in the same manner. A law that is linear in them then also holds for
    /// the smoothed channels, for any length of the window.
    pub(super) fn alike(self, time: &[f64], values: &[f64], clock: &Clock) -> Vec<f64> {
        let mut means = values.to_vec();
        for stretch in &clock.stretches {
            let (time, values) = (&time[stretch.clone()], &values[stretch.clone()]);
            let smoother = self.fitting(time.len());
            if time.len() < 2 || smoother.order == 0 {
                continue;
            }
            let (n, half) = (time.len(), smoother.window / 2);
            let middle =
                (clock.even && smoother.window % 2 == 1).then(|| smoother.trapezia(time, half));
            for (index, mean) in means[stretch.clone()].iter_mut().enumerate() {
                let start = index.saturating_sub(half).min(n - smoother.window);
                let around = &values[start..start + smoother.window];
                let of =
                    |weights: &[f64]| weights.iter().zip(around).map(|(w, v)| w * v).sum::<f64>();
                *mean = match &middle {
                    Some(weights) if index == start + half => of(weights),
                    _ => of(&smoother.trapezia(time, index)),
                };
            }
        }
        means
    }

    /// Weights of [`Self::alike`] on the window around a sample.
    fn trapezia(self, time: &[f64], index: usize) -> Vec<f64> {
        let slopes = self.slopes(time, index);
        let start = index
            .saturating_sub(self.window / 2)
            .min(time.len() - self.window);
        let time = &time[start..start + self.window];
        let mut weights = vec![0.0; self.window];
        let mut sum = 0.0;
        for (j, slope) in slopes[..self.window - 1].iter().enumerate() {
            sum -= slope;
            let area = sum * (time[j + 1] - time[j]);
            weights[j] += 0.5 * area;
            weights[j + 1] += 0.5 * area;
        }
        weights
    }

    /// Weights of the derivative at a sample, on the window around it.
    fn slopes(self, time: &[f64], index: usize) -> Vec<f64> {
        let start = index
            .saturating_sub(self.window / 2)
            .min(time.len() - self.window);
        let times = &time[start..start + self.window];
        let middle = 0.5 * (times[0] + times[times.len() - 1]);
        let reach = (0.5 * (times[times.len() - 1] - times[0])).max(f64::MIN_POSITIVE);
        let size = self.order + 1;
        let mut moments = [0.0; 2 * SIZE - 1];
        for time in times {
            let mut power = 1.0;
            for moment in &mut moments[..2 * size - 1] {
                *moment += power;
                power *= (time - middle) / reach;
            }
        }
        // The derivative of Σ aₖ uᵏ at the sample: k uᵏ⁻¹.
        let u = (time[index] - middle) / reach;
        let mut right = [0.0; SIZE];
        let mut power = 1.0;
        for (degree, entry) in right[..size].iter_mut().enumerate().skip(1) {
            *entry = degree as f64 * power;
            power *= u;
        }
        let of_powers = solved(&moments, right, size);
        times
            .iter()
            .map(|time| {
                let u = (time - middle) / reach;
                let sum = of_powers[..size]
                    .iter()
                    .rev()
                    .fold(0.0, |sum, g| sum * u + g);
                sum / reach
            })
            .collect()
    }

    /// Value and derivative at one sample of the log.
    pub(super) fn near(
        self,
        time: &[f64],
        values: &[f64],
        clock: &Clock,
        index: usize,
    ) -> LocalValue {
        let stretches = &clock.stretches;
        let stretch = &stretches[stretches.partition_point(|stretch| stretch.end <= index)];
        let (time, values) = (&time[stretch.clone()], &values[stretch.clone()]);
        self.fitting(time.len())
            .at(time, values, index - stretch.start)
    }

    /// A smoother with a window and order that n samples allow.
    fn fitting(self, n: usize) -> Self {
        let window = self.window.min(n);
        Self {
            window,
            order: self.order.min(window.saturating_sub(1)),
        }
    }

    /// Derivative at every sample of one segment without gaps.
    pub(super) fn stretch(self, time: &[f64], values: &[f64], even: bool, derivative: &mut [f64]) {
        let (n, half) = (time.len(), self.window / 2);
        if n < 2 {
            return;
        }
        let inside = half..(n + half + 1).saturating_sub(self.window).max(half);
        if even && self.window % 2 == 1 {
            let interval = (time[n - 1] - time[0]) / (n - 1) as f64;
            let weights = self.weights(interval);
            for index in inside.clone() {
                let around = &values[index - half..index - half + self.window];
                derivative[index] = weights.iter().zip(around).map(|(w, v)| w * v).sum();
            }
            for index in (0..inside.start).chain(inside.end..n) {
                derivative[index] = self.at(time, values, index).slope;
            }
        } else {
            for (index, slope) in derivative.iter_mut().enumerate() {
                *slope = self.at(time, values, index).slope;
            }
        }
    }

    /// Weights of the derivative in the middle of a window of odd length.
    pub(super) fn weights(self, interval: f64) -> Vec<f64> {
        let time: Vec<f64> = (0..self.window).map(|index| index as f64).collect();
        let mut unit = vec![0.0; self.window];
        (0..self.window)
            .map(|index| {
                unit[index] = 1.0;
                let slope = self.at(&time, &unit, self.window / 2).slope / interval;
                unit[index] = 0.0;
                slope
            })
            .collect()
    }

    /// Variance of the derivative over that of the samples, times the squared interval.
    pub(super) fn noise_gain(self) -> f64 {
        self.weights(1.0).iter().map(|weight| weight * weight).sum()
    }

    /// Variance of the value in the middle of a window over that of the samples: the weight of its own sample.
    pub(super) fn value_gain(self) -> f64 {
        let time: Vec<f64> = (0..self.window).map(|index| index as f64).collect();
        let mut unit = vec![0.0; self.window];
        unit[self.window / 2] = 1.0;
        self.at(&time, &unit, self.window / 2).value
    }

    /// The polynomial of the window around a sample, evaluated at that sample.
    pub(super) fn at(self, time: &[f64], values: &[f64], index: usize) -> LocalValue {
        let start = index
            .saturating_sub(self.window / 2)
            .min(time.len() - self.window);
        let range = start..start + self.window;
        let (times, values) = (&time[range.clone()], &values[range]);
        let middle = 0.5 * (times[0] + times[times.len() - 1]);
        let reach = (0.5 * (times[times.len() - 1] - times[0])).max(f64::MIN_POSITIVE);
        // Values relative to the middle one, times in [−1, 1]: well conditioned for all orders here.
        let base = values[values.len() / 2];
        let size = self.order + 1;
        let mut moments = [0.0; 2 * SIZE - 1];
        let mut right = [0.0; SIZE];
        for (time, value) in times.iter().zip(values) {
            let u = (time - middle) / reach;
            let mut power = 1.0;
            for (degree, moment) in moments[..2 * size - 1].iter_mut().enumerate() {
                *moment += power;
                if degree < size {
                    right[degree] += power * (value - base);
                }
                power *= u;
            }
        }
        let coefficients = solved(&moments, right, size);
        let u = (time[index] - middle) / reach;
        let (mut value, mut slope) = (0.0, 0.0);
        for coefficient in coefficients[..size].iter().rev() {
            slope = slope * u + value;
            value = value * u + coefficient;
        }
        LocalValue {
            value: value + base,
            slope: slope / reach,
        }
    }
}

/// Solves the normal equations Σⱼ m_{i+j} xⱼ = bᵢ by Cholesky's L D Lᵀ.
fn solved(moments: &[f64; 2 * SIZE - 1], mut right: [f64; SIZE], size: usize) -> [f64; SIZE] {
    let mut lower = [[0.0; SIZE]; SIZE];
    let mut diagonal = [0.0; SIZE];
    for row in 0..size {
        for column in 0..row {
            let mut sum = moments[row + column];
            for inner in 0..column {
                sum -= lower[row][inner] * lower[column][inner] * diagonal[inner];
            }
            lower[row][column] = sum / diagonal[column];
        }
        let mut sum = moments[2 * row];
        for inner in 0..row {
            sum -= lower[row][inner] * lower[row][inner] * diagonal[inner];
        }
        diagonal[row] = sum;
        for inner in 0..row {
            right[row] -= lower[row][inner] * right[inner];
        }
    }
    for row in (0..size).rev() {
        right[row] /= diagonal[row];
        for below in row + 1..size {
            right[row] -= lower[below][row] * right[below];
        }
    }
    right
}
