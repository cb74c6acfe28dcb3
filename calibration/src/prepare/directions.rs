//! Directions in space: components of vectors, principal directions, angles, and statistics along a line.

use nalgebra::{Matrix3, Vector3};

/// Components of vectors along a direction.
pub(super) fn along(values: &[[f64; 3]], direction: &Vector3<f64>) -> Vec<f64> {
    values
        .iter()
        .map(|value| value[0] * direction.x + value[1] * direction.y + value[2] * direction.z)
        .collect()
}

/// Mean of vectors; 0 for none.
pub(super) fn mean<'a>(values: impl Iterator<Item = &'a [f64; 3]>) -> Vector3<f64> {
    let (mut sum, mut n) = (Vector3::zeros(), 0.0);
    for value in values {
        sum += Vector3::from(*value);
        n += 1.0;
    }
    sum / f64::max(n, 1.0)
}

/// Direction of the largest variance of vectors.
pub(super) fn principal_direction(values: &[[f64; 3]]) -> Vector3<f64> {
    principal(values.iter(), mean(values.iter()))
}

/// Unit eigenvector of the largest eigenvalue of the scatter about `centre`.
pub(super) fn principal<'a>(
    values: impl Iterator<Item = &'a [f64; 3]>,
    centre: Vector3<f64>,
) -> Vector3<f64> {
    let mut scatter = Matrix3::zeros();
    for value in values {
        let offset = Vector3::from(*value) - centre;
        scatter += offset * offset.transpose();
    }
    widest(&scatter)
}

/// Root mean square distance from the line through `centre` along `inward` [m].
pub(super) fn lateral<'a>(
    values: impl Iterator<Item = &'a [f64; 3]>,
    centre: &Vector3<f64>,
    inward: &Vector3<f64>,
) -> f64 {
    let (mut sum, mut n) = (0.0, 0.0);
    for value in values {
        let offset = Vector3::from(*value) - centre;
        sum += (offset - inward * offset.dot(inward)).norm_squared();
        n += 1.0;
    }
    (sum / f64::max(n, 1.0)).sqrt()
}

/// Standard deviation.
pub(super) fn spread(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / n;
    (values.map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt()
}

/// Pearson's correlation; 0 if one of the two is constant.
pub(super) fn correlation(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    // Welford's recurrences: one pass, no cancellation.
    let (mut n, mut mean_x, mut mean_y) = (0.0, 0.0, 0.0);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        n += 1.0;
        let (dx, dy) = (x - mean_x, y - mean_y);
        mean_x += dx / n;
        mean_y += dy / n;
        xx += dx * (x - mean_x);
        yy += dy * (y - mean_y);
        xy += dx * (y - mean_y);
    }
    if xx > 0.0 && yy > 0.0 {
        xy / (xx * yy).sqrt()
    } else {
        0.0
    }
}

/// A direction as it is reported.
pub(super) fn written(direction: &Vector3<f64>) -> String {
    format!(
        "({:.4}, {:.4}, {:.4})",
        direction.x, direction.y, direction.z
    )
}

/// Unit eigenvector of the largest eigenvalue.
pub(super) fn widest(scatter: &Matrix3<f64>) -> Vector3<f64> {
    let eigen = scatter.symmetric_eigen();
    eigen
        .eigenvectors
        .column(eigen.eigenvalues.imax())
        .into_owned()
}

/// Angle between two lines [°].
pub(super) fn degrees(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    a.dot(b).abs().clamp(0.0, 1.0).acos().to_degrees()
}
