//! Contract: clients get what they subscribe to, the last message of each topic arrives, and no client can disturb the others.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use insonate_rosbridge::{Limits, Server, ServerConfig, Topic, Traffic};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::{HandshakeError, Message, WebSocket, client};

const STATE: &str = "/arm/measured_js";
const TARGET: &str = "/arm/servo_jp";

fn topic(name: &str) -> Topic {
    Topic {
        name: name.to_owned(),
        kind: "sensor_msgs/JointState",
    }
}

fn server(change: impl FnOnce(&mut ServerConfig)) -> Server {
    let mut config = ServerConfig {
        published: vec![topic(STATE)],
        taken: vec![topic(TARGET), topic("/arm/servo_jf")],
        limits: Limits {
            message_timeout: Duration::from_millis(300),
            write_timeout: Duration::from_millis(300),
            ..Limits::default()
        },
        ..ServerConfig::default()
    };
    change(&mut config);
    Server::listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), config).expect("a port is free")
}

fn stream(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).expect("it listens");
    let limit = Some(Duration::from_secs(20));
    stream.set_read_timeout(limit).expect("it succeeds");
    stream
}

fn connect(server: &Server) -> WebSocket<TcpStream> {
    let url = format!("ws://{}/", server.address());
    client(url, stream(server)).expect("it opens").0
}

fn say(socket: &mut WebSocket<TcpStream>, value: &Value) {
    socket
        .send(Message::text(value.to_string()))
        .expect("it is sent");
}

fn hear(socket: &mut WebSocket<TcpStream>) -> Value {
    let text = socket.read().expect("it answers");
    serde_json::from_str(text.to_text().expect("it is text")).expect("it is JSON")
}

/// Waits until the counters have a property.
fn wait(server: &Server, is_so: impl Fn(&Traffic) -> bool) -> Traffic {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let traffic = server.traffic();
        if is_so(&traffic) {
            return traffic;
        }
        assert!(Instant::now() < end, "{traffic:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// An answer says that what was said before was handled.
fn subscribe(socket: &mut WebSocket<TcpStream>, throttle: u64) {
    say(
        socket,
        &json!({ "op": "subscribe", "topic": STATE, "throttle_rate": throttle }),
    );
    say(
        socket,
        &json!({ "op": "call_service", "service": "/rosapi/topics", "id": "7" }),
    );
    let answer = hear(socket);
    assert_eq!(
        (&answer["result"], &answer["id"]),
        (&json!(true), &json!("7"))
    );
    let names = json!([STATE, TARGET, "/arm/servo_jf"]);
    assert_eq!(answer["values"]["topics"], names);
}

#[test]
fn subscribers_get_messages_and_others_do_not() {
    let server = server(|_| ());
    let (mut one, mut other) = (connect(&server), connect(&server));
    subscribe(&mut one, 0);
    for number in 0..3 {
        server.publish(STATE, || json!({ "position": [number] }));
    }
    for number in 0..3 {
        let expected = json!({ "op": "publish", "topic": STATE, "msg": { "position": [number] } });
        assert_eq!(hear(&mut one), expected);
    }
    // A message that nobody wants is not made.
    say(&mut one, &json!({ "op": "unsubscribe", "topic": STATE }));
    say(&mut one, &json!({ "op": "nonsense" }));
    assert_eq!(hear(&mut one)["op"], "status");
    server.publish(STATE, || panic!("nobody wants it"));
    subscribe(&mut other, 3_600_000);
    for _ in 0..5 {
        server.publish(STATE, || json!({}));
    }
    assert_eq!(hear(&mut other)["topic"], STATE);
    assert_eq!(server.traffic().n_sent, 4);
}

#[test]
fn the_last_command_of_each_topic_is_kept() {
    let server = server(|_| ());
    let mut socket = connect(&server);
    let publish = |topic: &str, number: u64| json!({ "op": "publish", "topic": topic, "msg": { "position": [number] } });
    for (topic, number) in [
        (TARGET, 1),
        ("/arm/servo_jf", 2),
        ("arm/servo_jp", 3),
        ("/arm/unknown", 4),
    ] {
        say(&mut socket, &publish(topic, number));
    }
    let answer = hear(&mut socket);
    assert_eq!(answer["msg"], "/arm/unknown is not taken");
    let commands = server.take_commands();
    let found: Vec<_> = commands
        .iter()
        .map(|it| (it.topic.as_str(), &it.message["position"][0]))
        .collect();
    assert_eq!(found, [("/arm/servo_jf", &json!(2)), (TARGET, &json!(3))]);
    assert!(server.take_commands().is_empty());
    let traffic = server.traffic();
    assert_eq!((traffic.n_taken, traffic.n_invalid), (3, 1));
}

#[test]
fn broken_frames_end_the_connection_and_only_it() {
    let server = server(|config| config.max_message = 1000);
    let mut good = connect(&server);
    // Too large; a masked frame with reserved bits; a frame that never ends.
    let mut large = connect(&server);
    say(&mut large, &json!({ "op": "x".repeat(2000) }));
    wait(&server, |traffic| traffic.n_dropped == 1);
    for bytes in [[0xf1, 0x80, 0, 0, 0, 0].as_slice(), &[0x81, 0xfe]] {
        let before = server.traffic().n_dropped;
        let mut socket = connect(&server);
        socket.get_mut().write_all(bytes).expect("it is sent");
        wait(&server, |traffic| traffic.n_dropped == before + 1);
    }
    subscribe(&mut good, 0);
    let traffic = wait(&server, |traffic| traffic.n_clients == 1);
    assert_eq!((traffic.n_accepted, traffic.n_refused), (4, 0));
}

#[test]
fn a_client_that_leaves_without_a_closing_handshake_has_left() {
    let server = server(|_| ());
    let mut polite = connect(&server);
    let abrupt = connect(&server);
    wait(&server, |traffic| traffic.n_clients == 2);
    polite.close(None).expect("it is sent");
    drop((polite, abrupt));
    let traffic = wait(&server, |traffic| traffic.n_clients == 0);
    assert_eq!((traffic.n_accepted, traffic.n_dropped), (2, 0));
}

#[test]
fn handshakes_have_limits_of_time_number_and_origin() {
    let server = server(|config| config.limits.max_clients = 2);
    // Silence, and no websocket.
    let mut silent = stream(&server);
    wait(&server, |traffic| traffic.n_refused == 1);
    assert_eq!(silent.read(&mut [0; 8]).expect("it is closed"), 0);
    let mut web = stream(&server);
    web.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        .expect("it is sent");
    wait(&server, |traffic| traffic.n_refused == 2);
    // A page of another host.
    let mut request = format!("ws://{}/", server.address())
        .into_client_request()
        .expect("it is an address");
    let origin = "https://example.org".parse().expect("it is text");
    request.headers_mut().insert("Origin", origin);
    match client(request, stream(&server)) {
        Err(HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
            assert_eq!(answer.status().as_u16(), 403);
        }
        other => panic!("{:?}", other.map(|_| ())),
    }
    wait(&server, |traffic| {
        traffic.n_refused == 3 && traffic.n_clients == 0
    });
    let both = [connect(&server), connect(&server)];
    let url = format!("ws://{}/", server.address());
    assert!(client(url, stream(&server)).is_err());
    assert_eq!(server.traffic().n_refused, 4);
    drop(both);
}

#[test]
fn a_client_that_does_not_read_loses_messages_and_its_place() {
    let server = server(|config| config.limits.write_timeout = Duration::from_secs(2));
    let (mut slow, mut good) = (connect(&server), connect(&server));
    subscribe(&mut slow, 0);
    subscribe(&mut good, 3_600_000);
    let long = "x".repeat(1 << 16);
    let end = Instant::now() + Duration::from_secs(20);
    while server.traffic().n_dropped == 0 {
        server.publish(STATE, || json!({ "name": [&long] }));
        assert!(Instant::now() < end, "{:?}", server.traffic());
    }
    assert!(server.traffic().n_lost > 0);
    assert_eq!(hear(&mut good)["topic"], STATE);
}
