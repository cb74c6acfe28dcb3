//! The ONNX messages for a policy, with their field numbers (onnx.proto of ONNX 1.9).

use crate::protobuf::Message;

/// ONNX data type of single precision.
pub(super) const FLOAT: i64 = 1;
/// ONNX data type of double precision.
pub(super) const DOUBLE: i64 = 11;

/// ONNX data type of whole numbers.
const INTEGER: i64 = 7;

/// Attribute of an operator.
pub(super) enum Attribute<'a> {
    Integers(&'static str, &'a [i64]),
    Integer(&'static str, i64),
    Float(&'static str, f32),
}

/// `StringStringEntryProto`.
pub(super) fn entry(key: &str, value: &str) -> Message {
    Message::default().bytes(1, key).bytes(2, value)
}

/// `OperatorSetIdProto` of ONNX's own operators.
pub(super) fn operator_set(version: i64) -> Message {
    Message::default().bytes(1, "").integer(2, version)
}

/// `NodeProto`, named after its output.
pub(super) fn node(
    operator: &str,
    inputs: &[&str],
    output: &str,
    attributes: &[Attribute<'_>],
) -> Message {
    let named = inputs
        .iter()
        .fold(Message::default(), |node, input| node.bytes(1, input));
    named
        .bytes(2, output)
        .bytes(3, output)
        .bytes(4, operator)
        .messages(5, attributes.iter().map(attribute))
}

/// `AttributeProto`.
fn attribute(attribute: &Attribute<'_>) -> Message {
    match attribute {
        Attribute::Integers(name, values) => {
            let named = Message::default().bytes(1, *name);
            let listed = values
                .iter()
                .fold(named, |message, value| message.integer(8, *value));
            listed.integer(20, 7)
        }
        Attribute::Float(name, value) => Message::default()
            .bytes(1, name)
            .float(2, *value)
            .integer(20, 1),
        Attribute::Integer(name, value) => Message::default()
            .bytes(1, name)
            .integer(3, *value)
            .integer(20, 2),
    }
}

/// `TensorProto` of little-endian numbers.
fn tensor(name: &str, shape: &[usize], data_type: i64, numbers: &[u8]) -> Message {
    let shaped = shape
        .iter()
        .fold(Message::default(), |tensor, n| tensor.integer(1, *n as i64));
    shaped
        .integer(2, data_type)
        .bytes(8, name)
        .bytes(9, numbers)
}

/// `TensorProto` in single precision.
pub(super) fn floats(name: &str, shape: &[usize], numbers: &[f32]) -> Message {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    tensor(name, shape, FLOAT, &bytes)
}

/// `TensorProto` of a list of whole numbers.
pub(super) fn integers(name: &str, numbers: &[i64]) -> Message {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    tensor(name, &[numbers.len()], INTEGER, &bytes)
}

/// `TensorProto` in double precision.
pub(super) fn doubles(name: &str, shape: &[usize], numbers: &[f64]) -> Message {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    tensor(name, shape, DOUBLE, &bytes)
}

/// `ValueInfoProto` of any number of single-precision rows of length `width`.
pub(super) fn rows(name: &str, width: usize) -> Message {
    let batch = Message::default().bytes(2, "batch");
    let width = Message::default().integer(1, width as i64);
    let shape = Message::default().messages(1, [batch, width]);
    let tensor = Message::default().integer(1, FLOAT).message(2, shape);
    let kind = Message::default().message(1, tensor);
    Message::default().bytes(1, name).message(2, kind)
}
