//! Warnings about an arm: a flange that does not point out of it, a last link without mass.

use nalgebra::{UnitQuaternion, Vector3};

use super::flange::joints_of;
use super::kinematics::{Chain, pose_of};
use crate::mjcf::{Defaults, Element, Mjcf, Value};

/// Angle between the flange's +z and the direction out of the arm that no usual wrist exceeds [°].
const MAX_TILT_DEG: f64 = 60.0;

/// Least distance between the flange and the link from which the direction out of the arm is taken [m].
const APART: f64 = 0.01;

/// The least mass [kg] and inertia [kg·m²] that MuJoCo accepts for a moving body (`mjMINVAL`).
const MIN_INERTIA: f64 = 1e-15;

/// A note where +z of the flange, along which the probe leaves, does not point out of the arm.
pub(super) fn tilted_flange(
    mjcf: &Mjcf,
    path: &[usize],
    posture: &[f64],
    chain: &Chain,
) -> Option<String> {
    let posture = chain.posture(posture);
    let flange = posture.mount_from_flange;
    let tip = flange.translation.vector;
    let links = posture.points.iter().rev();
    let out = links
        .map(|point| tip - point.coords)
        .find(|out| out.norm() > APART)?;
    let out = flange.rotation.inverse() * out;
    let tilt = out.angle(&Vector3::z()).to_degrees();
    if tilt <= MAX_TILT_DEG {
        return None;
    }
    let (body, element) = body_and_flange(mjcf, path)?;
    let body_from_flange = if element.tag() == "body" {
        nalgebra::Isometry3::identity()
    } else {
        pose_of(element)
    };
    let half_turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    let turn = UnitQuaternion::rotation_between(&Vector3::z(), &out).unwrap_or(half_turn);
    let [x, y, z]: [f64; 3] = body_from_flange.translation.vector.into();
    let quat = (body_from_flange.rotation * turn).into_inner();
    let sign = if quat.w < 0.0 { -1.0 } else { 1.0 };
    let rounded = |part: f64| (sign * part * 1e4).round() / 1e4 + 0.0;
    let [w, i, j, k] = [quat.w, quat.i, quat.j, quat.k].map(rounded);
    Some(format!(
        "{}: its +z, along which the probe leaves it, points {tilt:.0}° away from the end of the arm; if that is not meant, add \
         <site name=\"probe_mount\" pos=\"{x} {y} {z}\" quat=\"{w} {i} {j} {k}\"/> to {} and choose --flange probe_mount",
        element.label(),
        body.label()
    ))
}

/// The body that a path ends on or in, and the element that it ends on.
fn body_and_flange<'a>(mjcf: &'a Mjcf, path: &[usize]) -> Option<(&'a Element, &'a Element)> {
    let mut element = mjcf.section("worldbody")?;
    let mut body = element;
    for &index in path {
        element = &element.children()[index];
        if element.tag() == "body" {
            body = element;
        }
    }
    Some((body, element))
}

/// A note where MuJoCo accepts the last moving body only because it carries the probe.
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
            "{}: it moves without mass or inertia, which MuJoCo refuses; here it has those of the probe alone",
            body.label()
        )
    })
}

/// Whether a body, or one fixed to it, has mass and inertia.
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

/// Whether a body without joints, or one in a frame, has mass and inertia.
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
