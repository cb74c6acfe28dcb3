//! What all environments of a task share: settings, the organ at rest, and the scene to draw both.

use insonate_sim::CompiledScene;

use super::organ::Organ;
use super::scene;
use super::settings::{InstrumentSettings, SurgerySettings, SurgeryTimeSettings};
use crate::{BoxSpace, EnvError};

/// What all environments of a factory share.
#[derive(Debug)]
pub struct SurgeryModel {
    /// The organ.
    pub organ: Organ,
    /// The instrument.
    pub instrument: InstrumentSettings,
    /// Steps.
    pub time: SurgeryTimeSettings,
    /// Whether the force is seen.
    pub observes_force: bool,
    /// To draw both.
    pub(super) scene: CompiledScene,
}

impl SurgeryModel {
    /// Checks the settings and makes what they ask for.
    ///
    /// # Errors
    /// [`EnvError::Config`], [`EnvError::Tissue`]; [`EnvError::Sim`] where MuJoCo cannot draw it.
    pub fn new<T>(settings: &SurgerySettings<T>) -> Result<Self, EnvError> {
        settings.check()?;
        let organ = Organ::new(settings)?;
        Ok(Self {
            scene: scene::compile(&organ, &settings.instrument, &settings.time)?,
            organ,
            instrument: settings.instrument.clone(),
            time: settings.time.clone(),
            observes_force: settings.observation.force,
        })
    }

    /// The entries that all tasks observe first: the instrument's place in its workspace, then unbounded places [m].
    pub fn places(&self, unbounded: &[&str]) -> BoxSpace {
        let mut space = BoxSpace::default();
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let low = self.instrument.workspace_low[axis] as f32;
            let high = self.instrument.workspace_high[axis] as f32;
            space.push(format!("instrument_{name} [m]"), low, high);
        }
        for what in unbounded {
            for name in ["x", "y", "z"] {
                space.push(
                    format!("{what}_{name} [m]"),
                    f32::NEG_INFINITY,
                    f32::INFINITY,
                );
            }
        }
        space
    }
}
