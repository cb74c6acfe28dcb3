//! Websockets: the opening handshake, and a client's messages and those for it in turn.

mod origin;
mod timed;

use std::net::TcpStream;
use std::time::{Duration, Instant};

use tungstenite::error::ProtocolError;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, HandshakeError, WebSocket, accept_hdr_with_config};

pub use origin::refusal;
pub use tungstenite::Message;
pub use tungstenite::handshake::server::{ErrorResponse, Request, Response};
pub use tungstenite::http::{HeaderValue, StatusCode};

use crate::{End, Seat, is_wait};
use origin::check_origin;
use timed::Timed;

/// Longest wait for a client's bytes before messages for it are sent.
const POLL: Duration = Duration::from_millis(1);

/// Buffer of what the client sends [bytes].
const READ_BUFFER: usize = 1 << 14;

/// Smallest number of bytes that may wait for the network; a client for which more wait is dropped.
const WRITE_BUFFER: usize = 1 << 20;

/// What a websocket takes.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// Largest message of a client [bytes].
    pub max_message: usize,
    /// Largest message for a client [bytes].
    pub max_sent: usize,
    /// Origins of pages that may connect, in addition to pages of this machine.
    pub origins: &'a [&'a str],
}

/// An open websocket.
#[derive(Debug)]
pub struct Socket {
    socket: WebSocket<Timed>,
    message_timeout: Duration,
}

/// The opening handshake; `None` if it fails or takes too long. `check` sees the request and may change the answer.
pub fn open<S>(
    seat: &Seat<S>,
    stream: TcpStream,
    opening: Opening<'_>,
    check: impl Fn(&Request, Response) -> Result<Response, ErrorResponse>,
) -> Option<Socket> {
    stream.set_read_timeout(Some(POLL)).ok()?;
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER.max(opening.max_sent.saturating_mul(2)))
        .max_message_size(Some(opening.max_message))
        .max_frame_size(Some(opening.max_message));
    let message_timeout = seat.limits.message_timeout;
    let deadline = Instant::now() + message_timeout;
    let timed = Timed {
        stream,
        since: None,
    };
    let answer = |request: &Request, response: Response| {
        check_origin(request, opening.origins)?;
        check(request, response)
    };
    let mut opened = accept_hdr_with_config(timed, answer, Some(config));
    loop {
        match opened {
            Ok(mut socket) => {
                socket.get_mut().since = None;
                seat.accept();
                return Some(Socket {
                    socket,
                    message_timeout,
                });
            }
            Err(HandshakeError::Interrupted(waiting))
                if Instant::now() < deadline && !seat.is_over() =>
            {
                opened = waiting.handshake();
            }
            Err(_) => return None,
        }
    }
}

impl Socket {
    /// Hands over the messages that have arrived, and sends the answers.
    ///
    /// # Errors
    /// How the connection ended.
    pub fn take(&mut self, mut hear: impl FnMut(Message) -> Option<Message>) -> Result<(), End> {
        loop {
            let message = match self.socket.read() {
                Ok(message) => message,
                Err(Error::Io(error)) if is_wait(error.kind()) => break,
                Err(
                    Error::ConnectionClosed
                    | Error::AlreadyClosed
                    | Error::Io(_)
                    // A program that ends, or a browser's page that is closed, seldom says goodbye.
                    | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake),
                ) => return Err(End::Left),
                Err(_) => return Err(End::Dropped),
            };
            self.socket.get_mut().since = None;
            if let Message::Text(_) | Message::Binary(_) = message
                && let Some(answer) = hear(message)
            {
                self.send(answer)?;
            }
        }
        let since = self.socket.get_ref().since;
        if since.is_some_and(|since| since.elapsed() > self.message_timeout) {
            return Err(End::Dropped);
        }
        Ok(())
    }

    /// Sends a message.
    ///
    /// # Errors
    /// How the connection ended.
    pub fn send(&mut self, message: Message) -> Result<(), End> {
        match self.socket.send(message) {
            Ok(()) => Ok(()),
            // The client did not read for the longest time.
            Err(Error::Io(error)) if is_wait(error.kind()) => Err(End::Dropped),
            Err(Error::ConnectionClosed | Error::AlreadyClosed | Error::Io(_)) => Err(End::Left),
            Err(_) => Err(End::Dropped),
        }
    }
}
