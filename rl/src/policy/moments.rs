//! Running moments in files.

use crate::RlError;
use crate::normalization::RunningMoments;
use crate::tensor_file::{Tensor, TensorFile, TensorWriter};

/// Adds running moments as `<prefix>_mean`, `<prefix>_variance`, `<prefix>_count`.
pub(crate) fn add_moments(writer: &mut TensorWriter, prefix: &str, moments: &RunningMoments) {
    let n = moments.mean.len();
    let (mean, var, count) = (&moments.mean, &moments.var, [moments.count]);
    writer.add(format!("{prefix}_mean"), Tensor::f64(mean, &[n]));
    writer.add(format!("{prefix}_variance"), Tensor::f64(var, &[n]));
    writer.add(format!("{prefix}_count"), Tensor::f64(&count, &[1]));
}

/// Takes running moments of `n` columns.
pub(crate) fn take_moments(
    file: &mut TensorFile,
    prefix: &str,
    n: usize,
) -> Result<RunningMoments, RlError> {
    let moments = RunningMoments {
        mean: file.take_f64(&format!("{prefix}_mean"), &[n])?,
        var: file.take_f64(&format!("{prefix}_variance"), &[n])?,
        count: file.take_f64(&format!("{prefix}_count"), &[1])?[0],
    };
    let is_valid = moments.mean.iter().all(|x| x.is_finite())
        && moments.var.iter().all(|x| x.is_finite() && *x >= 0.0)
        && moments.count.is_finite()
        && moments.count > 0.0;
    if is_valid {
        Ok(moments)
    } else {
        Err(file.invalid(format!("has invalid moments of the {prefix}")))
    }
}
