//! Smoothing of weights, so that skins do not bend more sharply than the surface that they follow.

use std::collections::{BTreeMap, BTreeSet};

use super::binding::Weights;

/// Rounds of smoothing.
const ROUNDS: usize = 10;

/// Smaller weights are removed, and the others are rescaled.
const LEAST: f64 = 0.02;

/// Averages the weights of each vertex with those of its neighbours, several times. Weights from a tetrahedron change abruptly outside it.
pub(super) fn smoothed(mut weights: Vec<Weights>, triangles: &[[u32; 3]]) -> Vec<Weights> {
    let mut neighbours = vec![BTreeSet::new(); weights.len()];
    for &[a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            neighbours[from as usize].insert(to);
            neighbours[to as usize].insert(from);
        }
    }
    for _ in 0..ROUNDS {
        weights = neighbours
            .iter()
            .enumerate()
            .map(|(vertex, neighbours)| mean(vertex, neighbours, &weights))
            .collect();
    }
    weights
}

/// Half of a vertex' own weights plus half of its neighbours' mean.
fn mean(vertex: usize, neighbours: &BTreeSet<u32>, weights: &[Weights]) -> Weights {
    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
    let own = if neighbours.is_empty() { 1.0 } else { 0.5 };
    let share = 0.5 / neighbours.len().max(1) as f64;
    let all = neighbours.iter().map(|&other| (other as usize, share));
    for (from, share) in all.chain([(vertex, own)]) {
        for (bone, weight) in &weights[from] {
            *sums.entry(*bone).or_default() += share * weight;
        }
    }
    let total: f64 = sums.values().sum();
    sums.retain(|_, weight| *weight >= LEAST * total);
    let scale = total / sums.values().sum::<f64>();
    // Fixed vertices have no weights.
    let scale = if scale.is_finite() { scale } else { 0.0 };
    sums.into_iter()
        .map(|(bone, w)| (bone, w * scale))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_becomes_a_slope_and_sums_stay() {
        // A strip of triangles. Its left half follows bone 0, its right half bone 1.
        let triangles: Vec<[u32; 3]> = (0..8).map(|i| [i, i + 1, i + 2]).collect();
        let weights = (0..10).map(|i| vec![(u32::from(i >= 5), 1.0)]).collect();
        let smooth = smoothed(weights, &triangles);
        let right = |i: usize| -> f64 {
            let of_one = smooth[i].iter().filter(|(bone, _)| *bone == 1);
            of_one.map(|(_, weight)| weight).sum()
        };
        for (i, weights) in smooth.iter().enumerate() {
            let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
            assert!((total - 1.0).abs() < 1e-12, "{i}: {total}");
        }
        assert!((1..10).all(|i| right(i) >= right(i - 1)));
        assert!((1..10).all(|i| right(i) - right(i - 1) < 0.25));
    }
}
