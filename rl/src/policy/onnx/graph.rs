//! The graph of operators from observations to actions.

use super::messages::{Attribute, DOUBLE, FLOAT, doubles, floats, node, rows};
use crate::network::{Activation, Mlp};
use crate::normalization::ObservationNormalizer;
use crate::policy::Policy;
use crate::protobuf::Message;

/// Nodes and constants so far, and the name of the input of the next node.
#[derive(Default)]
pub(super) struct Graph {
    nodes: Vec<Message>,
    pub(super) constants: Vec<Message>,
    pub(super) last: String,
}

/// Creates the `GraphProto` of a policy.
pub(super) fn graph(policy: &Policy, about: &str) -> Message {
    let mut graph = Graph {
        last: "observation".to_owned(),
        ..Graph::default()
    };
    if let Some(normalizer) = &policy.normalizer {
        graph.normalize(normalizer);
    }
    if let Some(encoder) = policy.encoder() {
        graph.encode(encoder);
    }
    graph.layers(&policy.network, policy.action_space.len());
    if policy.squash {
        graph.then("Tanh", &[], "squashed", &[]);
    }
    graph.scale(policy);
    Message::default()
        .messages(1, graph.nodes)
        .bytes(2, "policy")
        .messages(5, graph.constants)
        .bytes(10, about)
        .message(11, rows("observation", policy.observation_space.len()))
        .message(12, rows("action", policy.action_space.len()))
}

impl Graph {
    /// Adds an operator on the last output and the given constants.
    pub(super) fn then(
        &mut self,
        operator: &str,
        constants: &[&str],
        output: &str,
        attributes: &[Attribute],
    ) {
        let inputs: Vec<&str> = std::iter::once(&*self.last)
            .chain(constants.iter().copied())
            .collect();
        self.nodes.push(node(operator, &inputs, output, attributes));
        output.clone_into(&mut self.last);
    }

    /// Puts outputs next to each other.
    pub(super) fn join(&mut self, parts: &[&str], output: &str) {
        let axis = [Attribute::Integer("axis", 1)];
        self.nodes.push(node("Concat", parts, output, &axis));
        output.clone_into(&mut self.last);
    }

    /// Uses double precision, as [`ObservationNormalizer`] does. Single precision loses digits if a mean is much larger than the deviation.
    fn normalize(&mut self, normalizer: &ObservationNormalizer) {
        let (mean, scales, clip) = (
            &normalizer.moments().mean,
            normalizer.scales(),
            normalizer.clip() as f32,
        );
        self.constants.extend([
            doubles("observation_mean", &[mean.len()], mean),
            doubles("observation_scale", &[scales.len()], scales),
            floats("clip_low", &[], &[-clip]),
            floats("clip_high", &[], &[clip]),
        ]);
        self.then(
            "Cast",
            &[],
            "observation_f64",
            &[Attribute::Integer("to", DOUBLE)],
        );
        self.then("Sub", &["observation_mean"], "centered", &[]);
        self.then("Mul", &["observation_scale"], "scaled", &[]);
        self.then(
            "Cast",
            &[],
            "scaled_f32",
            &[Attribute::Integer("to", FLOAT)],
        );
        self.then("Clip", &["clip_low", "clip_high"], "normalized", &[]);
    }

    fn layers(&mut self, network: &Mlp, n_actions: usize) {
        let last = network.layers().len() - 1;
        for (index, layer) in network.layers().iter().enumerate() {
            let (weights, bias) = network.layer_of(network.parameters(), index);
            // Tensor names of the policy file.
            let [weight_name, bias_name] =
                ["weight", "bias"].map(|kind| format!("actor.{}.{kind}", 2 * index));
            self.constants.extend([
                floats(&weight_name, &[layer.n_outputs, layer.n_inputs], &weights),
                floats(&bias_name, &[layer.n_outputs], &bias),
            ]);
            let transposed = [Attribute::Integer("transB", 1)];
            self.then(
                "Gemm",
                &[&weight_name, &bias_name],
                &format!("layer_{index}"),
                &transposed,
            );
            if index < last {
                self.activate(network.activation(), &format!("hidden_{index}"));
            } else {
                debug_assert_eq!(layer.n_outputs, n_actions, "the last layer gives actions");
            }
        }
    }

    fn activate(&mut self, activation: Activation, output: &str) {
        match activation {
            Activation::Tanh => self.then("Tanh", &[], output, &[]),
            Activation::Relu => self.then("Relu", &[], output, &[]),
            Activation::Elu => self.then("Elu", &[], output, &[Attribute::Float("alpha", 1.0)]),
            Activation::Silu => {
                let sum = self.last.clone();
                self.then("Sigmoid", &[], &format!("{output}_logistic"), &[]);
                self.then("Mul", &[&sum], output, &[]);
            }
        }
    }

    fn scale(&mut self, policy: &Policy) {
        let space = &policy.action_space;
        let (centers, half_ranges): (Vec<f32>, Vec<f32>) =
            policy.action_scale.lines().iter().copied().unzip();
        for (name, numbers) in [
            ("action_half_range", &half_ranges),
            ("action_center", &centers),
            ("action_low", &space.low),
            ("action_high", &space.high),
        ] {
            self.constants.push(floats(name, &[numbers.len()], numbers));
        }
        self.then("Mul", &["action_half_range"], "stretched", &[]);
        self.then("Add", &["action_center"], "shifted", &[]);
        self.then("Max", &["action_low"], "at_least", &[]);
        self.then("Min", &["action_high"], "action", &[]);
    }
}
