//! A straight path over the skin, seen from above, and the schedule of the goal along it.

use nalgebra::Vector3;

use super::{Goal, SceneState};
use insonate_sim::verdict::PathFigures;
use insonate_sim::{Pose, Twist};

/// A straight line in the world frame of the compiled scene, and the schedule of the goal along it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StraightPath {
    /// Start [m].
    pub from: [f64; 2],
    /// End [m].
    pub to: [f64; 2],
    /// Speed along the path [m/s].
    pub speed: f64,
    /// Time that the goal rests at the start [s].
    pub rest: f64,
    /// Acceleration time [s].
    pub ramp: f64,
}

impl StraightPath {
    /// Length seen from above [m].
    pub fn length(&self) -> f64 {
        (self.to[0] - self.from[0]).hypot(self.to[1] - self.from[1])
    }

    /// Time at which the goal arrives at the end [s].
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

    /// Position of the probe along the path, seen from above [m].
    pub fn along(&self, state: &SceneState) -> f64 {
        let Pose { position, rotation } = state.torso.world_from_rest;
        let here = rotation.inverse() * (state.probe.world_from_probe.position - position);
        let way = [0, 1].map(|axis| self.to[axis] - self.from[axis]);
        ((here.x - self.from[0]) * way[0] + (here.y - self.from[1]) * way[1]) / self.length()
    }

    /// The goal at the state's time, on the current skin. `None` if the path leaves the skin.
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

/// Coverage of a path by a probe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathProgress {
    /// First and last position in contact [m].
    reached: [f64; 2],
    lag: f64,
    error: f64,
}

impl Default for PathProgress {
    fn default() -> Self {
        Self {
            reached: [f64::INFINITY, f64::NEG_INFINITY],
            lag: 0.0,
            error: 0.0,
        }
    }
}

impl PathProgress {
    /// Adds a physics step in which the goal moves.
    pub fn add(&mut self, path: &StraightPath, state: &SceneState) {
        let here = path.along(state);
        let (wanted, _) = path.schedule(state.physics.time());
        self.lag = self.lag.max((wanted - here).abs());
        let goal = &state.goal;
        let across = goal.direction.cross(&goal.world_from_probe.z_axis());
        self.error = self.error.max(state.offset().dot(&across).abs());
        if state.probe.in_contact {
            let place = here.clamp(0.0, path.length());
            let [first, last] = self.reached;
            self.reached = [first.min(place), last.max(place)];
        }
    }

    /// The metrics. Without contact, the coverage is zero.
    pub fn figures(&self, path: &StraightPath) -> PathFigures {
        let [first, last] = self.reached;
        PathFigures {
            asked: path.length(),
            covered: (last - first).max(0.0),
            lag: self.lag,
            error: self.error,
        }
    }
}
