//! Steering a cable-driven scope through a lumen: what its handle does, and a controller that follows a centre line.

use std::sync::Arc;

use nalgebra::{Isometry3, UnitQuaternion, Vector2, Vector3};

use crate::lumen::CentreLine;
use crate::{
    Actuation, ContinuumError, Lumen, RodConfig, RodState, Simulation, StepReport, StepSettings,
};

/// A rod that comes out of an introducer, turned about its axis and bent by three cables.
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

/// What the handle does in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScopeMotion {
    /// By how much the rod is pushed in [m]; negative: drawn out.
    pub advance: f64,
    /// By how much it is turned about its axis [rad].
    pub roll: f64,
    /// By how much the pull of the cables changes, along y and z of the tip [N].
    pub pull: Vector2<f64>,
}

impl Scope {
    /// A straight rod that is `inserted_length` [m] beyond the mouth of an introducer, out of which it comes along +x; its cables pull with
    /// at most `max_pull` [N] together.
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

    /// Moves the handle, within the rod's length and the cables' strength, and steps the rod.
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

    /// The rod as it is.
    pub fn state(&self) -> &RodState {
        self.simulation.state()
    }

    /// What the last step did.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Length of rod beyond the introducer's mouth [m], as commanded.
    pub fn inserted_length(&self) -> f64 {
        self.inserted_length
    }

    /// Turn of the handle [rad].
    pub fn roll(&self) -> f64 {
        self.roll
    }

    /// Pull of the cables along y and z of the tip [N].
    pub fn pull(&self) -> Vector2<f64> {
        self.pull
    }

    /// Tensions of the cables [N].
    pub fn tensions(&self) -> [f64; 3] {
        tensions(self.pull, self.simulation.config().cables.angles)
    }

    /// Points at even distances along the whole rod [m], from base to tip; what is not in yet lies straight behind the mouth.
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

/// Tensions of three cables, a third of a turn apart, whose pull together is `pull` and of which one is slack.
fn tensions(pull: Vector2<f64>, angles: [f64; 3]) -> [f64; 3] {
    let shares = angles.map(|angle| 2.0 / 3.0 * (pull.x * angle.cos() + pull.y * angle.sin()));
    let least = shares.into_iter().fold(f64::INFINITY, f64::min);
    shares.map(|share| share - least)
}

/// Follows a centre line: bends the tip towards a point ahead, and advances the slower the further that is to the side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Follower {
    /// How far ahead of the tip the point lies that it looks at [m].
    pub ahead: f64,
    /// Change of pull in a step over the angle to that point [N/rad].
    pub gain: f64,
    /// Greatest change of pull in a step [N].
    pub max_pull_change: f64,
    /// Greatest advance in a step [m].
    pub max_advance: f64,
}

impl Follower {
    /// The motion with which a scope follows a line towards its end.
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
