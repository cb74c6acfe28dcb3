//! What the name of a column says: quantity, axis and unit.

use super::units::{Dimension, Unit};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    Time,
    Indentation,
    Position,
    Velocity,
    Force,
}

impl Quantity {
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Indentation => "indentation",
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Force => "force",
        }
    }

    pub(super) fn dimension(self) -> Dimension {
        match self {
            Self::Time => Dimension::Time,
            Self::Indentation | Self::Position => Dimension::Length,
            Self::Velocity => Dimension::Speed,
            Self::Force => Dimension::Force,
        }
    }
}

/// What a name stands for, and how common it is: of two names of one quantity the lower `rank` is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) quantity: Quantity,
    /// 0, 1, 2 for x, y, z; `None`: a scalar.
    pub(super) axis: Option<usize>,
    pub(super) rank: usize,
}

/// Names of scalars and, with `_x`, `_y`, `_z`, of components; the first of a quantity is the best.
const STEMS: &[(Quantity, &[&str])] = &[
    (
        Quantity::Time,
        &[
            "time",
            "t",
            "timestamp",
            "timestamps",
            "stamp",
            "elapsed_time",
            "elapsed",
            "times",
        ],
    ),
    (
        Quantity::Indentation,
        &[
            "indentation",
            "penetration",
            "indentation_depth",
            "penetration_depth",
            "depth",
        ],
    ),
    (
        Quantity::Position,
        &[
            "position",
            "pos",
            "p",
            "probe_position",
            "tip_position",
            "tcp_position",
            "tcp",
            "tcp_pos",
            "ee_position",
            "ee_pos",
        ],
    ),
    (
        Quantity::Velocity,
        &[
            "velocity",
            "linear_velocity",
            "vel",
            "v",
            "indentation_velocity",
            "penetration_velocity",
            "indentation_rate",
            "probe_velocity",
            "tip_velocity",
            "tcp_velocity",
            "tcp_vel",
            "ee_velocity",
            "ee_vel",
        ],
    ),
    (
        Quantity::Force,
        &[
            "force",
            "f",
            "normal_force",
            "force_normal",
            "probe_force",
            "tip_force",
            "tcp_force",
        ],
    ),
];

/// What a name of a header stands for, where that is plain.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    let name = without_member(name);
    // `/probe/wrench.force` and `obs/force` say what `force` says.
    let last = name.rsplit(['/', '.']).next().unwrap_or(name);
    [name, last].iter().find_map(|name| {
        let whole = snake(without_brackets(name).0);
        of_stem(&whole).or_else(|| of_stem(&without_suffix(&whole)))
    })
}

/// `/force.data` is `std_msgs`' way to say `/force`.
fn without_member(name: &str) -> &str {
    name.strip_suffix(".data").unwrap_or(name)
}

/// The unit in a header such as `force_n`, `Force [N]` or `velocity (mm/s)`.
///
/// # Errors
/// The text in brackets that is no unit of this dimension, such as `V`.
pub(super) fn unit(name: &str, dimension: Dimension) -> Result<Option<Unit>, String> {
    let (stem, bracketed) = without_brackets(without_member(name));
    if let Some(text) = bracketed {
        let unit = Unit::named(text, dimension);
        let index = text.bytes().all(|byte| byte.is_ascii_digit());
        let axis = matches!(text.to_lowercase().as_str(), "x" | "y" | "z");
        return match unit {
            None if !index && !axis => Err(text.to_owned()),
            unit => Ok(unit),
        };
    }
    let words = snake(stem);
    Ok(suffixes(&words)
        .filter(|(stem, _)| !stem.is_empty())
        .find_map(|(_, suffix)| Unit::named(suffix, dimension)))
}

fn of_stem(stem: &str) -> Option<Meaning> {
    let scalar = |text: &str| {
        STEMS.iter().find_map(|(quantity, names)| {
            let rank = names.iter().position(|name| *name == text)?;
            Some((*quantity, rank))
        })
    };
    if let Some((quantity, rank)) = scalar(stem) {
        return Some(Meaning {
            quantity,
            axis: None,
            rank,
        });
    }
    let last = stem.chars().last()?;
    let axis = ['x', 'y', 'z'].iter().position(|axis| *axis == last)?;
    let rest = &stem[..stem.len() - 1];
    if rest.is_empty() {
        // Plain x, y, z are positions, after every better name.
        return Some(Meaning {
            quantity: Quantity::Position,
            axis: Some(axis),
            rank: usize::MAX,
        });
    }
    let (quantity, rank) = match rest.strip_suffix('_') {
        Some(rest) => scalar(rest)?,
        // `fx`, `vx`, `px`, but not `timex` or `tx`.
        None => scalar(rest).filter(|_| rest.len() == 1)?,
    };
    if matches!(quantity, Quantity::Time | Quantity::Indentation) {
        return None;
    }
    Some(Meaning {
        quantity,
        axis: Some(axis),
        rank,
    })
}

/// `Force [N]` → (`Force`, `N`).
fn without_brackets(name: &str) -> (&str, Option<&str>) {
    let name = name.trim();
    for (open, close) in [('[', ']'), ('(', ')')] {
        if let Some(inside) = name.strip_suffix(close)
            && let Some((stem, unit)) = inside.rsplit_once(open)
            && !stem.trim().is_empty()
        {
            return (stem.trim(), Some(unit.trim()));
        }
    }
    (name, None)
}

/// Lower case, with one `_` for whatever stands between words.
pub(super) fn snake(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    for character in name.chars().flat_map(char::to_lowercase) {
        if character.is_alphanumeric() {
            words.push(character);
        } else if !words.is_empty() && !words.ends_with('_') {
            words.push('_');
        }
    }
    words.truncate(words.trim_end_matches('_').len());
    words
}

/// The name without a unit at its end, if there is one of any dimension that the rest may have.
fn without_suffix(words: &str) -> String {
    for (stem, suffix) in suffixes(words) {
        if let Some(meaning) = of_stem(stem)
            && Unit::named(suffix, meaning.quantity.dimension()).is_some()
        {
            return stem.to_owned();
        }
    }
    words.to_owned()
}

/// A name split before its last three, two and one words, longest ending first.
fn suffixes(words: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut cuts: Vec<usize> = words
        .rmatch_indices('_')
        .map(|(at, _)| at)
        .take(3)
        .collect();
    cuts.reverse();
    cuts.into_iter().map(|at| (&words[..at], &words[at + 1..]))
}
