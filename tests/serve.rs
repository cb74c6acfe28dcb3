//! Contract: `serve` sends poses of the probe to all clients on localhost and accepts a target.

mod command;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use insonate::openigtlink::{HEADER_SIZE, Header, Message, Transform, decode, encode};

/// A server that is killed at the end of the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server on a free port and connects to it.
fn connect(arguments: &str) -> (Served, TcpStream) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_insonate"))
        .args(arguments.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let errors = child.stderr.take().expect("it is piped");
    let served = Served(child);
    let line = BufReader::new(errors)
        .lines()
        .next()
        .expect("it says where it listens")
        .expect("the test can go on");
    let address = line
        .split([' ', ','])
        .find(|word| word.starts_with("127.0.0.1:"));
    let address = address.unwrap_or_else(|| panic!("{line}"));
    let stream = TcpStream::connect(address).expect("the test can go on");
    stream
        .set_read_timeout(Some(Duration::from_mins(1)))
        .expect("the test can go on");
    (served, stream)
}

/// The next message of a device: the transform, if it is one, and the body.
fn next(stream: &mut TcpStream, device: &str) -> (Option<Transform>, Vec<u8>) {
    loop {
        let mut head = [0; HEADER_SIZE];
        stream.read_exact(&mut head).expect("the test can go on");
        let header = Header::decode(&head).expect("the test can go on");
        let mut body = vec![0; header.body_size as usize];
        stream.read_exact(&mut body).expect("the test can go on");
        if header.device == device {
            return (decode(&header, &body).expect("the test can go on"), body);
        }
    }
}

#[test]
fn a_scan_is_seen_and_steered() {
    let (_served, mut stream) = connect("serve --openigtlink 0 --scan --camera none --rate 30");
    let start = next(&mut stream, "ProbeToRAS")
        .0
        .expect("the test can go on");
    let force =
        String::from_utf8(next(&mut stream, "Force").1[4..].to_vec()).expect("the test can go on");
    assert_eq!(force.split(' ').count(), 6, "{force}");
    // Up and away, and to the right of the workspace.
    let mut target = start;
    target.translation[1] += 50.0;
    target.translation[0] = 2000.0;
    stream
        .write_all(&encode("TargetToRAS", 0.0, &Message::Transform(target)))
        .expect("the test can go on");
    let status = loop {
        let text = String::from_utf8(next(&mut stream, "Status").1[4..].to_vec())
            .expect("the test can go on");
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
            .expect("the test can go on")
            .translation[1];
    }
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
