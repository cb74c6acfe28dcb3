//! Repeats a recorded press once on a torso with the softness of the recording.

use insonate_calibration::{Calibration, FitOptions};
use insonate_models::Scene;
use insonate_models::torsos::{Softness, TorsoConfig};

use super::fit_scene::{PressRepeater, REACHED};
use super::tuning::relative_errors;
use super::{ExperimentError, Progress};

/// A recorded press and its repetition on a torso.
#[derive(Clone, Debug)]
pub struct RepeatedPress {
    /// Kind of torso.
    pub torso: &'static str,
    /// Softness setting of the torso.
    pub given: Softness,
    /// Softness that the same law finds in the simulated press.
    pub simulated: Softness,
    /// Relative error of the stiffness.
    pub stiffness_error: f64,
    /// Relative error of the damping.
    pub damping_error: f64,
    /// Root mean square of simulated minus recorded force in contact [N].
    pub force_rmse: f64,
    /// Maximum recorded force [N].
    pub peak_force: f64,
    /// The simulated log and its fit.
    pub calibration: Calibration,
}

impl RepeatedPress {
    /// Whether stiffness is within 5 % and damping within 10 % of the torso's setting.
    pub fn has_equal_stiffness(&self) -> bool {
        self.stiffness_error.abs() <= REACHED[0] && self.damping_error.abs() <= REACHED[1]
    }
}

/// Sets the softness of the scene's torso and presses it along a recorded indentation.
///
/// # Errors
/// If the scene has no torso, the recorded model has no stiffness and damping, the press cannot be simulated, or the caller interrupts
/// ([`super::Interrupted`]).
pub fn repeat_press(
    scene: &Scene,
    recorded: &Calibration,
    softness: Softness,
    options: &FitOptions,
    progress: Progress<'_>,
) -> Result<RepeatedPress, ExperimentError> {
    let torso = scene.torso.as_ref().ok_or(ExperimentError::NoTorso {
        purpose: "to press",
    })?;
    let config = TorsoConfig {
        softness,
        ..torso.config.clone()
    };
    let pressed =
        PressRepeater::new(scene, recorded, options)?.run(torso.name, &config, progress)?;
    let Softness { stiffness, damping } = pressed.softness;
    let [stiffness_error, damping_error] =
        relative_errors([stiffness, damping], [softness.stiffness, softness.damping]);
    let force = recorded.prepared.samples.force.iter().copied();
    Ok(RepeatedPress {
        torso: torso.name,
        given: softness,
        simulated: pressed.softness,
        stiffness_error,
        damping_error,
        force_rmse: pressed.force_rmse(recorded),
        peak_force: force.fold(0.0, f64::max),
        calibration: pressed.calibration,
    })
}
