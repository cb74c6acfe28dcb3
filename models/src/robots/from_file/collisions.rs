//! Collision bits of a user's robot beside those of the scene (see [`crate::robots`]).
//!
//! Two geoms collide where `contype` of one and `conaffinity` of the other share a bit. The file's bits move up by two, so the robot
//! collides with itself exactly as before. Bit 0 of `contype` is then free to mean: collides with the surroundings, whose
//! `conaffinity` is 1. The probe, with the bits 0 and 1, does not collide with the robot.

use crate::mjcf::{Defaults, Mjcf, Value, walk_world};

/// Bits that an MJCF integer holds.
const BITS: i64 = 0x7fff_ffff;

/// Moves the bits of every geom.
pub(super) fn separate(mjcf: &mut Mjcf, defaults: &Defaults) {
    walk_world(mjcf, &mut |element, class| {
        if element.tag() != "geom" {
            return;
        }
        let bits = |attribute: &str| {
            let value = defaults.effective(element, class, &["geom"], attribute);
            let number = value
                .and_then(Value::as_reals)
                .map_or(1.0, |reals| reals[0]);
            number as i64 & 0xffff_ffff
        };
        let (contype, conaffinity) = (bits("contype"), bits("conaffinity"));
        if contype | conaffinity == 0 {
            return;
        }
        element.set("contype", (((contype << 2) | 1) & BITS) as f64);
        element.set("conaffinity", ((conaffinity << 2) & BITS) as f64);
    });
}
