//! A virtual lever for each entry of an action, between the entry's bounds.

use insonate_envs::BoxSpace;

use super::quantity;

/// Time that a staying lever takes from its middle to its end at full drive [s].
const TRAVEL: f64 = 1.0;

/// Entries whose levers stay in place when the control is released, such as forces and stiffnesses.
/// Levers of motions return to the middle.
const STAYING: [&str; 5] = ["wrench", "stiffness", "depth", "force", "gain"];

/// Levers for all entries of an action.
#[derive(Debug, Clone, PartialEq)]
pub struct Levers {
    levers: Vec<Lever>,
    action: Vec<f32>,
}

#[derive(Debug, Clone, PartialEq)]
struct Lever {
    stays: bool,
    /// Position in [-1, 1].
    place: f32,
    middle: f32,
    half_range: f32,
}

impl Levers {
    /// Levers in their middle position.
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

    /// Moves each lever by its drive in [-1, 1] for `time` [s] and returns the action.
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

    /// Moves all levers back to the middle.
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
        // Levers stay within their range.
        assert_eq!(levers.advance(&[1.0; 3], 9.0), [1.0, 1.0, 2.0]);
        levers.release();
        assert_eq!(levers.advance(&[0.0; 3], 0.25), [0.0; 3]);
    }
}
