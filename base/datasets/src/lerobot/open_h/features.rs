//! Features in the form of `info.json`.

use serde_json::{Map, Value, json};

use super::rows::Sources;
use super::{
    ACQUISITION, ACTION, CAMERA_POSE, DONE, FORCE, INSTRUCTION, POSE, PROBE, PROBE_POSE, REWARD,
    STATE, SUCCESS, TASK_ACTION, TASK_OBSERVATION,
};
use crate::{CameraInfo, DatasetInfo, RigInfo};

/// Name of the camera of ultrasound, and of the first other one.
const ULTRASOUND: &str = "ultrasound";
const THIRD_PERSON: &str = "tpv_camera";

/// Feature of each camera.
pub(super) fn picture_keys(cameras: &[CameraInfo]) -> Vec<String> {
    let first = cameras.iter().position(|camera| camera.name != ULTRASOUND);
    let names = cameras
        .iter()
        .enumerate()
        .map(|(index, camera)| match first {
            Some(first) if first == index => THIRD_PERSON.to_owned(),
            _ => camera.key(),
        });
    names
        .map(|name| format!("observation.images.{name}"))
        .collect()
}

/// All features.
pub(super) fn all(info: &DatasetInfo, rig: &RigInfo, sources: Sources) -> Value {
    let mut features = Map::new();
    let rate = 1.0 / info.control_timestep;
    for (key, camera) in picture_keys(&info.cameras).into_iter().zip(&info.cameras) {
        features.insert(key, video(camera, rate));
    }
    let joints = info
        .signals
        .iter()
        .find(|signal| signal.name == "joint_position");
    let joints = joints
        .map(|signal| signal.entries.clone())
        .unwrap_or_default();
    let n_joints = sources.n_joints(info);
    let words = |names: &[&str]| json!(names);
    let floats =
        |n: usize, names: Value| json!({ "dtype": "float32", "shape": [n], "names": names });
    let [n_obs, n_actions] = [&info.observation_names, &info.action_names].map(Vec::len);
    let mut force = floats(6, words(&["fx", "fy", "fz", "tx", "ty", "tz"]));
    force["info"] =
        json!({ "sensor": "simulated, at the probe's face, without noise", "units": "N + N m" });
    let acquisition = [
        "center_frequency_mhz",
        "num_elements",
        "imaging_depth_cm",
        "linear_fov_mm",
        "convex_radius_mm",
        "convex_fov_deg",
    ];
    let numeric = [
        (STATE, floats(n_joints, json!(joints))),
        (
            ACTION,
            floats(6, words(&["x", "y", "z", "roll", "pitch", "yaw"])),
        ),
        (FORCE, force),
        (ACQUISITION, floats(6, words(&acquisition))),
        (PROBE_POSE, floats(7, words(&POSE))),
        (
            TASK_OBSERVATION,
            floats(n_obs, json!(info.observation_names)),
        ),
        (TASK_ACTION, floats(n_actions, json!(info.action_names))),
        (REWARD, floats(1, Value::Null)),
    ];
    for (name, feature) in numeric {
        features.insert(name.to_owned(), feature);
    }
    if rig.base_from_camera.is_some() {
        features.insert(CAMERA_POSE.to_owned(), floats(7, words(&POSE)));
    }
    let single = [
        (PROBE, "string"),
        (INSTRUCTION, "string"),
        (DONE, "bool"),
        (SUCCESS, "bool"),
        ("timestamp", "float32"),
        ("frame_index", "int64"),
        ("episode_index", "int64"),
        ("index", "int64"),
        ("task_index", "int64"),
    ];
    for (name, dtype) in single {
        let feature = json!({ "dtype": dtype, "shape": [1], "names": null });
        features.insert(name.to_owned(), feature);
    }
    Value::Object(features)
}

fn video(camera: &CameraInfo, rate: f64) -> Value {
    let (height, width) = (camera.height, camera.width);
    json!({
        "dtype": "video",
        "shape": [height, width, 3],
        "names": ["height", "width", "channels"],
        "info": {
            "video.height": height,
            "video.width": width,
            "video.channels": 3,
            "video.codec": "h264",
            "video.pix_fmt": "yuv420p",
            "video.fps": rate,
            "video.is_depth_map": false,
            "has_audio": false,
        },
    })
}
