//! The topics of a server, and what its clients do with them.

use std::collections::HashMap;
use std::net::TcpStream;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use insonate_servers::websocket::{Message, Opening, open};
use insonate_servers::{End, Protocol, Seat, lock};
use serde_json::{Value, json};

use crate::request::Request;

/// A topic with the type of its messages, such as `sensor_msgs/JointState`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// Name with a leading slash.
    pub name: String,
    /// Type of the messages.
    pub kind: &'static str,
}

/// The last message that clients published on a topic.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// Name of the topic.
    pub topic: String,
    /// The message.
    pub message: Value,
}

/// The protocol with its topics.
#[derive(Debug)]
pub(crate) struct Topics {
    pub(crate) published: Vec<Topic>,
    pub(crate) taken: Vec<Topic>,
    pub(crate) max_message: usize,
    /// At most one for each topic, in the order of their arrival.
    pub(crate) commands: Mutex<Vec<Command>>,
}

/// A topic that a client wants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subscription {
    throttle: Duration,
    last: Option<Instant>,
}

impl Subscription {
    /// Whether a message is due; the time of one that is due is kept.
    pub(crate) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self
            .last
            .is_none_or(|last| now.duration_since(last) >= self.throttle);
        if is_due {
            self.last = Some(now);
        }
        is_due
    }
}

/// The topics that a client wants, by their names.
pub(crate) type Subscriptions = Mutex<HashMap<String, Subscription>>;

impl Protocol for Topics {
    type Message = Arc<str>;
    type State = Subscriptions;

    const NAME: &'static str = "rosbridge";
    const QUEUE: usize = 64;

    fn serve(
        &self,
        seat: &Seat<Subscriptions>,
        stream: TcpStream,
        messages: &Receiver<Arc<str>>,
    ) -> End {
        let opening = Opening {
            max_message: self.max_message,
            max_sent: 0,
            origins: &[],
        };
        let Some(mut socket) = open(seat, stream, opening, |_, response| Ok(response)) else {
            return End::Refused;
        };
        while !seat.is_over() {
            let turn = socket
                .take(|message| self.hear(seat, &message))
                .and_then(|()| {
                    messages
                        .try_iter()
                        .try_for_each(|text| socket.send(Message::text(text.as_ref())))
                });
            if let Err(end) = turn {
                return end;
            }
        }
        End::Left
    }
}

impl Topics {
    /// Handles a message of a client, and returns the answer.
    fn hear(&self, seat: &Seat<Subscriptions>, message: &Message) -> Option<Message> {
        let answer = match message {
            Message::Text(text) => {
                Request::parse(text).and_then(|request| self.answer(seat, request))
            }
            _ => Err("binary frames are not read".to_owned()),
        };
        let answer = answer.unwrap_or_else(|problem| {
            seat.counters.invalid.count();
            Some(json!({ "op": "status", "level": "error", "msg": problem }))
        });
        answer.map(|answer| Message::text(answer.to_string()))
    }

    /// Carries out a request and returns what the client is told.
    fn answer(
        &self,
        seat: &Seat<Subscriptions>,
        request: Request,
    ) -> Result<Option<Value>, String> {
        let known = |topics: &[Topic], name: &str| topics.iter().any(|topic| topic.name == name);
        match request {
            Request::Nothing => {}
            Request::Subscribe { topic, throttle } => {
                if !known(&self.published, &topic) {
                    return Err(format!("{topic} is not published"));
                }
                let subscription = Subscription {
                    throttle,
                    last: None,
                };
                lock(&seat.state).insert(topic, subscription);
            }
            Request::Unsubscribe { topic } => {
                lock(&seat.state).remove(&topic);
            }
            Request::Publish { topic, message } => {
                if !known(&self.taken, &topic) {
                    return Err(format!("{topic} is not taken"));
                }
                self.keep(Command { topic, message });
                seat.counters.taken.count();
            }
            Request::Call { service, id } => {
                let all = || self.published.iter().chain(&self.taken);
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

    /// Keeps a message of a client in place of an earlier one on its topic.
    fn keep(&self, command: Command) {
        let mut commands = lock(&self.commands);
        commands.retain(|earlier| earlier.topic != command.topic);
        commands.push(command);
    }
}
