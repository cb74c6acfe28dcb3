//! The features of a data set: types and shapes, for LeRobot and for Hugging Face's `datasets`.

use serde_json::{Map, Value, json};

use super::{ACTION, DONE, REWARD, STATE, SUCCESS, TRUNCATED};
use crate::{CameraInfo, DatasetInfo, SignalInfo};

/// Scalar features, with their types.
const SCALARS: [(&str, &str); 9] = [
    (REWARD, "float32"),
    (DONE, "bool"),
    (TRUNCATED, "bool"),
    (SUCCESS, "bool"),
    ("timestamp", "float32"),
    ("frame_index", "int64"),
    ("episode_index", "int64"),
    ("index", "int64"),
    ("task_index", "int64"),
];

/// The feature of a camera.
pub(super) fn picture_key(camera: &CameraInfo) -> String {
    format!("observation.images.{}", camera.key())
}

/// The feature of a signal.
pub(super) fn signal_key(signal: &SignalInfo) -> String {
    format!("observation.{}", signal.name)
}

/// Features in the format of `info.json`.
pub(super) fn lerobot(info: &DatasetInfo) -> Value {
    let mut features = Map::new();
    for (name, names) in [
        (STATE, &info.observation_names),
        (ACTION, &info.action_names),
    ] {
        let feature = json!({ "dtype": "float32", "shape": [names.len()], "names": names });
        features.insert(name.to_owned(), feature);
    }
    for signal in &info.signals {
        let names = &signal.entries;
        let feature = json!({ "dtype": "float32", "shape": [names.len()], "names": names });
        features.insert(signal_key(signal), feature);
    }
    for camera in &info.cameras {
        let feature = json!({
            "dtype": "image",
            "shape": [camera.height, camera.width, 3],
            "names": ["height", "width", "channels"],
        });
        features.insert(picture_key(camera), feature);
    }
    for (name, dtype) in SCALARS {
        let feature = json!({ "dtype": dtype, "shape": [1], "names": null });
        features.insert(name.to_owned(), feature);
    }
    Value::Object(features)
}

/// Features in the metadata that `datasets` writes into Parquet files; it makes columns of images known to it.
pub(super) fn hugging_face(info: &DatasetInfo) -> Value {
    let value = |dtype: &str| json!({ "dtype": dtype, "_type": "Value" });
    let vector = |n: usize| match n {
        1 => value("float32"),
        n => json!({ "feature": value("float32"), "length": n, "_type": "Sequence" }),
    };
    let mut features = Map::new();
    features.insert(STATE.to_owned(), vector(info.observation_names.len()));
    features.insert(ACTION.to_owned(), vector(info.action_names.len()));
    for signal in &info.signals {
        features.insert(signal_key(signal), vector(signal.entries.len()));
    }
    for camera in &info.cameras {
        features.insert(picture_key(camera), json!({ "_type": "Image" }));
    }
    for (name, dtype) in SCALARS {
        features.insert(name.to_owned(), value(dtype));
    }
    json!({ "info": { "features": features } })
}
