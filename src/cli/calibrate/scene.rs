//! `--fit-scene`: from what was recorded to a torso that measures the same.

use anyhow::Context as _;
use insonate::calibration::CalibrationOptions;
use insonate::calibration::softness::TuningResult;
use insonate::experiments::fit_scene;
use insonate::models::Scene;
use insonate::models::torsos::Softness;
use insonate::report::{Report, SceneOutcome, settings};

/// Tunes the scene's torso to the pooled softness, pressed along the first log's indentation.
pub(super) fn fit(
    scene: &Scene,
    report: &Report,
    options: &CalibrationOptions,
    progress: &mut dyn FnMut(f64),
) -> anyhow::Result<SceneOutcome> {
    let mean = |name: &str| report.pooled.parameter(name).map(|spread| spread.mean);
    let (stiffness, damping) = mean("stiffness").zip(mean("damping")).with_context(|| {
        format!(
            "--fit-scene needs stiffness and damping, which model {} and these logs do not give; \
             use --model divided or kelvin-voigt and logs that identify both",
            report.model()
        )
    })?;
    let recorded = &report.logs[0].calibration;
    let target = Softness { stiffness, damping };
    let fitted = fit_scene(scene, recorded, Some(target), options, progress)?;
    Ok(SceneOutcome {
        torso: fitted.torso.to_owned(),
        entry: settings::entry_of(&fitted.config),
        target: [stiffness, damping],
        untuned: [fitted.untuned.stiffness, fitted.untuned.damping],
        achieved: TuningResult {
            stiffness: fitted.simulated.stiffness,
            damping: fitted.simulated.damping,
            stiffness_error: fitted.stiffness_error,
            damping_error: fitted.damping_error,
            reached: fitted.reached,
        },
        reason: fitted.reason,
        n_presses: fitted.n_presses,
        tracking_rmse: fitted.tracking_rmse,
        simulated: Some(fitted.calibration),
    })
}
