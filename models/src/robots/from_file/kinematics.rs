//! Forward kinematics of the arm, from the mount to the flange.
//!
//! Each body adds its pose in its parent, then the motions of its joints in order, as in MuJoCo: a hinge rotates by
//! $q - q_0$ about its axis through its anchor, a slide moves by $q - q_0$ along its axis.

use nalgebra::{
    Isometry3, Matrix3, Matrix6xX, Point3, Quaternion, Rotation3, Translation3, Unit,
    UnitQuaternion, Vector3,
};

use crate::mjcf::{Defaults, Element, Mjcf, Value};

/// The arm as a chain of poses and joints.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    links: Vec<Link>,
    /// Range of each joint [rad or m]. A joint without limits may move by half a turn in both directions.
    pub(super) ranges: Vec<[f64; 2]>,
}

#[derive(Clone, Debug)]
enum Link {
    Pose(Isometry3<f64>),
    Joint(Joint),
}

#[derive(Clone, Debug)]
struct Joint {
    is_slide: bool,
    axis: Unit<Vector3<f64>>,
    anchor: Vector3<f64>,
    reference: f64,
}

/// The chain at given joint positions.
pub(super) struct Posture {
    /// Pose of the flange in the mount's frame.
    pub(super) mount_from_flange: Isometry3<f64>,
    /// Origins of the bodies in the mount's frame [m].
    pub(super) points: Vec<Point3<f64>>,
    /// Linear (rows 0–2) and angular (rows 3–5) velocity of the flange per joint velocity, in the mount's frame.
    pub(super) jacobian: Matrix6xX<f64>,
}

impl Chain {
    /// The chain along a path from the world to the flange.
    pub(super) fn new(mjcf: &Mjcf, defaults: &Defaults, path: &[usize]) -> Self {
        let mut chain = Self {
            links: Vec::new(),
            ranges: Vec::new(),
        };
        let mut class = "main";
        let Some(mut element) = mjcf.section("worldbody") else {
            return chain;
        };
        for &index in path {
            element = &element.children()[index];
            chain.links.push(Link::Pose(pose_of(element)));
            class = element.text("childclass").unwrap_or(class);
            if element.tag() == "body" {
                chain.add_joints(element, defaults, class);
            }
        }
        chain
    }

    fn add_joints(&mut self, body: &Element, defaults: &Defaults, class: &str) {
        for joint in super::joints::joints_of(body) {
            let value = |attribute: &str| defaults.effective(joint, class, &["joint"], attribute);
            let vector = |attribute: &str, otherwise: [f64; 3]| {
                let reals = value(attribute).and_then(Value::as_reals);
                Vector3::from(
                    reals
                        .and_then(|reals| reals.try_into().ok())
                        .unwrap_or(otherwise),
                )
            };
            let axis = Unit::try_new(vector("axis", [0.0, 0.0, 1.0]), f64::EPSILON);
            self.links.push(Link::Joint(Joint {
                is_slide: joint.text("type") == Some("slide"),
                axis: axis.unwrap_or_else(Vector3::z_axis),
                anchor: vector("pos", [0.0; 3]),
                reference: super::home::reference(defaults, joint, class),
            }));
            let range = super::home::limits(defaults, joint, class);
            self.ranges
                .push(range.unwrap_or([-std::f64::consts::PI, std::f64::consts::PI]));
        }
    }

    /// Total length of the links from the mount to the flange [m].
    pub(super) fn length(&self) -> f64 {
        let links = self.links.iter();
        links
            .map(|link| match link {
                Link::Pose(pose) => pose.translation.vector.norm(),
                Link::Joint(_) => 0.0,
            })
            .sum()
    }

    /// Computes the posture at these joint positions. Joints without a position are in the pose of the document.
    pub(super) fn posture(&self, positions: &[f64]) -> Posture {
        let mut here = Isometry3::identity();
        let mut points = Vec::new();
        let mut screws = Vec::new();
        let mut positions = positions.iter();
        for link in &self.links {
            match link {
                Link::Pose(pose) => {
                    here *= pose;
                    points.push(Point3::from(here.translation.vector));
                }
                Link::Joint(joint) => {
                    let axis = here.rotation * joint.axis;
                    let anchor = here * Point3::from(joint.anchor);
                    screws.push((joint.is_slide, axis, anchor));
                    let position = positions.next().copied().unwrap_or(joint.reference);
                    here *= motion(joint, position - joint.reference);
                }
            }
        }
        let mut jacobian = Matrix6xX::zeros(screws.len());
        for (column, (is_slide, axis, anchor)) in screws.into_iter().enumerate() {
            let tip = Point3::from(here.translation.vector);
            let (linear, angular) = if is_slide {
                (axis.into_inner(), Vector3::zeros())
            } else {
                (axis.cross(&(tip - anchor)), axis.into_inner())
            };
            jacobian
                .fixed_view_mut::<3, 1>(0, column)
                .copy_from(&linear);
            jacobian
                .fixed_view_mut::<3, 1>(3, column)
                .copy_from(&angular);
        }
        Posture {
            mount_from_flange: here,
            points,
            jacobian,
        }
    }
}

fn motion(joint: &Joint, distance: f64) -> Isometry3<f64> {
    if joint.is_slide {
        return Translation3::from(joint.axis.into_inner() * distance).into();
    }
    let rotation = UnitQuaternion::from_axis_angle(&joint.axis, distance);
    Isometry3::from_parts(
        Translation3::from(joint.anchor - rotation * joint.anchor),
        rotation,
    )
}

/// The pose of a body, frame or site in its parent.
pub(super) fn pose_of(element: &Element) -> Isometry3<f64> {
    let position = Vector3::from(element.array("pos").unwrap_or([0.0; 3]));
    Isometry3::from_parts(Translation3::from(position), rotation_of(element))
}

fn rotation_of(element: &Element) -> UnitQuaternion<f64> {
    if let Some([w, x, y, z]) = element.array("quat") {
        return UnitQuaternion::try_new(Quaternion::new(w, x, y, z), f64::EPSILON)
            .unwrap_or_default();
    }
    if let Some([x0, x1, x2, y0, y1, y2]) = element.array("xyaxes") {
        let x = Vector3::new(x0, x1, x2).normalize();
        let y = Vector3::new(y0, y1, y2);
        let y = (y - x * x.dot(&y)).normalize();
        let axes = Matrix3::from_columns(&[x, y, x.cross(&y)]);
        return UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    }
    if let Some(zaxis) = element.array::<3>("zaxis") {
        let half_turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
        return UnitQuaternion::rotation_between(&Vector3::z(), &Vector3::from(zaxis))
            .unwrap_or(half_turn);
    }
    UnitQuaternion::identity()
}
