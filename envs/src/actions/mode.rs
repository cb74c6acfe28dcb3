//! The trait of an action mode.

use crate::BoxSpace;
use crate::probe::SceneState;

/// Turns actions into torques.
pub trait ActionMode: Send {
    /// The space of actions.
    fn space(&self) -> BoxSpace;

    /// Starts an episode; the probe has just been placed.
    fn reset(&mut self, state: &SceneState);

    /// Takes an action, once per control step.
    fn set_action(&mut self, state: &SceneState, action: &[f32]);

    /// Writes torques, once per physics step, towards the state's goal of now.
    fn control(&mut self, state: &mut SceneState);
}
