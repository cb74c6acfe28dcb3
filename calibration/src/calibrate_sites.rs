//! Calibration of several logs, one per site: one model for all of them, and their pooled softness.

use crate::{
    Calibration, CalibrationError, CalibrationOptions, FitOptions, Log, ModelChoice, MovingMass,
    Pooled, PrepareOptions, calibrate,
    models::{self, ModelKind},
    pool, warnings,
};

/// Calibrated sites.
#[derive(Clone, Debug)]
pub struct SiteCalibrations {
    /// The logs, in the order given; at least one, all fitted with the same model.
    pub logs: Vec<Calibration>,
    /// Pooled parameters.
    pub pooled: Pooled,
    /// The moving mass [kg], if it is known or fitted.
    pub mass: Option<f64>,
    /// Notes on all logs together.
    pub notes: Vec<String>,
    /// Why these logs give no stiffness and damping for a scene, and the law that would; `None` if they give both.
    pub no_softness: Option<String>,
}

impl SiteCalibrations {
    /// Name of the model that was fitted.
    pub fn model(&self) -> &'static str {
        self.logs.first().map_or("", |log| log.fit.model)
    }
}

/// Calibrates logs, each with its own preparation, and pools them.
///
/// With [`ModelChoice::Auto`], logs that prefer different models are all fitted with one model: among the models that
/// no log rules out, the one with the least sum of Schwarz' criterion.
/// The iterator is advanced only after the previous log is calibrated, so only one log is in memory at a time.
///
/// # Errors
/// The errors of [`calibrate`] and of the iterator; [`CalibrationError::Fit`] if the logs have no model in common.
pub fn calibrate_sites(
    logs: impl IntoIterator<Item = Result<(Log, PrepareOptions), CalibrationError>>,
    model: ModelChoice,
    fit: &FitOptions,
) -> Result<SiteCalibrations, CalibrationError> {
    let (mut sites, mut prepared) = (Vec::new(), Vec::new());
    for log in logs {
        let (log, prepare) = log?;
        prepared.push(prepare.clone());
        let options = CalibrationOptions {
            model,
            prepare,
            fit: fit.clone(),
        };
        sites.push(calibrate(&log, &options)?);
    }
    if sites.is_empty() {
        return Err(failed("no log is given"));
    }
    let notes = fit_one_model(&mut sites, &prepared, fit)?
        .into_iter()
        .collect();
    let fits: Vec<_> = sites.iter().map(|site| &site.fit).collect();
    let pooled = pool(&fits);
    let mass = match fit.mass {
        MovingMass::Known(mass) => Some(mass),
        MovingMass::Fitted => pooled.parameter("mass").map(|mass| mass.mean),
        MovingMass::Unknown => None,
    };
    Ok(SiteCalibrations {
        no_softness: no_softness(&sites, &pooled, fit),
        logs: sites,
        pooled,
        mass,
        notes,
    })
}

/// Why the sites do not give both stiffness and damping, and the law that gives them on these samples.
fn no_softness(sites: &[Calibration], pooled: &Pooled, options: &FitOptions) -> Option<String> {
    let open: Vec<&str> = ["stiffness", "damping"]
        .into_iter()
        .filter(|name| pooled.parameter(name).is_none())
        .collect();
    if open.is_empty() {
        return None;
    }
    let model = sites.first()?.fit.model;
    let why: Vec<String> = sites
        .iter()
        .flat_map(|site| {
            open.iter()
                .filter_map(|name| reason_unidentified(site, name))
        })
        .collect();
    let gives = |kind: &&ModelKind| {
        let mut samples = sites.iter().map(|site| &site.prepared.samples);
        kind.name != model && samples.all(|of| warnings::gives_softness(kind, of, options))
    };
    let way_on = match models::ALL.iter().find(gives) {
        Some(kind) => format!(
            "{} gives stiffness and damping on these logs: try --model {}",
            kind.name, kind.name
        ),
        None => "no law here gives both on these logs".to_owned(),
    };
    Some(format!(
        "no {} for a scene: {}; {way_on}",
        open.join(" and no "),
        why.join("; ")
    ))
}

/// Why a site does not identify this parameter; `None` if it does.
fn reason_unidentified(site: &Calibration, name: &str) -> Option<String> {
    let log = site.source.file.as_str();
    match site.fit.parameter(name) {
        None => Some(format!("{log}: {} has no {name}", site.fit.model)),
        Some(parameter) if parameter.identifiable => None,
        Some(parameter) => Some(format!("{log}: {name}: {}", parameter.reason)),
    }
}

/// Fits all sites with one model if they selected different ones, and adds a note about it.
fn fit_one_model(
    sites: &mut [Calibration],
    prepared: &[PrepareOptions],
    options: &FitOptions,
) -> Result<Option<String>, CalibrationError> {
    if sites
        .windows(2)
        .all(|pair| pair[0].fit.model == pair[1].fit.model)
    {
        return Ok(None);
    }
    let common = common_model(sites).ok_or_else(|| {
        failed("no model is supported by every log; name one with --model, or calibrate the logs one by one")
    })?;
    for (site, prepare) in sites.iter_mut().zip(prepared) {
        if site.fit.model != common.name {
            site.fit = common.fit(&site.prepared.samples, options)?;
            site.judge(prepare, options)?;
        }
    }
    Ok(Some(format!(
        "the logs taken one by one prefer different models; {} has the least sum of BIC over all and was fitted to every log",
        common.name
    )))
}

/// The model with the least sum of Schwarz' criterion among those that no site rules out.
fn common_model(sites: &[Calibration]) -> Option<&'static ModelKind> {
    let total = |model: &str| -> Option<f64> {
        sites
            .iter()
            .map(|site| {
                let selection = site.selection.as_ref()?;
                let candidate = selection.candidates.iter().find(|c| c.model == model)?;
                Some(candidate.bic).filter(|bic| bic.is_finite() && candidate.ruled_out.is_empty())
            })
            .sum()
    };
    models::ALL
        .iter()
        .filter_map(|kind| Some((kind, total(kind.name)?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(kind, _)| kind)
}

fn failed(problem: &str) -> CalibrationError {
    CalibrationError::Fit {
        log: "all logs".to_owned(),
        model: "auto",
        problem: problem.to_owned(),
    }
}
