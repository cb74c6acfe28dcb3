//! What softness a torso of a task must be given so that a recorded press, repeated on it, measures what the recording did.
//!
//! Kinds of torso turn a softness into their own parameters with errors that depend on depth and probe; here the recording itself says
//! how large they are, and what makes up for them.

use serde::{Deserialize, Serialize};

use super::fit_scene::{AIM, PressRepeater, REACHED};
use super::tuning::{TuningProblem, relative_errors, tune};
use super::{Interrupted, Progress};
use crate::calibration::{Calibration, FitOptions};
use crate::envs::probe::{SceneSettings, build_scene, scale_softness};
use crate::models::torsos::Softness;

/// Most presses of the search.
const MOST_PRESSES: usize = 8;
/// Least and greatest softness that is tried, over the wanted one.
const BOUNDS: [f64; 2] = [0.05, 20.0];

/// What a torso must be given, and what it then measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoftnessFit {
    /// Kind of torso.
    pub torso: String,
    /// What the recording measured.
    pub target: Softness,
    /// What the torso measures when it is given the target.
    pub untuned: Softness,
    /// What it must be given.
    pub given: Softness,
    /// What it then measures.
    pub simulated: Softness,
    /// Relative error of the stiffness.
    pub stiffness_error: f64,
    /// Relative error of the damping.
    pub damping_error: f64,
    /// Whether stiffness is within 5 % and damping within 10 %.
    pub reached: bool,
    /// Root mean square of simulated minus recorded force in contact [N].
    pub force_rmse: f64,
    /// Greatest recorded force [N].
    pub peak_force: f64,
    /// Number of simulated presses.
    pub n_presses: usize,
}

/// Finds the softness for the torso of a task's scene.
///
/// # Errors
/// When the scene has no torso, the recorded model has no stiffness and damping, a press cannot be simulated, or the caller breaks off
/// ([`Interrupted`]).
pub fn fit_softness(
    settings: &SceneSettings,
    recorded: &Calibration,
    target: Softness,
    options: &FitOptions,
    progress: Progress<'_>,
) -> anyhow::Result<SoftnessFit> {
    target.check()?;
    let nominal = settings.nominal()?;
    // A composite torso is the same model as a `fast` one, and far slower.
    let proxy = match settings.torso.as_str() {
        "composite" => "fast",
        torso => torso,
    };
    let made_of =
        |softness: &Softness| scale_softness(&nominal, softness, settings.physics_timestep);
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
