//! Warnings about an arm: a last link without mass, angles in the wrong unit.

use super::joints::joints_of;
use crate::mjcf::{Defaults, Element, Mjcf, Value};

/// The least mass [kg] and inertia [kg·m²] that MuJoCo accepts for a moving body (`mjMINVAL`).
const MIN_INERTIA: f64 = 1e-15;

/// Range of a hinge below which its angles may be radians that were read as degrees [rad]; it corresponds to two turns.
const SMALL_RANGE: f64 = 0.22;

/// A note if all hinges of an arm have tiny ranges.
///
/// MJCF without `angle="radian"` is in degrees, even if a file that includes it sets radians.
pub(super) fn tiny_ranges(joints: &[Element], ranges: &[[f64; 2]]) -> Option<String> {
    let mut hinges = joints
        .iter()
        .zip(ranges)
        .filter(|(joint, _)| joint.text("type") == Some("hinge"))
        .map(|(_, [low, high])| high - low)
        .peekable();
    hinges.peek()?;
    hinges.all(|range| range < SMALL_RANGE).then(|| {
        "no joint turns by more than 13°: are the file's angles in radians? <compiler angle=\"radian\"/> says so".to_owned()
    })
}

/// A note if MuJoCo accepts the last moving body only because the probe adds mass to it.
pub(super) fn weightless_link(mjcf: &Mjcf, defaults: &Defaults, path: &[usize]) -> Option<String> {
    let mut element = mjcf.section("worldbody")?;
    let mut class = "main";
    let mut last = None;
    for &index in path {
        element = &element.children()[index];
        class = element.text("childclass").unwrap_or(class);
        if element.tag() == "body" && !joints_of(element).is_empty() {
            last = Some((element, class));
        }
    }
    let (body, class) = last?;
    (!has_inertia(body, class, defaults)).then(|| {
        format!(
            "{}: it moves without mass or inertia, which MuJoCo refuses; here it has only the mass and inertia of the probe",
            body.label()
        )
    })
}

/// Whether a body, or a body fixed to it, has mass and inertia.
fn has_inertia(body: &Element, class: &str, defaults: &Defaults) -> bool {
    let own = match body.child("inertial") {
        Some(inertial) => {
            let reals = |attribute: &str| inertial.reals(attribute).unwrap_or_default();
            let is_positive = |values: &[f64]| values.iter().all(|&value| value >= MIN_INERTIA);
            let moments = reals("diaginertia");
            is_positive(reals("mass"))
                && (inertial.get("fullinertia").is_some()
                    || (!moments.is_empty() && is_positive(moments)))
        }
        None => has_heavy_geom(body, class, defaults),
    };
    own || body
        .children()
        .iter()
        .any(|child| is_heavy_child(child, class, defaults))
}

/// Whether a child body without joints, also within a frame, has mass and inertia.
fn is_heavy_child(child: &Element, class: &str, defaults: &Defaults) -> bool {
    let class = child.text("childclass").unwrap_or(class);
    match child.tag() {
        "body" => joints_of(child).is_empty() && has_inertia(child, class, defaults),
        "frame" => child
            .children()
            .iter()
            .any(|child| is_heavy_child(child, class, defaults)),
        _ => false,
    }
}

fn has_heavy_geom(holder: &Element, class: &str, defaults: &Defaults) -> bool {
    holder.children().iter().any(|child| match child.tag() {
        "geom" => {
            let value = |attribute: &str| {
                let value = defaults.effective(child, class, &["geom"], attribute);
                value
                    .and_then(Value::as_reals)
                    .and_then(|reals| reals.first().copied())
            };
            value("mass")
                .or_else(|| value("density"))
                .is_none_or(|mass| mass > 0.0)
        }
        "frame" => {
            let class = child.text("childclass").unwrap_or(class);
            has_heavy_geom(child, class, defaults)
        }
        _ => false,
    })
}
