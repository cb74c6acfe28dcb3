//! Scaling from a policy's outputs to actions.

use insonate_envs::BoxSpace;

/// An action with two finite bounds is `center + half_range * u`, so that u in [−1, 1] covers its range. Other actions are u itself. All
/// are then clipped to their bounds. For a box of [−1, 1] this is CleanRL's `ClipAction`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ActionScale {
    space: BoxSpace,
    /// Centre and half range of each action.
    lines: Vec<(f32, f32)>,
}

impl ActionScale {
    /// The scale of an action space.
    pub(crate) fn new(space: &BoxSpace) -> Self {
        let bounds = space.low.iter().zip(&space.high);
        Self {
            space: space.clone(),
            lines: bounds
                .map(|(&low, &high)| {
                    if low.is_finite() && high.is_finite() {
                        (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low)
                    } else {
                        (0.0, 1.0)
                    }
                })
                .collect(),
        }
    }

    /// Centre and half range of each action.
    pub(super) fn lines(&self) -> &[(f32, f32)] {
        &self.lines
    }

    /// Writes the action, shape `[n_actions]`, for `u`, shape `[n_actions]`; NaN stays NaN.
    pub(crate) fn apply(&self, u: &[f32], action: &mut [f32]) {
        for ((action, u), (center, half_range)) in action.iter_mut().zip(u).zip(&self.lines) {
            *action = center + half_range * u;
        }
        self.space.clip(action);
    }

    /// Writes `u` for actions, both of shape `[n, n_actions]`. An action whose bounds are equal gives 0.
    pub(crate) fn invert(&self, actions: &[f32], u: &mut [f32]) {
        let lines = self.lines.iter().cycle();
        for ((u, action), (center, half_range)) in u.iter_mut().zip(actions).zip(lines) {
            *u = if *half_range == 0.0 {
                0.0
            } else {
                (action - center) / half_range
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounded_actions_are_scaled_and_all_are_clipped() {
        let space = BoxSpace::default()
            .with("unit", -1.0, 1.0)
            .with("torque", 0.0, 4.0)
            .with("half open", -1.0, f32::INFINITY)
            .with("free", f32::NEG_INFINITY, f32::INFINITY);
        let scale = ActionScale::new(&space);
        let mut action = [0.0; 4];
        scale.apply(&[0.5, 0.5, -3.0, 7.0], &mut action);
        assert_eq!(action, [0.5, 3.0, -1.0, 7.0]);
        scale.apply(&[-2.0, 9.0, 2.0, -7.0], &mut action);
        assert_eq!(action, [-1.0, 4.0, 2.0, -7.0]);
        let mut u = [0.0; 4];
        scale.invert(&[0.5, 3.0, -1.0, 7.0], &mut u);
        assert_eq!(u, [0.5, 0.5, -1.0, 7.0]);
    }
}
