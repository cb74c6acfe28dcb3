//! Contract: clients receive sent messages and send targets; hostile clients are dropped without an effect on others.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use insonate_openigtlink::{Limits, Message, Server, ServerConfig, Traffic, Transform, encode};

const POSE: Transform = Transform {
    rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    translation: [1.0, 2.0, 3.0],
};

/// Long enough for any machine; the wait ends as soon as the event occurs.
const PATIENCE: Duration = Duration::from_secs(30);

/// Timeout of tests in which it passes.
const BRIEF: Duration = Duration::from_millis(200);

/// A server that drops clients which take longer over a message.
fn server(timeout: Duration) -> Server {
    let config = ServerConfig {
        limits: Limits {
            max_clients: 2,
            message_timeout: timeout,
            write_timeout: timeout,
        },
        ..ServerConfig::default()
    };
    Server::listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), config).expect("it succeeds")
}

fn wait(server: &Server, until: impl Fn(&Traffic) -> bool) {
    let start = Instant::now();
    while !until(&server.traffic()) {
        assert!(start.elapsed() < PATIENCE, "{:?}", server.traffic());
        sleep(Duration::from_millis(2));
    }
}

fn connect(server: &Server, n_clients: u64) -> TcpStream {
    let stream = TcpStream::connect(server.address()).expect("it succeeds");
    stream
        .set_read_timeout(Some(PATIENCE))
        .expect("it succeeds");
    wait(server, |traffic| traffic.n_clients == n_clients);
    stream
}

fn pose() -> Vec<u8> {
    encode("Target", 0.0, &Message::Transform(POSE))
}

#[test]
fn clients_get_what_is_sent_and_give_targets() {
    let server = server(PATIENCE);
    let mut clients = [connect(&server, 1), connect(&server, 2)];
    server.send(pose());
    for client in &mut clients {
        let mut bytes = [0; 106];
        client.read_exact(&mut bytes).expect("it succeeds");
        assert_eq!(&bytes[..], pose());
    }
    assert_eq!(server.take_target(), None);
    // In pieces, as in networks.
    for piece in pose().chunks(40) {
        clients[0].write_all(piece).expect("it succeeds");
    }
    wait(&server, |traffic| traffic.n_taken == 1);
    assert_eq!(server.take_target(), Some(POSE));
    assert_eq!(server.take_target(), None);
    // Transforms of other devices are not targets.
    let other = encode("Other", 0.0, &Message::Transform(POSE));
    clients[1]
        .write_all(&[other, pose()].concat())
        .expect("it succeeds");
    wait(&server, |traffic| traffic.n_taken == 2);
}

#[test]
fn every_client_is_greeted_once() {
    let config = ServerConfig {
        greeting: b"hello".to_vec(),
        ..ServerConfig::default()
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Server::listen(address, config).expect("it succeeds");
    for n_clients in 1..=2 {
        // The first client has left when the second one comes.
        let mut client = TcpStream::connect(server.address()).expect("it succeeds");
        client
            .set_read_timeout(Some(PATIENCE))
            .expect("it succeeds");
        wait(&server, |traffic| traffic.n_accepted == n_clients);
        server.send(pose());
        let mut bytes = [0; 5 + 106];
        client.read_exact(&mut bytes).expect("it succeeds");
        assert_eq!(
            (&bytes[..5], &bytes[5..]),
            (b"hello".as_slice(), pose().as_slice())
        );
    }
}

#[test]
fn more_clients_than_allowed_are_turned_away() {
    let server = server(PATIENCE);
    let _clients = [connect(&server, 1), connect(&server, 2)];
    let mut third = TcpStream::connect(server.address()).expect("it succeeds");
    third.set_read_timeout(Some(PATIENCE)).expect("it succeeds");
    assert_eq!(third.read(&mut [0; 8]).unwrap_or(0), 0);
    wait(&server, |traffic| traffic.n_refused == 1);
}

#[test]
fn hostile_clients_are_dropped_and_others_stay() {
    let server = server(BRIEF);
    let mut friend = connect(&server, 1);
    let mut huge = pose();
    huge[42] = 0x7f;
    let mut broken = pose();
    broken[105] ^= 1;
    let noise = vec![0xff; 300];
    let half = pose()[..70].to_vec();
    for (n_dropped, bytes) in [huge, broken, noise, half].into_iter().enumerate() {
        let mut foe = connect(&server, 2);
        foe.write_all(&bytes).expect("it succeeds");
        wait(&server, |traffic| traffic.n_dropped == n_dropped as u64 + 1);
        wait(&server, |traffic| traffic.n_clients == 1);
    }
    friend.write_all(&pose()).expect("it succeeds");
    wait(&server, |traffic| traffic.n_taken == 1);
}

#[test]
fn a_client_that_does_not_read_loses_frames_and_then_its_connection() {
    let server = server(BRIEF);
    let _sleeper = connect(&server, 1);
    let start = Instant::now();
    while server.traffic().n_dropped == 0 {
        // Returns at once, although no client reads.
        server.send(vec![0; 1 << 20]);
        assert!(start.elapsed() < PATIENCE);
        sleep(Duration::from_millis(1));
    }
    assert!(server.traffic().n_lost > 0);
    wait(&server, |traffic| traffic.n_clients == 0);
}

#[test]
fn a_port_that_is_taken_is_named() {
    let server = server(PATIENCE);
    let again = Server::listen(server.address(), ServerConfig::default());
    let message = again.unwrap_err().to_string();
    assert!(
        message.starts_with("cannot listen on 127.0.0.1:"),
        "{message}"
    );
}
