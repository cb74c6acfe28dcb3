//! A straight path over the skin, seen from above, and the schedule on which the goal moves along it.

use nalgebra::Vector3;

use super::{Goal, SceneState};
use insonate_sim::Twist;

/// A straight line in the world as compiled, and when the goal is where on it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StraightPath {
    /// Start and end [m].
    pub from: [f64; 2],
    /// EpisodeEnd [m].
    pub to: [f64; 2],
    /// Speed along the path [m/s].
    pub speed: f64,
    /// Time that the goal rests at the start [s].
    pub rest: f64,
    /// Time over which it gathers speed [s].
    pub ramp: f64,
}

impl StraightPath {
    /// Length seen from above [m].
    pub fn length(&self) -> f64 {
        (self.to[0] - self.from[0]).hypot(self.to[1] - self.from[1])
    }

    /// When the goal arrives at the end [s].
    pub fn duration(&self) -> f64 {
        self.rest + self.length() / self.speed + self.ramp / 2.0
    }

    /// Distance from the start [m] and speed [m/s] at a time [s].
    pub fn schedule(&self, time: f64) -> (f64, f64) {
        let moving = time - self.rest;
        if moving <= 0.0 {
            (0.0, 0.0)
        } else if moving < self.ramp {
            (
                self.speed * moving * moving / (2.0 * self.ramp),
                self.speed * moving / self.ramp,
            )
        } else {
            let distance = self.speed * (moving - self.ramp / 2.0);
            (distance.min(self.length()), self.speed)
        }
    }

    /// The goal at the state's time, where the skin is now; none where the path leaves it.
    pub fn goal(&self, state: &SceneState, force: f64) -> Option<Goal> {
        let (distance, speed) = self.schedule(state.physics.time());
        let share = distance / self.length();
        let along = |axis: usize| self.from[axis] + (self.to[axis] - self.from[axis]) * share;
        let point = state.skin(along(0), along(1))?;
        let flat = Vector3::new(self.to[0] - self.from[0], self.to[1] - self.from[1], 0.0);
        let flat = state.torso.world_from_rest.rotation * flat;
        let direction = (flat - point.normal * point.normal.dot(&flat)).normalize();
        Some(Goal {
            world_from_probe: state.pose_on(&point, 0.0),
            twist: Twist {
                linear: direction * speed + state.torso.twist.linear,
                angular: state.torso.twist.angular,
            },
            direction,
            speed,
            force,
        })
    }
}
