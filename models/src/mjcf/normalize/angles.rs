//! Converts degrees to radians, and Euler angles to quaternions.
//!
//! With `angle="degree"`, the default of MJCF, MuJoCo converts `euler` and `axisangle` everywhere, the range of hinge and ball
//! joints, and the `ref` and `springref` of hinge joints. It converts nothing else: ranges of actuators and tendons, coefficients of
//! equalities and keyframes are in radians in every file, and `fovy` and `cutoff` are in degrees.

use super::compiler::Compiler;
use super::defaults::{Defaults, walk_world};
use super::orientation;
use crate::mjcf::{Element, Mjcf, MjcfError, Value};

/// Attributes of joints whose unit depends on the type of the joint, and the types for which they are angles.
const OF_JOINTS: [(&str, &[&str]); 3] = [
    ("range", &["hinge", "ball"]),
    ("ref", &["hinge"]),
    ("springref", &["hinge"]),
];

/// Converts all angles to radians and all Euler angles to quaternions.
pub(super) fn to_radians(
    mjcf: &mut Mjcf,
    compiler: &Compiler,
    defaults: &Defaults,
) -> Result<(), MjcfError> {
    if compiler.degrees {
        if let Some(composite) = find(mjcf.root(), "composite") {
            return Err(MjcfError::Unsupported {
                element: composite.label(),
                problem: "composites in files with angles in degrees are not read; \
                          set <compiler angle=\"radian\"/>"
                    .to_owned(),
            });
        }
        convert_joints(mjcf, defaults);
    }
    let mut outcome = Ok(());
    mjcf.root_mut().visit_mut(&mut |element| {
        if outcome.is_ok() {
            outcome = convert_orientation(element, compiler);
        }
    });
    outcome
}

fn find<'a>(element: &'a Element, tag: &str) -> Option<&'a Element> {
    element
        .descendants()
        .into_iter()
        .find(|element| element.tag() == tag)
}

/// Writes values from classes on the joints, because a joint's type may come from another class than its range.
fn convert_joints(mjcf: &mut Mjcf, defaults: &Defaults) {
    walk_world(mjcf, &mut |element, class| {
        if element.tag() != "joint" {
            return;
        }
        let kind = defaults
            .effective(element, class, &["joint"], "type")
            .and_then(Value::as_text)
            .unwrap_or("hinge")
            .to_owned();
        let is_limited = defaults
            .effective(element, class, &["joint"], "limited")
            .and_then(Value::as_text)
            != Some("false");
        for (attribute, angular_types) in OF_JOINTS {
            let is_angle =
                angular_types.contains(&kind.as_str()) && (attribute != "range" || is_limited); // MuJoCo does not convert ranges of joints without limits
            let value = defaults.effective(element, class, &["joint"], attribute);
            let Some(reals) = value.and_then(Value::as_reals) else {
                continue;
            };
            let reals: Vec<f64> = if is_angle {
                reals.iter().map(|degrees| degrees.to_radians()).collect()
            } else {
                reals.to_vec()
            };
            element.set(attribute, reals);
        }
    });
    let Some(section) = mjcf.root_mut().child_mut("default") else {
        return;
    };
    section.visit_mut(&mut |element| {
        if element.tag() == "joint" {
            for (attribute, _) in OF_JOINTS {
                element.unset(attribute);
            }
        }
    });
}

fn convert_orientation(element: &mut Element, compiler: &Compiler) -> Result<(), MjcfError> {
    let specifiers = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];
    let given = specifiers
        .iter()
        .filter(|name| element.get(name).is_some())
        .count();
    if given > 1 {
        return Err(MjcfError::Unsupported {
            element: element.label(),
            problem: format!("more than one of {} is given", specifiers.join(", ")),
        });
    }
    let unit = if compiler.degrees {
        1_f64.to_radians()
    } else {
        1.0
    };
    if let Some(angles) = element.array::<3>("euler") {
        let angles = angles.map(|angle| angle * unit);
        return set_euler(element, angles, compiler.euler_sequence);
    }
    if let Some([x, y, z, angle]) = element.array("axisangle") {
        let quat = orientation::from_axis_angle([x, y, z, angle * unit]).ok_or_else(|| {
            MjcfError::BadValue {
                element: element.label(),
                attribute: "axisangle".to_owned(),
                value: format!("{x} {y} {z} {angle}"),
                problem: "has an axis of no length".to_owned(),
            }
        })?;
        element.unset("axisangle");
        element.set("quat", quat);
    }
    Ok(())
}

fn set_euler(
    element: &mut Element,
    angles: [f64; 3],
    sequence: [char; 3],
) -> Result<(), MjcfError> {
    if element.tag() != "replicate" {
        element.unset("euler");
        element.set("quat", orientation::from_euler(sequence, angles));
        return Ok(());
    }
    // `replicate` supports no other rotation than Euler angles.
    if sequence != ['x', 'y', 'z'] {
        return Err(MjcfError::Unsupported {
            element: element.label(),
            problem: "replicas with euler and another eulerseq than \"xyz\" are not read"
                .to_owned(),
        });
    }
    element.set("euler", angles);
    Ok(())
}
