//! Intervals of scores over runs, by resampling.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

/// Resamples of an interval.
const N_RESAMPLES: usize = 2000;

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The value; NaN without scores.
    pub value: f64,
    /// 95 % interval; NaN if no task has two runs.
    pub ci95: [f64; 2],
}

/// A statistic of scores with its 95 % interval: percentiles of a bootstrap that draws the runs of each task with replacement (Agarwal et al.
/// 2021, section 4). The draws are the same each time.
///
/// Sets are those of the algorithms that are compared; each has the runs of each task.
pub fn bootstrap<const N: usize>(
    sets: [&[Vec<f64>]; N],
    statistic: impl Fn([&[Vec<f64>]; N]) -> f64,
) -> Spread {
    let value = statistic(sets);
    let has_runs = sets.iter().any(|set| set.iter().any(|runs| runs.len() > 1));
    if !has_runs || value.is_nan() {
        return Spread {
            value,
            ci95: [f64::NAN; 2],
        };
    }
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut found: Vec<f64> = (0..N_RESAMPLES)
        .map(|_| {
            let drawn = sets.map(|set| {
                let runs = set.iter().map(|runs| resampled(runs, &mut rng));
                runs.collect::<Vec<_>>()
            });
            statistic(std::array::from_fn(|set| drawn[set].as_slice()))
        })
        .collect();
    found.sort_by(f64::total_cmp);
    let at = |share: f64| found[(share * (N_RESAMPLES - 1) as f64).round() as usize];
    Spread {
        value,
        ci95: [at(0.025), at(0.975)],
    }
}

fn resampled(runs: &[f64], rng: &mut ChaCha8Rng) -> Vec<f64> {
    let draw = |_| runs[rng.random_range(0..runs.len())];
    (0..runs.len()).map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::interquartile_mean;

    #[test]
    fn equal_runs_have_no_spread() {
        let found = bootstrap([&[vec![0.5; 5], vec![0.5; 5]]], |[set]| {
            interquartile_mean(set)
        });
        assert_eq!((found.value, found.ci95), (0.5, [0.5; 2]));
        let single = bootstrap([&[vec![0.5]]], |[set]| interquartile_mean(set));
        assert!(single.ci95[0].is_nan());
    }

    /// Two runs per task, 0 and 1: the mean of `n` tasks is binomial over 2n draws, with the standard deviation √(1/8n).
    #[test]
    fn the_interval_of_a_mean_is_that_of_the_binomial_distribution() {
        let tasks = vec![vec![0.0, 1.0]; 50];
        let mean = |set: &[Vec<f64>]| {
            let all: Vec<f64> = set.iter().flatten().copied().collect();
            all.iter().sum::<f64>() / all.len() as f64
        };
        let found = bootstrap([&tasks], |[set]| mean(set));
        let half = 1.96 * (1.0_f64 / (8.0 * 50.0)).sqrt();
        assert_eq!(found.value, 0.5);
        for (end, sign) in found.ci95.into_iter().zip([-1.0, 1.0]) {
            assert!((end - 0.5 - sign * half).abs() < 0.015, "{found:?}");
        }
        assert_eq!(found, bootstrap([&tasks], |[set]| mean(set)));
    }
}
