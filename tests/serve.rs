//! Contract: `serve` sends poses of the probe and ultrasound in its place to all clients on localhost and accepts a target.

mod command;
mod made;
mod served;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use insonate::models::patients::Sex;
use insonate::openigtlink::{HEADER_SIZE, Header, Message, Transform, decode, encode};
use served::{Served, start};

/// Starts a server on a free port and connects to it.
fn connect(arguments: &str) -> (Served, TcpStream) {
    let (served, [address]) = start(arguments);
    let stream = TcpStream::connect(address).expect("it succeeds");
    stream
        .set_read_timeout(Some(Duration::from_mins(1)))
        .expect("it succeeds");
    (served, stream)
}

/// The next message of a device: the transform, if it is one, and the body.
fn next(stream: &mut TcpStream, device: &str) -> (Option<Transform>, Vec<u8>) {
    loop {
        let mut head = [0; HEADER_SIZE];
        stream.read_exact(&mut head).expect("it succeeds");
        let header = Header::decode(&head).expect("it succeeds");
        let mut body = vec![0; header.body_size as usize];
        stream.read_exact(&mut body).expect("it succeeds");
        if header.device == device {
            return (decode(&header, &body).expect("it succeeds"), body);
        }
    }
}

#[test]
fn a_scan_is_seen_and_steered() {
    let (_served, mut stream) = connect("serve --openigtlink 0 --scan --camera none --rate 30");
    let start = next(&mut stream, "ProbeToRAS").0.expect("it succeeds");
    let force = String::from_utf8(next(&mut stream, "Force").1[4..].to_vec()).expect("it succeeds");
    assert_eq!(force.split(' ').count(), 6, "{force}");
    // Up and away, and to the right of the workspace.
    let mut target = start;
    target.translation[1] += 50.0;
    target.translation[0] = 2000.0;
    stream
        .write_all(&encode("TargetToRAS", 0.0, &Message::Transform(target)))
        .expect("it succeeds");
    let status = loop {
        let text =
            String::from_utf8(next(&mut stream, "Status").1[4..].to_vec()).expect("it succeeds");
        if text != "ready" {
            break text;
        }
    };
    assert_eq!(status, "target brought into the workspace: x");
    // The probe rises with a speed of at most 0.1 m/s.
    let mut height = start.translation[1];
    while height < start.translation[1] + 10.0 {
        height = next(&mut stream, "ProbeToRAS")
            .0
            .expect("it succeeds")
            .translation[1];
    }
}

/// A received message: device, time stamp in units of 2⁻³² s, and body, by the layout of the specification.
fn receive(stream: &mut TcpStream) -> (String, u64, Vec<u8>) {
    let mut head = [0; 58];
    stream.read_exact(&mut head).expect("it succeeds");
    let number = |from: usize| u64::from_be_bytes(head[from..from + 8].try_into().expect("8"));
    let device = String::from_utf8(head[14..34].to_vec()).expect("it is ASCII");
    let mut body = vec![0; number(42) as usize];
    stream.read_exact(&mut body).expect("it succeeds");
    (device.trim_end_matches('\0').to_owned(), number(34), body)
}

/// Big-endian numbers of 32 bits.
fn floats(bytes: &[u8]) -> Vec<f64> {
    let numbers = bytes.chunks_exact(4);
    let number = |four: &[u8]| f32::from_be_bytes(four.try_into().expect("4"));
    numbers.map(|four| f64::from(number(four))).collect()
}

/// A linear probe that images 60 mm deep: deeper than its array of 50 mm is wide, so that the square picture is 60 mm wide and begins at
/// the face. It lies in the plane of the array and the beam, and has the pose that was sent with its time stamp.
#[test]
fn ultrasound_is_sent_in_its_place_with_labels() {
    const SIZE: usize = 48;
    let (_served, mut stream) = connect(
        "serve --openigtlink 0 --scan --patient adult --probe l12-5 --camera none --rate 50 --b-mode --b-mode-labels \
         --imaging-depth 0.06 --lines 32 --samples 96 --size 48",
    );
    let (mut poses, mut names) = (Vec::new(), String::new());
    let mut n_compared = 0;
    // Label 0 is air: all before the probe touches the skin, then what is outside of the field of view.
    let n_of_air =
        |labels: &[u8]| -> usize { labels.iter().map(|label| usize::from(*label == 0)).sum() };
    let labels = loop {
        let (device, time, body) = receive(&mut stream);
        match device.as_str() {
            "ProbeToRAS" => poses.push((time, floats(&body))),
            "LabelNames" => names = String::from_utf8(body[4..].to_vec()).expect("it is ASCII"),
            "Labels" if n_compared > 3 && n_of_air(&body[72..]) < 11 * SIZE => {
                break body[72..].to_vec();
            }
            "BMode" => {
                // Version 1, one component of unsigned bytes, RAS; 48 x 48 x 1 pixels, all of them sent.
                assert_eq!(body[..4], [0, 1, 1, 3]);
                assert_eq!((body[5], &body[6..12]), (1, &[0, 48, 0, 48, 0, 1][..]));
                assert_eq!(body[60..72], [0, 0, 0, 0, 0, 0, 0, 48, 0, 48, 0, 1]);
                assert_eq!(body.len(), 72 + SIZE * SIZE);
                let sent = poses.iter().find(|(stamp, _)| *stamp == time);
                let Some((_, pose)) = sent else { continue };
                let image = floats(&body[12..60]);
                let column =
                    |matrix: &[f64], at: usize| [0, 1, 2].map(|axis| matrix[3 * at + axis]);
                let [along, across, beam, face] = [0, 1, 2, 3].map(|at| column(pose, at));
                let pixel = 60.0 / SIZE as f64;
                for axis in 0..3 {
                    let near = |found: f64, expected: f64| {
                        assert!((found - expected).abs() < 1e-3, "{found} {expected}");
                    };
                    near(column(&image, 0)[axis], pixel * along[axis]);
                    near(column(&image, 1)[axis], pixel * beam[axis]);
                    near(column(&image, 2)[axis], -across[axis]);
                    near(column(&image, 3)[axis], face[axis] + 30.0 * beam[axis]);
                }
                n_compared += 1;
                assert!(n_compared < 2000, "the probe touches no skin");
            }
            _ => {}
        }
    };
    let names: Vec<&str> = names.split(", ").collect();
    let seen = |name: &str| {
        let label = names.iter().position(|known| *known == name);
        let label = label.unwrap_or_else(|| panic!("{names:?}"));
        labels
            .iter()
            .filter(|found| usize::from(**found) == label)
            .count()
    };
    assert_eq!(labels.len(), SIZE * SIZE);
    // The array is 50 mm wide, so that a sixth of the picture is outside of the field of view.
    assert!(names[0] == "air" && n_of_air(&labels) >= 8 * SIZE);
    assert!(seen("skin") > 0 && seen("fat") > 0 && seen("muscle") > 0);
}

/// The picture of a made patient has the labels of its segmentation: on the middle line the liver begins as deep as in a still image.
#[test]
fn a_made_patient_is_imaged() {
    const SIZE: usize = 60;
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path().display();
    made::write_patient(Sex::Male, 0.006, &scratch.path().join("patient"));
    let still = command::json(&format!(
        "image --patient {folder}/patient --imaging-depth 0.12 --lines 32 --samples 240"
    ));
    let line = still["middle_line"].as_array().expect("a list").iter();
    let before = line.take_while(|row| row["material"] != "liver");
    let thickness = |row: &serde_json::Value| row["thickness_m"].as_f64().expect("a length");
    let depth: f64 = before.map(thickness).sum();
    let [x, y] = [0, 1].map(|axis| still["site_m"][axis].as_f64().expect("a coordinate"));
    let (_served, mut stream) = connect(&format!(
        "serve --openigtlink 0 --scan --patient {folder}/patient --from={x},{y} --to={x},{} --camera none --rate 50 --b-mode \
         --b-mode-labels --imaging-depth 0.12 --lines 32 --samples 240 --size {SIZE}",
        y + 0.02
    ));
    let mut names = Vec::new();
    for _ in 0..20_000 {
        let (device, _, body) = receive(&mut stream);
        if device == "LabelNames" {
            let text = String::from_utf8(body[4..].to_vec()).expect("it is ASCII");
            names = text.split(", ").map(str::to_owned).collect();
        }
        let liver = names.iter().position(|name| name == "liver");
        let (Some(liver), "Labels") = (liver, device.as_str()) else {
            continue;
        };
        // Rows are along the array, columns along the beam; the picture is as deep as wide at most.
        let pixels = &body[72..];
        let middle: Vec<u8> = (0..SIZE).map(|row| pixels[row * SIZE + SIZE / 2]).collect();
        let Some(first) = middle.iter().position(|label| usize::from(*label) == liver) else {
            continue;
        };
        let skin = middle
            .iter()
            .position(|label| *label != 0)
            .expect("it is in the body");
        let image = floats(&body[12..60]);
        let pixel = 1e-3
            * [1, 4, 7]
                .map(|at| image[at].powi(2))
                .iter()
                .sum::<f64>()
                .sqrt();
        let found = pixel * (first - skin) as f64;
        assert!((found - depth).abs() < 0.012, "{found} {depth}");
        return;
    }
    panic!("the liver is not seen: {names:?}");
}

#[test]
fn a_torso_without_organs_is_not_imaged() {
    let line = command::refused("serve --openigtlink 0 --scan --b-mode --duration 0.5", 2);
    assert!(
        line.contains("ultrasound needs an adult or a made patient"),
        "{line}"
    );
    let line = command::refused(
        "serve --openigtlink 0 --policy zero --task probe-reach --b-mode",
        2,
    );
    assert!(line.contains("needs scene.shape = \"adult\""), "{line}");
    let line = command::refused("serve --openigtlink 0 --patient adult --b-mode --size 8", 2);
    assert!(
        line.contains("size is 8; it must be between 16 and 1024"),
        "{line}"
    );
}

#[test]
fn it_ends_after_its_duration_and_prints_a_summary() {
    let served = command::json("serve --openigtlink 0 --scan --camera none --duration 0.5");
    assert!(
        served["frames"].as_u64().is_some_and(|frames| frames > 0),
        "{served}"
    );
    assert_eq!(
        (&served["clients"], &served["targets"]),
        (&0.into(), &0.into())
    );
}

/// The shell of the default torso holds to 35 mm; a soft one gives way by more.
#[test]
fn a_scan_deeper_than_the_torso_holds_is_said_once() {
    let output = Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args("serve --openigtlink 0 --scan --camera none --json --duration 6".split(' '))
        .args("--stiffness 250 --damping 5 --force 15".split(' '))
        .output()
        .expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let summary: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("a JSON summary");
    let warning = summary["warning"].as_str().expect("a warning");
    assert!(warning.contains("35 mm"), "{warning}");
    assert_eq!(said.matches(warning).count(), 1, "{said}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for (arguments, expected) in [
        (
            "serve --openigtlink 0 --rate 0",
            "rate is 0; it must be between 1 and 200",
        ),
        (
            "serve --openigtlink 0 --max-depth 1",
            "max-depth is 1; it must be between 0 and 0.05",
        ),
        ("serve --openigtlink 0 --force 100", "force"),
    ] {
        let line = command::refused(arguments, 2);
        assert!(line.contains(expected), "{line}");
    }
}

#[test]
fn a_camera_that_the_scene_does_not_have_is_refused() {
    let line = command::refused(
        "serve --openigtlink 0 --scan --camera moon --duration 0.5",
        2,
    );
    assert!(
        line.contains("\"moon\"") && line.contains("close") && line.contains("probe/camera"),
        "{line}"
    );
}

/// The surface of the scene that the command describes, by the layout of POLYDATA.
#[test]
fn the_skin_comes_once_and_lies_under_the_probe() {
    let (_served, mut stream) = connect("serve --openigtlink 0 --scan --camera none --rate 30");
    let (_, body) = next(&mut stream, "Skin");
    let words: Vec<u32> = body
        .chunks_exact(4)
        .map(|word| u32::from_be_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let scene = insonate::models::SceneConfig::default();
    let scene = scene.build().expect("the default scene");
    let skin = &scene.torso.as_ref().expect("it has a torso").surface;
    let [n_points, n_triangles] = [skin.positions.len(), skin.triangles.len()];
    let n = n_triangles as u32;
    assert_eq!(
        &words[..10],
        [n_points as u32, 0, 0, 0, 0, n, 16 * n, 0, 0, 0]
    );
    assert_eq!(words.len(), 10 + 3 * n_points + 4 * n_triangles);
    let points: Vec<[f32; 3]> = words[10..10 + 3 * n_points]
        .chunks_exact(3)
        .map(|point| [0, 1, 2].map(|axis| f32::from_bits(point[axis])))
        .collect();
    for (point, of_torso) in points.iter().zip(&skin.positions) {
        let [x, y, z] = [0, 1, 2].map(|axis| of_torso[axis] + scene.torso_position[axis]);
        // Right is -x, anterior +z, superior +y.
        for (found, wanted) in point.iter().zip([-x, z, y]) {
            assert!((f64::from(*found) - 1000.0 * wanted).abs() < 1e-3);
        }
    }
    let corners = words[10 + 3 * n_points..].chunks_exact(4);
    for (found, triangle) in corners.zip(&skin.triangles) {
        assert_eq!((found[0], &found[1..]), (3, triangle.as_slice()));
    }
    let probe = next(&mut stream, "ProbeToRAS")
        .0
        .expect("a pose")
        .translation;
    let distance = |point: &[f32; 3]| -> f64 {
        let squares = point.iter().zip(probe);
        squares
            .map(|(a, b)| (f64::from(*a) - b).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    let nearest = points.iter().map(distance).fold(f64::INFINITY, f64::min);
    assert!(nearest < 60.0, "{nearest} mm");
    // Not a second time among the messages of a second.
    for _ in 0..100 {
        let mut head = [0; HEADER_SIZE];
        stream.read_exact(&mut head).expect("it succeeds");
        let header = Header::decode(&head).expect("it succeeds");
        let mut body = vec![0; header.body_size as usize];
        stream.read_exact(&mut body).expect("it succeeds");
        assert_ne!(header.device, "Skin");
    }
}
