//! Mean and variance of all numbers seen so far, merged batch by batch (Chan 1979), as Gymnasium's `RunningMeanStd`.

/// Running mean and variance of each column.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningMoments {
    /// Means, shape `[n]`.
    pub mean: Vec<f64>,
    /// Variances, shape `[n]`.
    pub variance: Vec<f64>,
    /// Rows seen; 1e-4 at first, so that the start (mean 0, variance 1) weighs next to nothing.
    pub count: f64,
}

impl RunningMoments {
    /// Moments of `n` columns before any row.
    pub fn new(n: usize) -> Self {
        Self {
            mean: vec![0.0; n],
            variance: vec![1.0; n],
            count: 1e-4,
        }
    }

    /// Merges a batch of rows, shape `[n_rows, n]`.
    pub fn update<T: Copy + Into<f64>>(&mut self, rows: &[T]) {
        let n = self.mean.len();
        if n == 0 || rows.is_empty() {
            return;
        }
        let n_rows = (rows.len() / n) as f64;
        let total = self.count + n_rows;
        for column in 0..n {
            let numbers = || rows[column..].iter().step_by(n).map(|x| (*x).into());
            let batch_mean = numbers().sum::<f64>() / n_rows;
            let deviations = numbers().map(|x| (x - batch_mean) * (x - batch_mean));
            let batch_squares: f64 = deviations.sum();
            let delta = batch_mean - self.mean[column];
            let squares = self.variance[column] * self.count
                + batch_squares
                + delta * delta * self.count * n_rows / total;
            self.mean[column] += delta * n_rows / total;
            self.variance[column] = squares / total;
        }
        self.count = total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_batches_are_as_computed_by_hand() {
        let mut moments = RunningMoments::new(1);
        moments.count = 0.0;
        moments.update(&[1.0, 3.0]);
        assert_eq!((moments.mean[0], moments.variance[0]), (2.0, 1.0));
        moments.update(&[8.0]);
        // 1, 3, 8: mean 4, squares 9 + 1 + 16.
        assert_eq!(moments.mean[0], 4.0);
        assert!((moments.variance[0] - 26.0 / 3.0).abs() < 1e-12);
        assert_eq!(moments.count, 3.0);
    }

    proptest! {
        #[test]
        fn batches_give_the_moments_of_all_rows(
            rows in prop::collection::vec(prop::array::uniform3(-1e3..1e3f64), 2..40),
            split in 0usize..40,
        ) {
            let flat = rows.concat();
            let split = 3 * split.min(rows.len());
            let mut moments = RunningMoments::new(3);
            moments.count = 0.0;
            moments.update(&flat[..split]);
            moments.update(&flat[split..]);
            for column in 0..3 {
                let numbers: Vec<f64> = rows.iter().map(|row| row[column]).collect();
                let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
                let variance =
                    numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / numbers.len() as f64;
                prop_assert!((moments.mean[column] - mean).abs() < 1e-9);
                prop_assert!((moments.variance[column] - variance).abs() < 1e-7 * (1.0 + variance));
            }
        }
    }
}
