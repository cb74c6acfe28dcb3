//! Initial weights: orthogonal (Saxe 2014) for PPO, as in CleanRL and Stable-Baselines3, and uniform for SAC, as in both.

use rand::Rng;
use rand_distr::StandardNormal;

/// A random matrix of shape `[n_rows, n_columns]`, uniform among those whose rows (or columns, if there are fewer) are orthogonal with
/// length `gain`.
pub fn orthogonal(n_rows: usize, n_columns: usize, gain: f64, rng: &mut impl Rng) -> Vec<f32> {
    let (n_vectors, length) = (n_rows.min(n_columns), n_rows.max(n_columns));
    let mut vectors: Vec<Vec<f64>> = Vec::with_capacity(n_vectors);
    for _ in 0..n_vectors {
        let mut vector: Vec<f64> = (0..length).map(|_| rng.sample(StandardNormal)).collect();
        // Gram–Schmidt, twice: the second pass removes the rounding errors of the first.
        for _ in 0..2 {
            for earlier in &vectors {
                let along = dot(&vector, earlier);
                for (entry, direction) in vector.iter_mut().zip(earlier) {
                    *entry -= along * direction;
                }
            }
        }
        let norm = dot(&vector, &vector).sqrt();
        for entry in &mut vector {
            *entry /= norm;
        }
        vectors.push(vector);
    }
    let entry = |row: usize, column: usize| {
        if n_rows < n_columns {
            vectors[row][column]
        } else {
            vectors[column][row]
        }
    };
    (0..n_rows * n_columns)
        .map(|i| (gain * entry(i / n_columns, i % n_columns)) as f32)
        .collect()
}

/// `n` numbers, uniform within ±1/√`n_inputs` (LeCun 1998, doi:10.1007/3-540-49430-8_2): PyTorch's default for weights and bias.
pub fn uniform(n: usize, n_inputs: usize, rng: &mut impl Rng) -> Vec<f32> {
    let bound = 1.0 / (n_inputs as f32).sqrt();
    (0..n).map(|_| rng.random_range(-bound..bound)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn rows_or_columns_are_orthogonal_with_the_gain_as_length() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for (n_rows, n_columns) in [(5, 9), (9, 5), (64, 64), (1, 64), (64, 2)] {
            let matrix = orthogonal(n_rows, n_columns, 1.5, &mut rng);
            let at = |row: usize, column: usize| f64::from(matrix[row * n_columns + column]);
            let wide = n_rows < n_columns;
            for i in 0..n_rows.min(n_columns) {
                for j in 0..n_rows.min(n_columns) {
                    let product: f64 = if wide {
                        (0..n_columns).map(|k| at(i, k) * at(j, k)).sum()
                    } else {
                        (0..n_rows).map(|k| at(k, i) * at(k, j)).sum()
                    };
                    let expected = if i == j { 2.25 } else { 0.0 };
                    assert!(
                        (product - expected).abs() < 1e-5,
                        "{n_rows}x{n_columns}: {product}"
                    );
                }
            }
        }
    }
}
