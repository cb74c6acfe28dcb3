//! A script that slides the probe with hand-tuned forces. It reads only the measured force and sets the wrench of the mode `wrench`.
//!
//! With the desired force $f^*$, the measured force $f$ and the velocity $v_n$ of the probe relative to its goal along the axis,
//!
//! $$ f_n = f^* + k_p (f^* - f) - k_v v_n, \qquad f_t = k_t f_{t,measured}, $$
//!
//! Before contact the force is constant instead. Across the axis, it cancels most of the friction.
//! The gains were tuned by hand on `probe-sweep`.

use nalgebra::Vector3;

use super::SceneState;
use super::wrench_measurement::WrenchMeasurement;
use crate::actions::{ActionSettings, ImpedanceSettings};

/// Force before contact [N]. The mode's damping converts it into a speed.
const APPROACH_FORCE: f64 = 3.0;
/// Force threshold for contact [N].
const CONTACT_FORCE: f64 = 0.5;
/// Gain of the force error, $k_p$.
const FORCE_GAIN: f64 = 8.0;
/// Limit of the force error [N], for a gentle start of contact.
const MAX_ERROR: f64 = 2.0;
/// Gain of the velocity along the axis, $k_v$ [N·s/m].
const VELOCITY_GAIN: f64 = 200.0;
/// Fraction of the force across the axis that is cancelled, $k_t$.
const CANCELLED: f64 = 0.7;

/// The script for given settings of the mode.
#[derive(Debug)]
pub struct WrenchScript {
    /// Indices of the wrench's x, y and z in the action.
    axes: [Option<usize>; 3],
    /// Force at a full-scale action [N].
    force_scale: f64,
}

impl WrenchScript {
    /// `None` in other modes, or if actions do not set the force along the axis.
    pub fn new(action: &ActionSettings) -> Option<Self> {
        let ImpedanceSettings {
            axes, force_scale, ..
        } = &action.impedance;
        let place = |name: &str| axes.iter().position(|axis| axis == name);
        let script = Self {
            axes: ["x", "y", "z"].map(place),
            force_scale: *force_scale,
        };
        (action.mode == "wrench" && script.axes[2].is_some() && *force_scale > 0.0)
            .then_some(script)
    }

    /// Writes the action.
    pub fn act(&self, state: &SceneState, measured: &WrenchMeasurement, action: &mut [f32]) {
        let goal = &state.goal;
        let axis = goal.world_from_probe.z_axis();
        let velocity = (state.probe.twist.linear - goal.twist.linear).dot(&axis);
        let error = (goal.force - measured.force).clamp(-MAX_ERROR, MAX_ERROR);
        let normal = if measured.force < CONTACT_FORCE {
            APPROACH_FORCE
        } else {
            goal.force + FORCE_GAIN * error - VELOCITY_GAIN * velocity
        };
        let across = -measured.wrench[0] * CANCELLED;
        let force = Vector3::new(across.x, across.y, normal) / self.force_scale;
        action.fill(0.0);
        for (index, share) in self.axes.iter().zip(&force) {
            if let Some(index) = index {
                action[*index] = share.clamp(-1.0, 1.0) as f32;
            }
        }
    }
}
