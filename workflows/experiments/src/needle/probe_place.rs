//! The probe next to a needle.

use insonate_settings::SettingError;
use insonate_ultrasound::transducer::Transducer;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// Distance between the entry of the needle and the nearest edge of the array [m].
const BESIDE: f64 = 5e-3;

/// Pose of a probe whose array begins next to the entry (world from probe): x along the array as x of the block, z down.
pub(super) fn probe_pose(
    entry: &Vector3<f64>,
    target: &Vector3<f64>,
    transducer: &Transducer,
) -> Isometry3<f64> {
    let x = entry.x + BESIDE + 0.5 * transducer.footprint();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    Isometry3::from_parts(Vector3::new(x, target.y, 0.0).into(), turn)
}

/// Refuses a target that no scanline of a probe next to the entry meets.
pub(super) fn check_probe(
    entry: &Vector3<f64>,
    target: &Vector3<f64>,
    transducer: &Transducer,
) -> Result<(), SettingError> {
    let seen = probe_pose(entry, target, transducer).inverse() * nalgebra::Point3::from(*target);
    let apex = transducer.apex_radius();
    let is_seen = match apex {
        None => seen.x.abs() < 0.5 * transducer.span(),
        Some(apex) => seen.x.atan2(seen.z + apex).abs() < 0.5 * transducer.span(),
    };
    if is_seen {
        return Ok(());
    }
    let allowed = "under the array, which begins 5 mm behind the entry: choose a smaller angle between needle and skin, or another probe";
    let value = format!("{:.4} m", target.x);
    Err(SettingError::new(
        "target.x, with a B-mode picture,",
        value,
        allowed,
    ))
}
