//! Running mean and variance of vectors, updated a batch at a time (Welford 1962, doi:10.1080/00401706.1962.10490022).
//!
//! The initial state is as after 10⁻⁴ rows of mean 0 and variance 1, as in Gymnasium's `RunningMeanStd`.

/// Initial row count, so that the variance is defined.
const COUNT: f64 = 1e-4;

/// Mean and variance of each entry of the vectors seen so far.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningMoments {
    /// Mean of each entry, shape `[dim]`.
    pub mean: Vec<f64>,
    /// Population variance of each entry, shape `[dim]`.
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

    /// Adds a batch of vectors, shape `[n, dim]`, row by row.
    ///
    /// # Panics
    /// If the number of values is not a multiple of `dim`.
    pub fn update_batch<T: Copy + Into<f64>>(&mut self, batch: &[T]) {
        assert_eq!(batch.len() % self.dim().max(1), 0, "whole rows");
        // `var` holds the sum of squared deviations while rows are added.
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
    fn batches_of_any_size_give_the_direct_moments() {
        let rows = rows();
        let mut whole = RunningMoments::new(2);
        whole.update_batch(&rows);
        let mut parts = RunningMoments::new(2);
        parts.update_batch(&rows[..6]);
        parts.update_batch(&rows[6..]);
        for entry in 0..2 {
            let (mean, var) = direct(&rows, entry);
            // The 1e-4 initial rows of mean 0 shift a mean of -94 by 1e-5 of itself, and add 1e-5 of its square to the variance.
            assert!((whole.mean[entry] - mean).abs() < 1e-3);
            assert!((whole.var[entry] - var).abs() < 0.1);
            assert!((whole.var[entry] - parts.var[entry]).abs() < 1e-12 * var);
        }
    }
}
