//! Contract: sequences have the header that PLUS and 3D Slicer read, poses that map pixels to their positions, and all pixels.
//! In right, anterior, superior, a pixel has the same position as the voxel of the compounded volume that shows it.

use insonate_ultrasound::deformation::Point;
use insonate_ultrasound::sequence::Sequence;
use insonate_ultrasound::transducer::c5_2;
use insonate_ultrasound::volume::Volume;
use insonate_ultrasound::{BMode, Settings};
use nalgebra::{Isometry3, Matrix3, Matrix4, Point3, Vector3, Vector4};

const SIZE: usize = 24;

fn scanner() -> BMode {
    let settings = Settings {
        n_lines: 16,
        n_samples: 32,
        ..Settings::of(&c5_2())
    };
    BMode::new(&c5_2(), &settings).expect("the settings are valid")
}

fn sequence() -> (Sequence, [f64; 3], Vec<Isometry3<f64>>) {
    let b_mode = scanner();
    let converter = b_mode.scan_converter(SIZE).expect("the size is valid");
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
            .expect("the picture is valid");
    }
    let [x, z] = converter.corner;
    (sequence, [converter.pixel, x, z], poses)
}

/// The header's lines and the pixels after them.
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

/// From column, row, 0 and 1 to right, anterior, superior [mm], by the frame's transforms.
fn ras_from_pixel(lines: &[&str], frame: usize, between: &str) -> Matrix4<f64> {
    let transforms = ["TrackerToRAS", "ProbeToTracker", "ImageToProbe"];
    let read = |name| {
        let name = format!("Seq_Frame{frame:04}_{name}Transform");
        matrix(field(lines, &name, between))
    };
    transforms.map(read).iter().product()
}

/// The numbers of a NRRD vector, such as `(1,0,0)`.
fn vector(text: &str) -> Vector3<f64> {
    let numbers = text.trim_matches(['(', ')']).split(',');
    Vector3::from_iterator(numbers.map(|n| n.parse().expect("a number")))
}

/// From indices of a voxel to left, anterior, superior [mm], by a NRRD header.
fn las_from_voxel(lines: &[&str]) -> (Matrix3<f64>, Vector3<f64>) {
    assert_eq!(field(lines, "space", ": "), "left-anterior-superior");
    let columns = field(lines, "space directions", ": ").split(' ');
    let columns: Vec<Vector3<f64>> = columns.map(vector).collect();
    let origin = vector(field(lines, "space origin", ": "));
    (Matrix3::from_columns(&columns), origin)
}

fn check(lines: &[&str], between: &str) {
    let (_, [pixel, x, z], poses) = sequence();
    for (n, pose) in poses.iter().enumerate() {
        let name = |field: &str| format!("Seq_Frame{n:04}_{field}");
        let of = |name: String| field(lines, &name, between);
        let image = matrix(of(name("ImageToProbeTransform")));
        let seen = ras_from_pixel(lines, n, between) * Vector4::new(5.0, 7.0, 0.0, 1.0);
        let local = Point3::new(x + 5.5 * pixel, 0.0, z + 7.5 * pixel);
        // +x lies to the left, +y to the head, +z to the front.
        let [left, head, front]: [f64; 3] = (1e3 * (pose * local).coords).into();
        let wanted = Vector3::new(-left, front, head);
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
fn pixels_lie_where_the_volume_has_them() {
    let scanner = scanner();
    let size = 128;
    let converter = scanner.scan_converter(size).expect("the size is valid");
    let white = -scanner.settings().gain as f32;
    let black = white - scanner.settings().dynamic_range as f32;
    let (low, width) = (Point::new(-0.15, -0.3, 0.0), 0.002);
    let pose = Isometry3::new(Vector3::new(0.05, -0.1, 0.3), Vector3::new(2.9, 0.3, -0.2));
    // Echoes at the corners of the field of view, one for each frame.
    for (line, sample) in [(0, 2), (15, 2), (0, 31), (15, 31)] {
        let mut frame = scanner.last().clone();
        frame.coupled.fill(true);
        frame.envelope.fill(black);
        frame.envelope[line * frame.n_samples + sample] = white;
        let mut volume = Volume::new(&scanner, low, Point::new(0.25, 0.1, 0.4), width)
            .expect("the box is valid");
        volume.add(&scanner, &frame, &pose);
        let mut picture = Vec::new();
        converter.picture(&frame, &mut picture);
        let mut sequence = Sequence::new(&converter);
        sequence.push(&picture, 0.0, &pose).expect("one picture");

        let file = volume.to_nrrd();
        let (header, grey) = parts(&file, "\n\n");
        let (las_from_voxel, origin) = las_from_voxel(&header);
        let sizes = field(&header, "sizes", ": ").split(' ');
        let sizes: Vec<usize> = sizes.map(|n| n.parse().expect("a number")).collect();
        let brightest = |levels: &[u8]| {
            let at = (0..levels.len()).max_by_key(|&at| levels[at]);
            at.expect("there are levels")
        };
        let at = brightest(grey);
        let voxel = [
            at % sizes[0],
            at / sizes[0] % sizes[1],
            at / sizes[0] / sizes[1],
        ];
        let voxel = Vector3::from(voxel.map(|n| n as f64));
        let echo_in_las = las_from_voxel * voxel + origin;

        let bytes = sequence.to_meta_image();
        let (lines, pixels) = parts(&bytes, "ElementDataFile = LOCAL\n");
        // The result must not depend on whether a reader scales by the spacing.
        assert_eq!(field(&lines, "ElementSpacing", " = "), "1 1 1");
        let las_from_pixel = |column: f64, row: f64| {
            let ras = ras_from_pixel(&lines, 0, " = ") * Vector4::new(column, row, 0.0, 1.0);
            Vector3::new(-ras.x, ras.y, ras.z)
        };
        let at = brightest(pixels);
        let seen = las_from_pixel((at % size) as f64, (at / size) as f64);
        // Half a voxel diagonally, and a pixel.
        let apart = (seen - echo_in_las).norm();
        let most = 0.87 * 1e3 * f64::from(width) + 1e3 * converter.pixel;
        assert!(apart < most, "{line}, {sample}: {apart} mm, {most} mm");

        // Exact: the file's grid is a part of the volume's grid, and pixels lie in it as their pose says.
        let [x, z] = converter.corner;
        for [column, row] in [[0.0, 0.0], [127.0, 0.0], [0.0, 127.0], [127.0, 127.0]] {
            let half = 0.5 * converter.pixel;
            let local = Point3::new(
                x + column * converter.pixel + half,
                0.0,
                z + row * converter.pixel + half,
            );
            let place = (pose * local - low.cast::<f64>()) / f64::from(width);
            let first = (1e-3 * origin.xzy() - low.coords.cast::<f64>()) / f64::from(width);
            let place = place - first.map(|first| (first - 0.5).round() + 0.5);
            let inverse = las_from_voxel.try_inverse().expect("axes are independent");
            let found = inverse * (las_from_pixel(column, row) - origin);
            assert!((found - place).norm() < 0.005, "{found} {place}");
        }
    }
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
