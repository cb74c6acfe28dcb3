//! Splits of a data set by the kinds of its episodes, and the texts of its tasks.

use serde_json::{Map, Value, json};

use crate::EpisodeKind;

/// Ranges of episodes, `from:to`, by the names that Open-H knows. The kinds are in their order.
pub(super) fn splits(kinds: &[EpisodeKind], with_validation: bool) -> Map<String, Value> {
    let range = |from: usize, to: usize| json!(format!("{from}:{to}"));
    let end = |kind: EpisodeKind| kinds.partition_point(|known| *known <= kind);
    let [ordinary, recovery, failure] = EpisodeKind::ALL.map(|(_, kind)| end(kind));
    let tenth = match ordinary {
        3.. if with_validation => ordinary.div_ceil(10),
        _ => 0,
    };
    let (validation, test) = (ordinary - 2 * tenth, ordinary - tenth);
    let all = [
        ("train", 0, validation),
        ("val", validation, test),
        ("test", test, ordinary),
        ("recovery", ordinary, recovery),
        ("failure", recovery, failure),
    ];
    let used = all.iter().filter(|(_, from, to)| from < to);
    used.map(|(name, from, to)| ((*name).to_owned(), range(*from, *to)))
        .collect()
}

/// Texts of tasks in the order of their indices.
#[derive(Debug, Default)]
pub(super) struct Texts(Vec<String>);

impl Texts {
    /// The index of a text, which is added if it is new.
    pub(super) fn index(&mut self, text: &str) -> usize {
        let found = self.0.iter().position(|known| known == text);
        found.unwrap_or_else(|| {
            self.0.push(text.to_owned());
            self.0.len() - 1
        })
    }

    pub(super) fn as_slice(&self) -> &[String] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use EpisodeKind::{Failure, Ordinary, Recovery};

    fn text(kinds: &[EpisodeKind], with_validation: bool) -> String {
        Value::Object(splits(kinds, with_validation)).to_string()
    }

    #[test]
    fn every_episode_is_in_one_split() {
        let kinds = [[Ordinary; 4].as_slice(), &[Recovery; 2], &[Failure]].concat();
        let expected =
            r#"{"failure":"6:7","recovery":"4:6","test":"3:4","train":"0:2","val":"2:3"}"#;
        let found: Value = serde_json::from_str(&text(&kinds, true)).expect("it is JSON");
        let expected: Value = serde_json::from_str(expected).expect("it is JSON");
        assert_eq!(found, expected);
        assert_eq!(text(&[Ordinary; 3], false), r#"{"train":"0:3"}"#);
        assert_eq!(text(&[Failure; 2], true), r#"{"failure":"0:2"}"#);
    }

    #[test]
    fn equal_texts_have_one_index() {
        let mut texts = Texts::default();
        let indices = ["sweep", "press", "sweep"].map(|text| texts.index(text));
        assert_eq!((indices, texts.as_slice().len()), ([0, 1, 0], 2));
    }
}
