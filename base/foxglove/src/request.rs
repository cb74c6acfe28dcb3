//! What a client says.

use serde_json::Value;

/// Largest number of subscriptions in a request, and of a client.
pub const MAX_SUBSCRIPTIONS: usize = 256;

/// A wish for the messages of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscription {
    /// Number that the client chose; its messages carry it.
    pub id: u32,
    /// Number of the channel.
    pub channel: u32,
}

/// A client's operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Wants the messages of channels.
    Subscribe(Vec<Subscription>),
    /// No longer wants the messages with these numbers of subscriptions.
    Unsubscribe(Vec<u32>),
}

impl Request {
    /// Reads the text of a frame.
    ///
    /// # Errors
    /// What is wrong, in words for the client.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
        match value["op"].as_str() {
            Some("subscribe") => {
                let subscriptions = list(&value, "subscriptions")?.iter().map(|subscription| {
                    let channel = number(&subscription["channelId"], "channelId")?;
                    let id = match &subscription["id"] {
                        Value::Null => channel,
                        id => number(id, "id")?,
                    };
                    Ok(Subscription { id, channel })
                });
                Ok(Self::Subscribe(
                    subscriptions.collect::<Result<_, String>>()?,
                ))
            }
            Some("unsubscribe") => {
                let ids = list(&value, "subscriptionIds")?.iter();
                let ids = ids.map(|id| number(id, "subscriptionIds"));
                Ok(Self::Unsubscribe(ids.collect::<Result<_, String>>()?))
            }
            Some(other) => Err(format!(
                "op is {other:?}; it must be subscribe or unsubscribe"
            )),
            None => Err("op is missing".to_owned()),
        }
    }
}

fn list<'a>(value: &'a Value, field: &str) -> Result<&'a [Value], String> {
    match value[field].as_array() {
        Some(list) if list.len() <= MAX_SUBSCRIPTIONS => Ok(list),
        Some(_) => Err(format!("{field} has more than {MAX_SUBSCRIPTIONS} entries")),
        None => Err(format!("{field} is no list")),
    }
}

fn number(value: &Value, field: &str) -> Result<u32, String> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| {
        format!(
            "{field} is {value}; it must be a whole number from 0 to {}",
            u32::MAX
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of the specification, and a subscription without a number of its own.
    #[test]
    fn operations_of_the_specification_are_read() {
        let subscribe =
            r#"{"op":"subscribe","subscriptions":[{"id":0,"channelId":3},{"channelId":5}]}"#;
        let expected = [(0, 3), (5, 5)].map(|(id, channel)| Subscription { id, channel });
        assert_eq!(
            Request::parse(subscribe),
            Ok(Request::Subscribe(expected.to_vec()))
        );
        let unsubscribe = r#"{"op":"unsubscribe","subscriptionIds":[0,1]}"#;
        assert_eq!(
            Request::parse(unsubscribe),
            Ok(Request::Unsubscribe(vec![0, 1]))
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let many = format!(
            r#"{{"op":"unsubscribe","subscriptionIds":[{}0]}}"#,
            "0,".repeat(MAX_SUBSCRIPTIONS)
        );
        for (text, expected) in [
            ("", "not JSON"),
            ("[]", "op is missing"),
            (r#"{"op":7}"#, "op is missing"),
            (r#"{"op":"advertise"}"#, "op is \"advertise\""),
            (r#"{"op":"subscribe"}"#, "subscriptions is no list"),
            (
                r#"{"op":"subscribe","subscriptions":[{"id":1}]}"#,
                "channelId is null",
            ),
            (
                r#"{"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]}"#,
                "id is -1",
            ),
            (
                r#"{"op":"subscribe","subscriptions":[{"id":4294967296,"channelId":1}]}"#,
                "id is 4294967296",
            ),
            (many.as_str(), "more than 256 entries"),
        ] {
            let problem = Request::parse(text).expect_err(text);
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
