//! Observations with running mean 0 and standard deviation 1, as Gymnasium's `NormalizeObservation`, then clipped.

use super::RunningMoments;

/// Added to variances to avoid a division by zero for constant entries.
const EPSILON: f64 = 1e-8;

/// `(x − mean) / √(variance + ε)`, clipped to ±`clip`.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservationNormalizer {
    moments: RunningMoments,
    clip: f32,
    /// 1 / √(variance + ε), shape `[n_obs]`.
    scales: Vec<f64>,
}

impl ObservationNormalizer {
    /// Creates a normaliser with these moments.
    pub fn new(moments: RunningMoments, clip: f64) -> Self {
        let mut normalizer = Self {
            scales: vec![0.0; moments.mean.len()],
            moments,
            clip: clip as f32,
        };
        normalizer.find_scales();
        normalizer
    }

    /// Moments of the observations seen so far.
    pub fn moments(&self) -> &RunningMoments {
        &self.moments
    }

    /// Scale factors of centred observations, 1 / √(variance + ε); shape `[n_obs]`.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// Clipping range.
    pub fn clip(&self) -> f64 {
        f64::from(self.clip)
    }

    /// Updates the moments with observations, shape `[n_rows, n_obs]`.
    pub fn update(&mut self, observations: &[f32]) {
        self.moments.update_batch(observations);
        self.find_scales();
    }

    /// Writes normalised observations, shape `[n_rows, n_obs]`; NaN stays NaN.
    pub fn normalize(&self, observations: &[f32], normalized: &mut [f32]) {
        let n_obs = self.scales.len();
        let rows = observations.chunks_exact(n_obs);
        for (row, normalized) in rows.zip(normalized.chunks_exact_mut(n_obs)) {
            let moments = self.moments.mean.iter().zip(&self.scales);
            for ((x, y), (mean, scale)) in row.iter().zip(normalized).zip(moments) {
                let centered = ((f64::from(*x) - mean) * scale) as f32;
                *y = centered.clamp(-self.clip, self.clip);
            }
        }
    }

    fn find_scales(&mut self) {
        for (scale, variance) in self.scales.iter_mut().zip(&self.moments.var) {
            *scale = 1.0 / (variance + EPSILON).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_are_centred_scaled_and_cut() {
        let moments = RunningMoments {
            mean: vec![1.0, 0.0],
            var: vec![4.0, 0.0],
            count: 10.0,
        };
        let normalizer = ObservationNormalizer::new(moments, 10.0);
        let mut normalized = [0.0; 4];
        normalizer.normalize(&[2.0, 1.0, f32::NAN, -1e-4], &mut normalized);
        assert!((normalized[0] - 0.5).abs() < 1e-6);
        assert_eq!(normalized[1], 10.0);
        assert!(normalized[2].is_nan());
        assert!((normalized[3] + 1.0).abs() < 1e-6);
    }
}
