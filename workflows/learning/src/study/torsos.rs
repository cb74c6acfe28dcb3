//! Step 2: finds the softness setting for each kind of torso.

use insonate_envs::probe::SceneSettings;
use insonate_envs::settings;
use insonate_experiments::{ExperimentError, SoftnessFit, fit_softness};
use insonate_files::OutputFolder;
use insonate_models::torsos::{self, Softness};

use super::{Observer, StudyEvent, StudyPlan, folder};
use crate::LearningError;

/// Kind of torso on which policies are trained.
pub(super) const LEARNED: &str = "fast";

/// Fits all selected kinds of torso that are not yet fitted.
pub(super) fn fit(
    plan: &StudyPlan,
    folder: &OutputFolder,
    observer: Observer<'_>,
) -> Result<Vec<SoftnessFit>, LearningError> {
    let mut fits = folder::torsos(folder)?;
    let target = plan.measured().softness();
    for kind in torsos::ALL {
        let is_wanted = kind.name == LEARNED || plan.torsos.iter().any(|name| name == kind.name);
        if !is_wanted || fits.iter().any(|fit| fit.torso == kind.name) {
            continue;
        }
        let settings = SceneSettings {
            torso: kind.name.to_owned(),
            ..settings::parse(&SceneSettings::default(), &plan.scene())?
        };
        let mut progress = |share: f64| observer(&StudyEvent::Torso(kind.name, share));
        let log = plan.first_log()?;
        let found = fit_softness(&settings, log, target, &plan.options, &mut progress);
        fits.push(found.map_err(|error| match error {
            interrupted @ ExperimentError::Interrupted(_) => LearningError::from(interrupted),
            source => LearningError::Torso {
                name: kind.name,
                source: Box::new(source),
            },
        })?);
        folder::keep_torsos(folder, &fits)?;
    }
    Ok(fits)
}

/// Softness setting with which a torso measures a softness, from the ratio of setting to target in its fit.
pub(super) fn given(fits: &[SoftnessFit], torso: &str, wanted: &Softness) -> Softness {
    let fit = fits.iter().find(|fit| fit.torso == torso);
    let factor = |given: f64, target: f64| given / target;
    match fit {
        None => *wanted,
        Some(fit) => Softness {
            stiffness: wanted.stiffness * factor(fit.given.stiffness, fit.target.stiffness),
            damping: wanted.damping * factor(fit.given.damping, fit.target.damping),
        },
    }
}
