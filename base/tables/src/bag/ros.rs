//! ROS 2 message types with force, position or velocity: their members, in order.

use super::cdr::Cdr;
use super::message::{Message, MessageNumbers};
use super::transforms::Transform;

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
    ShortNumber(&'static str),
    /// Name of the child frame.
    Child,
    /// Names of joints.
    Names,
    /// A sequence of numbers with its length in the message.
    Numbers(&'static str),
    ShortNumbers(&'static str),
    /// `std_msgs/MultiArrayLayout`: the meaning of the numbers that follow.
    Layout,
    /// A fixed number of values without use here.
    Skipped(usize),
}

use Member::{
    Child, Header, Layout, Names, Number, Numbers, Quaternion, ShortNumber, ShortNumbers, Skipped,
    Vector,
};

/// Number of values of a covariance.
const COVARIANCE: usize = 36;

/// Types by name, without `msg/`; types called Stamped begin with a header.
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
    (
        "geometry_msgs/PoseWithCovariance",
        &[
            Vector("position"),
            Quaternion("orientation"),
            Skipped(COVARIANCE),
        ],
    ),
    (
        "geometry_msgs/TwistWithCovariance",
        &[
            Vector("linear_velocity"),
            Vector("angular_velocity"),
            Skipped(COVARIANCE),
        ],
    ),
    (
        // The twist, which follows these members, is in the child's frame.
        "nav_msgs/Odometry",
        &[Header, Child, Vector("position"), Quaternion("orientation")],
    ),
    ("std_msgs/Float64", &[Number("data")]),
    ("std_msgs/Float32", &[ShortNumber("data")]),
    ("std_msgs/Float64MultiArray", &[Layout, Numbers("data")]),
    (
        "std_msgs/Float32MultiArray",
        &[Layout, ShortNumbers("data")],
    ),
    (
        // Renamed because a joint's position is not a position in space.
        "sensor_msgs/JointState",
        &[
            Header,
            Names,
            Numbers("joint_position"),
            Numbers("joint_velocity"),
            Numbers("joint_effort"),
        ],
    ),
];

/// Members of a supported type; `None` for other types.
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
        members.insert(0, Child);
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
                message.stamp = Some(stamp(seconds, nanoseconds));
                message.frame = frame(&cdr.text()?);
                continue;
            }
            Child => {
                message.child = frame(&cdr.text()?);
                continue;
            }
            Layout => {
                for _ in 0..cdr.u32()? {
                    cdr.skip_text()?;
                    cdr.u32()?;
                    cdr.u32()?;
                }
                cdr.u32()?;
                continue;
            }
            Skipped(n) => {
                numbers(&mut cdr, *n)?;
                continue;
            }
            Names => {
                message.joints = cdr.texts()?;
                continue;
            }
            Vector(name) => (name, Some(3), numbers(&mut cdr, 3)?),
            Quaternion(name) => (name, Some(4), numbers(&mut cdr, 4)?),
            Number(name) => (name, None, vec![cdr.f64()?]),
            ShortNumber(name) => (name, None, vec![f64::from(cdr.f32()?)]),
            Numbers(name) => {
                let values = cdr.f64s()?;
                (name, Some(values.len()), values)
            }
            ShortNumbers(name) => {
                let values = cdr.f32s()?;
                (name, Some(values.len()), values)
            }
        };
        message.parts.push(MessageNumbers {
            name: (*name).to_owned(),
            width,
            values,
        });
    }
    Ok(message)
}

/// Whether messages of a type contain frames, like those of `/tf`.
pub(super) fn is_transforms(type_name: &str) -> bool {
    matches!(
        type_name,
        "tf2_msgs/msg/TFMessage" | "tf2_msgs/TFMessage" | "tf/msg/tfMessage" | "tf/tfMessage"
    )
}

/// Reads the frames in a message of `/tf`.
pub(super) fn transforms(bytes: &[u8]) -> Result<Vec<Transform>, String> {
    let mut cdr = Cdr::new(bytes)?;
    let mut transforms = Vec::new();
    for _ in 0..cdr.u32()? {
        let (seconds, nanoseconds) = (cdr.i32()?, cdr.u32()?);
        let (parent, child) = (frame(&cdr.text()?), frame(&cdr.text()?));
        let mut vector =
            || -> Result<[f64; 3], String> { Ok([cdr.f64()?, cdr.f64()?, cdr.f64()?]) };
        let (translation, [x, y, z]) = (vector()?, vector()?);
        let rotation = [x, y, z, cdr.f64()?];
        if let (Some(parent), Some(child)) = (parent, child) {
            transforms.push(Transform {
                stamp: stamp(seconds, nanoseconds),
                parent,
                child,
                translation,
                rotation,
            });
        }
    }
    Ok(transforms)
}

/// Time stamp [ns].
fn stamp(seconds: i32, nanoseconds: u32) -> i64 {
    i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds)
}

/// Frame name in ROS 2 notation; `None` for an empty name.
pub(super) fn frame(name: &str) -> Option<String> {
    let name = name.trim_start_matches('/');
    (!name.is_empty()).then(|| name.to_owned())
}

fn numbers(cdr: &mut Cdr, n: usize) -> Result<Vec<f64>, String> {
    (0..n).map(|_| cdr.f64()).collect()
}
