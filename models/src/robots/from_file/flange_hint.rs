//! A hint if +z of the flange, the direction of the probe, points into the arm or across its last joint.
//!
//! Arms rotate their tool about the last joint: +z is right if it is parallel to this axis and points away from the arm. If it is
//! perpendicular to the axis, a hint is given only if the last link extends along the axis, or if +z points back into the link. A hint is
//! checked by the same rules as the file's flange: it is dropped if it would cause another hint.

use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};

use super::joints::joints_of;
use super::kinematics::{Chain, Posture, pose_of};
use crate::mjcf::{Element, Mjcf};

/// Cosine of the angle to the last joint's axis up to which a direction counts as parallel: 30°.
const ALONG: f64 = 0.866;
/// Cosine of the angle from which a direction counts as perpendicular: 60°.
const ACROSS: f64 = 0.5;
/// Least distance between the flange and a link from which the direction out of the arm is determined [m].
const APART: f64 = 0.01;

/// Geometry of the arm relative to the flange.
struct ArmExtent {
    /// Axis of the last joint, a hinge, in the mount's frame.
    axis: Unit<Vector3<f64>>,
    /// Vectors to the flange from the origins of the elements on the path, nearest first, in the mount's frame [m].
    outs: Vec<Vector3<f64>>,
    /// Vectors to the flange from the last two moving links [m].
    links: Vec<Vector3<f64>>,
}

impl ArmExtent {
    /// Returns `None` if the last joint is a slide, which gives no direction of the tool.
    ///
    /// `moves` tells which elements of the path are bodies with joints.
    fn new(posture: &Posture, moves: &[bool]) -> Option<Self> {
        let tip = posture.mount_from_flange.translation.vector;
        let last = posture.jacobian.ncols().checked_sub(1)?;
        let axis = posture.jacobian.fixed_view::<3, 1>(3, last).into_owned();
        let outs = || posture.points.iter().rev().map(|point| tip - point.coords);
        let links = outs().zip(moves.iter().rev());
        Some(Self {
            axis: Unit::try_new(axis, f64::EPSILON)?,
            outs: outs().collect(),
            links: links
                .filter_map(|(out, moves)| moves.then_some(out))
                .take(2)
                .collect(),
        })
    }

    /// The direction in which +z should point instead of `z`, if it is clear.
    fn better(&self, z: &Vector3<f64>) -> Option<Vector3<f64>> {
        let along = z.dot(&self.axis);
        if along.abs() >= ALONG {
            let outs = self.links.iter().map(|out| out.dot(z));
            return outs
                .max_by(|a, b| a.abs().total_cmp(&b.abs()))
                .filter(|out| *out < -APART)
                .map(|_| -self.axis.into_inner() * along.signum());
        }
        let out = self.outs.iter().find(|out| out.norm() > APART)?.normalize();
        let reach = out.dot(&self.axis);
        if along.abs() < ACROSS && reach.abs() >= ALONG {
            return Some(self.axis.into_inner() * reach.signum());
        }
        (z.dot(&out) <= -ALONG).then_some(out)
    }
}

/// The hint for the flange at the end of `path`, with the arm in the pose of the document.
pub(super) fn hint(mjcf: &Mjcf, path: &[usize], chain: &Chain) -> Option<String> {
    let posture = chain.posture(&[]);
    let rotation = posture.mount_from_flange.rotation;
    let view = ArmExtent::new(&posture, &moving(mjcf, path))?;
    let z = rotation * Vector3::z();
    let better = view.better(&z)?;
    if view.better(&better).is_some() {
        return None;
    }
    let out = rotation.inverse() * better;
    let tilt = out.angle(&Vector3::z()).to_degrees();
    let (body, element) = body_and_flange(mjcf, path)?;
    let body_from_flange = if element.tag() == "body" {
        Isometry3::identity()
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
         <site name=\"probe_mount\" pos=\"{x} {y} {z}\" quat=\"{w} {i} {j} {k}\"/> to {} and choose probe_mount as the flange",
        element.label(),
        body.label()
    ))
}

/// Whether each element of a path is a body with joints.
fn moving(mjcf: &Mjcf, path: &[usize]) -> Vec<bool> {
    let mut element = mjcf.section("worldbody");
    let elements = path.iter().filter_map(|&index| {
        element = element.and_then(|element| element.children().get(index));
        element
    });
    elements
        .map(|element| element.tag() == "body" && !joints_of(element).is_empty())
        .collect()
}

/// The body that contains the end of a path, and the element at the end.
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
