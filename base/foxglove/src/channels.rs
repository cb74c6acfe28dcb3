//! The channels of a server, and what its clients do with them.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use insonate_servers::websocket::{
    self, ErrorResponse, Message, Opening, Response, Socket, StatusCode, refusal,
};
use insonate_servers::{End, Protocol, Seat, lock};
use serde_json::{Value, json};

use crate::request::{MAX_SUBSCRIPTIONS, Request};

/// Subprotocols; a client must offer one. They do not differ in what is used here.
pub const SUBPROTOCOLS: [&str; 2] = ["foxglove.sdk.v1", "foxglove.websocket.v1"];

/// First byte of a binary message with data.
const MESSAGE_DATA: u8 = 1;

/// Bytes before the data: the first byte, the subscription, and the time.
const HEAD: usize = 13;

/// Levels of a status.
const WARNING: u8 = 1;
const ERROR: u8 = 2;

/// A topic and the form of its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Name of the topic.
    pub topic: String,
    /// Encoding of the messages, such as `json`.
    pub encoding: String,
    /// Name of the schema.
    pub schema_name: String,
    /// Language of the schema, such as `jsonschema`.
    pub schema_encoding: String,
    /// The schema.
    pub schema: String,
}

/// A message of a channel.
#[derive(Debug)]
pub(crate) struct Datum {
    pub(crate) nanoseconds: u64,
    pub(crate) data: Vec<u8>,
}

/// Number of the client's subscription to each channel that it wants.
pub(crate) type Subscriptions = Mutex<BTreeMap<u32, u32>>;

/// The protocol with its channels.
#[derive(Debug)]
pub(crate) struct Channels {
    pub(crate) name: String,
    pub(crate) origins: Vec<String>,
    /// Largest message of a client and of the server [bytes].
    pub(crate) max_sizes: [usize; 2],
    /// A channel's number is its index. Channels are only added.
    pub(crate) known: Mutex<Vec<Channel>>,
}

impl Protocol for Channels {
    /// A message with the number of the client's subscription.
    type Message = (u32, Arc<Datum>);
    type State = Subscriptions;

    const NAME: &'static str = "foxglove";
    const QUEUE: usize = 32;

    fn serve(
        &self,
        seat: &Seat<Subscriptions>,
        stream: TcpStream,
        messages: &Receiver<Self::Message>,
    ) -> End {
        let origins: Vec<&str> = self.origins.iter().map(String::as_str).collect();
        let opening = Opening {
            max_message: self.max_sizes[0],
            max_sent: self.max_sizes[1],
            origins: &origins,
        };
        let Some(mut socket) = websocket::open(seat, stream, opening, choose) else {
            return End::Refused;
        };
        match self.converse(seat, &mut socket, messages) {
            Ok(()) => End::Left,
            Err(end) => end,
        }
    }
}

/// Confirms a subprotocol that the client offers.
fn choose(request: &websocket::Request, mut response: Response) -> Result<Response, ErrorResponse> {
    const HEADER: &str = "sec-websocket-protocol";
    let offers = request.headers().get_all(HEADER).iter();
    let offers = offers.filter_map(|offer| offer.to_str().ok());
    let mut offers = offers.flat_map(|offer| offer.split(','));
    let chosen = offers.find_map(|offer| {
        SUBPROTOCOLS
            .into_iter()
            .find(|subprotocol| *subprotocol == offer.trim())
    });
    let Some(chosen) = chosen else {
        return Err(refusal(
            StatusCode::BAD_REQUEST,
            "the subprotocol must be foxglove.sdk.v1 or foxglove.websocket.v1",
        ));
    };
    let value = websocket::HeaderValue::from_static(chosen);
    response.headers_mut().insert(HEADER, value);
    Ok(response)
}

impl Channels {
    /// Sends channels and messages, and hears subscriptions, until the connection ends.
    fn converse(
        &self,
        seat: &Seat<Subscriptions>,
        socket: &mut Socket,
        messages: &Receiver<(u32, Arc<Datum>)>,
    ) -> Result<(), End> {
        let about = json!({ "op": "serverInfo", "name": self.name, "capabilities": [] });
        socket.send(Message::text(about.to_string()))?;
        let mut n_told = 0;
        while !seat.is_over() {
            if let Some(news) = self.advertise(&mut n_told) {
                socket.send(news)?;
            }
            socket.take(|message| self.hear(seat, &message))?;
            for (subscription, datum) in messages.try_iter() {
                socket.send(encode(subscription, &datum))?;
            }
        }
        Ok(())
    }

    /// The message about the channels from the number `n_told` on, if there are any.
    fn advertise(&self, n_told: &mut usize) -> Option<Message> {
        let channels = lock(&self.known);
        let news = channels.iter().enumerate().skip(*n_told);
        let news = news.map(|(id, channel)| {
            json!({
                "id": id,
                "topic": channel.topic,
                "encoding": channel.encoding,
                "schemaName": channel.schema_name,
                "schemaEncoding": channel.schema_encoding,
                "schema": channel.schema,
            })
        });
        let news: Vec<Value> = news.collect();
        *n_told = channels.len();
        let is_new = !news.is_empty();
        is_new.then(|| {
            let message = json!({ "op": "advertise", "channels": news });
            Message::text(message.to_string())
        })
    }

    /// Handles a message of a client, and returns what it is told about it.
    fn hear(&self, seat: &Seat<Subscriptions>, message: &Message) -> Option<Message> {
        let handled = match message {
            Message::Text(text) => Request::parse(text)
                .map_err(|problem| (ERROR, problem))
                .and_then(|request| self.carry_out(&seat.state, request)),
            _ => Err((ERROR, "binary messages are not read".to_owned())),
        };
        let (level, problem) = handled.err()?;
        seat.counters.invalid.count();
        let status = json!({ "op": "status", "level": level, "message": problem });
        Some(Message::text(status.to_string()))
    }

    fn carry_out(&self, state: &Subscriptions, request: Request) -> Result<(), (u8, String)> {
        let n_channels = lock(&self.known).len();
        let mut subscriptions = lock(state);
        match request {
            Request::Unsubscribe(ids) => {
                subscriptions.retain(|_, id| !ids.contains(id));
            }
            Request::Subscribe(wishes) => {
                for wish in wishes {
                    let is_taken = subscriptions.values().any(|id| *id == wish.id);
                    if wish.channel as usize >= n_channels {
                        return Err((ERROR, format!("there is no channel {}", wish.channel)));
                    }
                    if is_taken || subscriptions.contains_key(&wish.channel) {
                        let problem = format!(
                            "subscription {} to channel {}: one of them is taken",
                            wish.id, wish.channel
                        );
                        return Err((WARNING, problem));
                    }
                    if subscriptions.len() >= MAX_SUBSCRIPTIONS {
                        let problem = format!("more than {MAX_SUBSCRIPTIONS} subscriptions");
                        return Err((ERROR, problem));
                    }
                    subscriptions.insert(wish.channel, wish.id);
                }
            }
        }
        Ok(())
    }
}

/// The binary message with data.
fn encode(subscription: u32, datum: &Datum) -> Message {
    let mut bytes = Vec::with_capacity(HEAD + datum.data.len());
    bytes.push(MESSAGE_DATA);
    bytes.extend(subscription.to_le_bytes());
    bytes.extend(datum.nanoseconds.to_le_bytes());
    bytes.extend(&datum.data);
    Message::binary(bytes)
}
