//! Finds the softness setting with which a task's torso reproduces a recorded press.
//!
//! Each kind of torso converts a softness into its own parameters with an error that depends on depth and probe. The repeated press
//! measures this error, and the search compensates for it.

use insonate_calibration::{Calibration, FitOptions};
use insonate_envs::probe::{SceneSettings, build_scene, scale_softness};
use insonate_models::torsos::{self, Softness};
use serde::{Deserialize, Serialize};

use super::fit_scene::{AIM, PressRepeater, REACHED};
use super::tuning::{TuningProblem, relative_errors, tune};
use super::{ExperimentError, Interrupted, Progress};

/// Maximum number of presses in the search.
const MOST_PRESSES: usize = 8;
/// Smallest and largest softness that is tried, relative to the target.
const BOUNDS: [f64; 2] = [0.05, 20.0];

/// Softness setting of a torso and its measured softness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoftnessFit {
    /// Kind of torso.
    pub torso: String,
    /// Softness that was measured in the recording.
    pub target: Softness,
    /// Measured softness with the target as setting.
    pub untuned: Softness,
    /// Softness setting that was found.
    pub given: Softness,
    /// Measured softness with the setting that was found.
    pub simulated: Softness,
    /// Relative error of the stiffness.
    pub stiffness_error: f64,
    /// Relative error of the damping.
    pub damping_error: f64,
    /// Whether stiffness is within 5 % and damping within 10 %.
    pub reached: bool,
    /// Root mean square of simulated minus recorded force in contact [N].
    pub force_rmse: f64,
    /// Maximum recorded force [N].
    pub peak_force: f64,
    /// Number of simulated presses.
    pub n_presses: usize,
}

/// Finds the softness setting for the torso of a task's scene.
///
/// # Errors
/// If the scene has no torso, the recorded model has no stiffness and damping, a press cannot be simulated, or the caller interrupts
/// ([`Interrupted`]).
pub fn fit_softness(
    settings: &SceneSettings,
    recorded: &Calibration,
    target: Softness,
    options: &FitOptions,
    progress: Progress<'_>,
) -> Result<SoftnessFit, ExperimentError> {
    target.check()?;
    let nominal = settings.nominal()?;
    let proxy = torsos::by_name(&settings.torso)?;
    let proxy = proxy.faster_twin.unwrap_or(proxy.name);
    let made_of = |softness: &Softness| scale_softness(&nominal, softness, settings.timestep);
    let scene = build_scene(settings, Some(&made_of(&target)))?;
    let mut press = PressRepeater::new(&scene, recorded, options)?;
    let problem = TuningProblem {
        target: [target.stiffness, target.damping],
        start: [target.stiffness, target.damping],
        bounds: [target.stiffness, target.damping].map(|value| BOUNDS.map(|bound| bound * value)),
        tolerance: AIM,
        most: MOST_PRESSES,
    };
    let mut untuned = None;
    let mut n_presses = 0;
    let tuned = tune(&problem, |[stiffness, damping]| {
        let mut of_all =
            |share: f64| progress((n_presses as f64 + share) / (MOST_PRESSES + 1) as f64);
        let config = made_of(&Softness { stiffness, damping });
        let pressed = press.run(proxy, &config, &mut of_all)?;
        n_presses += 1;
        let softness = pressed.softness;
        untuned.get_or_insert(softness);
        Ok(([softness.stiffness, softness.damping], pressed))
    })?;
    if tuned.interrupted {
        return Err(Interrupted.into());
    }
    let [stiffness, damping] = tuned.unknowns;
    let given = Softness { stiffness, damping };
    let mut pressed = tuned.detail;
    if proxy != settings.torso {
        pressed = press.run(&settings.torso, &made_of(&given), progress)?;
        n_presses += 1;
    }
    let simulated = pressed.softness;
    let [stiffness_error, damping_error] =
        relative_errors([simulated.stiffness, simulated.damping], problem.target);
    Ok(SoftnessFit {
        torso: settings.torso.clone(),
        target,
        untuned: untuned.unwrap_or(simulated),
        given,
        simulated,
        stiffness_error,
        damping_error,
        reached: stiffness_error.abs() <= REACHED[0] && damping_error.abs() <= REACHED[1],
        force_rmse: pressed.force_rmse(recorded),
        peak_force: (recorded.prepared.samples.force.iter())
            .fold(0.0, |most, &force| force.max(most)),
        n_presses,
    })
}
