//! Steering a cable-driven scope through a lumen: motion of the handle, and a controller that follows a centre line.

use std::sync::Arc;

use nalgebra::{Isometry3, UnitQuaternion, Vector2, Vector3};

use crate::lumen::CentreLine;
use crate::{
    Actuation, ContinuumError, Lumen, RodConfig, RodState, Simulation, StepReport, StepSettings,
};

/// A rod from an introducer that is rotated about its axis and bent by three cables.
#[derive(Clone)]
pub struct Scope {
    simulation: Simulation,
    world_from_mouth: Isometry3<f64>,
    max_pull: f64,
    inserted_length: f64,
    roll: f64,
    pull: Vector2<f64>,
    report: StepReport,
}

/// Motion of the handle in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScopeMotion {
    /// Change of the inserted length [m]; negative to retract.
    pub advance: f64,
    /// Rotation about the axis [rad].
    pub roll: f64,
    /// Change of the pull of the cables, along y and z of the tip [N].
    pub pull: Vector2<f64>,
}

impl Scope {
    /// A straight rod, inserted by `inserted_length` [m] beyond the mouth of an introducer, which it leaves along +x.
    /// The resultant pull of the cables is at most `max_pull` [N].
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn new(
        config: RodConfig,
        settings: StepSettings,
        lumen: Arc<dyn Lumen>,
        world_from_mouth: Isometry3<f64>,
        inserted_length: f64,
        max_pull: f64,
    ) -> Result<Self, ContinuumError> {
        let actuation = Actuation::held(world_from_mouth, inserted_length);
        Ok(Self {
            simulation: Simulation::new(config, settings, Some(lumen), &actuation)?,
            world_from_mouth,
            max_pull,
            inserted_length,
            roll: 0.0,
            pull: Vector2::zeros(),
            report: StepReport::default(),
        })
    }

    /// Moves the handle within the rod's length and the limit of the pull, and steps the rod.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn step(&mut self, motion: &ScopeMotion) -> Result<&StepReport, ContinuumError> {
        let config = self.simulation.config();
        let length = self.inserted_length + motion.advance;
        let inserted_length = length.clamp(config.element_length(), config.length());
        let roll = self.roll + motion.roll;
        let pull = self.pull + motion.pull;
        let pull = pull * (self.max_pull / pull.norm().max(1e-12)).min(1.0);
        let actuation = Actuation {
            tensions: tensions(pull, config.cables.angles),
            ..Actuation::held(
                self.world_from_mouth * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), roll),
                inserted_length,
            )
        };
        self.report = self.simulation.step(&actuation)?;
        (self.inserted_length, self.roll, self.pull) = (inserted_length, roll, pull);
        Ok(&self.report)
    }

    /// Current state of the rod.
    pub fn state(&self) -> &RodState {
        self.simulation.state()
    }

    /// Report of the last step.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Commanded length of rod beyond the introducer's mouth [m].
    pub fn inserted_length(&self) -> f64 {
        self.inserted_length
    }

    /// Rotation of the handle [rad].
    pub fn roll(&self) -> f64 {
        self.roll
    }

    /// Resultant pull of the cables along y and z of the tip [N].
    pub fn pull(&self) -> Vector2<f64> {
        self.pull
    }

    /// Tensions of the cables [N].
    pub fn tensions(&self) -> [f64; 3] {
        tensions(self.pull, self.simulation.config().cables.angles)
    }

    /// Equidistant points along the whole rod [m], from base to tip. The part that is not inserted is straight behind
    /// the mouth.
    pub fn points(&self, n_points: usize) -> Vec<Vector3<f64>> {
        let state = self.state();
        let length = self.simulation.config().length();
        let along = self.world_from_mouth.rotation * Vector3::x();
        let mouth = self.world_from_mouth.translation.vector;
        let last = n_points.max(2) - 1;
        (0..=last)
            .map(|point| {
                let from_tip = length * (last - point) as f64 / last as f64;
                if from_tip < state.inserted_length {
                    state.position_at(from_tip)
                } else {
                    mouth - along * (from_tip - state.inserted_length)
                }
            })
            .collect()
    }
}

/// Tensions of three cables, a third of a turn apart, with the resultant `pull`. One of them is slack.
fn tensions(pull: Vector2<f64>, angles: [f64; 3]) -> [f64; 3] {
    let shares = angles.map(|angle| 2.0 / 3.0 * (pull.x * angle.cos() + pull.y * angle.sin()));
    let least = shares.into_iter().fold(f64::INFINITY, f64::min);
    shares.map(|share| share - least)
}

/// Controller that follows a centre line. It bends the tip towards a point ahead, and advances more slowly the greater
/// the angle to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Follower {
    /// Distance of the target point ahead of the tip [m].
    pub ahead: f64,
    /// Change of pull in a step per angle to the target point [N/rad].
    pub gain: f64,
    /// Greatest change of pull in a step [N].
    pub max_pull_change: f64,
    /// Greatest advance in a step [m].
    pub max_advance: f64,
}

impl Follower {
    /// The motion of the handle with which a scope follows a line towards its end.
    pub fn motion(&self, scope: &Scope, line: &CentreLine) -> ScopeMotion {
        let tip = scope.state().world_from_tip();
        let (along, _) = line.nearest(&tip.translation.vector);
        let goal = line.at(along + self.ahead);
        let side = tip.inverse_transform_point(&goal.into());
        let angles = Vector2::new(side.y.atan2(side.x.abs()), side.z.atan2(side.x.abs()));
        let pull = angles * self.gain;
        let slowness = (1.0 - angles.norm() / 0.9).clamp(0.15, 1.0);
        ScopeMotion {
            advance: (self.max_advance * slowness).min(line.length() - along + 1e-3),
            roll: 0.0,
            pull: pull * (self.max_pull_change / pull.norm().max(1e-12)).min(1.0),
        }
    }
}
