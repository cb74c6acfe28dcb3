//! Collision bits and visual groups of a user's robot in a scene (see [`crate::robots`]).
//!
//! Two geoms collide if `contype` of one and `conaffinity` of the other have a common bit. The bits of the file are shifted up by two, so
//! the robot collides with itself exactly as before. Bit 0 of `contype` is then free for collisions with the surroundings, whose
//! `conaffinity` is 1. The probe, with the bits 0 and 1, does not collide with the robot.
//!
//! If a body has shapes that are only visual, its collision shapes move to the scene's group of hidden shapes. Otherwise both would be
//! drawn at the same place.

use crate::mjcf::{Defaults, Element, Mjcf, Value};

/// The bits of an MJCF integer except the highest. This bit belongs to the slot of a fast torso, and no geom may accept it.
const BITS: i64 = 0x3fff_ffff;

/// Visual group of collision shapes that are not drawn.
const HIDDEN_GROUP: i32 = 3;

/// Shifts the bits of every geom, and hides collision shapes of bodies that have visual ones.
pub(super) fn separate(mjcf: &mut Mjcf, defaults: &Defaults) {
    let world = mjcf.worldbody();
    separate_below(world, "main", defaults);
}

fn separate_below(parent: &mut Element, class: &str, defaults: &Defaults) {
    for child in parent.children_mut() {
        let own = child.text("childclass").map(str::to_owned);
        let class = own.as_deref().unwrap_or(class);
        if child.tag() == "body" {
            let mut has_looks = false;
            geoms_of(child, class, &mut |geom, class| {
                has_looks |= bits(geom, class, defaults) == (0, 0);
            });
            geoms_of(child, class, &mut |geom, class| {
                move_bits(geom, class, defaults, has_looks);
            });
        }
        separate_below(child, class, defaults);
    }
}

/// Calls `visit` on the geoms of a body, including those in frames, with their class.
fn geoms_of(holder: &mut Element, class: &str, visit: &mut impl FnMut(&mut Element, &str)) {
    for child in holder.children_mut() {
        match child.tag() {
            "geom" => visit(child, class),
            "frame" => {
                let own = child.text("childclass").map(str::to_owned);
                geoms_of(child, own.as_deref().unwrap_or(class), visit);
            }
            _ => {}
        }
    }
}

fn move_bits(geom: &mut Element, class: &str, defaults: &Defaults, hide: bool) {
    let (contype, conaffinity) = bits(geom, class, defaults);
    if contype | conaffinity == 0 {
        return;
    }
    geom.set("contype", (((contype << 2) | 1) & BITS) as f64);
    geom.set("conaffinity", ((conaffinity << 2) & BITS) as f64);
    if hide {
        geom.set("group", HIDDEN_GROUP);
    }
}

/// `contype` and `conaffinity` of a geom.
pub(super) fn bits(geom: &Element, class: &str, defaults: &Defaults) -> (i64, i64) {
    let of = |attribute: &str| {
        let value = defaults.effective(geom, class, &["geom"], attribute);
        let number = value
            .and_then(Value::as_reals)
            .map_or(1.0, |reals| reals[0]);
        number as i64 & 0xffff_ffff
    };
    (of("contype"), of("conaffinity"))
}
