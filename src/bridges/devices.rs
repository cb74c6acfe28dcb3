//! Names of the messages that go to 3D Slicer and come from it.

/// Names of the messages. The nodes in 3D Slicer have the same names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Devices {
    /// TRANSFORM: the probe's face in RAS.
    pub probe: &'static str,
    /// STRING: force [N] and torque [N·m] of the probe on the tissue, in the probe frame.
    pub force: &'static str,
    /// IMAGE: picture of the camera.
    pub image: &'static str,
    /// IMAGE: ultrasound picture, in its place in RAS.
    pub b_mode: &'static str,
    /// IMAGE: material of each pixel of that picture.
    pub labels: &'static str,
    /// STRING: names of the materials in the order of their labels.
    pub label_names: &'static str,
    /// POLYDATA: the skin at rest in RAS, once for each client.
    pub skin: &'static str,
    /// STRING: how the last target was changed.
    pub status: &'static str,
    /// TRANSFORM from a client: target pose of the probe.
    pub target: &'static str,
}

/// The device names in use.
pub const DEVICES: Devices = Devices {
    probe: "ProbeToRAS",
    force: "Force",
    image: "Camera",
    b_mode: "BMode",
    labels: "Labels",
    label_names: "LabelNames",
    skin: "Skin",
    status: "Status",
    target: "TargetToRAS",
};
