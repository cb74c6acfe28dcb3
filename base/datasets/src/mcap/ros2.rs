//! Messages of ROS 2 (`common_interfaces`) in CDR, and their definitions.

use super::cdr::Cdr;
use super::schemas::Schema;
use super::{LogPose, nanoseconds};

/// The definition of a message and of those in it, as MCAP wants them in one text.
macro_rules! definition {
    ($name:literal, $fields:expr $(, $part:ident)*) => {
        Schema {
            name: $name,
            encoding: "ros2msg",
            text: concat!($fields, $($part!()),*),
        }
    };
}

macro_rules! part {
    ($part:ident, $name:literal, $fields:literal) => {
        macro_rules! $part {
            () => {
                concat!(
                    "================================================================================\nMSG: ",
                    $name,
                    "\n",
                    $fields
                )
            };
        }
    };
}

part!(
    time,
    "builtin_interfaces/Time",
    "int32 sec\nuint32 nanosec\n"
);
part!(
    header,
    "std_msgs/Header",
    "builtin_interfaces/Time stamp\nstring frame_id\n"
);
part!(
    vector3,
    "geometry_msgs/Vector3",
    "float64 x\nfloat64 y\nfloat64 z\n"
);
part!(
    point,
    "geometry_msgs/Point",
    "float64 x\nfloat64 y\nfloat64 z\n"
);
part!(
    quaternion,
    "geometry_msgs/Quaternion",
    "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n"
);
part!(
    pose,
    "geometry_msgs/Pose",
    "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n"
);
part!(
    transform,
    "geometry_msgs/Transform",
    "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n"
);
part!(
    transform_stamped,
    "geometry_msgs/TransformStamped",
    "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n"
);
part!(
    wrench,
    "geometry_msgs/Wrench",
    "geometry_msgs/Vector3 force\ngeometry_msgs/Vector3 torque\n"
);

pub(super) const TF: Schema = definition!(
    "tf2_msgs/msg/TFMessage",
    "geometry_msgs/TransformStamped[] transforms\n",
    transform_stamped,
    header,
    time,
    transform,
    vector3,
    quaternion
);

pub(super) const POSE: Schema = definition!(
    "geometry_msgs/msg/PoseStamped",
    "std_msgs/Header header\ngeometry_msgs/Pose pose\n",
    header,
    time,
    pose,
    point,
    quaternion
);

pub(super) const WRENCH: Schema = definition!(
    "geometry_msgs/msg/WrenchStamped",
    "std_msgs/Header header\ngeometry_msgs/Wrench wrench\n",
    header,
    time,
    wrench,
    vector3
);

pub(super) const JOINT_STATE: Schema = definition!(
    "sensor_msgs/msg/JointState",
    "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n",
    header,
    time
);

pub(super) const COMPRESSED_IMAGE: Schema = definition!(
    "sensor_msgs/msg/CompressedImage",
    "std_msgs/Header header\nstring format\nuint8[] data\n",
    header,
    time
);

/// A transform of a frame in its parent frame.
pub(super) fn tf(time: f64, parent: &str, child: &str, pose: &LogPose) -> Vec<u8> {
    let cdr = stamped(Cdr::new().u32(1), time, parent).text(child);
    placed(cdr, pose).finish()
}

/// A pose in a frame.
pub(super) fn pose(time: f64, frame: &str, pose: &LogPose) -> Vec<u8> {
    placed(stamped(Cdr::new(), time, frame), pose).finish()
}

/// A force [N] and torque [N·m].
pub(super) fn wrench(time: f64, frame: &str, force: [f64; 3], torque: [f64; 3]) -> Vec<u8> {
    let cdr = stamped(Cdr::new(), time, frame);
    cdr.numbers(&force).numbers(&torque).finish()
}

/// Positions and velocities of joints, without efforts.
pub(super) fn joint_state(time: f64, names: &[String], values: [&[f64]; 2]) -> Vec<u8> {
    let cdr = stamped(Cdr::new(), time, "").u32(names.len() as u32);
    let cdr = names.iter().fold(cdr, |cdr, name| cdr.text(name));
    let [positions, velocities] = values;
    cdr.sequence(positions)
        .sequence(velocities)
        .sequence(&[])
        .finish()
}

/// A file of an image, such as PNG.
pub(super) fn compressed_image(time: f64, frame: &str, format: &str, file: &[u8]) -> Vec<u8> {
    let cdr = stamped(Cdr::new(), time, frame);
    cdr.text(format).bytes(file).finish()
}

fn stamped(cdr: Cdr, time: f64, frame: &str) -> Cdr {
    let nanoseconds = nanoseconds(time);
    let seconds = u32::try_from(nanoseconds / 1_000_000_000).unwrap_or(u32::MAX);
    cdr.u32(seconds)
        .u32((nanoseconds % 1_000_000_000) as u32)
        .text(frame)
}

fn placed(cdr: Cdr, pose: &LogPose) -> Cdr {
    let [w, x, y, z] = pose.rotation;
    cdr.numbers(&pose.position).numbers(&[x, y, z, w])
}
