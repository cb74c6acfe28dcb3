//! Message schemas as JSON Schema. Schemas whose names begin with `foxglove.` are Foxglove's
//! (<https://docs.foxglove.dev/docs/sdk/schemas>).

/// A schema and its name.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// Name, such as `foxglove.PoseInFrame`.
    pub name: &'static str,
    /// Language of the text: `jsonschema` or `ros2msg`.
    pub encoding: &'static str,
    /// The schema.
    pub text: &'static str,
}

/// A property of type time.
macro_rules! time {
    () => {
        r#""timestamp":{"type":"object","title":"time","properties":{"sec":{"type":"integer","minimum":0},"nsec":{"type":"integer","minimum":0,"maximum":999999999}}}"#
    };
}

/// An object with a number for each of these names.
macro_rules! vector3 {
    ($title:literal) => {
        concat!(
            r#"{"type":"object","title":""#,
            $title,
            r#"","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}}}"#
        )
    };
}

macro_rules! quaternion {
    () => {
        r#"{"type":"object","title":"foxglove.Quaternion","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"},"w":{"type":"number"}}}"#
    };
}

macro_rules! schema {
    ($name:literal, $($properties:expr),+) => {
        Schema {
            name: $name,
            encoding: "jsonschema",
            text: concat!(r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","title":""#, $name, r#"","type":"object","properties":{"#, $($properties),+, "}}"),
        }
    };
}

pub(super) const FRAME_TRANSFORM: Schema = schema!(
    "foxglove.FrameTransform",
    time!(),
    r#","parent_frame_id":{"type":"string"},"child_frame_id":{"type":"string"},"translation":"#,
    vector3!("foxglove.Vector3"),
    r#","rotation":"#,
    quaternion!()
);

pub(super) const POSE_IN_FRAME: Schema = schema!(
    "foxglove.PoseInFrame",
    time!(),
    r#","frame_id":{"type":"string"},"pose":{"type":"object","title":"foxglove.Pose","properties":{"position":"#,
    vector3!("foxglove.Vector3"),
    r#","orientation":"#,
    quaternion!(),
    "}}"
);

pub(super) const COMPRESSED_IMAGE: Schema = schema!(
    "foxglove.CompressedImage",
    time!(),
    r#","frame_id":{"type":"string"},"data":{"type":"string","contentEncoding":"base64"},"format":{"type":"string"}"#
);

pub(super) const WRENCH: Schema = schema!(
    "insonate.Wrench",
    time!(),
    r#","frame_id":{"type":"string"},"force":"#,
    vector3!("force [N]"),
    r#","torque":"#,
    vector3!("torque [N m]")
);

pub(super) const JOINT_STATES: Schema = schema!(
    "foxglove.JointStates",
    time!(),
    r#","joints":{"type":"array","items":{"type":"object","title":"foxglove.JointState","properties":{"name":{"type":"string"},"position":{"type":"number"},"velocity":{"type":"number"}}}}"#
);

pub(super) const SAMPLE: Schema = schema!("insonate.Sample", time!());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_json_with_their_names_as_titles() {
        for schema in [
            FRAME_TRANSFORM,
            POSE_IN_FRAME,
            COMPRESSED_IMAGE,
            WRENCH,
            JOINT_STATES,
            SAMPLE,
        ] {
            let value: serde_json::Value = serde_json::from_str(schema.text).unwrap();
            assert_eq!(value["title"], schema.name);
            assert_eq!(value["properties"]["timestamp"]["title"], "time");
        }
    }
}
