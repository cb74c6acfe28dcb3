//! Contract: messages have the bytes of the specification; received bytes give a transform or an error, never a panic.

use insonate_openigtlink::{
    CoordinateSystem, HEADER_SIZE, Header, Image, Message, PolyData, ProtocolError, Text,
    Transform, crc64, decode, encode,
};
use proptest::prelude::*;

const POSE: Transform = Transform {
    rotation: [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    translation: [10.0, -20.5, 300.25],
};

fn split(bytes: &[u8]) -> (Header, &[u8]) {
    let (header, body) = bytes.split_at(HEADER_SIZE);
    let header = header.first_chunk().expect("it was split there");
    (Header::decode(header).expect("it was encoded"), body)
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let numbers = bytes.chunks_exact(4);
    numbers
        .map(|four| f32::from_be_bytes([four[0], four[1], four[2], four[3]]))
        .collect()
}

#[test]
fn a_transform_is_laid_out_as_the_specification_says() {
    let bytes = encode("Probe", 1_700_000_000.5, &Message::Transform(POSE));
    assert_eq!(bytes.len(), 106);
    assert_eq!(&bytes[..2], [0, 1]);
    assert_eq!(&bytes[2..14], b"TRANSFORM\0\0\0");
    assert_eq!(&bytes[14..34], b"Probe\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    assert_eq!(&bytes[34..38], 1_700_000_000u32.to_be_bytes());
    assert_eq!(&bytes[38..42], (1u32 << 31).to_be_bytes());
    assert_eq!(&bytes[42..50], 48u64.to_be_bytes());
    assert_eq!(&bytes[50..58], crc64(&bytes[58..]).to_be_bytes());
    // Columns of the rotation, then the translation.
    let expected = [
        0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 10.0, -20.5, 300.25,
    ];
    assert_eq!(floats(&bytes[58..]), expected);
}

#[test]
fn a_transform_comes_back() {
    let bytes = encode("Target", 12.0, &Message::Transform(POSE));
    let (header, body) = split(&bytes);
    assert_eq!((header.device.as_str(), header.time), ("Target", 12.0));
    assert_eq!(decode(&header, body).unwrap(), Some(POSE));
}

#[test]
fn an_image_has_its_size_place_and_pixels() {
    let pixels: Vec<u8> = (0..24).collect();
    let image = Image {
        n_components: 3,
        size: [4, 2],
        spacing: [0.5, 0.25],
        axes: CoordinateSystem::Ras,
        rotation: POSE.rotation,
        center: [1.0, 2.0, 3.0],
        pixels: &pixels,
    };
    let bytes = encode("Camera", 0.0, &Message::Image(image));
    let body = &bytes[58..];
    assert_eq!(&body[..6], [0, 1, 3, 3, 2, 1]);
    assert_eq!(&body[6..12], [0, 4, 0, 2, 0, 1]);
    let expected = [0.0, 0.5, 0.0, -0.25, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0];
    assert_eq!(floats(&body[12..60]), expected);
    assert_eq!(&body[60..72], [0, 0, 0, 0, 0, 0, 0, 4, 0, 2, 0, 1]);
    assert_eq!(&body[72..], pixels);
}

/// The layout of the specification: ten counts, points, and polygons with their number of corners.
#[test]
fn a_surface_has_its_counts_points_and_polygons() {
    let surface = PolyData {
        points: &[
            [0.5, -1.0, 2.0],
            [256.0, 0.0, 0.0],
            [0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
        ],
        triangles: &[[0, 1, 2], [2, 3, 258]],
    };
    let bytes = encode("Skin", 0.0, &Message::PolyData(surface));
    assert_eq!(&bytes[2..14], b"POLYDATA\0\0\0\0");
    let body = &bytes[58..];
    #[rustfmt::skip]
    let expected = [
        0, 0, 0, 4,
        // Vertices, lines.
        0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0,
        // Polygons: two, of 32 bytes.
        0, 0, 0, 2, 0, 0, 0, 32,
        // Strips, attributes.
        0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0,
        // 0.5, -1, 2, 256 as IEEE 754.
        0x3f, 0, 0, 0, 0xbf, 0x80, 0, 0, 0x40, 0, 0, 0,
        0x43, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0x3f, 0x80, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2,
        0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 1, 2,
    ];
    assert_eq!(body, expected);
    assert_eq!(&bytes[42..50], (expected.len() as u64).to_be_bytes());
}

#[test]
fn a_text_says_its_encoding_and_length() {
    let bytes = encode("Status", 0.0, &Message::Text(Text("5 µN")));
    assert_eq!(&bytes[58..], [0, 3, 0, 4, b'5', b' ', b'?', b'N']);
}

#[test]
fn an_extended_header_is_skipped_with_its_metadata() {
    let plain = encode("Target", 0.0, &Message::Transform(POSE));
    let mut body = vec![0, 12, 0, 2, 0, 0, 0, 3, 0, 0, 0, 9];
    body.extend(&plain[58..]);
    body.extend([0, 0, b'a', b'b', b'c']);
    let mut header = split(&plain).0;
    (header.version, header.body_size, header.crc) = (2, body.len() as u64, crc64(&body));
    assert_eq!(decode(&header, &body).unwrap(), Some(POSE));
}

#[test]
fn what_is_wrong_is_said() {
    let good = encode("Target", 0.0, &Message::Transform(POSE));
    let (header, body) = split(&good);
    let problem = |header: &Header, body: &[u8]| decode(header, body).unwrap_err();
    let mut flipped = body.to_vec();
    flipped[3] ^= 1;
    assert!(matches!(
        problem(&header, &flipped),
        ProtocolError::Checksum { .. }
    ));
    assert!(matches!(
        problem(&header, &body[..47]),
        ProtocolError::Length { .. }
    ));
    let refused = |transform: Transform| {
        let bytes = encode("Target", 0.0, &Message::Transform(transform));
        let (header, body) = split(&bytes);
        problem(&header, body).to_string()
    };
    let scaled = Transform {
        rotation: [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]],
        ..POSE
    };
    assert_eq!(
        refused(scaled),
        "TRANSFORM: has a matrix that is not a rotation"
    );
    let mirrored = Transform {
        rotation: [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        ..POSE
    };
    assert_eq!(
        refused(mirrored),
        "TRANSFORM: has a matrix that is not a rotation"
    );
    let infinite = Transform {
        translation: [f64::INFINITY, 0.0, 0.0],
        ..POSE
    };
    assert_eq!(
        refused(infinite),
        "TRANSFORM: has numbers that are not finite"
    );
    let mut version = [0; HEADER_SIZE];
    version.copy_from_slice(&good[..HEADER_SIZE]);
    version[1] = 9;
    let message = Header::decode(&version).unwrap_err().to_string();
    assert_eq!(message, "the header's version is 9; it must be 1 or 2");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Random bytes, and random bytes with a matching header.
    #[test]
    fn random_bytes_are_a_transform_or_an_error(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        version in 0u8..4,
        size in prop_oneof![Just(None), any::<u64>().prop_map(Some)],
        is_checked in any::<bool>(),
    ) {
        if let Some(header) = bytes.first_chunk::<HEADER_SIZE>()
            && let Ok(header) = Header::decode(header)
        {
            let _ = decode(&header, &bytes[HEADER_SIZE..]);
        }
        let mut head = split(&encode("Target", 0.0, &Message::Transform(POSE))).0.encode();
        head[1] = version;
        if let Ok(mut header) = Header::decode(&head) {
            header.body_size = size.unwrap_or(bytes.len() as u64);
            header.crc = if is_checked { crc64(&bytes) } else { 1 };
            if let Ok(Some(transform)) = decode(&header, &bytes) {
                prop_assert!(transform.translation.iter().all(|x| x.is_finite()));
            }
        }
    }

    /// Headers are unchanged after encoding and decoding.
    #[test]
    fn headers_come_back(kind in "[A-Z]{0,12}", device in "[ -~]{0,20}", size in any::<u64>(), crc in any::<u64>()) {
        let header = Header { version: 1, kind, device, time: 77.25, body_size: size, crc };
        prop_assert_eq!(Header::decode(&header.encode()).unwrap(), header);
    }
}
