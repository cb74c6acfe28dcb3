//! Wrenches that act on bodies during one step.

use crate::ffi::Data;

/// Wrenches added to `xfrc_applied` for one step.
#[derive(Debug, Default)]
pub(crate) struct AppliedWrenches {
    /// Bodies and their previous `xfrc_applied`, shape `[6]`.
    saved: Vec<(usize, [f64; 6])>,
}

impl AppliedWrenches {
    /// Adds a force [N] and a torque [N·m] about the body's centre of mass, both in world.
    pub(crate) fn add(&mut self, data: &mut Data, body: usize, force: [f64; 3], torque: [f64; 3]) {
        let wrench = &mut data.xfrc_applied_mut()[body];
        self.saved.push((body, *wrench));
        for axis in 0..3 {
            wrench[axis] += force[axis];
            wrench[3 + axis] += torque[axis];
        }
    }

    /// Restores `xfrc_applied`.
    pub(crate) fn restore(&mut self, data: &mut Data) {
        for (body, wrench) in self.saved.drain(..).rev() {
            data.xfrc_applied_mut()[body] = wrench;
        }
    }
}
