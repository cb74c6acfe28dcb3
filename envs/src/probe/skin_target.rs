//! A position on the skin that the probe must touch with a force.

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;

use super::goal::Goal;
use super::state::SceneState;
use crate::randomization::EpisodeParameters;

/// A position on the skin, and the desired force.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SkinTarget {
    /// Position in the world frame of the compiled torso, seen from above [m].
    pub place: [f64; 2],
    /// Force along the probe's axis [N].
    pub force: f64,
}

impl SkinTarget {
    /// Draws a position within `area`: half sizes across and along the patient [m], scaled with the torso.
    pub fn draw(
        area: [f64; 2],
        state: &SceneState,
        episode: &EpisodeParameters,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let [x, y, _] = state.model.scene.torso_position;
        let [a, b] = area.map(|half| half * episode.size);
        let (s, t) = (rng.random_range(-1.0..=1.0), rng.random_range(-1.0..=1.0));
        Self {
            place: [x + a * s, y + b * t],
            force: episode.force,
        }
    }

    /// Sets the goal to the current position of the target, which moves with the skin.
    pub fn set_goal(&self, state: &mut SceneState) {
        if let Some(point) = state.skin(self.place[0], self.place[1]) {
            state.goal = Goal {
                twist: state.torso.twist,
                force: self.force,
                ..Goal::at(state.pose_on(&point, 0.0))
            };
        }
    }
}
