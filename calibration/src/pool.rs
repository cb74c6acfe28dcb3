//! Pooling of several sites: mean, spread, ratio, and ranges for domain randomisation.
//!
//! Over n sites with mean x̄ and standard deviation s (with n - 1), and t the 97.5 % quantile of Student's t with n - 1 degrees:
//!
//! * interval of the mean: x̄ ± t s/√n. If it reaches zero although every site is positive, the lower end comes from
//!   the logarithm of the mean by the delta method, x̄ exp(−t s/(√n x̄));
//! * prediction interval of a new site: x̄ ± t s √(1 + 1/n). If it reaches zero although every site is positive, the
//!   lower end comes from the logarithms and is positive;
//! * ratio k̄/c̄ with Fieller's interval (Fieller 1954, J. R. Stat. Soc. B 16, 175–185): the ρ with
//!   (k̄ - ρ c̄)² ≤ t² (V_kk - 2 ρ V_kc + ρ² V_cc), V being the covariance of the means.
//!   Unlike the delta method it keeps its coverage if c̄ is uncertain, and then has an infinite end.
//!
//! An error that sites share ([`SharedError`](crate::SharedError): latency, bias, surface, misfit of the law) moves
//! all of them in the same direction, so the spread over the sites does not contain it. Each such error adds 1.96
//! times the change of the mean per standard error to these intervals, in quadrature, and to V. The effect of the
//! misfit on a site is noisy; the variance of its mean over the sites is subtracted from the square of that mean.
//! The effect of a power of the depth that is not 1 (`curvature.rs`) is also noisy; the variance of its mean is added,
//! because the mean may differ from the effect by its noise.
//!
//! A single site has no spread: its intervals are those of the fit, V is the fit's covariance, and t is the quantile
//! of its own interval.

use statrs::distribution::{ContinuousCDF as _, StudentsT};

use crate::{Fit, Parameter, curvature, fit::GAUSSIAN_95, misfit};

/// Mean and spread over the sites.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PooledParameter {
    /// Mean.
    pub mean: f64,
    /// Standard deviation over sites, with n - 1; 0 for one site.
    pub sd: f64,
    /// Minimum and maximum.
    pub range: [f64; 2],
    /// 95 % interval of the mean, from Student's t with n - 1 degrees of freedom; above 0 if all sites are. For one
    /// site, the interval of the fit.
    pub ci95: [f64; 2],
    /// 95 % prediction interval of a new site, clipped above 0; domain randomisation samples from it. For one site,
    /// the interval of the fit: the spread between sites is unknown.
    pub randomisation: [f64; 2],
}

/// Stiffness over damping [1/s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StiffnessDampingRatio {
    /// Mean stiffness over mean damping.
    pub value: f64,
    /// 95 % interval; an end is infinite if the damping may be zero.
    pub ci95: [f64; 2],
}

/// The pooled softness of several sites.
#[derive(Clone, Debug, PartialEq)]
pub struct Pooled {
    /// Number of sites.
    pub n_sites: usize,
    /// Each parameter that every site identifies, in the order of the first site.
    pub parameters: Vec<(&'static str, PooledParameter)>,
    /// Stiffness over damping, if both are pooled.
    pub ratio: Option<StiffnessDampingRatio>,
}

impl Pooled {
    /// The spread of the parameter called `name`.
    pub fn parameter(&self, name: &str) -> Option<&PooledParameter> {
        self.parameters
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, spread)| spread)
    }
}

/// Pools the fits of several sites, which must use the same model.
pub fn pool(fits: &[&Fit]) -> Pooled {
    let first = fits.first().map_or(&[][..], |fit| &fit.parameters);
    let parameters: Vec<_> = first
        .iter()
        .filter_map(|parameter| {
            let sites = column(fits, parameter.name)?;
            let common = GAUSSIAN_95 * root_of_squares(&shared_changes(fits, parameter.name));
            Some((parameter.name, spread(&sites, common)))
        })
        .collect();
    Pooled {
        n_sites: fits.len(),
        parameters,
        ratio: ratio(fits),
    }
}

/// The parameter called `name` of every fit, if all fits identify it.
fn column<'a>(fits: &[&'a Fit], name: &str) -> Option<Vec<&'a Parameter>> {
    fits.iter()
        .map(|fit| {
            fit.parameter(name)
                .filter(|parameter| parameter.identifiable && parameter.value.is_finite())
        })
        .collect()
}

/// Causes of the shared errors, in order of first occurrence.
fn causes(fits: &[&Fit]) -> Vec<&'static str> {
    let mut causes = Vec::new();
    for error in fits.iter().flat_map(|fit| &fit.shared) {
        if !causes.contains(&error.cause) {
            causes.push(error.cause);
        }
    }
    causes
}

/// Change of the mean over the sites per standard error of each cause, in the order of [`causes`].
pub(crate) fn shared_changes(fits: &[&Fit], name: &str) -> Vec<f64> {
    let mean = |cause: &'static str| {
        let change = |fit: &&Fit| {
            let index = fit.parameters.iter().position(|own| own.name == name)?;
            let error = fit.shared.iter().find(|error| error.cause == cause)?;
            error.change.get(index).copied()
        };
        let changes: Vec<f64> = fits.iter().map(|fit| change(fit).unwrap_or(0.0)).collect();
        let (mean, sd) = mean_and_sd(&changes);
        let noise = sd * sd / fits.len() as f64;
        match cause {
            // The square of a mean is biased by the variance of that mean.
            misfit::CAUSE => mean.signum() * (mean * mean - noise).max(0.0).sqrt(),
            // The true change may differ from the mean by its noise.
            curvature::CAUSE => mean.signum() * (mean * mean + noise).sqrt(),
            _ => mean,
        }
    };
    causes(fits).into_iter().map(mean).collect()
}

fn root_of_squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// Pools a parameter; `common` is the half width of the shared errors.
fn spread(sites: &[&Parameter], common: f64) -> PooledParameter {
    let values: Vec<f64> = sites.iter().map(|site| site.value).collect();
    let range = [
        values.iter().copied().fold(f64::INFINITY, f64::min),
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    ];
    if let [only] = sites {
        let error = (only.value - only.ci95[0]) / only.value;
        return PooledParameter {
            mean: only.value,
            sd: 0.0,
            range,
            ci95: only.ci95,
            randomisation: above_zero(only.ci95, range, only.value.ln(), error),
        };
    }
    let n = values.len() as f64;
    let (mean, sd) = mean_and_sd(&values);
    let t = t_quantile(n - 1.0);
    let around = |half: f64| [mean - half, mean + half];
    let half = (t * sd / n.sqrt()).hypot(common);
    let widening = t * (1.0 + 1.0 / n).sqrt();
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let (log_mean, log_sd) = mean_and_sd(&logs);
    PooledParameter {
        mean,
        sd,
        range,
        ci95: above_zero(around(half), range, mean.ln(), half / mean),
        randomisation: above_zero(
            around((widening * sd).hypot(common)),
            range,
            log_mean,
            (widening * log_sd).hypot(common / mean),
        ),
    }
}

/// An interval whose lower end stays above zero if all values are positive; the end is then computed from the
/// logarithms.
fn above_zero(interval: [f64; 2], range: [f64; 2], log_mean: f64, log_half: f64) -> [f64; 2] {
    let [low, high] = interval;
    if low <= 0.0 && range[0] > 0.0 {
        [(log_mean - log_half).exp(), high]
    } else {
        interval
    }
}

/// Stiffness over damping with Fieller's interval.
fn ratio(fits: &[&Fit]) -> Option<StiffnessDampingRatio> {
    let stiffness = column(fits, "stiffness").filter(|column| !column.is_empty())?;
    let damping = column(fits, "damping")?;
    let values =
        |column: &[&Parameter]| -> Vec<f64> { column.iter().map(|site| site.value).collect() };
    let (k, c) = (values(&stiffness), values(&damping));
    let ((k_mean, k_sd), (c_mean, c_sd)) = (mean_and_sd(&k), mean_and_sd(&c));
    let n = k.len() as f64;
    let (t, kk, kc, cc) = if let ([k], [c], [fit]) = (&stiffness[..], &damping[..], fits) {
        let half = 0.5 * (c.ci95[1] - c.ci95[0]);
        let t = half / c.standard_error;
        let (k_error, c_error) = (k.standard_error, c.standard_error);
        let product = fit.correlation("stiffness", "damping") * k_error * c_error;
        (t, k_error.powi(2), product, c_error.powi(2))
    } else {
        let products = k.iter().zip(&c).map(|(k, c)| (k - k_mean) * (c - c_mean));
        let kc = products.sum::<f64>() / (n - 1.0) / n;
        let t = t_quantile(n - 1.0);
        let scale = (GAUSSIAN_95 / t).powi(2);
        let common = |name: &str| shared_changes(fits, name);
        let (k_common, c_common) = (common("stiffness"), common("damping"));
        let product =
            |a: &[f64], b: &[f64]| scale * a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        (
            t,
            k_sd.powi(2) / n + product(&k_common, &k_common),
            kc + product(&k_common, &c_common),
            c_sd.powi(2) / n + product(&c_common, &c_common),
        )
    };
    Some(StiffnessDampingRatio {
        value: k_mean / c_mean,
        ci95: fieller(k_mean, c_mean, t * t * kk, t * t * kc, t * t * cc),
    })
    .filter(|ratio| ratio.value.is_finite())
}

/// The ρ with (k - ρ c)² ≤ kk - 2 ρ kc + ρ² cc; an end is infinite if this interval is unbounded.
fn fieller(k: f64, c: f64, kk: f64, kc: f64, cc: f64) -> [f64; 2] {
    // (c² - cc) ρ² - 2 (k c - kc) ρ + (k² - kk) ≤ 0
    let (square, half, constant) = (c * c - cc, k * c - kc, k * k - kk);
    let discriminant = half * half - square * constant;
    if !discriminant.is_finite() || discriminant < 0.0 || square == 0.0 {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    let root = discriminant.sqrt();
    let ends = [(half - root) / square, (half + root) / square];
    if square > 0.0 {
        return ends;
    }
    // The damping may be zero: the solution is everything outside the two roots. The estimate tells on which side.
    let (lower, upper) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    if k / c >= upper {
        [upper, f64::INFINITY]
    } else {
        [f64::NEG_INFINITY, lower]
    }
}

/// Mean and standard deviation with n - 1; 0 for one value.
fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let sd = if values.len() > 1 {
        (squares / (n - 1.0)).sqrt()
    } else {
        0.0
    };
    (mean, sd)
}

/// The 97.5 % quantile of Student's t.
fn t_quantile(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975))
}
