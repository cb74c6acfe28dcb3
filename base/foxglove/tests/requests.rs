//! Contract: any text is a request within the limits or an error in words.

use insonate_foxglove::{MAX_SUBSCRIPTIONS, Request};
use proptest::prelude::*;
use serde_json::{Value, json};

/// JSON of any shape with the words of the protocol in it.
fn value() -> impl Strategy<Value = Value> {
    let words = "op|subscribe|unsubscribe|subscriptions|subscriptionIds|id|channelId|[a-z]{0,3}";
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
    match Request::parse(text) {
        Ok(Request::Subscribe(list)) => assert!(list.len() <= MAX_SUBSCRIPTIONS),
        Ok(Request::Unsubscribe(list)) => assert!(list.len() <= MAX_SUBSCRIPTIONS),
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
    fn subscriptions_come_back(pairs in prop::collection::vec((any::<u32>(), any::<u32>()), 0..20)) {
        let wishes: Vec<Value> = pairs.iter().map(|(id, channel)| json!({ "id": id, "channelId": channel })).collect();
        let text = json!({ "op": "subscribe", "subscriptions": wishes }).to_string();
        let Ok(Request::Subscribe(found)) = Request::parse(&text) else {
            return Err(TestCaseError::fail("it is a subscription"));
        };
        let found: Vec<(u32, u32)> = found.iter().map(|it| (it.id, it.channel)).collect();
        prop_assert_eq!(found, pairs);
    }
}
