//! Contract: any text is a request with names in their limits, or an error in words.

use insonate_rosbridge::{MAX_TOPIC, Request};
use proptest::prelude::*;
use serde_json::{Value, json};

/// JSON of any shape with the words of the protocol in it.
fn value() -> impl Strategy<Value = Value> {
    let words = "op|subscribe|publish|call_service|topic|service|msg|compression|throttle_rate|/?[a-z]{0,3}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(|it| json!(it)),
        any::<i64>().prop_map(|it| json!(it)),
        any::<f64>().prop_map(|it| json!(it)),
        words.prop_map(|it| json!(it)),
    ];
    leaf.prop_recursive(4, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((words, inner), 0..6)
                .prop_map(|fields| fields.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

fn check(text: &str) {
    let is_name = |name: &str| name.starts_with('/') && name.len() <= MAX_TOPIC + 1;
    match Request::parse(text) {
        Ok(Request::Subscribe { topic, .. } | Request::Unsubscribe { topic }) => {
            assert!(is_name(&topic));
        }
        Ok(Request::Publish { topic, message }) => {
            assert!(is_name(&topic) && message.is_object());
        }
        Ok(Request::Call { service, .. }) => assert!(is_name(&service)),
        Ok(Request::Nothing) => {}
        Err(problem) => assert!(!problem.is_empty()),
    }
}

proptest! {
    #[test]
    fn any_text_is_a_request_or_an_error(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_json_is_a_request_or_an_error(value in value(), end in 0usize..400) {
        let text = value.to_string();
        check(&text);
        // Cut off at any place.
        let end = (0..=end.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
        check(&text[..end.unwrap_or(0)]);
    }

    #[test]
    fn messages_come_back(name in "[a-z/]{1,300}", number in any::<f64>()) {
        let message = json!({ "position": [number] });
        let text = json!({ "op": "publish", "topic": name, "msg": message }).to_string();
        let topic = if name.starts_with('/') { name.clone() } else { format!("/{name}") };
        if name.len() <= MAX_TOPIC {
            prop_assert_eq!(Request::parse(&text), Ok(Request::Publish { topic, message }));
        } else {
            prop_assert!(Request::parse(&text).is_err());
        }
    }
}
