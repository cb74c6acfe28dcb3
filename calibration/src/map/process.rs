//! A Gaussian process over positions, averaged over its hyperparameters with weights by evidence.
//!
//! ```text
//! y = μ + f(x) + δ + e,   f ~ GP(0, σ² M(d/ℓ)),   δ ~ N(0, τ²),   e ~ N(0, s²)
//! M(u) = (1 + √3 u) e^{−√3 u}                                                         Matérn 3/2
//! ln p(y | σ, ℓ, τ) = −½ rᵀ K⁻¹ r − ½ ln|K| − ½ ln(1ᵀ K⁻¹ 1) + const,   r = y − μ̂
//! ```
//!
//! μ has a flat prior. So the evidence equals the restricted likelihood, and the prediction equals ordinary kriging
//! (Cressie 1993, section 3.2; Rasmussen and Williams 2006, sections 2.7 and 5.4). τ is the standard deviation
//! between neighbouring presses. σ, ℓ and τ have log-uniform priors on a grid; a prediction is the mixture over the
//! grid, so its interval includes their uncertainty.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use statrs::distribution::{ContinuousCDF as _, Normal};

/// An observation at a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Observation {
    /// Position [m].
    pub(super) place: [f64; 3],
    /// Observed value.
    pub(super) value: f64,
    /// Standard error of the value.
    pub(super) error: f64,
}

/// Grid of σ: standard deviation of the field.
const AMPLITUDES: [f64; 9] = [0.02, 0.04, 0.08, 0.14, 0.22, 0.34, 0.5, 0.75, 1.1];
/// Number of lengths ℓ on the grid, from half of the least to twice the greatest distance between two positions.
const N_LENGTHS: usize = 14;
/// Grid of τ: standard deviation between neighbouring presses.
const SCATTERS: [f64; 5] = [0.003, 0.01, 0.03, 0.08, 0.2];
/// Grid points with less than this share of the largest evidence are omitted.
const NEGLIGIBLE: f64 = 1e-6;
/// Number of bisection steps for a quantile.
const BISECTIONS: usize = 60;

/// A point of the hyperparameter grid, ready to predict.
struct Member {
    weight: f64,
    amplitude: f64,
    length: f64,
    scatter: f64,
    factor: Cholesky<f64, Dyn>,
    /// K⁻¹ (y − μ̂).
    solved: DVector<f64>,
    /// K⁻¹ 1.
    ones: DVector<f64>,
    /// 1ᵀ K⁻¹ 1.
    precision: f64,
    mean: f64,
}

/// The process conditioned on its observations.
pub(super) struct Process {
    places: Vec<[f64; 3]>,
    members: Vec<Member>,
}

/// The field at a position: a mixture of normal distributions.
pub(super) struct Prediction {
    /// Weight, mean and standard deviation of each component.
    parts: Vec<[f64; 3]>,
}

/// Distance between two positions [m].
pub(super) fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
    squares.sum::<f64>().sqrt()
}

fn matern(distance: f64, length: f64) -> f64 {
    let u = 3_f64.sqrt() * distance / length;
    (1.0 + u) * (-u).exp()
}

impl Process {
    /// The process of observations at two or more different positions; `None` if all positions are equal.
    pub(super) fn new(observations: &[Observation]) -> Option<Self> {
        let places: Vec<[f64; 3]> = observations.iter().map(|site| site.place).collect();
        let n = places.len();
        let distances = DMatrix::from_fn(n, n, |i, j| distance(&places[i], &places[j]));
        let apart: Vec<f64> = distances.iter().copied().filter(|d| *d > 0.0).collect();
        let least = apart.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = apart.iter().copied().fold(0.0, f64::max);
        if greatest <= 0.0 {
            return None;
        }
        let values = DVector::from_iterator(n, observations.iter().map(|site| site.value));
        let errors = DVector::from_iterator(n, observations.iter().map(|site| site.error));
        let (shortest, longest) = ((0.5 * least).ln(), (2.0 * greatest).ln());
        let mut members = Vec::new();
        for step in 0..N_LENGTHS {
            let share = step as f64 / (N_LENGTHS - 1) as f64;
            let length = (shortest + share * (longest - shortest)).exp();
            let shape = distances.map(|distance| matern(distance, length));
            for amplitude in AMPLITUDES {
                for scatter in SCATTERS {
                    let covariance = DMatrix::from_fn(n, n, |i, j| {
                        let own = if i == j {
                            errors[i].powi(2) + scatter.powi(2)
                        } else {
                            0.0
                        };
                        amplitude.powi(2) * shape[(i, j)] + own
                    });
                    let hyper = [amplitude, length, scatter];
                    members.extend(Member::new(covariance, &values, hyper));
                }
            }
        }
        let best = members
            .iter()
            .map(|member| member.weight)
            .fold(f64::NEG_INFINITY, f64::max);
        members.retain_mut(|member| {
            member.weight = (member.weight - best).exp();
            member.weight > NEGLIGIBLE
        });
        let sum: f64 = members.iter().map(|member| member.weight).sum();
        for member in &mut members {
            member.weight /= sum;
        }
        Some(Self { places, members })
    }

    /// The field at a position, without the scatter of presses.
    pub(super) fn at(&self, place: &[f64; 3]) -> Prediction {
        let distances: Vec<f64> = self.places.iter().map(|own| distance(own, place)).collect();
        let parts = self.members.iter().map(|member| {
            let [mean, deviation] = member.predict(&distances);
            [member.weight, mean, deviation]
        });
        Prediction {
            parts: parts.collect(),
        }
    }

    /// Posterior means of the logarithms of the length [m], the amplitude and the scatter.
    pub(super) fn hyperparameters(&self) -> [f64; 3] {
        let mean = |of: fn(&Member) -> f64| -> f64 {
            let logs = self.members.iter();
            logs.map(|member| member.weight * of(member).ln())
                .sum::<f64>()
                .exp()
        };
        [
            mean(|member| member.length),
            mean(|member| member.amplitude),
            mean(|member| member.scatter),
        ]
    }

    /// Mean variance over `targets` after one more press with a standard error of `error` at `place`.
    pub(super) fn variance_after(&self, place: &[f64; 3], error: f64, targets: &[[f64; 3]]) -> f64 {
        let to_place: Vec<f64> = self.places.iter().map(|own| distance(own, place)).collect();
        let to_targets: Vec<Vec<f64>> = targets
            .iter()
            .map(|target| {
                self.places
                    .iter()
                    .map(|own| distance(own, target))
                    .collect()
            })
            .collect();
        let mut sum = 0.0;
        for member in &self.members {
            let here = member.variance(&to_place);
            let noise = error.powi(2) + member.scatter.powi(2);
            let solved = member.solve(&to_place);
            for (target, distances) in targets.iter().zip(&to_targets) {
                let between = member.covariance(&solved, distances, distance(place, target));
                let left = member.variance(distances) - between.powi(2) / (here + noise);
                sum += member.weight * left.max(0.0);
            }
        }
        sum / targets.len() as f64
    }
}

impl Member {
    /// A grid point with the logarithm of its evidence as weight; `None` if the covariance is not positive definite.
    fn new(
        covariance: DMatrix<f64>,
        values: &DVector<f64>,
        [amplitude, length, scatter]: [f64; 3],
    ) -> Option<Self> {
        let n = values.len();
        let factor = Cholesky::new(covariance)?;
        let ones = factor.solve(&DVector::from_element(n, 1.0));
        let precision = ones.sum();
        let mean = ones.dot(values) / precision;
        let residual = values.add_scalar(-mean);
        let solved = factor.solve(&residual);
        let half_log_determinant: f64 = factor.l_dirty().diagonal().iter().map(|x| x.ln()).sum();
        let evidence = -0.5 * residual.dot(&solved) - half_log_determinant - 0.5 * precision.ln();
        Some(Self {
            weight: evidence,
            amplitude,
            length,
            scatter,
            factor,
            solved,
            ones,
            precision,
            mean,
        })
    }

    /// Covariances of the field at these distances from the positions.
    fn row(&self, distances: &[f64]) -> DVector<f64> {
        let row = distances
            .iter()
            .map(|&distance| self.amplitude.powi(2) * matern(distance, self.length));
        DVector::from_iterator(distances.len(), row)
    }

    /// K⁻¹ k.
    fn solve(&self, distances: &[f64]) -> DVector<f64> {
        self.factor.solve(&self.row(distances))
    }

    /// Covariance of the field at two positions with the distance `apart` [m]: K⁻¹ k of one, distances from the
    /// other.
    fn covariance(&self, solved: &DVector<f64>, other: &[f64], apart: f64) -> f64 {
        let row = self.row(other);
        let prior = self.amplitude.powi(2) * matern(apart, self.length);
        let open = (1.0 - solved.sum()) * (1.0 - self.ones.dot(&row));
        prior - solved.dot(&row) + open / self.precision
    }

    fn variance(&self, distances: &[f64]) -> f64 {
        let solved = self.solve(distances);
        self.covariance(&solved, distances, 0.0).max(0.0)
    }

    /// Mean and standard deviation.
    fn predict(&self, distances: &[f64]) -> [f64; 2] {
        let mean = self.mean + self.row(distances).dot(&self.solved);
        [mean, self.variance(distances).sqrt()]
    }
}

impl Prediction {
    /// Mean of the mixture.
    pub(super) fn mean(&self) -> f64 {
        self.parts
            .iter()
            .map(|[weight, mean, _]| weight * mean)
            .sum()
    }

    /// Variance of the mixture.
    pub(super) fn variance(&self) -> f64 {
        let mean = self.mean();
        let parts = self.parts.iter();
        parts
            .map(|[weight, own, deviation]| weight * (deviation.powi(2) + (own - mean).powi(2)))
            .sum()
    }

    /// Quantile of the field; `more` is an additional standard deviation of every component.
    pub(super) fn quantile(&self, probability: f64, more: f64) -> f64 {
        let mut low = f64::INFINITY;
        let mut high = f64::NEG_INFINITY;
        let parts: Vec<[f64; 3]> = self
            .parts
            .iter()
            .map(|&[weight, mean, deviation]| [weight, mean, deviation.hypot(more).max(1e-12)])
            .collect();
        for [_, mean, deviation] in &parts {
            low = low.min(mean - 8.0 * deviation);
            high = high.max(mean + 8.0 * deviation);
        }
        let standard = Normal::standard();
        let below = |x: f64| -> f64 {
            let parts = parts.iter();
            parts
                .map(|[weight, mean, deviation]| weight * standard.cdf((x - mean) / deviation))
                .sum()
        };
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            if below(middle) < probability {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }
}
