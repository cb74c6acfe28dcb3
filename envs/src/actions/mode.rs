//! The trait of an action mode.

use crate::BoxSpace;
use crate::probe::SceneState;

/// Converts actions into torques.
pub trait ActionMode: Send {
    /// The action space.
    fn space(&self) -> BoxSpace;

    /// Starts an episode, after the probe has been placed.
    fn reset(&mut self, state: &SceneState);

    /// Sets the action, once per control step.
    fn set_action(&mut self, state: &SceneState, action: &[f32]);

    /// Writes torques towards the state's current goal, once per physics step.
    fn control(&mut self, state: &mut SceneState);
}
