//! SHA-256 of a file's content.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::Tensor;

/// Checksum in lower-case hexadecimal over the description and then each tensor by name. Each part is preceded by its length.
pub(super) fn checksum(content: &str, tensors: &BTreeMap<String, Tensor>) -> String {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(content.as_bytes());
    for (name, tensor) in tensors {
        add(name.as_bytes());
        add(tensor.type_name().as_bytes());
        let shape: Vec<u8> = tensor
            .shape
            .iter()
            .flat_map(|n| (*n as u64).to_le_bytes())
            .collect();
        add(&shape);
        add(&tensor.data);
    }
    hash.finalize()
        .iter()
        .fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("writing to a string cannot fail");
            text
        })
}
