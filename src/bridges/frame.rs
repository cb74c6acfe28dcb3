//! Messages with the pose and force of the probe.

use super::devices::DEVICES;
use super::ras;
use crate::openigtlink::{Message, Text, encode};
use crate::sim::Physics;
use crate::sim::readings::{ForceTorque, ProbeFrame};

/// Messages for a state at a time since 1970 [s].
pub(super) fn frame(physics: &Physics, time: f64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(probe) = ProbeFrame::new(physics.model()) {
        let pose = ras::from_world(&probe.world_from_probe(physics));
        bytes.extend(encode(DEVICES.probe, time, &Message::Transform(pose)));
    }
    if let Some(force) = force(physics) {
        let text = force.map(|number| format!("{number:.4}")).join(" ");
        bytes.extend(encode(DEVICES.force, time, &Message::Text(Text(&text))));
    }
    bytes
}

/// Force [N] and torque [N·m] of the probe on the tissue, in the sensor's frame; z is the beam.
pub(super) fn force(physics: &Physics) -> Option<[f64; 6]> {
    let wrench = physics.force_torque().map(ForceTorque::wrench_in_sensor)?;
    let ([fx, fy, fz], [tx, ty, tz]): ([f64; 3], [f64; 3]) =
        ((-wrench.force).into(), (-wrench.torque).into());
    Some([fx, fy, fz, tx, ty, tz])
}
