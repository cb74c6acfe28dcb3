//! Input and output of a fit; the models are in [`crate::models`].

use std::collections::BTreeMap;

/// Half-width of a 95 % interval of a Gaussian, in standard deviations.
pub(crate) const GAUSSIAN_95: f64 = 1.96;

/// Options of a fit. The defaults are the same as on the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// Fit a constant force f₀ [N] as well.
    pub force_offset: bool,
    /// Loss.
    pub loss: Loss,
    /// The moving mass m of f = … + m r̈.
    pub mass: MovingMass,
    /// Exponents n and m of Hunt–Crossley; `None`: fitted.
    pub exponents: Option<[f64; 2]>,
    /// Leave out samples with less indentation [m]; `None`: the model chooses and reports the value.
    pub min_indentation: Option<f64>,
    /// If the contact point is estimated, let models in direct form re-estimate it with their own law.
    pub contact_point: bool,
    /// The indenter tip, if Young's modulus is wanted.
    pub indenter: Option<Indenter>,
    /// Poisson's ratio of the tissue.
    pub poisson_ratio: f64,
    /// Number of bootstrap replicates; 0: none.
    pub n_bootstrap: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            force_offset: false,
            loss: Loss::default(),
            mass: MovingMass::default(),
            exponents: Some([1.5, 0.5]),
            min_indentation: None,
            contact_point: true,
            indenter: None,
            poisson_ratio: 0.5,
            n_bootstrap: 0,
            seed: 0,
        }
    }
}

/// Loss function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loss {
    /// Sum of squares.
    #[default]
    LeastSquares,
    /// Huber 1964 with c = 1.345 robust standard deviations.
    Huber,
    /// Tukey's biweight with c = 4.685, started from Huber's.
    Tukey,
}

/// The mass that moves with the probe's face, whose inertia the force sensor reads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MovingMass {
    /// No moving mass: the sensor sits at the face, or the press is slow.
    #[default]
    Unknown,
    /// Given [kg].
    Known(f64),
    /// Fitted from the acceleration.
    Fitted,
}

/// The indenter tip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Indenter {
    /// A sphere of this radius [m]: Hertz.
    Sphere(f64),
    /// A flat cylinder of this radius [m].
    FlatPunch(f64),
}

/// A fitted parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name, such as `stiffness`, `damping`, `kappa`, `lambda`, `force_offset`, `mass`, `relaxation_time`,
    /// `young_modulus`.
    pub name: &'static str,
    /// Title for reports, with the symbol last: `stiffness k`.
    pub title: &'static str,
    /// Unit, such as `N/m`; empty for a dimensionless number.
    pub unit: &'static str,
    /// Value in SI units. Meaningless if not identifiable.
    pub value: f64,
    /// Standard error, robust to heteroscedastic and correlated residuals; includes the uncertainty of bias and
    /// contact point.
    pub standard_error: f64,
    /// 95 % confidence interval.
    pub ci95: [f64; 2],
    /// 95 % interval of the block bootstrap, if requested.
    pub bootstrap95: Option<[f64; 2]>,
    /// Whether the data determine it. A given number (a known mass, a set exponent) is not listed as a parameter.
    pub identifiable: bool,
    /// Why it is not identifiable, in words; empty if it is.
    pub reason: String,
}

/// Goodness of fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitStatistics {
    /// Samples used.
    pub n: usize,
    /// Coefficient of determination of the regressed quantity: f/r for the divided form, f for the others.
    pub r_squared: f64,
    /// Root mean square of measured minus predicted force [N].
    pub rmse_n: f64,
    /// Akaike's information criterion of the force residuals, computed with the effective number of independent
    /// samples.
    pub aic: f64,
    /// Schwarz' criterion, computed in the same way.
    pub bic: f64,
    /// Effective number of independent samples, from the residuals' autocorrelation.
    pub n_effective: f64,
    /// Condition number of the column-scaled regression matrix.
    pub condition_number: f64,
    /// Durbin–Watson statistic of the force residuals: 2 without correlation, 0 with full positive correlation.
    pub durbin_watson: f64,
    /// p-values by test name: `ljung_box` (correlation), `breusch_pagan` (heteroscedasticity), `jarque_bera`
    /// (non-Gaussian shape), `reset` (curvature).
    pub p_values: BTreeMap<&'static str, f64>,
}

/// The elastic part of a law: a fitted coefficient times a power of the indentation, β rⁿ [N].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticTerm {
    /// Name of the coefficient β among the fitted parameters.
    pub coefficient: &'static str,
    /// Exponent n.
    pub exponent: f64,
}

impl ElasticTerm {
    /// The term β rⁿ with the coefficient of this name.
    pub fn new(coefficient: &'static str, exponent: f64) -> Self {
        Self {
            coefficient,
            exponent,
        }
    }
}

/// An error that moves the parameters of all logs in the same direction.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedError {
    /// Cause, such as `latency`.
    pub cause: &'static str,
    /// Change of each parameter per standard error, shape `[n_parameters]`.
    pub change: Vec<f64>,
}

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Name in the registry.
    pub model: &'static str,
    /// Whether force over indentation was regressed instead of the force: f/r on ṙ/r.
    pub divided: bool,
    /// The elastic part, if the law has one.
    pub elastic: Option<ElasticTerm>,
    /// Parameters in the order of the model's equation.
    pub parameters: Vec<Parameter>,
    /// Covariance of the parameters, row by row, shape `[n_parameters, n_parameters]`.
    pub covariance: Vec<f64>,
    /// Errors that logs with the same sensors, preparation and law share. The scatter over sites does not contain
    /// them.
    pub shared: Vec<SharedError>,
    /// Goodness of fit.
    pub statistics: FitStatistics,
    /// Indices of the samples used, increasing.
    pub used: Vec<usize>,
    /// Predicted force of each sample used [N].
    pub predicted: Vec<f64>,
    /// Contact point of the model relative to the zero of the samples [m]; `None` if it used the samples' zero.
    pub contact_shift: Option<f64>,
    /// Notes on the fit, in words.
    pub notes: Vec<String>,
}

impl Fit {
    /// The parameter called `name`.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters
            .iter()
            .find(|parameter| parameter.name == name)
    }

    /// Widens the intervals so that another fit, which may be the right one, is one standard error away; `because`
    /// names the cause.
    pub(crate) fn widen(&mut self, other: &Fit, because: &'static str) {
        let difference = |ours: &Parameter| {
            let theirs = other.parameter(ours.name);
            theirs.map_or(0.0, |theirs| theirs.value - ours.value)
        };
        let changes: Vec<f64> = self.parameters.iter().map(difference).collect();
        self.add_error(because, changes);
    }

    /// Adds an error to covariance and intervals. `changes` is the change of each parameter per standard error; sites
    /// share it.
    pub(crate) fn add_error(&mut self, because: &'static str, changes: Vec<f64>) {
        let n = changes.len();
        for (index, value) in self.covariance.iter_mut().enumerate() {
            *value += changes[index / n] * changes[index % n];
        }
        for (parameter, change) in self.parameters.iter_mut().zip(&changes) {
            let change = *change;
            let half = 0.5 * (parameter.ci95[1] - parameter.ci95[0]);
            let wider = half.hypot(GAUSSIAN_95 * change);
            parameter.standard_error = parameter.standard_error.hypot(change);
            parameter.ci95 = [parameter.value - wider, parameter.value + wider];
            if let Some([low, high]) = &mut parameter.bootstrap95 {
                *low -= wider - half;
                *high += wider - half;
            }
            if parameter.identifiable && change != 0.0 && parameter.ci95[0] <= 0.0 {
                parameter.identifiable = false;
                parameter.reason = format!(
                    "its 95 % interval, {:.4} to {:.4} {}, holds zero, as {because}",
                    parameter.ci95[0], parameter.ci95[1], parameter.unit
                );
            }
        }
        self.shared.push(SharedError {
            cause: because,
            change: changes,
        });
    }

    /// Marks every parameter as not identifiable, for this reason.
    pub(crate) fn refuse(&mut self, reason: &str) {
        for parameter in &mut self.parameters {
            parameter.identifiable = false;
            reason.clone_into(&mut parameter.reason);
        }
    }

    /// Whether it gives the stiffness and damping that a scene needs.
    pub(crate) fn has_softness(&self) -> bool {
        ["stiffness", "damping"].into_iter().all(|name| {
            self.parameter(name)
                .is_some_and(|parameter| parameter.identifiable)
        })
    }

    /// Correlation of two parameters; 0 if the covariance does not determine it.
    pub fn correlation(&self, first: &str, second: &str) -> f64 {
        let n = self.parameters.len();
        let index = |name: &str| self.parameters.iter().position(|p| p.name == name);
        let at = |row: usize, column: usize| self.covariance.get(row * n + column).copied();
        let of = |i: usize, j: usize| Some(at(i, j)? / (at(i, i)? * at(j, j)?).sqrt());
        let correlation = index(first).zip(index(second)).and_then(|(i, j)| of(i, j));
        correlation
            .filter(|correlation| correlation.is_finite())
            .map_or(0.0, |correlation| correlation.clamp(-1.0, 1.0))
    }
}
