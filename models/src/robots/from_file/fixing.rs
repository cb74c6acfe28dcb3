//! Fixes joints that do not move the flange: joints of grippers, other arms, heads, wheels.
//!
//! If a joint is removed, its body stays at the pose in the document. If home differs from it, the body's pose moves to a frame
//! around the body, and the body gets the displacement of its joints:
//! $T_\text{body} \to T_\text{frame} \cdot J_1(q_1 - q_{0,1}) \cdot J_2(q_2 - q_{0,2}) \cdots$

use std::collections::BTreeSet;

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::home::{Keyframe, reference};
use crate::mjcf::{Defaults, Element, Mjcf, Namespace, Value};

/// Attributes of the pose of a body.
const POSE: [&str; 4] = ["pos", "quat", "xyaxes", "zaxis"];

/// Fixes every joint that is not on the path, except springs without an actuator or coupling.
pub(super) fn fix_other_joints(
    mjcf: &mut Mjcf,
    defaults: &Defaults,
    path: &[usize],
    keyframe: &Keyframe,
    notes: &mut Vec<String>,
) {
    let mut pass = Pass {
        defaults,
        keyframe,
        coupled: coupled_joints(mjcf),
        fixed: Vec::new(),
    };
    pass.children_of(mjcf.worldbody(), "main", Some(path));
    if !pass.fixed.is_empty() {
        notes.push(format!(
            "joints that do not move the flange are fixed: {}",
            super::notes::list(&pass.fixed)
        ));
    }
}

/// Joints that actuators, tendons and equalities refer to.
fn coupled_joints(mjcf: &Mjcf) -> BTreeSet<String> {
    let names: BTreeSet<&str> = mjcf.names(Namespace::Joint).into_iter().collect();
    let mut coupled = BTreeSet::new();
    for section in ["actuator", "tendon", "equality"] {
        let elements = mjcf
            .section(section)
            .map_or(Vec::new(), Element::descendants);
        for element in elements {
            for attribute in ["joint", "joint1", "joint2", "jointinparent"] {
                if let Some(name) = element.text(attribute)
                    && names.contains(name)
                {
                    coupled.insert(name.to_owned());
                }
            }
        }
    }
    coupled
}

struct Pass<'a> {
    defaults: &'a Defaults,
    keyframe: &'a Keyframe,
    coupled: BTreeSet<String>,
    fixed: Vec<String>,
}

impl Pass<'_> {
    /// Fixes joints below `parent`. `path` is the path from there to the flange, if `parent` carries it.
    fn children_of(&mut self, parent: &mut Element, class: &str, path: Option<&[usize]>) {
        for (index, child) in parent.children_mut().iter_mut().enumerate() {
            if !matches!(child.tag(), "body" | "frame") {
                continue;
            }
            let rest = path
                .and_then(<[usize]>::split_first)
                .filter(|(next, _)| **next == index)
                .map(|(_, rest)| rest);
            let own = child.text("childclass").map(str::to_owned);
            let class = own.as_deref().unwrap_or(class);
            self.children_of(child, class, rest);
            if child.tag() == "body" && rest.is_none() {
                self.fix(child, class);
            }
        }
    }

    fn fix(&mut self, body: &mut Element, class: &str) {
        let mut displacement = Isometry3::identity();
        self.remove_joints(body, class, &mut displacement);
        if displacement == Isometry3::identity() {
            return;
        }
        let mut frame = Element::new("frame");
        for attribute in POSE {
            if let Some(value) = body.unset(attribute) {
                frame.set(attribute, value);
            }
        }
        let rotation = displacement.rotation.quaternion();
        let position: [f64; 3] = displacement.translation.vector.into();
        body.set("pos", position);
        body.set("quat", [rotation.w, rotation.i, rotation.j, rotation.k]);
        let moved = std::mem::replace(body, frame);
        body.add(moved);
    }

    fn remove_joints(
        &mut self,
        holder: &mut Element,
        class: &str,
        displacement: &mut Isometry3<f64>,
    ) {
        let mut kept = Vec::new();
        for mut child in std::mem::take(holder.children_mut()) {
            if child.tag() == "frame" {
                let own = child.text("childclass").map(str::to_owned);
                let class = own.as_deref().unwrap_or(class);
                self.remove_joints(&mut child, class, displacement);
            }
            let is_joint = matches!(child.tag(), "joint" | "freejoint");
            if !is_joint || self.is_passive_spring(&child, class) {
                kept.push(child);
                continue;
            }
            self.fixed.push(child.name().unwrap_or("?").to_owned());
            *displacement *= self.motion(&child, class);
        }
        *holder.children_mut() = kept;
    }

    fn is_passive_spring(&self, joint: &Element, class: &str) -> bool {
        let stiffness = self.value(joint, class, "stiffness");
        let is_spring = stiffness.is_some_and(|reals| reals[0] > 0.0);
        let is_coupled = joint.name().is_some_and(|name| self.coupled.contains(name));
        let is_simple = matches!(joint.text("type"), Some("hinge" | "slide"));
        is_spring && is_simple && !is_coupled
    }

    /// Displacement of the body from its pose in the document to home.
    fn motion(&self, joint: &Element, class: &str) -> Isometry3<f64> {
        let home = joint.name().and_then(|name| self.keyframe.get(name));
        let vector = |attribute: &str, otherwise: [f64; 3]| {
            let reals = self.value(joint, class, attribute);
            let array = reals.and_then(|reals| reals.try_into().ok());
            Vector3::from(array.unwrap_or(otherwise))
        };
        let (Some(&[home]), Some(axis)) = (
            home.map(Vec::as_slice),
            Unit::try_new(vector("axis", [0.0, 0.0, 1.0]), f64::EPSILON),
        ) else {
            return Isometry3::identity();
        };
        let distance = home - reference(self.defaults, joint, class);
        if distance == 0.0 {
            return Isometry3::identity();
        }
        if joint.text("type") == Some("slide") {
            return Translation3::from(axis.into_inner() * distance).into();
        }
        let rotation = UnitQuaternion::from_axis_angle(&axis, distance);
        let anchor = vector("pos", [0.0; 3]);
        Isometry3::from_parts(Translation3::from(anchor - rotation * anchor), rotation)
    }

    fn value<'e>(&'e self, joint: &'e Element, class: &str, attribute: &str) -> Option<&'e [f64]> {
        self.defaults
            .effective(joint, class, &["joint"], attribute)
            .and_then(Value::as_reals)
    }
}
