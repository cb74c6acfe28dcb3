//! Contract: DICOM files have the elements of ultrasound multi-frame images in order, all pixels, the scale and the times; equal pictures
//! give equal bytes.
//!
//! The file is read by a separate reader, after PS3.5: the only library in Rust depends on tables that have not been maintained since 2016.

use std::collections::BTreeMap;

use insonate_ultrasound::sequence::Sequence;
use insonate_ultrasound::transducer::c5_2;
use insonate_ultrasound::{BMode, Settings};
use nalgebra::Isometry3;

const SIZE: usize = 25;

/// Pictures at times [s]; also returns the converter's pixel [m] and its upper left corner.
fn sequence(times: &[f64]) -> (Sequence, f64, [f64; 2]) {
    let settings = Settings {
        n_lines: 16,
        n_samples: 32,
        ..Settings::of(&c5_2())
    };
    let b_mode = BMode::new(&c5_2(), &settings).expect("the settings are valid");
    let converter = b_mode.scan_converter(SIZE).expect("the size is valid");
    let mut sequence = Sequence::new(&converter);
    for (n, time) in times.iter().enumerate() {
        let picture: Vec<u8> = (0..SIZE * SIZE)
            .map(|at| (at * (n + 3) % 251) as u8)
            .collect();
        sequence
            .push(&picture, *time, &Isometry3::identity())
            .expect("the picture is valid");
    }
    (sequence, converter.pixel, converter.corner)
}

/// Value representation and value of each element; elements of items are stored under the tag of their sequence.
type Elements = BTreeMap<(u32, u32), (String, Vec<u8>)>;

fn elements(mut bytes: &[u8], within: u32, found: &mut Elements) {
    let mut before = 0;
    while !bytes.is_empty() {
        let short = |at: usize| u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let long = |at: usize| short(at) | short(at + 2) << 16;
        let tag = short(0) << 16 | short(2);
        assert!(tag > before, "{tag:08x} after {before:08x}");
        before = tag;
        let representation = String::from_utf8(bytes[4..6].to_vec()).expect("letters");
        let (start, length) = match representation.as_str() {
            "OB" | "OW" | "SQ" => {
                assert_eq!(short(6), 0);
                (12, long(8))
            }
            _ => (8, short(6)),
        };
        assert_eq!(length % 2, 0, "{tag:08x} has an odd length");
        let value = &bytes[start..start + length as usize];
        if representation == "SQ" {
            assert_eq!(value[..4], [0xfe, 0xff, 0x00, 0xe0], "an item begins");
            let n = u32::from_le_bytes([value[4], value[5], value[6], value[7]]);
            assert_eq!(n as usize, value.len() - 8);
            elements(&value[8..], tag, found);
        }
        found.insert((within, tag), (representation, value.to_vec()));
        bytes = &bytes[start + length as usize..];
    }
}

fn read(file: &[u8]) -> Elements {
    assert_eq!(&file[128..132], b"DICM");
    let mut found = Elements::new();
    elements(&file[132..], 0, &mut found);
    found
}

fn text(found: &Elements, tag: u32) -> &str {
    let (_, value) = &found[&(0, tag)];
    std::str::from_utf8(value)
        .expect("text")
        .trim_end_matches([' ', '\0'])
}

fn short(found: &Elements, tag: u32) -> u16 {
    let (representation, value) = &found[&(0, tag)];
    assert_eq!(representation, "US");
    u16::from_le_bytes([value[0], value[1]])
}

#[test]
fn a_film_has_its_pixels_scale_and_times() {
    let (sequence, pixel, corner) = sequence(&[0.0, 0.1, 0.2005]);
    let file = sequence.to_dicom().expect("the sequence is valid");
    let found = read(&file);
    let class = "1.2.840.10008.5.1.4.1.1.3.1";
    assert_eq!(text(&found, 0x0002_0002), class);
    assert_eq!(text(&found, 0x0008_0016), class);
    assert_eq!(text(&found, 0x0002_0010), "1.2.840.10008.1.2.1");
    assert_eq!(text(&found, 0x0002_0003), text(&found, 0x0008_0018));
    assert_eq!(text(&found, 0x0008_0060), "US");
    assert!(text(&found, 0x0010_0010).starts_with("SIMULATED"));
    assert_eq!(text(&found, 0x0028_0008), "3");
    assert_eq!(short(&found, 0x0028_0010), SIZE as u16);
    assert_eq!(short(&found, 0x0028_0011), SIZE as u16);
    assert_eq!(short(&found, 0x0028_0100), 8);
    let length = u32::from_le_bytes(
        found[&(0, 0x0002_0000)].1[..4]
            .try_into()
            .expect("four bytes"),
    );
    let start = 132 + 12 + length as usize;
    assert_eq!(
        file[start..start + 4],
        [0x08, 0x00, 0x05, 0x00],
        "the data set follows the meta elements"
    );
    // Three times an odd number of pixels is padded by one byte.
    let pixels = &found[&(0, 0x7fe0_0010)].1;
    assert_eq!(pixels.len(), (3 * SIZE * SIZE).next_multiple_of(2));
    for (at, value) in pixels[..3 * SIZE * SIZE].iter().enumerate() {
        let (n, at) = (at / (SIZE * SIZE), at % (SIZE * SIZE));
        assert_eq!(usize::from(*value), at * (n + 3) % 251);
    }
    assert_eq!(found[&(0, 0x0028_0009)].1, [0x18, 0x00, 0x63, 0x10]);
    let time: f64 = text(&found, 0x0018_1063).parse().expect("a number");
    assert!((time - 100.25).abs() < 1e-6, "{time}");
    // Rates that web players use.
    assert_eq!(text(&found, 0x0008_2144), "10");
    assert_eq!(text(&found, 0x0018_0040), "10");
    // Not a paired body part; without this element, validators require Laterality.
    assert_eq!(text(&found, 0x0020_0062), "U");
    assert!(!found.contains_key(&(0, 0x0020_0060)));
    let real = |tag: u32| {
        let (representation, value) = &found[&(0x0018_6011, tag)];
        assert_eq!(representation, "FD");
        f64::from_le_bytes(value[..8].try_into().expect("eight bytes"))
    };
    let whole = |tag: u32| {
        let value = &found[&(0x0018_6011, tag)].1;
        i32::from_le_bytes(value[..4].try_into().expect("four bytes"))
    };
    // Centimetres.
    for tag in [0x0018_602c, 0x0018_602e] {
        assert!((real(tag) / (100.0 * pixel) - 1.0).abs() < 1e-12);
    }
    assert_eq!(whole(0x0018_601c), SIZE as i32 - 1);
    // Centre of a pixel: the corner plus a multiple of the pixel.
    for (axis, (place, value)) in [(0x0018_6020, 0x0018_6028), (0x0018_6022, 0x0018_602a)]
        .into_iter()
        .enumerate()
    {
        let middle = corner[axis] + (f64::from(whole(place)) + 0.5) * pixel;
        assert!((real(value) - 100.0 * middle).abs() < 1e-9);
        assert!(
            real(value).abs() <= 50.0 * pixel + 1e-9,
            "the origin is within the pixel"
        );
    }
}

#[test]
fn equal_steps_have_one_time_without_rounding_errors() {
    let times: Vec<f64> = (0..9).map(|n| 1.288 + 0.1 * f64::from(n)).collect();
    let file = sequence(&times)
        .0
        .to_dicom()
        .expect("the sequence is valid");
    assert_eq!(text(&read(&file), 0x0018_1063), "100");
}

#[test]
fn identifiers_follow_from_the_content() {
    let (first, again) = (sequence(&[0.0, 0.1]).0, sequence(&[0.0, 0.1]).0);
    let bytes = first.to_dicom().expect("the sequence is valid");
    assert_eq!(bytes, again.to_dicom().expect("the sequence is valid"));
    let other = sequence(&[0.0, 0.2])
        .0
        .to_dicom()
        .expect("the sequence is valid");
    let (one, two) = (read(&bytes), read(&other));
    let tags = [0x0008_0018, 0x0020_000d, 0x0020_000e];
    for tag in tags {
        let uid = text(&one, tag);
        assert_ne!(uid, text(&two, tag));
        assert!(uid.starts_with("2.25.") && uid.len() <= 64, "{uid}");
        assert!(uid[5..].bytes().all(|byte| byte.is_ascii_digit()) && !uid[5..].starts_with('0'));
    }
    assert_ne!(text(&one, tags[1]), text(&one, tags[2]));
}

#[test]
fn one_picture_and_uneven_times_have_a_vector_of_times() {
    let one = read(
        &sequence(&[0.0])
            .0
            .to_dicom()
            .expect("the sequence is valid"),
    );
    assert_eq!(text(&one, 0x0018_1065), "0");
    assert!(
        !one.contains_key(&(0, 0x0018_0040)),
        "a picture has no rate"
    );
    assert_eq!(text(&one, 0x0028_0008), "1");
    let uneven = read(
        &sequence(&[0.0, 0.1, 0.4])
            .0
            .to_dicom()
            .expect("the sequence is valid"),
    );
    let times: Vec<f64> = text(&uneven, 0x0018_1065)
        .split('\\')
        .map(|time| time.parse().expect("a number"))
        .collect();
    for (found, wanted) in times.iter().zip([0.0, 100.0, 300.0]) {
        assert!((found - wanted).abs() < 1e-6, "{times:?}");
    }
    assert_eq!(text(&uneven, 0x0018_0040), "5");
    // Frame times follow the simulation's steps: a few per cent early or late, but without drift.
    let jittered: Vec<f64> = (0..40)
        .map(|n| 0.7 + 0.1 * f64::from(n) + 0.002 * f64::from(n % 2))
        .collect();
    let even = read(
        &sequence(&jittered)
            .0
            .to_dicom()
            .expect("the sequence is valid"),
    );
    let time: f64 = text(&even, 0x0018_1063).parse().expect("a number");
    assert!((time - 100.0).abs() < 0.1, "{time}");
    let refusal = |times: &[f64]| {
        sequence(times)
            .0
            .to_dicom()
            .expect_err("no film")
            .to_string()
    };
    assert!(refusal(&[]).contains("frames of a DICOM file is 0"));
    assert!(refusal(&[0.2, 0.1]).contains("time between frames"));
}
