//! The losses of PPO (Schulman 2017, Eqs. 7 and 9) with their derivatives, per sample.

/// The clipped surrogate of one sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolicyLoss {
    /// max(−Â r, −Â clip(r, 1 − ε, 1 + ε)).
    pub loss: f32,
    /// Derivative with respect to ln π(u|s).
    pub by_log_prob: f32,
    /// r = π(u|s) / π_old(u|s).
    pub ratio: f32,
    /// ln r.
    pub log_ratio: f32,
}

/// The clipped surrogate for an advantage Â.
pub fn policy_loss(log_prob: f32, old_log_prob: f32, advantage: f32, clip_coef: f32) -> PolicyLoss {
    let log_ratio = log_prob - old_log_prob;
    let ratio = log_ratio.exp();
    let unclipped = -advantage * ratio;
    let clipped = -advantage * ratio.clamp(1.0 - clip_coef, 1.0 + clip_coef);
    // If the clipped loss is larger, it does not depend on the ratio.
    let (loss, by_log_prob) = if clipped > unclipped {
        (clipped, 0.0)
    } else {
        (unclipped, unclipped)
    };
    PolicyLoss {
        loss,
        by_log_prob,
        ratio,
        log_ratio,
    }
}

/// The loss ½ (V − R)² of one sample and its derivative with respect to V. With a clip coefficient ε it is the larger of this loss and the
/// loss of V clipped to V_old ± ε.
pub fn value_loss(value: f32, old_value: f32, return_: f32, clip_coef: Option<f32>) -> (f32, f32) {
    let error = value - return_;
    let unclipped = (0.5 * error * error, error);
    let Some(clip_coef) = clip_coef else {
        return unclipped;
    };
    let change = value - old_value;
    let clipped_error = old_value + change.clamp(-clip_coef, clip_coef) - return_;
    let clipped = 0.5 * clipped_error * clipped_error;
    if clipped > unclipped.0 {
        let is_clipped = change.abs() > clip_coef;
        return (clipped, if is_clipped { 0.0 } else { clipped_error });
    }
    unclipped
}

/// Mean and standard deviation with divisor n − 1, as PyTorch's `std`.
pub fn mean_and_std(numbers: impl ExactSizeIterator<Item = f32> + Clone) -> (f32, f32) {
    let n = numbers.len() as f64;
    let mean = numbers.clone().map(f64::from).sum::<f64>() / n;
    let squares: f64 = numbers.map(|x| (f64::from(x) - mean).powi(2)).sum();
    (mean as f32, (squares / (n - 1.0)).sqrt() as f32)
}
