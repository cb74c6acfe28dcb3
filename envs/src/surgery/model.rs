//! Data shared by all environments of a task: settings, the organ at rest, and the scene for rendering.

use insonate_sim::CompiledScene;

use super::organ::Organ;
use super::scene;
use super::settings::{
    InstrumentSettings, SurgeryObservationSettings, SurgeryRobot, SurgerySettings,
    SurgeryTimeSettings,
};
use crate::{BoxSpace, EnvError};

/// Data shared by all environments of a factory.
#[derive(Debug)]
pub struct SurgeryModel {
    /// The organ.
    pub organ: Organ,
    /// The instrument. Its trocar is the remote centre of the arm, if there is one.
    pub instrument: InstrumentSettings,
    /// Robot that holds the instrument.
    pub robot: SurgeryRobot,
    /// Time steps.
    pub time: SurgeryTimeSettings,
    /// Observations in addition to positions.
    pub observation: SurgeryObservationSettings,
    /// Scene for rendering.
    pub(super) scene: CompiledScene,
}

impl SurgeryModel {
    /// Checks the settings and builds the organ and the scene.
    ///
    /// # Errors
    /// [`EnvError::Config`], [`EnvError::Tissue`]; [`EnvError::Sim`] if MuJoCo cannot render the scene.
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

    /// The first entries of every task's observation: the instrument's position in its workspace, then unbounded positions [m]. Tissue can
    /// push an arm out of its workspace.
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
