//! A robot file for tests: a gantry with three slides and a wrist with three hinges.

use std::fs;
use std::path::Path;

/// Limits of the second slide, and additional bodies on the third one.
pub(crate) struct Gantry<'a> {
    /// Force limit of the slide y [N].
    pub(crate) limit: f64,
    /// Damping of the slide y [N·s/m].
    pub(crate) damping: f64,
    /// Range of the slide y [m].
    pub(crate) range: &'a str,
    /// MJCF in the body of the slide z.
    pub(crate) more: &'a str,
}

impl Default for Gantry<'_> {
    fn default() -> Self {
        Self {
            limit: 400.0,
            damping: 0.0,
            range: "-1 1",
            more: "",
        }
    }
}

impl Gantry<'_> {
    /// Writes `gantry.xml` into a folder and returns its path. The flange is the body `flange`.
    pub(crate) fn write(&self, folder: &Path) -> String {
        let Self {
            limit,
            damping,
            range,
            more,
        } = self;
        let geom = r#"<geom type="sphere" size=".03" mass="1" contype="0" conaffinity="0"/>"#;
        let wrist = r#"<geom type="sphere" size=".02" mass=".3" contype="0" conaffinity="0"/>"#;
        let text = format!(
            r#"<mujoco model="gantry"><compiler angle="radian"/><worldbody><body name="base">
<body name="bx"><joint name="x" type="slide" axis="1 0 0" range="-1 1"/>{geom}
<body name="by"><joint name="y" type="slide" axis="0 1 0" range="{range}" damping="{damping}"/>{geom}
<body name="bz"><joint name="z" type="slide" axis="0 0 1" range="-1 1"/>{geom}{more}
<body name="w1"><joint name="a" axis="1 0 0" range="-3 3"/>{wrist}
<body name="w2"><joint name="b" axis="0 1 0" range="-3 3"/>{wrist}
<body name="w3"><joint name="c" axis="0 0 1" range="-3 3"/>{wrist}
<body name="flange" quat="0 1 0 0"/></body></body></body></body></body></body></body></worldbody>
<actuator><motor joint="x" ctrlrange="-400 400"/><motor joint="y" ctrlrange="-{limit} {limit}"/><motor joint="z" ctrlrange="-400 400"/>
<motor joint="a" ctrlrange="-40 40"/><motor joint="b" ctrlrange="-40 40"/><motor joint="c" ctrlrange="-40 40"/></actuator>
<keyframe><key name="home" qpos="0.5 0 0.4 0 0 0"/></keyframe></mujoco>"#
        );
        let file = folder.join("gantry.xml");
        fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    }
}
