//! The prescribed motion of the torso: where the patient lies, and how it moves in an episode.

use insonate_sim::shell::Shell;
use insonate_sim::{Pose, Twist};
use nalgebra::{UnitQuaternion, Vector3};

use super::SceneState;
use crate::randomization::EpisodeParameters;

/// A prescribed motion of the torso.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TorsoFrame {
    /// From the torso as compiled to the torso now, in world.
    pub world_from_rest: Pose,
    /// Velocity of that frame, in world.
    pub twist: Twist,
}

impl Default for TorsoFrame {
    fn default() -> Self {
        Self {
            world_from_rest: Pose {
                position: Vector3::zeros(),
                rotation: UnitQuaternion::identity(),
            },
            twist: Twist::default(),
        }
    }
}

impl SceneState {
    /// Puts the torso to a place.
    pub(super) fn place_torso(&mut self, frame: &TorsoFrame) {
        self.torso_at_rest = *frame;
        self.set_frame(*frame);
    }

    fn set_frame(&mut self, frame: TorsoFrame) {
        if frame == self.torso {
            return;
        }
        self.torso = frame;
        if let Some(shell) = self.physics.shell_mut() {
            shell.set_frame(&frame.world_from_rest, &frame.twist);
        }
    }

    /// Moves the torso as the patient moves: a sine about its place.
    pub fn move_patient(&mut self, episode: &EpisodeParameters) {
        let [x, y] = episode.patient_amplitude;
        if x == 0.0 && y == 0.0 {
            return;
        }
        let rate = std::f64::consts::TAU * episode.patient_rate;
        let phase = rate * self.physics.time() + episode.patient_phase;
        // Starts where the torso was placed.
        let amplitude = Vector3::new(x, y, 0.0);
        let shift = amplitude * (phase.sin() - episode.patient_phase.sin());
        let mut frame = self.torso_at_rest;
        frame.world_from_rest.position += shift;
        frame.twist.linear = amplitude * (rate * phase.cos());
        self.set_frame(frame);
    }

    /// How far the chest has risen [m] and how fast it rises [m/s]; zero without breathing or another torso than `fast`.
    pub fn breath(&self) -> [f64; 2] {
        self.physics
            .shell()
            .and_then(Shell::breath)
            .unwrap_or_default()
    }
}
