//! Moving-block bootstrap (Künsch 1989): blocks of neighbouring rows are drawn with replacement, which preserves
//! correlation.
//!
//! A replicate solves the drawn estimating equations with one Gauss–Newton step from the estimate, which is exact for
//! linear models: θ* = θ + (Σ* A)⁻¹ Σ* ψ. Block sums are computed once, so a replicate costs O(n / block).

use nalgebra::{DMatrix, DVector};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::inference::Equations;

/// Options of the bootstrap.
pub(crate) struct Draws<'a> {
    /// Number of replicates.
    pub(crate) n: usize,
    /// Seed.
    pub(crate) seed: u64,
    /// Number of rows of a block.
    pub(crate) block: usize,
    /// d(reported)/d(estimated), shape `[q, p]`.
    pub(crate) slopes: &'a DMatrix<f64>,
    /// A number estimated earlier from the same rows: each row's influence on it, and its effect on the reported
    /// numbers.
    pub(crate) beforehand: Option<(&'a [f64], &'a [f64])>,
    /// Change of the reported numbers per standard error of each uncertain number (bias, contact).
    pub(crate) uncertain: &'a [Vec<f64>],
}

/// Replicates of the errors of the reported numbers, each of shape `[q]`; replicates with a singular draw are left
/// out.
pub(crate) fn replicates(equations: &Equations, draws: &Draws) -> Vec<Vec<f64>> {
    let p = equations.tangent.jacobian.len();
    let n = equations.residual.len();
    let block = draws.block.clamp(1, n.max(1));
    let cumulative = cumulative(equations, draws.beforehand.map(|(influence, _)| influence));
    let width = p + p * p + 1;
    let mut rng = ChaCha8Rng::seed_from_u64(draws.seed);
    let mut replicates = Vec::with_capacity(draws.n.min(1 << 20));
    for _ in 0..draws.n {
        let mut sum = vec![0.0; width];
        let mut left = n;
        while left > 0 {
            let length = block.min(left);
            let start = rng.random_range(0..=n - length);
            for (k, total) in sum.iter_mut().enumerate() {
                *total += cumulative[(start + length) * width + k] - cumulative[start * width + k];
            }
            left -= length;
        }
        let score = DVector::from_column_slice(&sum[..p]);
        let bread = DMatrix::from_row_slice(p, p, &sum[p..p + p * p]);
        let Some(change) = bread.lu().solve(&score) else {
            continue;
        };
        let mut change = draws.slopes * change;
        if let Some((_, effect)) = draws.beforehand {
            change += sum[width - 1] * DVector::from_column_slice(effect);
        }
        for uncertain in draws.uncertain {
            let draw: f64 = StandardNormal.sample(&mut rng);
            change += draw * DVector::from_column_slice(uncertain);
        }
        replicates.push(change.as_slice().to_vec());
    }
    replicates
}

/// Cumulative sums of ψ (p numbers), A (p²) and the earlier influence (1), before each row;
/// shape `[n + 1, p + p² + 1]`.
fn cumulative(equations: &Equations, beforehand: Option<&[f64]>) -> Vec<f64> {
    let p = equations.tangent.jacobian.len();
    let n = equations.residual.len();
    let width = p + p * p + 1;
    let mut sums = vec![0.0; (n + 1) * width];
    for i in 0..n {
        let (before, after) = sums.split_at_mut((i + 1) * width);
        let before = &before[i * width..];
        let weight = equations.weights.map_or(1.0, |weights| weights[i]);
        let slope = equations.slopes.map_or(1.0, |slopes| slopes[i]);
        let gain = |j: usize| {
            equations.tangent.gains[j]
                .as_ref()
                .map_or(0.0, |gain| gain[i])
        };
        let variance = equations.tangent.variance;
        let total = equations.tangent.total.get(i).copied().unwrap_or_default();
        after[width - 1] = before[width - 1] + beforehand.map_or(0.0, |influence| influence[i]);
        for j in 0..p {
            let entry = equations.tangent.jacobian[j][i];
            after[j] =
                before[j] + entry * weight * equations.residual[i] + variance * gain(j) * total;
            for k in 0..p {
                after[p + j * p + k] = before[p + j * p + k]
                    + slope * entry * equations.tangent.jacobian[k][i]
                    - variance * gain(j) * gain(k);
            }
        }
    }
    sums
}

/// The central 95 % of the values.
pub(crate) fn interval(mut values: Vec<f64>) -> Option<[f64; 2]> {
    if values.len() < 20 {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * (values.len() - 1) as f64;
        let low = place.floor() as usize;
        let high = (low + 1).min(values.len() - 1);
        values[low] + (values[high] - values[low]) * (place - low as f64)
    };
    Some([at(0.025), at(0.975)])
}
