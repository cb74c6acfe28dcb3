//! What all environments of a task share: settings, the organ at rest, and the scene to draw both.

use insonate_sim::CompiledScene;

use super::organ::Organ;
use super::scene;
use super::settings::{
    InstrumentSettings, SurgeryObservationSettings, SurgeryRobot, SurgerySettings,
    SurgeryTimeSettings,
};
use crate::{BoxSpace, EnvError};

/// What all environments of a factory share.
#[derive(Debug)]
pub struct SurgeryModel {
    /// The organ.
    pub organ: Organ,
    /// The instrument; its trocar is the remote centre of an arm that carries it.
    pub instrument: InstrumentSettings,
    /// What carries it.
    pub robot: SurgeryRobot,
    /// Steps.
    pub time: SurgeryTimeSettings,
    /// What is seen besides positions.
    pub observation: SurgeryObservationSettings,
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
        let instrument = settings.instrument();
        Ok(Self {
            scene: scene::compile(&organ, &instrument, &settings.time)?,
            organ,
            instrument,
            robot: settings.scene.robot,
            time: settings.time.clone(),
            observation: settings.observation.clone(),
        })
    }

    /// The entries that all tasks observe first: the instrument's place in its workspace, then unbounded places [m]. Tissue can push an
    /// arm out of its workspace.
    pub fn places(&self, unbounded: &[&str]) -> BoxSpace {
        let mut space = BoxSpace::default();
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let (low, high) = match self.robot {
                SurgeryRobot::Floating => (
                    self.instrument.workspace_low[axis] as f32,
                    self.instrument.workspace_high[axis] as f32,
                ),
                SurgeryRobot::Psm => (f32::NEG_INFINITY, f32::INFINITY),
            };
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
        space.in_frame("world")
    }
}
