use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};

use super::*;
use crate::RlError;

const FORMAT: Format = Format {
    name: "insonate-test",
    what: "test",
    version: 3,
    oldest: 2,
};

fn writer() -> TensorWriter {
    let mut writer = TensorWriter::default();
    writer.add(
        "a",
        Tensor::f32(&[1.0, f32::NAN, -0.0, f32::INFINITY], &[2, 2]),
    );
    writer.add("b", Tensor::f64(&[0.1], &[1]));
    writer.add("c", Tensor::text("words".into()));
    writer
}

fn content() -> Value {
    json!({"step": 7, "rate": 0.1})
}

fn parse(bytes: &[u8]) -> Result<TensorFile, RlError> {
    TensorFile::parse(Path::new("here.safetensors"), bytes, &[FORMAT])
}

#[test]
fn what_is_written_is_read_to_the_bit() {
    let bytes = writer().bytes(FORMAT, &content());
    assert_eq!(
        bytes,
        writer().bytes(FORMAT, &content()),
        "same content, same bytes"
    );
    let mut file = parse(&bytes).unwrap();
    assert_eq!(file.content::<Value>().unwrap(), content());
    let a = file.take_f32("a", &[2, 2]).unwrap();
    let bits = |numbers: &[f32]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&a), bits(&[1.0, f32::NAN, -0.0, f32::INFINITY]));
    assert_eq!(file.take_f64("b", &[1]).unwrap(), [0.1]);
    assert_eq!(file.take_text("c").unwrap(), "words");
}

#[test]
fn files_cut_at_any_length_are_refused() {
    let bytes = writer().bytes(FORMAT, &content());
    for len in 0..bytes.len() {
        let message = parse(&bytes[..len]).unwrap_err().to_string();
        assert!(
            message.starts_with("here.safetensors: is not a test file"),
            "{len}: {message}"
        );
    }
}

#[test]
fn a_flipped_bit_anywhere_is_refused() {
    let bytes = writer().bytes(FORMAT, &content());
    for index in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[index] ^= 1 << bit;
            // Padding of the header may change without an effect on its content.
            if let Ok(file) = parse(&damaged) {
                assert_eq!(file.content::<Value>().unwrap(), content(), "byte {index}");
                for (name, shape) in [("a", &[2, 2][..]), ("b", &[1]), ("c", &[5])] {
                    file.check_shape(name, shape).unwrap();
                }
            }
        }
    }
}

#[test]
fn foreign_files_are_refused_by_name_and_problem() {
    let refused = |bytes: &[u8], expected: &str| {
        let message = parse(bytes).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    };
    refused(b"", "is not a test file");
    refused(
        b"PK\x03\x04 a zip archive or a pickled network",
        "is not a test file",
    );
    refused(&u64::MAX.to_le_bytes(), "is not a test file");
    let data = [0_u8; 4];
    let view = |dtype, shape| TensorView::new(dtype, shape, &data).unwrap();
    let foreign = |metadata: Option<String>, dtype| {
        let metadata = metadata.map(|text| HashMap::from([("insonate".to_owned(), text)]));
        let shape = vec![data.len() * 8 / if dtype == Dtype::F32 { 32 } else { 16 }];
        safetensors::serialize([("a", view(dtype, shape))], metadata).unwrap()
    };
    refused(
        &foreign(None, Dtype::F32),
        "but not a test file of insonate",
    );
    refused(
        &foreign(Some("{".into()), Dtype::F32),
        "corrupt description",
    );
    let metadata = |format: &str, version: u32| {
        let text = json!({"format": format, "version": version, "sha256": "", "content": {}});
        Some(text.to_string())
    };
    refused(
        &foreign(metadata("insonate-policy", 3), Dtype::F32),
        "is of format \"insonate-policy\", not \"insonate-test\"",
    );
    refused(
        &foreign(metadata("insonate-test", 4), Dtype::F32),
        "has version 4 of the test format; this program reads versions 2 to 3",
    );
    refused(
        &foreign(metadata("insonate-test", 3), Dtype::F16),
        "type F16",
    );
    refused(
        &foreign(metadata("insonate-test", 3), Dtype::F32),
        "checksum",
    );
}

#[test]
fn arrays_of_another_name_type_or_shape_are_refused() {
    let bytes = writer().bytes(FORMAT, &content());
    let refused = |take: &dyn Fn(&mut TensorFile) -> RlError, expected: &str| {
        let message = take(&mut parse(&bytes).unwrap()).to_string();
        assert_eq!(message, format!("here.safetensors: {expected}"));
    };
    refused(
        &|file| file.take_f32("z", &[1]).unwrap_err(),
        "has no \"z\"",
    );
    refused(
        &|file| file.take_f32("a", &[4]).unwrap_err(),
        "has \"a\" of shape [2, 2], expected [4]",
    );
    refused(
        &|file| file.take_f64("a", &[2, 2]).unwrap_err(),
        "has \"a\" in another type than F64",
    );
}

#[test]
fn folders_and_missing_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let message = TensorFile::load(folder.path(), FORMAT)
        .unwrap_err()
        .to_string();
    assert!(message.ends_with("is not a regular file"), "{message}");
    let missing = folder.path().join("missing");
    let message = TensorFile::load(&missing, FORMAT).unwrap_err().to_string();
    assert!(message.contains("missing: cannot be read"), "{message}");
    let message = writer()
        .save(&missing.join("deeper"), FORMAT, &content())
        .unwrap_err();
    assert!(message.to_string().contains("cannot write"), "{message}");
}
