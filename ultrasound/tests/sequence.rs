//! Contract: sequences have the header that PLUS and 3D Slicer read, poses that take pixels to where they were seen, and all pixels.

use insonate_ultrasound::sequence::Sequence;
use insonate_ultrasound::transducer::c5_2;
use insonate_ultrasound::{BMode, Settings};
use nalgebra::{Isometry3, Matrix4, Vector3, Vector4};

const SIZE: usize = 24;

fn sequence() -> (Sequence, [f64; 3], Vec<Isometry3<f64>>) {
    let settings = Settings {
        n_lines: 16,
        n_samples: 32,
        ..Settings::of(&c5_2())
    };
    let b_mode = BMode::new(&c5_2(), &settings).expect("the settings are right");
    let converter = b_mode.scan_converter(SIZE).expect("the size is right");
    let mut sequence = Sequence::new(&converter);
    let pose = |n: f64| {
        Isometry3::new(
            Vector3::new(0.01 * n, -0.2, 0.3),
            Vector3::new(0.1, 0.2 * n, -0.3),
        )
    };
    let poses = vec![pose(0.0), pose(1.0), pose(2.0)];
    for (n, pose) in poses.iter().enumerate() {
        let picture = vec![n as u8 + 1; SIZE * SIZE];
        sequence
            .push(&picture, 0.05 * n as f64, pose)
            .expect("the picture is right");
    }
    let [x, z] = converter.corner;
    (sequence, [converter.pixel, x, z], poses)
}

/// The header's lines and the pixels behind them.
fn parts<'a>(bytes: &'a [u8], last: &str) -> (Vec<&'a str>, &'a [u8]) {
    let end = bytes
        .windows(last.len())
        .position(|window| window == last.as_bytes())
        .expect("the header ends")
        + last.len();
    let header = std::str::from_utf8(&bytes[..end]).expect("headers are text");
    (header.lines().collect(), &bytes[end..])
}

fn field<'a>(lines: &[&'a str], name: &str, between: &str) -> &'a str {
    let start = format!("{name}{between}");
    lines
        .iter()
        .find_map(|line| line.strip_prefix(start.as_str()))
        .unwrap_or_else(|| panic!("{name} is missing"))
}

fn matrix(text: &str) -> Matrix4<f64> {
    let numbers = text.split(' ').map(|n| n.parse().expect("a number"));
    Matrix4::from_row_iterator(numbers)
}

fn check(lines: &[&str], between: &str) {
    let (_, [pixel, x, z], poses) = sequence();
    for (n, pose) in poses.iter().enumerate() {
        let name = |field: &str| format!("Seq_Frame{n:04}_{field}");
        let of = |name: String| field(lines, &name, between);
        let image = matrix(of(name("ImageToProbeTransform")));
        let probe = matrix(of(name("ProbeToTrackerTransform")));
        let seen = probe * image * Vector4::new(5.0, 7.0, 0.0, 1.0);
        let local = nalgebra::Point3::new(x + 5.5 * pixel, 0.0, z + 7.5 * pixel);
        let wanted = 1e3 * (pose * local).coords;
        assert!((seen.xyz() - wanted).norm() < 1e-9, "{seen} {wanted}");
        assert!((image.fixed_view::<3, 3>(0, 0).determinant()) > 0.0);
        let time: f64 = of(name("Timestamp")).parse().expect("a number");
        assert!((time - 0.05 * n as f64).abs() < 1e-12);
        assert_eq!(of(name("ProbeToTrackerTransformStatus")), "OK");
    }
}

fn check_pixels(pixels: &[u8]) {
    assert_eq!(pixels.len(), 3 * SIZE * SIZE);
    for (n, picture) in pixels.chunks(SIZE * SIZE).enumerate() {
        assert!(picture.iter().all(|pixel| *pixel == n as u8 + 1));
    }
}

#[test]
fn meta_images_hold_poses_and_pixels() {
    let bytes = sequence().0.to_meta_image();
    let (lines, pixels) = parts(&bytes, "ElementDataFile = LOCAL\n");
    assert_eq!(lines[0], "ObjectType = Image");
    assert_eq!(field(&lines, "NDims", " = "), "3");
    assert_eq!(field(&lines, "DimSize", " = "), "24 24 3");
    assert_eq!(field(&lines, "ElementType", " = "), "MET_UCHAR");
    check(&lines, " = ");
    check_pixels(pixels);
}

#[test]
fn nrrd_holds_poses_and_pixels() {
    let bytes = sequence().0.to_nrrd();
    let (lines, pixels) = parts(&bytes, "\n\n");
    assert_eq!(lines[0], "NRRD0005");
    assert_eq!(field(&lines, "sizes", ": "), "24 24 3");
    assert_eq!(field(&lines, "kinds", ": "), "domain domain list");
    check(&lines, ":=");
    check_pixels(pixels);
}

#[test]
fn pictures_of_another_size_and_poses_nowhere_are_refused() {
    let (mut sequence, ..) = sequence();
    let picture = [0; SIZE * SIZE];
    let pose = Isometry3::identity();
    assert!(sequence.push(&picture[1..], 0.0, &pose).is_err());
    assert!(sequence.push(&picture, f64::NAN, &pose).is_err());
    let nowhere = Isometry3::translation(f64::INFINITY, 0.0, 0.0);
    assert!(sequence.push(&picture, 0.0, &nowhere).is_err());
    assert_eq!(sequence.len(), 3);
}
