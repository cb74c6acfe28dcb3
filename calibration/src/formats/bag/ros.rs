//! Messages of ROS 2 that tell force, place or speed: what their types hold, in order.

use super::cdr::Cdr;
use super::topic::{Message, Part};

/// A member of a message.
#[derive(Clone, Copy, Debug)]
pub(super) enum Member {
    /// `std_msgs/Header`: time and frame.
    Header,
    /// x, y, z.
    Vector(&'static str),
    /// x, y, z, w.
    Quaternion(&'static str),
    Number(&'static str),
    Text,
    Texts,
    /// As many numbers as the message says.
    Numbers(&'static str),
}

use Member::{Header, Number, Numbers, Quaternion, Text, Texts, Vector};

/// Types by their names, without `msg/`; those called Stamped begin with a header.
const TYPES: &[(&str, &[Member])] = &[
    ("geometry_msgs/Wrench", &[Vector("force"), Vector("torque")]),
    (
        "geometry_msgs/Pose",
        &[Vector("position"), Quaternion("orientation")],
    ),
    (
        "geometry_msgs/Twist",
        &[Vector("linear_velocity"), Vector("angular_velocity")],
    ),
    ("geometry_msgs/Point", &[Vector("position")]),
    ("geometry_msgs/Vector3", &[Vector("vector")]),
    (
        "geometry_msgs/Transform",
        &[Vector("translation"), Quaternion("rotation")],
    ),
    ("std_msgs/Float64", &[Number("data")]),
    (
        // Names do not say position: a joint's is no place.
        "sensor_msgs/JointState",
        &[
            Header,
            Texts,
            Numbers("joint_position"),
            Numbers("joint_velocity"),
            Numbers("joint_effort"),
        ],
    ),
];

/// What a type holds, where it is one of ours.
pub(super) fn members(type_name: &str) -> Option<Vec<Member>> {
    let name = type_name.replacen("/msg/", "/", 1);
    let of = |name: &str| {
        let found = TYPES.iter().find(|(known, _)| *known == name)?;
        Some(found.1.to_vec())
    };
    if let Some(members) = of(&name) {
        return Some(members);
    }
    let mut members = of(name.strip_suffix("Stamped")?)?;
    if name == "geometry_msgs/TransformStamped" {
        members.insert(0, Text);
    }
    members.insert(0, Header);
    Some(members)
}

/// Reads a message.
pub(super) fn read(members: &[Member], bytes: &[u8]) -> Result<Message, String> {
    let mut cdr = Cdr::new(bytes)?;
    let mut message = Message::default();
    for member in members {
        let (name, width, values) = match member {
            Header => {
                let (seconds, nanoseconds) = (cdr.i32()?, cdr.u32()?);
                message.stamp = Some(i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds));
                cdr.skip_text()?;
                continue;
            }
            Text => {
                cdr.skip_text()?;
                continue;
            }
            Texts => {
                cdr.skip_texts()?;
                continue;
            }
            Vector(name) => (name, Some(3), numbers(&mut cdr, 3)?),
            Quaternion(name) => (name, Some(4), numbers(&mut cdr, 4)?),
            Number(name) => (name, None, vec![cdr.f64()?]),
            Numbers(name) => {
                let values = cdr.f64s()?;
                (name, Some(values.len()), values)
            }
        };
        message.parts.push(Part {
            name: (*name).to_owned(),
            width,
            values,
        });
    }
    Ok(message)
}

fn numbers(cdr: &mut Cdr, n: usize) -> Result<Vec<f64>, String> {
    (0..n).map(|_| cdr.f64()).collect()
}
