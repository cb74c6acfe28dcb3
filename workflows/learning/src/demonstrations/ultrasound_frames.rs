//! Ultrasound that is recorded in demonstrations, as the pictures of one more camera.

use insonate_datasets::CameraInfo;
use insonate_envs::Env;
use insonate_envs::ultrasound::{PictureScanner, PictureSettings, TorsoAtRest};

use crate::LearningError;

/// Name of the camera.
pub const ULTRASOUND: &str = "ultrasound";

/// The pictures as those of a camera.
pub(super) fn camera(settings: &PictureSettings) -> CameraInfo {
    CameraInfo {
        name: ULTRASOUND.to_owned(),
        width: settings.size as u32,
        height: settings.size as u32,
    }
}

/// Takes the ultrasound of an episode.
#[derive(Debug)]
pub struct UltrasoundFrames {
    settings: Option<PictureSettings>,
    /// The scanner, and the torso at the start of the episode.
    scanner: Option<(PictureScanner, TorsoAtRest)>,
    grey: Vec<u8>,
}

impl UltrasoundFrames {
    /// Frames with these settings; none without settings.
    pub fn new(settings: Option<PictureSettings>) -> Self {
        Self {
            settings,
            scanner: None,
            grey: Vec::new(),
        }
    }

    /// Starts an episode. `organs` draws the patient's organs, unless the task has drawn them.
    ///
    /// # Errors
    /// [`LearningError::NoScene`] without a torso; errors of settings, and of a torso that cannot be imaged.
    pub fn begin(&mut self, env: &dyn Env, organs: u64) -> Result<(), LearningError> {
        let Some(settings) = &self.settings else {
            return Ok(());
        };
        let torso = env.torso().ok_or_else(|| LearningError::NoScene {
            task: env.spec().id.clone(),
        })?;
        let at_rest = TorsoAtRest::new(&torso, organs)?;
        let mut scanner = match self.scanner.take() {
            Some((scanner, _)) => scanner,
            None => PictureScanner::new(at_rest.transducer(), settings)?,
        };
        scanner.restart();
        self.scanner = Some((scanner, at_rest));
        Ok(())
    }

    /// Appends a picture with three equal channels; nothing before [`Self::begin`].
    ///
    /// # Errors
    /// [`LearningError::Env`] for a state that cannot be imaged.
    pub fn take(&mut self, env: &dyn Env, frames: &mut Vec<u8>) -> Result<(), LearningError> {
        let (Some((scanner, at_rest)), Some(torso)) = (&mut self.scanner, env.torso()) else {
            return Ok(());
        };
        scanner.picture(&at_rest.view(&torso), &mut self.grey)?;
        frames.extend(self.grey.iter().flat_map(|&level| [level; 3]));
        Ok(())
    }
}
