//! Smooth curves: points at equal distances, and how sharply a curve turns.
//!
//! A curve is smoothed along its arc length $s$ by a Gaussian,
//! $\tilde x(s) = \int x(s + u)\, e^{-u^2 / 2 \sigma^2} du / \sqrt{2 \pi} \sigma$, and continued beyond an end by its mirror image in that
//! end, which keeps the end. A line stays a line.

use nalgebra::Vector3;

/// Distance of the points of a smooth curve [m].
const APART: f64 = 0.001;
/// Standard deviation of the smoothing [m], and where the Gaussian ends in units of it.
const SIGMA: f64 = 0.008;
const TAIL: f64 = 4.0;

/// Length of a polygon [m].
pub(super) fn length(points: &[Vector3<f64>]) -> f64 {
    points
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).norm())
        .sum()
}

/// The smooth curve of a polygon, as points at equal distances along the polygon.
pub(super) fn smooth(points: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let even = resampled(points);
    let step = length(points) / (even.len() - 1) as f64;
    blurred(&even, step)
}

/// Vectors at equal distances along a curve [m], smoothed.
pub(super) fn blurred(even: &[Vector3<f64>], step: f64) -> Vec<Vector3<f64>> {
    let n = even.len() as isize;
    if n < 3 {
        return even.to_vec();
    }
    let reach = (TAIL * SIGMA / step).ceil() as isize;
    let (first, last) = (even[0], even[n as usize - 1]);
    let at = |k: isize| match k {
        k if k < 0 => first * 2.0 - even[(-k).min(n - 1) as usize],
        k if k >= n => last * 2.0 - even[(2 * (n - 1) - k).max(0) as usize],
        k => even[k as usize],
    };
    let weight = |k: isize| (-0.5 * (k as f64 * step / SIGMA).powi(2)).exp();
    let total: f64 = (-reach..=reach).map(weight).sum();
    let mean = |k: isize| {
        let around = (-reach..=reach).map(|i| at(k + i) * weight(i));
        around.sum::<Vector3<f64>>() / total
    };
    (0..n).map(mean).collect()
}

/// Points at equal distances along a polygon, with its ends.
fn resampled(points: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let whole = length(points);
    let n = (whole / APART).ceil().max(1.0) as usize;
    let (mut all, mut passed, mut next) = (Vec::with_capacity(n + 1), 0.0, 1);
    for k in 0..=n {
        let distance = whole * k as f64 / n as f64;
        let mut side = points[next] - points[next - 1];
        while passed + side.norm() < distance && next + 1 < points.len() {
            passed += side.norm();
            next += 1;
            side = points[next] - points[next - 1];
        }
        let share = (distance - passed) / side.norm().max(1e-12);
        all.push(points[next - 1] + side * share.clamp(0.0, 1.0));
    }
    all
}

/// The largest curvature of a smooth curve within a surface [1/m]: the turn of its direction around the normals over its length.
pub(super) fn turning(points: &[Vector3<f64>], normals: &[Vector3<f64>]) -> f64 {
    // The curve's points are nearer than the smoothing, so that a wider difference has less noise of the surface.
    let wide = (0.5 * SIGMA / APART).round().max(1.0) as usize;
    let inner = wide..points.len().saturating_sub(wide);
    let turns = inner.map(|k| {
        let [before, behind] = [points[k] - points[k - wide], points[k + wide] - points[k]];
        let normal = normals[k];
        let flat = |way: Vector3<f64>| way - normal * normal.dot(&way);
        let (a, b) = (flat(before), flat(behind));
        normal.dot(&a.cross(&b)).abs().atan2(a.dot(&b)) / (0.5 * (before.norm() + behind.norm()))
    });
    turns.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A polygon in an arc of a circle is smoothed to its own curvature, with its ends kept.
    #[test]
    fn an_arc_keeps_its_curvature_and_a_corner_becomes_round() {
        let radius = 0.1;
        let arc: Vec<_> = (0..=12)
            .map(|k| {
                let angle = f64::from(k) * 0.15;
                Vector3::new(radius * angle.cos(), radius * angle.sin(), 0.0)
            })
            .collect();
        let round = smooth(&arc);
        let normals = vec![Vector3::z(); round.len()];
        assert!((round[0] - arc[0]).norm() < 1e-9);
        assert!((round[round.len() - 1] - arc[12]).norm() < 1e-9);
        let inner = 40..round.len() - 40;
        let curvature = turning(&round[inner.clone()], &normals[inner.clone()]);
        assert!((curvature * radius - 1.0).abs() < 0.1, "{curvature}");
        for point in &round[inner] {
            // A Gaussian moves an arc inwards by σ²/2R.
            assert!((point.norm() - radius + SIGMA.powi(2) / (2.0 * radius)).abs() < 5e-4);
        }
        // Along a right-angled corner the direction is (1 − Φ, Φ) of s/σ: at its middle it turns by 2/√(2π)σ per length of the polygon, and the
        // smooth curve is shorter by √½ there. Differences over σ/2 see a little less.
        let corner = [[0.0, 0.0], [0.08, 0.0], [0.08, 0.08]].map(|[x, y]| Vector3::new(x, y, 0.0));
        let bent = smooth(&corner);
        let curvature = turning(&bent, &vec![Vector3::z(); bent.len()]);
        let sharpest = 2.0 * std::f64::consts::SQRT_2 / (std::f64::consts::TAU.sqrt() * SIGMA);
        assert!((0.93..1.0).contains(&(curvature / sharpest)), "{curvature}");
        let line = smooth(&[corner[0], corner[1]]);
        assert!(turning(&line, &vec![Vector3::z(); line.len()]) < 1e-6);
        assert!(line.iter().all(|point| point.y.abs() < 1e-12));
    }
}
