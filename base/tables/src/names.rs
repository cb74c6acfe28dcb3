//! Meaning of a column name: quantity, axis and unit.

use super::units::{Dimension, Unit};

/// Quantity of a column.
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

/// Meaning of a name, with its priority: of two names for one quantity the one with the lower `rank` is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) quantity: Quantity,
    /// 0, 1, 2 for x, y, z; `None`: a scalar.
    pub(super) axis: Option<usize>,
    pub(super) rank: usize,
}

mod stems;

use stems::{INDEXED, STEMS};

/// One of several columns with the elements of a list that a robot logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListElement {
    pub(super) quantity: Quantity,
    pub(super) rank: usize,
    /// Index in the list, from 0.
    pub(super) index: usize,
    /// Indices of x, y and z in the list.
    pub(super) axes: [usize; 3],
    /// Minimum and maximum length of the list.
    pub(super) lengths: (usize, usize),
}

/// Meaning of a name in a header; `None` if it is unclear.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    let is_member = without_member(name) != name;
    let name = axis_out_of_brackets(without_member(name));
    // `/probe/wrench.force` and `obs/force` mean the same as `force`, and `wrench/force/x` the same as `force_x`.
    let (_, last) = split(&name);
    // A topic of plain numbers, `/left/z`, has no vector, so its last word is not an axis.
    let topic = if is_member {
        name.rsplit('/').next()
    } else {
        None
    };
    [&*name, &last, topic.unwrap_or_default()]
        .iter()
        .find_map(|name| {
            let bare = without_all_brackets(name);
            let spellings = [snake(bare), snake(&spaced(bare))];
            spellings
                .iter()
                .find_map(|whole| of_stem(whole).or_else(|| of_stem(&without_suffix(whole))))
        })
}

/// Meaning of a name such as `actual_TCP_pose_0` or `O_T_EE[12]`.
pub(super) fn place(name: &str) -> Option<ListElement> {
    let (_, last) = split(name.trim());
    let (stem, index) = match last.strip_suffix(']') {
        Some(inside) => inside.rsplit_once('[')?,
        None => last.rsplit_once('_')?,
    };
    if index.len() > 2 || !index.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    list(stem).map(|place| ListElement {
        index: index.parse().unwrap_or(0),
        ..place
    })
}

/// Meaning of the name of a list of numbers.
pub(super) fn list(name: &str) -> Option<ListElement> {
    let (_, last) = split(name);
    let stem = snake(without_all_brackets(&last));
    let known = INDEXED.iter().enumerate().find_map(|(rank, known)| {
        let (quantity, names, axes, lengths) = *known;
        names.contains(&stem.as_str()).then_some(ListElement {
            quantity,
            rank: LISTED + rank,
            index: 0,
            axes,
            lengths,
        })
    });
    known.or_else(|| {
        let meaning = of_stem(&stem).filter(|meaning| meaning.axis.is_none())?;
        (meaning.quantity.dimension() != Dimension::Time).then_some(ListElement {
            quantity: meaning.quantity,
            rank: meaning.rank,
            index: 0,
            axes: [0, 1, 2],
            lengths: (3, 3),
        })
    })
}

/// Ranks of lists come after the ranks of plain names.
const LISTED: usize = 1000;

/// Part of a name before its meaning; the columns of one vector share it.
pub(super) fn prefix(name: &str) -> String {
    split(name).0
}

/// Splits path and rest: `/ft/wrench/force/x` → (`/ft/wrench`, `force_x`), `/tcp.force` → (`/tcp`, `force`).
fn split(name: &str) -> (String, String) {
    // Brackets may hold a unit such as mm/s.
    let end = name.find(['[', '(']).unwrap_or(name.len());
    let cut = |text: &str| text.rfind(['/', '.']);
    let Some(at) = cut(&name[..end]) else {
        return (String::new(), name.to_owned());
    };
    let last = &name[at + 1..];
    if matches!(name[at + 1..end].trim(), "x" | "y" | "z" | "X" | "Y" | "Z") {
        let before = cut(&name[..at]).map_or(0, |at| at + 1);
        let path = &name[..before.saturating_sub(1)];
        if before < at {
            return (path.to_owned(), format!("{}_{last}", &name[before..at]));
        }
    }
    (name[..at].to_owned(), last.to_owned())
}

/// `/force.data` is the `std_msgs` notation for `/force`.
fn without_member(name: &str) -> &str {
    name.strip_suffix(".data").unwrap_or(name)
}

/// The unit in a header such as `force_n`, `Force [N]` or `velocity (mm/s)`.
///
/// # Errors
/// The text in brackets, if it is not a unit of this dimension, such as `V`.
pub(super) fn unit(name: &str, dimension: Dimension) -> Result<Option<Unit>, String> {
    let (stem, bracketed) = without_brackets(without_member(name));
    if let Some(text) = bracketed {
        let unit = Unit::written(text, dimension);
        let index = text.bytes().all(|byte| byte.is_ascii_digit());
        if dimension == Dimension::Time && is_clock(text) {
            return Ok(None);
        }
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

/// Whether the brackets of a force's name contain a unit of mass.
pub(super) fn gives_mass(name: &str) -> bool {
    matches!(without_brackets(name).1, Some("g" | "kg" | "lb" | "lbs"))
}

/// Whether the text is a time notation such as `hh:mm:ss.fff` instead of a unit.
pub(super) fn is_clock(text: &str) -> bool {
    text.contains(':')
        && text
            .chars()
            .all(|character| "hmsfHMSF:.,0 ".contains(character))
        || text.eq_ignore_ascii_case("utc")
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
        // Plain x, y, z are positions, with the lowest priority.
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
pub(super) fn without_brackets(name: &str) -> (&str, Option<&str>) {
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

/// The name before all its brackets: `Load(8800:Load) (N)` → `Load`.
fn without_all_brackets(name: &str) -> &str {
    let mut name = name.trim();
    while let (stem, Some(_)) = without_brackets(name) {
        name = stem;
    }
    name
}

/// `Force (X)` → `Force_X`.
fn axis_out_of_brackets(name: &str) -> String {
    match without_brackets(name) {
        (stem, Some(axis @ ("x" | "y" | "z" | "X" | "Y" | "Z"))) => format!("{stem}_{axis}"),
        _ => name.to_owned(),
    }
}

/// `ForceZ` → `Force Z`.
fn spaced(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut low = false;
    for character in name.chars() {
        if low && character.is_uppercase() {
            words.push(' ');
        }
        low = character.is_lowercase();
        words.push(character);
    }
    words
}

/// Lower case without accents, with one `_` for any characters between words.
pub(super) fn snake(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    for character in name.chars().flat_map(char::to_lowercase) {
        if let Some(plain) = without_accent(character) {
            words.push_str(plain);
        } else if character.is_alphanumeric() {
            words.push(character);
        } else if !words.is_empty() && !words.ends_with('_') {
            words.push('_');
        }
    }
    words.truncate(words.trim_end_matches('_').len());
    words
}

fn without_accent(character: char) -> Option<&'static str> {
    Some(match character {
        'à' | 'á' | 'â' | 'ã' | 'ä' => "a",
        'ç' => "c",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ñ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => "o",
        'ù' | 'ú' | 'û' | 'ü' => "u",
        'ß' => "ss",
        _ => return None,
    })
}

/// The name without a unit at its end, if that is a unit of a possible dimension of the rest.
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

/// Splits a name before its last three, two and one words, longest ending first.
fn suffixes(words: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut cuts: Vec<usize> = words
        .rmatch_indices('_')
        .map(|(at, _)| at)
        .take(3)
        .collect();
    cuts.reverse();
    cuts.into_iter().map(|at| (&words[..at], &words[at + 1..]))
}
