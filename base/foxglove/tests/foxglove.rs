//! Contract: clients learn of channels, get what they subscribe to with the number that they chose, and cannot disturb the others.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use insonate_foxglove::{Channel, Limits, Server, ServerConfig, Traffic};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::handshake::client::Request;
use tungstenite::{HandshakeError, Message, WebSocket, client};

const TOPIC: &str = "/probe/wrench";

fn channel(topic: &str) -> Channel {
    Channel {
        topic: topic.to_owned(),
        encoding: "json".to_owned(),
        schema_name: "insonate.Wrench".to_owned(),
        schema_encoding: "jsonschema".to_owned(),
        schema: r#"{"title":"insonate.Wrench"}"#.to_owned(),
    }
}

fn server(change: impl FnOnce(&mut ServerConfig)) -> Server {
    let mut config = ServerConfig {
        limits: Limits {
            message_timeout: Duration::from_millis(300),
            write_timeout: Duration::from_millis(300),
            ..Limits::default()
        },
        ..ServerConfig::default()
    };
    change(&mut config);
    let server = Server::listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), config);
    let server = server.expect("a port is free");
    server.publish(TOPIC, 0, b"{}", || channel(TOPIC));
    server
}

fn stream(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).expect("it listens");
    let limit = Some(Duration::from_secs(20));
    stream.set_read_timeout(limit).expect("it succeeds");
    stream
}

fn request(server: &Server, headers: &[(&'static str, &str)]) -> Request {
    let url = format!("ws://{}/", server.address());
    let mut request = url.into_client_request().expect("it is an address");
    for (name, value) in headers {
        let value = value.parse().expect("it is text");
        request.headers_mut().insert(*name, value);
    }
    request
}

type Socket = WebSocket<TcpStream>;

fn connect(server: &Server) -> Socket {
    let offer = ("Sec-WebSocket-Protocol", "other.v1, foxglove.sdk.v1");
    let (socket, answer) = client(request(server, &[offer]), stream(server)).expect("it opens");
    let chosen = &answer.headers()["sec-websocket-protocol"];
    assert_eq!(chosen, "foxglove.sdk.v1");
    socket
}

/// Connects and reads what every client is told first.
fn meet(server: &Server) -> Socket {
    let mut socket = connect(server);
    let about = hear(&mut socket);
    assert_eq!(
        (&about["op"], &about["capabilities"]),
        (&json!("serverInfo"), &json!([]))
    );
    let channels = hear(&mut socket);
    assert_eq!(
        (&channels["op"], &channels["channels"][0]["topic"]),
        (&json!("advertise"), &json!(TOPIC))
    );
    socket
}

fn say(socket: &mut Socket, value: &Value) {
    let text = Message::text(value.to_string());
    socket.send(text).expect("it is sent");
}

fn hear(socket: &mut Socket) -> Value {
    let text = socket.read().expect("it answers");
    serde_json::from_str(text.to_text().expect("it is text")).expect("it is JSON")
}

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

/// Subscribes to the first channel, and waits until the server knows.
fn subscribe(server: &Server, socket: &mut Socket, id: u32) {
    let n_invalid = server.traffic().n_invalid;
    let subscriptions = json!([{ "id": id, "channelId": 0 }]);
    say(
        socket,
        &json!({ "op": "subscribe", "subscriptions": subscriptions }),
    );
    say(socket, &json!({ "op": "getParameters" }));
    assert_eq!(hear(socket)["op"], "status");
    assert_eq!(server.traffic().n_invalid, n_invalid + 1);
}

#[test]
fn messages_have_the_layout_of_the_specification() {
    let server = server(|_| ());
    let mut socket = meet(&server);
    assert!(!server.is_wanted(TOPIC));
    subscribe(&server, &mut socket, 0x0102_0304);
    assert!(server.is_wanted(TOPIC));
    server.publish(TOPIC, 0x1122_3344_5566_7788, b"{\"z\":5}", || {
        panic!("the channel exists")
    });
    let Message::Binary(bytes) = socket.read().expect("it is sent") else {
        panic!("messages are binary");
    };
    let head = [
        1, 4, 3, 2, 1, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
    ];
    assert_eq!(
        (&bytes[..13], &bytes[13..]),
        (&head[..], b"{\"z\":5}".as_slice())
    );
    say(
        &mut socket,
        &json!({ "op": "unsubscribe", "subscriptionIds": [0x0102_0304] }),
    );
    say(&mut socket, &json!({ "op": "nonsense" }));
    assert_eq!(hear(&mut socket)["level"], 2);
    assert!(!server.is_wanted(TOPIC));
}

#[test]
fn channels_tell_their_schema_and_later_ones_follow() {
    let server = server(|_| ());
    let mut socket = connect(&server);
    hear(&mut socket);
    let expected = json!({
        "id": 0,
        "topic": TOPIC,
        "encoding": "json",
        "schemaName": "insonate.Wrench",
        "schemaEncoding": "jsonschema",
        "schema": "{\"title\":\"insonate.Wrench\"}",
    });
    assert_eq!(hear(&mut socket)["channels"], json!([expected]));
    assert!(server.is_wanted("/camera"));
    server.publish("/camera", 0, b"{}", || channel("/camera"));
    assert!(!server.is_wanted("/camera"));
    let news = &hear(&mut socket)["channels"];
    assert_eq!(
        (&news[0]["id"], &news[0]["topic"], news[1].is_null()),
        (&json!(1), &json!("/camera"), true)
    );
}

#[test]
fn what_a_client_says_wrongly_is_answered_and_counted() {
    let server = server(|_| ());
    let mut socket = meet(&server);
    subscribe(&server, &mut socket, 1);
    let wish = |id: u32, channel: u32| json!({ "op": "subscribe", "subscriptions": [{ "id": id, "channelId": channel }] });
    for (wish, level, expected) in [
        (wish(2, 9), 2, "there is no channel 9"),
        (wish(2, 0), 1, "subscription 2 to channel 0"),
    ] {
        say(&mut socket, &wish);
        let status = hear(&mut socket);
        let said = status["message"].as_str().expect("a text");
        assert_eq!(status["level"], level, "{status}");
        assert!(said.starts_with(expected), "{said}");
    }
    socket
        .send(Message::binary(vec![1, 0, 0, 0, 0]))
        .expect("it is sent");
    assert_eq!(hear(&mut socket)["message"], "binary messages are not read");
    assert_eq!(server.traffic().n_invalid, 4);
}

#[test]
fn handshakes_have_limits_of_number_origin_and_protocol() {
    let server = server(|config| config.limits.max_clients = 1);
    let offer = ("Sec-WebSocket-Protocol", "foxglove.websocket.v1");
    let old = ("Sec-WebSocket-Protocol", "rosbridge");
    let refused = [
        (vec![], 400),
        (vec![old], 400),
        (vec![offer, ("Origin", "https://example.org")], 403),
    ];
    for (n_refused, (headers, status)) in refused.iter().enumerate() {
        match client(request(&server, headers), stream(&server)) {
            Err(HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                assert_eq!(answer.status().as_u16(), *status);
            }
            other => panic!("{:?}", other.map(|_| ())),
        }
        wait(&server, |traffic| {
            (traffic.n_refused, traffic.n_clients) == (n_refused as u64 + 1, 0)
        });
    }
    let page = ("Origin", "https://app.foxglove.dev");
    let one = client(request(&server, &[offer, page]), stream(&server));
    let one = one.expect("Foxglove's page may connect");
    assert!(client(request(&server, &[offer]), stream(&server)).is_err());
    wait(&server, |traffic| traffic.n_refused == 4);
    drop(one);
    wait(&server, |traffic| traffic.n_clients == 0);
    meet(&server);
}

#[test]
fn broken_frames_end_the_connection_and_only_it() {
    let server = server(|config| config.max_message = 1000);
    let mut good = meet(&server);
    let mut large = meet(&server);
    say(&mut large, &json!({ "op": "x".repeat(2000) }));
    wait(&server, |traffic| traffic.n_dropped == 1);
    // Reserved bits; a frame that never ends; a length of 2⁶³ bytes; text that is no UTF-8.
    let huge = [0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    for bytes in [
        [0xf1, 0x80, 0, 0, 0, 0].as_slice(),
        &[0x81, 0xfe],
        &huge,
        &[0x81, 0x81, 0, 0, 0, 0, 0xff],
    ] {
        let before = server.traffic().n_dropped;
        let mut socket = meet(&server);
        socket.get_mut().write_all(bytes).expect("it is sent");
        wait(&server, |traffic| traffic.n_dropped == before + 1);
    }
    let mut silent = stream(&server);
    wait(&server, |traffic| traffic.n_refused == 1);
    assert_eq!(silent.read(&mut [0; 8]).expect("it is closed"), 0);
    subscribe(&server, &mut good, 3);
    wait(&server, |traffic| traffic.n_clients == 1);
}

#[test]
fn a_client_that_does_not_read_loses_messages_and_its_place() {
    let server = server(|config| {
        config.limits.write_timeout = Duration::from_secs(1);
        config.max_sent = 1 << 20;
    });
    let (mut slow, mut good) = (meet(&server), meet(&server));
    subscribe(&server, &mut slow, 0);
    let long = vec![b' '; 1 << 18];
    let begun = Instant::now();
    let mut n_published = 0;
    while server.traffic().n_dropped == 0 {
        let before = Instant::now();
        server.publish(TOPIC, 1, &long, || panic!("the channel exists"));
        n_published += 1;
        assert!(before.elapsed() < Duration::from_millis(500), "it waits");
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(1));
    }
    let traffic = server.traffic();
    assert!(traffic.n_lost > 0, "{traffic:?} of {n_published}");
    // Larger than any message may be: nobody gets it.
    subscribe(&server, &mut good, 7);
    server.publish(TOPIC, 2, &vec![b' '; (1 << 20) + 1], || {
        panic!("the channel exists")
    });
    server.publish(TOPIC, 3, b"{}", || panic!("the channel exists"));
    let bytes = good.read().expect("it is sent").into_data();
    assert_eq!((bytes[1], bytes[5]), (7, 3));
}
