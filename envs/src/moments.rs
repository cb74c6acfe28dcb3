//! Running mean and variance of vectors, updated a batch at a time.
//!
//! Welford 1962 (doi:10.1080/00401706.1962.10490022) for rows, Chan, Golub and LeVeque 1983 (doi:10.1080/00031305.1983.10483115, Eq. 2.1)
//! for sets; begun, as Gymnasium's `RunningMeanStd`, as if 10⁻⁴ rows of mean 0 and variance 1 had been seen.

use serde::{Deserialize, Serialize};

/// Rows that count as seen before the first, so that the variance is defined.
const COUNT: f64 = 1e-4;

/// Added to a variance before its root is divided by.
const EPSILON: f64 = 1e-8;

/// Mean and variance of each entry of the vectors seen so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunningMoments {
    /// Mean of each entry, shape `[dim]`.
    pub mean: Vec<f64>,
    /// Variance of each entry, of the population, shape `[dim]`.
    pub var: Vec<f64>,
    /// Number of vectors.
    pub count: f64,
}

impl RunningMoments {
    /// Moments of vectors of `dim` entries: mean 0, variance 1.
    pub fn new(dim: usize) -> Self {
        Self {
            mean: vec![0.0; dim],
            var: vec![1.0; dim],
            count: COUNT,
        }
    }

    /// Number of entries of a vector.
    pub fn dim(&self) -> usize {
        self.mean.len()
    }

    /// Takes in a batch of vectors, shape `[n, dim]`, row by row.
    ///
    /// # Panics
    /// For a number of values that is no multiple of `dim`.
    pub fn update_batch<T: Copy + Into<f64>>(&mut self, batch: &[T]) {
        self.check_rows(batch.len());
        // The sum of squared deviations, kept in place of the variance while rows come in.
        self.var.iter_mut().for_each(|var| *var *= self.count);
        for row in batch.chunks_exact(self.dim().max(1)) {
            self.count += 1.0;
            let share = 1.0 / self.count;
            for ((mean, squares), &value) in self.mean.iter_mut().zip(&mut self.var).zip(row) {
                let value: f64 = value.into();
                let before = value - *mean;
                *mean += before * share;
                *squares += before * (value - *mean);
            }
        }
        self.var.iter_mut().for_each(|var| *var /= self.count);
    }

    /// Takes in all that other moments have seen.
    ///
    /// # Panics
    /// For another `dim`.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.dim(), other.dim(), "moments of one kind of vector");
        let count = self.count + other.count;
        for i in 0..self.dim() {
            let delta = other.mean[i] - self.mean[i];
            let squares = self.var[i] * self.count
                + other.var[i] * other.count
                + delta * delta * self.count * other.count / count;
            self.mean[i] += delta * other.count / count;
            self.var[i] = squares / count;
        }
        self.count = count;
    }

    /// Brings vectors, shape `[n, dim]`, to mean 0 and variance 1, cut to `±clip`.
    ///
    /// # Panics
    /// For a number of values that is no multiple of `dim`.
    pub fn normalize(&self, values: &mut [f32], clip: f64) {
        self.check_rows(values.len());
        for row in values.chunks_exact_mut(self.dim().max(1)) {
            for ((value, mean), var) in row.iter_mut().zip(&self.mean).zip(&self.var) {
                let scaled = (f64::from(*value) - mean) / (var + EPSILON).sqrt();
                *value = scaled.clamp(-clip, clip) as f32;
            }
        }
    }

    fn check_rows(&self, n_values: usize) {
        assert_eq!(n_values % self.dim().max(1), 0, "whole rows");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eleven rows of two entries.
    fn rows() -> Vec<f32> {
        (0..22).map(|i| ((i * 7) % 13) as f32 - 100.0).collect()
    }

    fn direct(rows: &[f32], entry: usize) -> (f64, f64) {
        let column: Vec<f64> = rows.chunks(2).map(|row| f64::from(row[entry])).collect();
        let n = column.len() as f64;
        let mean = column.iter().sum::<f64>() / n;
        let var = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        (mean, var)
    }

    #[test]
    fn batches_of_any_size_and_merged_sets_give_the_direct_moments() {
        let rows = rows();
        let mut whole = RunningMoments::new(2);
        whole.update_batch(&rows);
        let mut parts = RunningMoments::new(2);
        parts.update_batch(&rows[..6]);
        parts.update_batch(&rows[6..]);
        let [mut first, mut second] = [RunningMoments::new(2), RunningMoments::new(2)];
        (first.count, second.count) = (0.0, 0.0);
        first.update_batch(&rows[..8]);
        second.update_batch(&rows[8..]);
        first.merge(&second);
        for entry in 0..2 {
            let (mean, var) = direct(&rows, entry);
            assert!((first.mean[entry] - mean).abs() < 1e-12);
            assert!((first.var[entry] - var).abs() < 1e-12 * var);
            // The 1e-4 rows of mean 0 pull a mean of -94 by 1e-5 of itself, and add 1e-5 of its square.
            assert!((whole.mean[entry] - mean).abs() < 1e-3);
            assert!((whole.var[entry] - var).abs() < 0.1);
            assert!((whole.var[entry] - parts.var[entry]).abs() < 1e-12 * var);
        }
        assert_eq!(first.count, 11.0);
    }

    #[test]
    fn normalized_values_have_mean_zero_and_variance_one_and_are_cut() {
        let mut moments = RunningMoments::new(2);
        moments.count = 0.0;
        let mut rows = rows();
        moments.update_batch(&rows);
        moments.normalize(&mut rows, 10.0);
        for entry in 0..2 {
            let (mean, var) = direct(&rows, entry);
            assert!(
                mean.abs() < 1e-6 && (var - 1.0).abs() < 1e-5,
                "{mean} {var}"
            );
        }
        let mut far = [1e9, -1e9];
        moments.normalize(&mut far, 10.0);
        assert_eq!(far, [10.0, -10.0]);
    }
}
