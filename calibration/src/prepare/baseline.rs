//! Slow changes, modelled as a cubic in time.

/// Number of coefficients of a baseline (powers of time).
const BASELINE: usize = 4;

/// An orthonormal basis of the cubics in time, on a set of samples.
pub(super) struct Baseline(Vec<Vec<f64>>);

impl Baseline {
    pub(super) fn of(time: &[f64]) -> Self {
        let middle = 0.5 * (time[0] + time[time.len() - 1]);
        let reach = (time[time.len() - 1] - middle).max(f64::MIN_POSITIVE);
        let mut basis = Self(Vec::with_capacity(BASELINE));
        for power in 0..BASELINE {
            let mut values: Vec<f64> = time
                .iter()
                .map(|t| ((t - middle) / reach).powi(power as i32))
                .collect();
            // Two passes of orthogonalisation are enough (Kahan).
            basis.remove(&mut values);
            basis.remove(&mut values);
            let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
            if length > 1e-9 {
                for value in &mut values {
                    *value /= length;
                }
                basis.0.push(values);
            }
        }
        basis
    }

    /// Subtracts the projection on the basis from the values.
    pub(super) fn remove(&self, values: &mut [f64]) {
        for basis in &self.0 {
            let share: f64 = basis.iter().zip(&*values).map(|(b, v)| b * v).sum();
            for (value, basis) in values.iter_mut().zip(basis) {
                *value -= share * basis;
            }
        }
    }
}
