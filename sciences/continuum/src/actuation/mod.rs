//! Actuation of a rod: base pose, cable tensions, and forces on the tip.

mod cables;
mod feed;

pub(crate) use cables::pull;
pub(crate) use feed::{draw_out, feed, nodes_from_tip};

use nalgebra::{Isometry3, Vector3};

use crate::ContinuumError;

/// Inputs of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Actuation {
    /// Pose of the introducer's mouth. The rod leaves it along +x.
    pub world_from_base: Isometry3<f64>,
    /// Length of rod beyond the mouth [m]. Its change per step is the velocity of the base.
    pub inserted_length: f64,
    /// Tensions of the cables [N], at least 0.
    pub tensions: [f64; 3],
    /// Constant force on the tip [N], world axes.
    pub tip_force: Vector3<f64>,
    /// Moment on the tip [N·m], world axes.
    pub tip_moment: Vector3<f64>,
}

impl Actuation {
    /// A rod held at `world_from_base` and inserted by `inserted_length` [m], without tensions or
    /// forces.
    pub fn held(world_from_base: Isometry3<f64>, inserted_length: f64) -> Self {
        Self {
            world_from_base,
            inserted_length,
            tensions: [0.0; 3],
            tip_force: Vector3::zeros(),
            tip_moment: Vector3::zeros(),
        }
    }

    pub(crate) fn check(&self, length: f64, element_length: f64) -> Result<(), ContinuumError> {
        let base = &self.world_from_base;
        let numbers = base
            .translation
            .vector
            .iter()
            .chain(base.rotation.coords.iter());
        if !numbers.clone().all(|number| number.is_finite()) {
            return Err(ContinuumError::setting("world_from_base", base, "finite"));
        }
        // The shortest rod is half an element; rounding may slightly exceed the full length.
        if !(0.5 * element_length..=length * (1.0 + 1e-9)).contains(&self.inserted_length) {
            let allowed = format!("between {} and {length} m", 0.5 * element_length);
            let value = self.inserted_length;
            return Err(ContinuumError::setting("inserted_length", value, allowed));
        }
        let is_tension = |tension: &f64| *tension >= 0.0 && tension.is_finite();
        if !self.tensions.iter().all(is_tension) {
            return Err(ContinuumError::setting(
                "tensions",
                self.tensions,
                "at least 0 N",
            ));
        }
        if !self.tip_force.iter().all(|number| number.is_finite()) {
            return Err(ContinuumError::setting(
                "tip_force",
                self.tip_force,
                "finite [N]",
            ));
        }
        if !self.tip_moment.iter().all(|number| number.is_finite()) {
            return Err(ContinuumError::setting(
                "tip_moment",
                self.tip_moment,
                "finite [N·m]",
            ));
        }
        Ok(())
    }
}
