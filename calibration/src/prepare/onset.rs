//! The undeformed surface: the depth at which force begins, as its posterior mean.
//!
//! The force around first contact is f = b + Σ aᵢ φᵢ(x) with x = max(d − d₀, 0) and one of several families φ.
//! Tissues differ in how the force begins, and a wrong family shifts d₀ by many standard errors:
//!
//! | family | φ₁ | φ₂ |
//! |---|---|---|
//! | Kelvin–Voigt | x | ẋ |
//! | Hunt–Crossley | x^{3/2} | √x ẋ |
//! | standard linear solid, for each of several τ | x | g with ġ = ẋ − g/τ |
//! | foam, for each of several n | xⁿ | xⁿ⁻¹ ẋ |
//!
//! Families and depths d₀ are weighted by their marginal likelihood, with b and a integrated out (Bernardo and Smith
//! 1994, §5.4), a over positive values only: p ∝ |XᵀX|^{−1/2} Πᵢ Φ(aᵢ/sᵢ) exp(−RSS/2σ²), with the standard errors s,
//! and σ² from the residuals of the best fit, inflated for their lag-one correlation. The posterior mean is also
//! unbiased if the force jumps (damping), when the surface is known only to lie between two samples.

use nalgebra::{Matrix3, Vector3};

use super::{
    contact::{HALF, RoughContact},
    findings::Findings,
    noise::running_mean,
    polynomial::Smoother,
    time::Clock,
    track::{SampleRange, Track},
};
use crate::{CalibrationError, ContactPoint};

/// Number of depths in the first and in the second pass.
const DEPTHS: [usize; 2] = [61, 121];
/// Number of depths for screening a law.
const FEW_DEPTHS: usize = 25;
/// Log-likelihood distance from the best family above which a family is dropped; the first pass misses a peak by
/// less.
const MIN_LOG_LIKELIHOOD_RATIO: f64 = 30.0;
/// Maximum number of samples of air and of press.
const MOST: usize = 2000;
/// Minimum number of samples in contact for a law.
const FEWEST: usize = 30;
/// Smoother of the depth around contact.
const SMOOTHER: Smoother = Smoother {
    window: 11,
    order: 3,
};
/// Grid of relaxation times [s].
const RELAXATION_TIMES: [f64; 12] = [
    0.06, 0.08, 0.1, 0.13, 0.17, 0.22, 0.28, 0.36, 0.46, 0.6, 0.8, 1.2,
];
/// Grid of exponents: with cells that settle, skin that folds and a face that is not flush, the force begins more
/// slowly than with a sphere.
const EXPONENTS: [f64; 18] = [
    1.1, 1.2, 1.3, 1.4, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.85, 3.0,
];
/// Allowed exponents. The grid about the likely ones is refined with `N_REFINED` exponents, down to the step `FINEST`,
/// until `N_LIKELY` of them are likely enough to describe the uncertainty of the exponent.
const ALLOWED: [f64; 2] = [1.05, 3.5];
const N_LIKELY: usize = 9;
const N_REFINED: usize = 14;
const FINEST: f64 = 1e-3;
/// Exponents for the detection of foam, and the gain of log-likelihood that it requires.
const SCREENED: [f64; 6] = [1.2, 1.3, 1.7, 2.0, 2.4, 2.8];
const EVIDENCE: f64 = 10.0;
/// On a ramp a damper (xⁿ⁻¹ ẋ) is equivalent to a shift of the surface (d xⁿ/dx). So the prior moves the surface of
/// foam by about the width of its posterior: the ratio of actual to stated errors is 1.0 to 2.0 in
/// `examples/onset.rs`.
const FOAM_UNCERTAINTY: f64 = 1.7;
/// Surfaces from the beginning of a press and from the whole press contradict each other beyond this number of
/// standard errors.
const CONTRADICTION: f64 = 5.0;
/// Share of the force up to which the surface is estimated again: the result differs if the law that fits the whole
/// press does not hold.
const EARLY: f64 = 0.3;

/// Maximum travel between two samples near contact, as a share of the travel examined.
const LONGEST_STEP: f64 = 0.1;

/// Depth of the surface and its uncertainty.
pub(super) fn found(
    track: &Track,
    velocity: &[f64],
    position_noise: f64,
    rough: &RoughContact,
    clock: &Clock,
    findings: &mut Findings,
) -> Result<(f64, ContactPoint), CalibrationError> {
    let early = OnsetWindow::of(track, velocity, rough, clock);
    if early.force.len() - early.n_air < 5 {
        return Err(findings.refuse(
            "contact is passed in fewer than 5 samples; press more slowly, or give --surface",
        ));
    }
    // Smoothing over several samples must not smear the press.
    let near = rough.onset.saturating_sub(HALF)..(rough.onset + HALF).min(track.depth.len());
    let steps = track.depth[near].windows(2);
    let step = steps.fold(0.0, |most: f64, pair| most.max(pair[1] - pair[0]));
    let press = early.depth.iter().copied().fold(f64::MIN, f64::max) - early.depth[0];
    if step > LONGEST_STEP * press {
        return Err(findings.refuse(format!(
            "the probe meets the tissue at {:.1} mm from sample to sample, of {:.1} mm in all: press more slowly, or give --surface",
            1e3 * step,
            1e3 * press
        )));
    }
    let first = early.depth[early.n_air];
    let reach = (track.depth[rough.sure] - first)
        .max(early.depth[early.depth.len() - 1] / 1e3 - first / 1e3);
    let begin = (first - reach).max(early.depth[0]);
    let end = first + 0.5 * reach;
    let mut wide = early.posterior(&Family::all(), begin, end, DEPTHS[0]);
    // Foam is used only if no other law fits: its exponent would blur the surface of the others.
    let screened = early.posterior(&SCREENED.map(Family::Foam), begin, end, FEW_DEPTHS);
    let is_foam = wide.residual - screened.residual > 2.0 * EVIDENCE * screened.variance;
    if is_foam {
        wide = early.foam(begin, end);
    }
    let [low, high] = wide.support;
    let mut fine = early.posterior(&wide.likely, low - wide.step, high + wide.step, DEPTHS[1]);
    if is_foam {
        fine.deviation *= FOAM_UNCERTAINTY;
    }
    // A law that holds for the whole press places the surface of its beginning at the same depth.
    let families = if is_foam {
        &wide.likely
    } else {
        &Family::all()
    };
    if let Some(start) = early.first(EARLY) {
        let end = start.depth[start.depth.len() - 1];
        let other = start.posterior(families, begin, end, FEW_DEPTHS);
        let apart = (other.mean - fine.mean).abs();
        if apart > CONTRADICTION * other.deviation.hypot(fine.deviation) {
            fine.deviation = fine.deviation.hypot(apart);
            findings.note(format!(
                "the beginning of the press puts the surface {:.3} mm from where all of it does: the law of its force is none known here, and the surface's error was widened",
                1e3 * apart
            ));
        }
    }
    // The surface cannot be known better than the position at the moment of contact.
    fine.deviation = fine
        .deviation
        .max(position_noise * SMOOTHER.value_gain().sqrt());
    findings.choose(
        "contact onset",
        format!(
            "{:.3} ± {:.3} mm along the axis",
            1e3 * fine.mean,
            1e3 * fine.deviation
        ),
        format!(
            "change point of the early force over several laws; {} fits best",
            fine.family
        ),
    );
    Ok((
        fine.mean,
        ContactPoint {
            known: false,
            standard_error: fine.deviation,
        },
    ))
}

/// The samples around first contact.
struct OnsetWindow {
    time: Vec<f64>,
    /// Smoothed, so that noise of the position does not blur small x.
    depth: Vec<f64>,
    velocity: Vec<f64>,
    force: Vec<f64>,
    n_air: usize,
    /// Cumulative sums of force and of its square, relative to the first sample, before each sample.
    sums: Vec<[f64; 2]>,
}

struct Posterior {
    mean: f64,
    deviation: f64,
    step: f64,
    /// Range of depths for which some family is not dropped.
    support: [f64; 2],
    family: &'static str,
    /// Families that are not dropped.
    likely: Vec<Family>,
    /// Sum of squared residuals of the best fit [N²], and the variance of one residual.
    residual: f64,
    variance: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum Family {
    KelvinVoigt,
    HuntCrossley,
    Solid(f64),
    Foam(f64),
}

impl Family {
    fn all() -> Vec<Self> {
        let mut families = vec![Self::KelvinVoigt, Self::HuntCrossley];
        families.extend(RELAXATION_TIMES.map(Self::Solid));
        families
    }

    fn name(self) -> &'static str {
        match self {
            Self::KelvinVoigt => "Kelvin–Voigt",
            Self::HuntCrossley => "Hunt–Crossley",
            Self::Solid(_) => "the standard linear solid",
            Self::Foam(_) => "foam",
        }
    }
}

impl OnsetWindow {
    fn of(track: &Track, velocity: &[f64], rough: &RoughContact, clock: &Clock) -> Self {
        let start = rough.onset.saturating_sub(MOST);
        // While the press continues at more than half its speed.
        let limit = (rough.onset + MOST).min(track.time.len());
        let smooth = running_mean(&velocity[rough.onset..limit], HALF);
        let sure = (rough.sure - rough.onset).min(smooth.len() - 1);
        let speed = smooth[..=sure]
            .iter()
            .fold(0.0, |most: f64, v| most.max(*v));
        let slow = smooth[sure..].iter().position(|v| *v < 0.5 * speed);
        let end = slow.map_or(limit, |after| {
            (rough.onset + sure + after).max(rough.onset + 6).min(limit)
        });
        let range = SampleRange { start, end };
        let depth = (start..end)
            .map(|index| SMOOTHER.near(&track.time, &track.depth, clock, index).value)
            .collect();
        let force = track.force[range.start..range.end].to_vec();
        let mut sums = vec![[0.0; 2]];
        let mut sum = [0.0; 2];
        for value in &force {
            let value = value - force[0];
            sum = [sum[0] + value, sum[1] + value * value];
            sums.push(sum);
        }
        Self {
            time: track.time[range.start..range.end].to_vec(),
            depth,
            velocity: velocity[range.start..range.end].to_vec(),
            force,
            n_air: rough.onset - start,
            sums,
        }
    }

    /// The samples until the force has risen by a share; `None` if too few are in contact.
    fn first(&self, share: f64) -> Option<Self> {
        let smooth = running_mean(&self.force, HALF);
        let air = smooth[..self.n_air].iter().sum::<f64>() / self.n_air.max(1) as f64;
        let most = smooth.iter().copied().fold(f64::MIN, f64::max);
        let end = smooth
            .iter()
            .position(|force| force - air > share * (most - air))?;
        (end > self.n_air + FEWEST && end < self.force.len()).then(|| Self {
            time: self.time[..end].to_vec(),
            depth: self.depth[..end].to_vec(),
            velocity: self.velocity[..end].to_vec(),
            force: self.force[..end].to_vec(),
            n_air: self.n_air,
            sums: self.sums[..=end].to_vec(),
        })
    }

    /// The posterior of foam: the grid of exponents is refined until enough of them are likely to describe their
    /// uncertainty.
    fn foam(&self, low: f64, high: f64) -> Posterior {
        let mut exponents = EXPONENTS.to_vec();
        loop {
            let families: Vec<Family> = exponents.iter().copied().map(Family::Foam).collect();
            let found = self.posterior(&families, low, high, DEPTHS[0]);
            let gap = |pair: &[f64]| pair[1] - pair[0];
            let step = exponents.windows(2).map(gap).fold(f64::MAX, f64::min);
            if found.likely.len() >= N_LIKELY || step < FINEST {
                return found;
            }
            let likely = |exponent: &&f64| found.likely.contains(&Family::Foam(**exponent));
            let first = exponents.iter().find(likely).copied();
            let last = exponents.iter().rev().find(likely).copied();
            let (Some(first), Some(last)) = (first, last) else {
                return found;
            };
            let from = (first - step).max(ALLOWED[0]);
            let width = (last + step).min(ALLOWED[1]) - from;
            let share = |i: usize| i as f64 / (N_REFINED - 1) as f64;
            exponents = (0..N_REFINED).map(|i| from + width * share(i)).collect();
        }
    }

    fn posterior(&self, families: &[Family], low: f64, high: f64, n_depths: usize) -> Posterior {
        let step = (high - low) / (n_depths - 1) as f64;
        let depths: Vec<f64> = (0..n_depths).map(|i| low + step * i as f64).collect();
        let mut tried = Vec::with_capacity(families.len() * n_depths);
        for &family in families {
            // The prior of the coefficients is flat in the force that each contributes at the end: columns have one
            // scale per family.
            let middle = self.basis(family, 0.5 * (low + high), 0);
            let unit = [0, 1].map(|column| {
                let largest = middle
                    .iter()
                    .fold(0.0, |most: f64, b| most.max(b[column].abs()));
                1.0 / largest.max(f64::MIN_POSITIVE)
            });
            for &depth in &depths {
                if let Some(fit) = self.fit(family, depth, unit) {
                    // Each tissue law counts once, regardless of its number of relaxation times.
                    let prior = match family {
                        Family::Solid(_) => 1.0 / RELAXATION_TIMES.len() as f64,
                        Family::Foam(_) => 1.0 / EXPONENTS.len() as f64,
                        _ => 1.0_f64,
                    };
                    tried.push((family, depth, fit, prior.ln()));
                }
            }
        }
        let natural = |fit: &Fit| fit.coefficients[1] >= 0.0 && fit.coefficients[2] >= 0.0;
        let best = tried
            .iter()
            .min_by(|a, b| {
                let unnatural = natural(&b.2).cmp(&natural(&a.2));
                unnatural.then(a.2.residual.total_cmp(&b.2.residual))
            })
            .expect("a law can be fitted to any surface inside the samples");
        let variance = self.variance(best.0, best.1, &best.2);
        let score = |fit: &Fit, prior: f64| {
            let positive: f64 = fit
                .scores
                .iter()
                .map(|score| ln_normal(score / variance.sqrt()))
                .sum();
            prior - 0.5 * fit.log_determinant - 0.5 * fit.residual / variance + positive
        };
        let highest = tried
            .iter()
            .fold(f64::MIN, |most, entry| most.max(score(&entry.2, entry.3)));
        let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
        let mut support = [f64::MAX, f64::MIN];
        for (_, depth, fit, prior) in &tried {
            let score = score(fit, *prior);
            let weight = (score - highest).exp();
            if score > highest - 0.5 * MIN_LOG_LIKELIHOOD_RATIO {
                support = [support[0].min(*depth), support[1].max(*depth)];
            }
            sum += weight;
            first += weight * (depth - low);
            second += weight * (depth - low).powi(2);
        }
        let mean = first / sum;
        let hopeful = |family: &Family| {
            let tried = tried.iter().filter(|entry| entry.0 == *family);
            let best = tried.fold(f64::MIN, |most, entry| most.max(score(&entry.2, entry.3)));
            best > highest - MIN_LOG_LIKELIHOOD_RATIO
        };
        Posterior {
            mean: low + mean,
            // A grid cannot be more precise than its step.
            deviation: (second / sum - mean * mean).max(step * step / 12.0).sqrt(),
            step,
            support,
            family: best.0.name(),
            residual: best.2.residual,
            variance,
            likely: families.iter().copied().filter(hopeful).collect(),
        }
    }

    /// φ₁ and φ₂ of each sample from `first` on.
    fn basis(&self, family: Family, surface: f64, first: usize) -> Vec<[f64; 2]> {
        let mut memory = 0.0;
        let mut last: Option<(f64, f64)> = None;
        let mut basis = Vec::with_capacity(self.depth.len() - first);
        for index in first..self.depth.len() {
            let x = self.depth[index] - surface;
            if x <= 0.0 {
                last = None;
                memory = 0.0;
                basis.push([0.0; 2]);
                continue;
            }
            let velocity = self.velocity[index];
            basis.push(match family {
                Family::KelvinVoigt => [x, velocity],
                Family::HuntCrossley => [x * x.sqrt(), x.sqrt() * velocity],
                Family::Foam(n) => {
                    let power = x.powf(n);
                    [power, power / x * velocity]
                }
                Family::Solid(tau) => {
                    // Exact for constant speed since the last sample, or since the surface was crossed.
                    let (before, elapsed) = last.map_or_else(
                        || (0.0, (x / velocity.max(f64::MIN_POSITIVE)).min(tau)),
                        |(x, time)| (x, self.time[index] - time),
                    );
                    let decay = (-elapsed / tau).exp();
                    let rate = (x - before) / elapsed.max(f64::MIN_POSITIVE);
                    memory = memory * decay + rate * tau * (1.0 - decay);
                    [x, memory]
                }
            });
            last = Some((x, self.time[index]));
        }
        basis
    }

    /// Least squares; `None` if the samples do not separate the columns.
    fn fit(&self, family: Family, surface: f64, unit: [f64; 2]) -> Option<Fit> {
        // Samples before the first one below the surface contribute to the constant only.
        let first = self.depth.iter().position(|depth| *depth > surface)?;
        let [sum, mut square] = self.sums[first];
        let mut normal = Matrix3::zeros();
        normal[(0, 0)] = first as f64;
        let mut right = Vector3::new(sum, 0.0, 0.0);
        let base = self.force[0];
        let basis = self.basis(family, surface, first);
        for (force, basis) in self.force[first..].iter().zip(&basis) {
            let force = force - base;
            let row = Vector3::new(1.0, basis[0] * unit[0], basis[1] * unit[1]);
            normal += row * row.transpose();
            right += row * force;
            square += force * force;
        }
        let factor = normal.cholesky()?;
        let solution = factor.solve(&right);
        let inverse = factor.inverse();
        Some(Fit {
            residual: (square - solution.dot(&right)).max(0.0),
            log_determinant: 2.0 * factor.l_dirty().diagonal().map(f64::ln).sum(),
            coefficients: [
                solution.x + base,
                solution.y * unit[0],
                solution.z * unit[1],
            ],
            scores: [
                solution.y / inverse[(1, 1)].sqrt(),
                solution.z / inverse[(2, 2)].sqrt(),
            ],
        })
    }

    /// Variance of a residual, inflated by (1 + ρ)/(1 − ρ) for positive correlation ρ of neighbours.
    fn variance(&self, family: Family, surface: f64, fit: &Fit) -> f64 {
        let basis = self.basis(family, surface, 0);
        let [bias, first, second] = fit.coefficients;
        let residuals: Vec<f64> = self
            .force
            .iter()
            .zip(&basis)
            .map(|(force, basis)| force - bias - first * basis[0] - second * basis[1])
            .collect();
        let power: f64 = residuals.iter().map(|r| r * r).sum();
        let pairs = residuals.iter().zip(&residuals[1..]);
        let neighbours = pairs.map(|(a, b)| a * b).sum::<f64>() / power.max(f64::MIN_POSITIVE);
        // Correlation at the chance level of white noise is ignored.
        let chance = 2.0 / (residuals.len() as f64).sqrt();
        let correlation = if neighbours > chance {
            neighbours.min(0.95)
        } else {
            0.0
        };
        let freedom = (residuals.len() as f64 - 4.0).max(1.0);
        let range = self.force[self.force.len() - 1] - bias;
        (power / freedom * (1.0 + correlation) / (1.0 - correlation))
            .max((1e-9 * range).powi(2))
            .max(f64::MIN_POSITIVE)
    }
}

struct Fit {
    /// Sum of squared residuals [N²].
    residual: f64,
    /// ln |XᵀX| with scaled columns.
    log_determinant: f64,
    /// b [N], a₁, a₂.
    coefficients: [f64; 3],
    /// a₁ and a₂ over their standard errors for σ = 1 N.
    scores: [f64; 2],
}

/// ln Φ(z) of the standard normal distribution, to 1e-7 (Abramowitz and Stegun 1964, 7.1.26).
fn ln_normal(z: f64) -> f64 {
    let x = z.abs() * std::f64::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let tail = 0.5
        * t
        * (0.254_829_592
            + t * (-0.284_496_736
                + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    if z < 0.0 {
        tail.ln() - x * x
    } else {
        (-tail * (-x * x).exp()).ln_1p()
    }
}
