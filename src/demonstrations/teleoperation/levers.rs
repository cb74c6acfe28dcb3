//! One lever for each entry of an action, between its bounds.

use super::quantity;
use crate::envs::BoxSpace;

/// Time in which a lever that stays goes from its middle to its end [s].
const TRAVEL: f64 = 1.0;

/// Entries whose levers stay where they are let go: forces, stiffnesses and the like; motions stop.
const STAYING: [&str; 5] = ["wrench", "stiffness", "depth", "force", "gain"];

/// The levers of an action.
#[derive(Debug, Clone, PartialEq)]
pub struct Levers {
    levers: Vec<Lever>,
    action: Vec<f32>,
}

#[derive(Debug, Clone, PartialEq)]
struct Lever {
    stays: bool,
    /// From -1 to 1.
    place: f32,
    middle: f32,
    half_range: f32,
}

impl Levers {
    /// All levers in the middle.
    pub fn new(space: &BoxSpace) -> Self {
        let bounds = space.low.iter().zip(&space.high);
        let lever = |(name, (low, high)): (&String, (&f32, &f32))| {
            let is_bounded = low.is_finite() && high.is_finite();
            let (middle, half_range) = if is_bounded {
                (0.5 * (low + high), 0.5 * (high - low))
            } else {
                (0.0, 1.0)
            };
            let first = quantity(name).split('_').next().unwrap_or_default();
            Lever {
                stays: STAYING.contains(&first),
                place: 0.0,
                middle,
                half_range,
            }
        };
        Self {
            levers: space.names.iter().zip(bounds).map(lever).collect(),
            action: vec![0.0; space.len()],
        }
    }

    /// Moves the levers for some time [s], each as it is driven, from -1 to 1, and gives the action.
    pub fn advance(&mut self, drives: &[f32], time: f64) -> &[f32] {
        let levers = self.levers.iter_mut().zip(drives);
        for ((lever, drive), action) in levers.zip(&mut self.action) {
            let way = drive * (time / TRAVEL) as f32;
            let place = if lever.stays {
                lever.place + way
            } else {
                *drive
            };
            lever.place = place.clamp(-1.0, 1.0);
            *action = lever.middle + lever.half_range * lever.place;
        }
        &self.action
    }

    /// Brings all levers back to the middle.
    pub fn release(&mut self) {
        for lever in &mut self.levers {
            lever.place = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_stop_and_forces_stay() {
        let space = BoxSpace::default()
            .with("delta_x [1]", -1.0, 1.0)
            .with("wrench_z [1]", -1.0, 1.0)
            .with("torque [N·m]", -2.0, 2.0);
        let mut levers = Levers::new(&space);
        assert_eq!(levers.advance(&[0.5, 1.0, -0.5], 0.25), [0.5, 0.25, -1.0]);
        assert_eq!(levers.advance(&[0.0; 3], 0.25), [0.0, 0.25, 0.0]);
        // No lever leaves its range.
        assert_eq!(levers.advance(&[1.0; 3], 9.0), [1.0, 1.0, 2.0]);
        levers.release();
        assert_eq!(levers.advance(&[0.0; 3], 0.25), [0.0; 3]);
    }
}
