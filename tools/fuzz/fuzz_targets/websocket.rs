//! Any bytes after the opening handshake of a websocket: the server of Foxglove's messages stays, and other clients get their messages.

#![no_main]

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::LazyLock;
use std::time::Duration;

use insonate_foxglove::{Channel, Server, ServerConfig};
use libfuzzer_sys::fuzz_target;

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Server::listen(address, ServerConfig::default()).expect("a port is free");
    server.publish("/topic", 0, b"{}", || Channel {
        topic: "/topic".to_owned(),
        encoding: "json".to_owned(),
        schema_name: "Topic".to_owned(),
        schema_encoding: "jsonschema".to_owned(),
        schema: "{}".to_owned(),
    });
    server
});

const OPENING: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n";

fuzz_target!(|bytes: &[u8]| {
    let server = &*SERVER;
    let mut stream = TcpStream::connect(server.address()).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("it succeeds");
    stream.write_all(OPENING).expect("it is sent");
    let mut head = [0; 12];
    stream.read_exact(&mut head).expect("it answers");
    assert_eq!(&head, b"HTTP/1.1 101");
    // The server may have ended the connection before everything is sent.
    let _ = stream.write_all(bytes);
    server.publish("/topic", 1, b"{}", || unreachable!("the channel exists"));
    let _ = stream.shutdown(Shutdown::Write);
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
});
