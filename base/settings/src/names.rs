//! Names in registries.

/// Least Jaro–Winkler likeness of a suggested name, between 0 and 1.
const LIKENESS: f64 = 0.75;
/// Length of the longest compared name [bytes]: the cost of a comparison is the product of both lengths.
const LONGEST: usize = 64;

/// A name is not in a registry.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("there is no {kind} {name:?}{}; choose one of {known}", did_you_mean(near.as_deref()))]
pub struct UnknownName {
    /// Kind of entry, such as `task`.
    pub kind: &'static str,
    /// The unknown name.
    pub name: String,
    /// The most similar known name.
    pub near: Option<String>,
    /// The known names.
    pub known: String,
}

impl UnknownName {
    /// The error for a name that is not among `known`.
    pub fn new(kind: &'static str, name: &str, known: &[&str]) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            near: nearest(name, known.iter().copied()).map(str::to_owned),
            known: known.join(", "),
        }
    }
}

fn did_you_mean(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(", did you mean {near:?}?"))
}

/// The entry of a registry whose name, as `name_of` reads it, is `name`. `kind` says what the entries are, such as `robot`.
///
/// # Errors
/// [`UnknownName`] with the most similar name and a list of all.
pub fn find<'a, T>(
    kind: &'static str,
    name: &str,
    all: &'a [T],
    name_of: impl Fn(&T) -> &'static str,
) -> Result<&'a T, UnknownName> {
    let found = all.iter().find(|entry| name_of(entry) == name);
    found.ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(name_of).collect();
        UnknownName::new(kind, name, &known)
    })
}

/// The name that is most similar to `name`; `None` if no name is similar.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    similar(name, known).into_iter().next()
}

/// The names that are similar to `name`, the most similar one first.
pub fn similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if name.len() > LONGEST {
        return Vec::new();
    }
    let known = known.into_iter().filter(|known| known.len() <= LONGEST);
    // Likeness misses short names with two letters exchanged, and names that contain the given one.
    let is_near = |likeness: f64, known: &str| {
        let n_slips = name.len().max(known.len()) / 3;
        likeness > LIKENESS
            || strsim::osa_distance(name, known) <= n_slips
            || (name.len() > 2 && known.contains(name))
    };
    let mut found: Vec<(f64, &str)> = known
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, known)| is_near(*likeness, known))
        .collect();
    // Equally similar names are told apart by their beginnings: a slip is often one letter too many at the end.
    let n_common = |known: &str| {
        name.chars()
            .zip(known.chars())
            .take_while(|(a, b)| a == b)
            .count()
    };
    found.sort_by(|a, b| {
        let by_likeness = b.0.total_cmp(&a.0);
        by_likeness.then_with(|| n_common(b.1).cmp(&n_common(a.1)))
    });
    found.into_iter().map(|(_, known)| known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_suggests_the_right_one() {
        let all = ["pendulum", "reacher"];
        assert_eq!(
            *find("task", "reacher", &all, |name| name).unwrap(),
            "reacher"
        );
        let error = find("task", "pendulun", &all, |name| name).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no task \"pendulun\", did you mean \"pendulum\"?; choose one of pendulum, reacher"
        );
    }

    #[test]
    fn other_words_suggest_nothing() {
        let error = UnknownName::new("task", "xyz", &["pendulum"]);
        assert_eq!(
            error.to_string(),
            "there is no task \"xyz\"; choose one of pendulum"
        );
        assert_eq!(nearest(&"p".repeat(1000), ["p"]), None);
    }

    #[test]
    fn of_equally_similar_names_the_one_with_the_same_beginning_is_nearest() {
        for wanted in ["start_x", "start_y", "start_z"] {
            let known = ["start_x", "start_y", "start_z"];
            assert_eq!(nearest(&format!("{wanted}x"), known), Some(wanted));
        }
    }

    #[test]
    fn exchanged_letters_and_parts_of_names_are_similar() {
        assert_eq!(nearest("tpo", ["front", "top"]), Some("top"));
        assert_eq!(nearest("hand", ["base", "robot_hand"]), Some("robot_hand"));
    }

    #[test]
    fn similar_names_come_in_order() {
        assert_eq!(
            similar("joint1", ["hand", "joint12", "joint1_"]),
            ["joint12", "joint1_"]
        );
    }
}
