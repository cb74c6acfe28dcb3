//! Export of policies as ONNX models, for other programs.
//!
//! The model has one input `observation` `[batch, n_obs]`, as the environment returns it, and one output `action`
//! `[batch, n_actions]`, within the bounds. Normalisation, layers and scaling are in the graph. The meaning of each number is in the
//! model's metadata.

mod convolutions;
mod graph;
mod messages;

use insonate_envs::BoxSpace;
use serde_json::{Value, json};

use super::Policy;
use crate::protobuf::Message;
use messages::{entry, operator_set};

/// Version of ONNX's file format: ONNX 1.8 (2020), which all later runtimes read.
const IR_VERSION: i64 = 7;

/// Version of ONNX's operators (2021).
const OPERATOR_SET: i64 = 14;

impl Policy {
    /// Returns the policy as an ONNX model (`ModelProto`). The same policy gives the same bytes.
    pub fn to_onnx(&self) -> Vec<u8> {
        let (n_obs, n_actions) = (self.observation_space.len(), self.action_space.len());
        let about = format!(
            "deterministic policy for {}: observation [batch, {n_obs}] to action [batch, {n_actions}]",
            self.identity.task
        );
        Message::default()
            .integer(1, IR_VERSION)
            .bytes(2, "insonate")
            .bytes(3, &self.insonate_version)
            .bytes(6, &about)
            .message(7, graph::graph(self, &about))
            .message(8, operator_set(OPERATOR_SET))
            .messages(
                14,
                self.metadata().iter().map(|(key, value)| entry(key, value)),
            )
            .into_bytes()
    }

    /// Metadata of the model: task, settings, and name, frame, filter and bounds of each entry.
    fn metadata(&self) -> [(&'static str, String); 7] {
        [
            ("insonate_version", self.insonate_version.clone()),
            ("task", self.identity.task.clone()),
            ("settings", self.identity.settings.clone()),
            ("seed", self.seed.to_string()),
            ("n_trained_steps", self.n_trained_steps.to_string()),
            ("observations", entries(&self.observation_space).to_string()),
            ("actions", entries(&self.action_space).to_string()),
        ]
    }
}

/// The entries of a space as JSON. An infinite bound is null.
fn entries(space: &BoxSpace) -> Value {
    let bound = |value: f32| value.is_finite().then_some(value);
    let entry = |i: usize| {
        json!({
            "name": space.names[i],
            "frame": space.frames[i],
            "filter": space.filters[i],
            "low": bound(space.low[i]),
            "high": bound(space.high[i]),
        })
    };
    (0..space.len()).map(entry).collect()
}
