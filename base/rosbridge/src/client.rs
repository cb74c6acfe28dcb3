//! The thread of a client: handshake, then its requests and the messages for it in turn.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::error::ProtocolError;
use tungstenite::handshake::server::{ErrorResponse, Request as Opening, Response};
use tungstenite::http::StatusCode;
use tungstenite::http::header::ORIGIN;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, HandshakeError, Message, WebSocket, accept_hdr_with_config};

use crate::config::Topic;
use crate::request::Request;
use crate::state::{ClientState, Command, ServerState, Subscription, lock};
use crate::timed::Timed;

/// Longest wait for a client's bytes before messages for it are sent.
pub(crate) const POLL: Duration = Duration::from_millis(1);

/// Buffer of what the client sends [bytes].
const READ_BUFFER: usize = 1 << 14;

/// Most bytes that wait for the network; a client for which more wait is dropped.
const WRITE_BUFFER: usize = 1 << 20;

type Socket = WebSocket<Timed>;

/// How the connection of a client ended.
#[derive(Debug)]
enum End {
    /// It left.
    Left,
    /// It broke a rule.
    Dropped,
}

/// Serves a client until it leaves, breaks a rule, or the server ends.
pub(crate) fn serve(
    server: &ServerState,
    state: &ClientState,
    stream: TcpStream,
    messages: &Receiver<Arc<str>>,
) {
    let counters = &server.counters;
    // The server keeps the stream too, so that it must be closed here.
    let ending = stream.try_clone();
    match open(server, stream) {
        None => {
            counters.refused.fetch_add(1, Ordering::Relaxed);
        }
        Some(mut socket) => {
            counters.accepted.fetch_add(1, Ordering::Relaxed);
            let is_over =
                || server.is_over.load(Ordering::Relaxed) || state.is_gone.load(Ordering::Relaxed);
            while !is_over() {
                let turn = take_requests(server, state, &mut socket)
                    .and_then(|()| send_messages(&mut socket, messages));
                match turn {
                    Ok(()) => {}
                    Err(End::Left) => break,
                    Err(End::Dropped) => {
                        counters.dropped.fetch_add(1, Ordering::Relaxed);
                        break;
                    }
                }
            }
        }
    }
    if let Ok(stream) = ending {
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }
    state.is_gone.store(true, Ordering::Relaxed);
}

/// The opening handshake; `None` if it fails or takes too long.
fn open(server: &ServerState, stream: TcpStream) -> Option<Socket> {
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER)
        .max_message_size(Some(server.config.max_message))
        .max_frame_size(Some(server.config.max_message));
    let deadline = Instant::now() + server.config.message_timeout;
    let timed = Timed {
        stream,
        since: None,
    };
    let mut opened = accept_hdr_with_config(timed, check_origin, Some(config));
    loop {
        match opened {
            Ok(mut socket) => {
                socket.get_mut().since = None;
                return Some(socket);
            }
            Err(HandshakeError::Interrupted(waiting))
                if Instant::now() < deadline && !server.is_over.load(Ordering::Relaxed) =>
            {
                opened = waiting.handshake();
            }
            Err(_) => return None,
        }
    }
}

/// Refuses pages of other hosts, which a browser would otherwise let steer the robot.
fn check_origin(opening: &Opening, response: Response) -> Result<Response, ErrorResponse> {
    let origin = opening.headers().get(ORIGIN);
    if origin.is_none_or(|origin| origin.to_str().is_ok_and(is_local)) {
        return Ok(response);
    }
    let mut refusal = ErrorResponse::new(Some("pages of other hosts are refused".to_owned()));
    *refusal.status_mut() = StatusCode::FORBIDDEN;
    Err(refusal)
}

/// Whether a page is of this machine.
fn is_local(origin: &str) -> bool {
    let host = origin.split_once("://").map_or("", |(_, host)| host);
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["localhost", "127.0.0.1", "[::1]"].contains(&name)
}

/// Handles the requests that have arrived.
fn take_requests(
    server: &ServerState,
    state: &ClientState,
    socket: &mut Socket,
) -> Result<(), End> {
    loop {
        let message = match socket.read() {
            Ok(message) => message,
            Err(Error::Io(error)) if is_wait(error.kind()) => break,
            Err(
                Error::ConnectionClosed
                | Error::AlreadyClosed
                | Error::Io(_)
                // A program that ends, or a browser's page that is closed, seldom says goodbye.
                | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake),
            ) => {
                return Err(End::Left);
            }
            Err(_) => return Err(End::Dropped),
        };
        socket.get_mut().since = None;
        let answer = match message {
            Message::Text(text) => match Request::parse(&text) {
                Ok(request) => answer(server, state, request),
                Err(problem) => Err(problem),
            },
            Message::Binary(_) => Err("binary frames are not read".to_owned()),
            _ => Ok(None),
        };
        let answer = answer.unwrap_or_else(|problem| {
            server.counters.invalid.fetch_add(1, Ordering::Relaxed);
            Some(json!({ "op": "status", "level": "error", "msg": problem }))
        });
        if let Some(answer) = answer {
            send(socket, answer.to_string())?;
        }
    }
    let since = socket.get_ref().since;
    if since.is_some_and(|since| since.elapsed() > server.config.message_timeout) {
        return Err(End::Dropped);
    }
    Ok(())
}

/// Carries out a request and returns what the client is told.
fn answer(
    server: &ServerState,
    state: &ClientState,
    request: Request,
) -> Result<Option<Value>, String> {
    let config = &server.config;
    let known = |topics: &[Topic], name: &str| topics.iter().any(|topic| topic.name == name);
    match request {
        Request::Nothing => {}
        Request::Subscribe { topic, throttle } => {
            if !known(&config.published, &topic) {
                return Err(format!("{topic} is not published"));
            }
            let subscription = Subscription {
                throttle,
                last: None,
            };
            lock(&state.subscriptions).insert(topic, subscription);
        }
        Request::Unsubscribe { topic } => {
            lock(&state.subscriptions).remove(&topic);
        }
        Request::Publish { topic, message } => {
            if !known(&config.taken, &topic) {
                return Err(format!("{topic} is not taken"));
            }
            server.take(Command { topic, message });
        }
        Request::Call { service, id } => {
            let all = || config.published.iter().chain(&config.taken);
            let is_known = service == "/rosapi/topics";
            let values = if is_known {
                let names: Vec<&str> = all().map(|topic| topic.name.as_str()).collect();
                let kinds: Vec<&str> = all().map(|topic| topic.kind).collect();
                json!({ "topics": names, "types": kinds })
            } else {
                json!(format!("{service} is unknown"))
            };
            let mut answer = json!({ "op": "service_response", "service": service, "values": values, "result": is_known });
            if let Some(id) = id {
                answer["id"] = json!(id);
            }
            return Ok(Some(answer));
        }
    }
    Ok(None)
}

/// Sends what waits for the client.
fn send_messages(socket: &mut Socket, messages: &Receiver<Arc<str>>) -> Result<(), End> {
    while let Ok(text) = messages.try_recv() {
        send(socket, text.as_ref().to_owned())?;
    }
    Ok(())
}

fn send(socket: &mut Socket, text: String) -> Result<(), End> {
    match socket.send(Message::text(text)) {
        Ok(()) => Ok(()),
        // The client did not read for the longest time.
        Err(Error::Io(error)) if is_wait(error.kind()) => Err(End::Dropped),
        Err(Error::ConnectionClosed | Error::AlreadyClosed | Error::Io(_)) => Err(End::Left),
        Err(_) => Err(End::Dropped),
    }
}

fn is_wait(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_this_machine_are_told_from_others() {
        let local = [
            "http://localhost",
            "http://localhost:8080",
            "https://127.0.0.1:3000",
            "http://[::1]:8000",
            "http://[::1]",
        ];
        let other = [
            "null",
            "",
            "http://localhost.example.org",
            "http://example.org:8080",
            "http://127.0.0.1.example.org",
            "localhost",
        ];
        assert!(local.into_iter().all(is_local));
        assert!(!other.into_iter().any(is_local));
    }
}
