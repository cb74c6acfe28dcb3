//! Settings of a recording.

use insonate_datasets::CameraInfo;
use insonate_envs::ultrasound::PictureSettings;
use insonate_envs::{EnvError, EnvSpec, ResetOptions};
use insonate_settings::check_range;

/// Settings of a recording.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordPlan {
    /// Number of episodes in the data set.
    pub n_episodes: usize,
    /// Seed of the first episode; each further episode uses the next seed.
    pub seed: u64,
    /// Random parameters that are fixed.
    pub options: ResetOptions,
    /// Discards failed episodes.
    pub successes_only: bool,
    /// Records failed episodes after the others; they are not among `n_episodes` and `n_recoveries`. They are run again for that, so the
    /// expert must act by the state and the seed alone.
    pub keep_failures: bool,
    /// Number of episodes after the ordinary ones that begin with a disturbance, and then succeed.
    pub n_recoveries: usize,
    /// Draws the wording of each episode's instruction.
    pub vary_instruction: bool,
    /// Lag of the pictures behind the other numbers [s], rounded to steps.
    pub image_latency: f64,
    /// Share of pictures that are lost; the one before is in their place.
    pub dropped_frames: f64,
    /// Standard deviation of the noise on the executed action, as a share of half the action's range. The data set holds the
    /// action of the expert without noise (Laskey 2017, arXiv:1703.09327), so that imitators learn to recover.
    pub noise: f64,
    /// Cameras; all have the same picture size.
    pub cameras: Vec<CameraInfo>,
    /// Ultrasound, which needs an adult's torso; `None` records none.
    pub ultrasound: Option<PictureSettings>,
}

impl RecordPlan {
    /// Number of cameras in the data set, with ultrasound as the last one.
    pub(super) fn n_cameras(&self) -> usize {
        self.cameras.len() + usize::from(self.ultrasound.is_some())
    }

    /// Number of episodes, without failures that are recorded after them.
    pub fn n_total(&self) -> usize {
        self.n_episodes + self.n_recoveries
    }

    /// Steps by which the pictures lag.
    pub(super) fn latency_steps(&self, spec: &EnvSpec) -> usize {
        (self.image_latency / spec.control_timestep).round() as usize
    }

    /// Checks every field.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`]; [`EnvError::Config`] for defects of pictures that are not recorded, and for options that contradict each
    /// other.
    pub fn check(&self) -> Result<(), EnvError> {
        check_range("episodes", self.n_episodes as f64, [1.0, 100_000.0], "")?;
        check_range("recovery", self.n_recoveries as f64, [0.0, 100_000.0], "")?;
        check_range("image-latency", self.image_latency, [0.0, 2.0], "s")?;
        check_range("dropped-frames", self.dropped_frames, [0.0, 0.9], "")?;
        if self.successes_only && self.keep_failures {
            return Err(EnvError::Config {
                field: "keep-failures".to_owned(),
                problem: "contradicts successes-only, which discards what failed: choose one"
                    .to_owned(),
            });
        }
        let defects = [
            ("image-latency", self.image_latency),
            ("dropped-frames", self.dropped_frames),
        ];
        for (field, value) in defects {
            if value > 0.0 && self.n_cameras() == 0 {
                return Err(EnvError::Config {
                    field: field.to_owned(),
                    problem: format!(
                        "is {value}, but no pictures are recorded: name cameras, or record B-mode"
                    ),
                });
            }
        }
        if let Some(ultrasound) = &self.ultrasound {
            ultrasound.check()?;
        }
        Ok(check_range("noise", self.noise, [0.0, 1.0], "")?)
    }
}
