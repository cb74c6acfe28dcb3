//! Model selection by information criterion and held-out error, with the reason in words.
//!
//! Candidates are the laws of the force. They are ranked by Schwarz' criterion
//!
//! ```text
//! BIC = n ln(mean square force error) + p ln n
//! ```
//!
//! with n the effective number of independent samples, the same for all laws. Cross-validation checks the ranking.
//! Among the laws that predict the held-out blocks as well as the best one, within noise, the law with the fewest
//! parameters is selected.

use super::{
    cross_validation::{self, CrossValidation},
    kind::ModelKind,
};
use crate::{CalibrationError, FitOptions, Samples};

/// Differences of the held-out error below this number of its standard errors are noise: rmse/√(2n) each.
const STANDARD_ERRORS: f64 = 2.0;
/// A smaller relative difference of the held-out error does not justify a larger model.
const SHARE: f64 = 0.01;

/// A candidate of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCandidate {
    /// Name of the model.
    pub model: &'static str,
    /// Schwarz' criterion with the effective number of samples; smaller is better.
    pub bic: f64,
    /// Root mean square force error on held-out blocks [N].
    pub held_out_rmse_n: f64,
    /// Why it was ruled out; empty if it was not.
    pub ruled_out: String,
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSelection {
    /// Candidates, best first.
    pub candidates: Vec<ModelCandidate>,
    /// Why the first one was selected.
    pub reason: String,
}

/// The candidate without a law: a constant force.
const NONE: &str = "none";
/// A law must leave less than this share of the error of a constant force, which is half of the variance; otherwise
/// no law is selected.
const LEAST_EXPLAINED: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Maximum number of samples for the comparison in [`better_than`].
const ROWS: usize = 5000;

impl ModelSelection {
    /// Whether no law describes the samples; then the parameters of the fitted law are meaningless.
    pub fn is_none(&self) -> bool {
        self.candidates
            .first()
            .is_some_and(|first| first.model == NONE)
    }
}

/// Whether a law predicts held-out samples much better than a constant force does.
pub(crate) fn predicts(kind: &ModelKind, samples: &Samples, options: &FitOptions) -> bool {
    let samples = samples.thinned(ROWS);
    let options = FitOptions {
        indenter: None,
        n_bootstrap: 0,
        ..options.clone()
    };
    let (_, constant) = cross_validation::constant(&samples);
    cross_validation::explained(kind, &samples, &options)
        .is_ok_and(|explained| explained.held_out <= LEAST_EXPLAINED * constant)
}

/// The law that predicts held-out samples best, and its share of the error of law `than`; `None` if it is the same
/// law or not much better than a constant force.
pub(crate) fn better_than(
    kinds: &'static [ModelKind],
    than: &str,
    samples: &Samples,
    options: &FitOptions,
) -> Option<(&'static str, f64)> {
    let samples = samples.thinned(ROWS);
    let options = FitOptions {
        indenter: None,
        n_bootstrap: 0,
        ..options.clone()
    };
    let held_out = |kind: &ModelKind| {
        let explained = cross_validation::explained(kind, &samples, &options).ok()?;
        Some(explained).filter(|explained| explained.unidentified.is_empty() || kind.name == than)
    };
    let (_, constant) = cross_validation::constant(&samples);
    let own = kinds.iter().find(|kind| kind.name == than)?;
    let own = held_out(own)?.held_out;
    let others = kinds
        .iter()
        .filter(|kind| kind.is_candidate && kind.name != than);
    others
        .filter_map(|kind| Some((kind.name, held_out(kind)?.held_out)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .filter(|(_, error)| *error <= LEAST_EXPLAINED * constant)
        .map(|(name, error)| (name, error / own))
}

/// A fitted law with its errors.
struct FittedLaw {
    kind: &'static ModelKind,
    explained: CrossValidation,
    bic: f64,
}

/// Compares the candidates among `kinds` on samples.
pub(crate) fn select(
    kinds: &'static [ModelKind],
    samples: &Samples,
    options: &FitOptions,
) -> Result<(&'static ModelKind, ModelSelection), CalibrationError> {
    // A tip belongs to one law and must not rule out the other one.
    let options = FitOptions {
        indenter: None,
        n_bootstrap: 0,
        ..options.clone()
    };
    let mut tried = Vec::new();
    let mut failed = None;
    for kind in kinds.iter().filter(|kind| kind.is_candidate) {
        match cross_validation::explained(kind, samples, &options) {
            Ok(explained) => tried.push(FittedLaw {
                kind,
                explained,
                bic: 0.0,
            }),
            Err(error) => failed = Some(error),
        }
    }
    let n = tried
        .iter()
        .min_by(|a, b| a.explained.mean_square.total_cmp(&b.explained.mean_square))
        .map(|best| best.explained.n_effective);
    let Some(n) = n else {
        return Err(failed.unwrap_or_else(|| CalibrationError::Fit {
            log: samples.log.clone(),
            model: "auto",
            problem: "no model can be fitted".into(),
        }));
    };
    for tried in &mut tried {
        tried.bic = n * tried.explained.mean_square.max(f64::MIN_POSITIVE).ln()
            + tried.explained.n_parameters as f64 * n.ln();
    }
    let (kind, mut selection) = decide(tried, n);
    without_weights(&mut selection, samples, n);
    Ok((kind, selection))
}

/// Adds a constant force to the candidates; it comes first if no law predicts much better.
fn without_weights(selection: &mut ModelSelection, samples: &Samples, n: f64) {
    let (mean_square, held_out) = cross_validation::constant(samples);
    let best = &selection.candidates[0];
    let stands = best.held_out_rmse_n > LEAST_EXPLAINED * held_out;
    let none = ModelCandidate {
        model: NONE,
        bic: n * mean_square.max(f64::MIN_POSITIVE).ln() + n.ln(),
        held_out_rmse_n: held_out,
        ruled_out: if stands {
            String::new()
        } else {
            "a law explains more than half of the force".to_owned()
        },
    };
    if stands {
        selection.reason = format!(
            "no law describes this log: {} predicts unseen samples to {:.4} N, and a constant force to {held_out:.4} N; check columns, units, window and --force-latency",
            best.model, best.held_out_rmse_n
        );
        selection.candidates.insert(0, none);
    } else {
        selection.candidates.push(none);
    }
}

fn decide(mut tried: Vec<FittedLaw>, n: f64) -> (&'static ModelKind, ModelSelection) {
    // A law with an undetermined parameter is kept only if every law has one.
    let some_stand = tried
        .iter()
        .any(|tried| tried.explained.unidentified.is_empty());
    let stands = |tried: &FittedLaw| !some_stand || tried.explained.unidentified.is_empty();
    let best = tried
        .iter()
        .filter(|tried| stands(tried))
        .map(|tried| tried.explained.held_out)
        .fold(f64::INFINITY, f64::min);
    let tolerance = SHARE.max(STANDARD_ERRORS / (2.0 * n).sqrt());
    let within = |tried: &FittedLaw| tried.explained.held_out <= best * (1.0 + tolerance);
    // Valid laws with good predictions first; then fewer parameters, then the criterion.
    tried.sort_by(|a, b| {
        let rank = |tried: &FittedLaw| (!stands(tried), !within(tried));
        let parameters = |tried: &FittedLaw| {
            if stands(tried) && within(tried) {
                tried.explained.n_parameters
            } else {
                0
            }
        };
        rank(a)
            .cmp(&rank(b))
            .then(parameters(a).cmp(&parameters(b)))
            .then(a.bic.total_cmp(&b.bic))
    });
    let candidates = tried
        .iter()
        .map(|tried| ModelCandidate {
            model: tried.kind.name,
            bic: tried.bic,
            held_out_rmse_n: tried.explained.held_out,
            ruled_out: if stands(tried) {
                String::new()
            } else {
                format!(
                    "the data leave {} open",
                    tried.explained.unidentified.join(", ")
                )
            },
        })
        .collect();
    let reason = reason(&tried, stands, within);
    (tried[0].kind, ModelSelection { candidates, reason })
}

fn reason(
    tried: &[FittedLaw],
    stands: impl Fn(&FittedLaw) -> bool,
    within: impl Fn(&FittedLaw) -> bool,
) -> String {
    let first = &tried[0];
    let name = first.kind.name;
    let error = first.explained.held_out;
    let Some(second) = tried.get(1).filter(|second| stands(second)) else {
        return format!(
            "{name} is the only model whose parameters the data determine; it predicts unseen samples to {error:.4} N"
        );
    };
    let (other, other_error) = (second.kind.name, second.explained.held_out);
    if within(second) {
        format!(
            "{name} and {other} predict unseen samples equally well ({error:.4} and {other_error:.4} N); {name} {}",
            if first.explained.n_parameters < second.explained.n_parameters {
                "has fewer parameters"
            } else {
                "has the better information criterion"
            }
        )
    } else {
        format!(
            "{name} predicts unseen samples best, to {error:.4} N; {other} follows with {other_error:.4} N and an information criterion {} by {:.0}",
            if second.bic >= first.bic {
                "worse"
            } else {
                "better"
            },
            (second.bic - first.bic).abs()
        )
    }
}
