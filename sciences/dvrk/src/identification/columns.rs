//! Assignment of the cells of a line to numbers, from a header.
//!
//! Names are split at characters that are neither letters nor digits: `/PSM1/measured_js.position[0]`, `field.position0`, `"position_1"` and `q1` are an optional topic, a quantity and a joint number.
//! Joint numbers count from one, or from zero if a column has number zero.

use super::motion_log::{N_COLUMNS, NAMES, column_name};
use crate::joints::N_JOINTS;

/// Names of the time column, or of the seconds of a stamp with a separate column of nanoseconds.
const TIMES: [&str; 7] = [
    "time",
    "t",
    "timestamp",
    "rosbagtimestamp",
    "stamp",
    "secs",
    "sec",
];
const NANOSECONDS: [&str; 3] = ["nsecs", "nsec", "nanosec"];
/// Index of the first joint that a log may omit: joints 1 to 3 carry all the weight.
const FIRST_OPTIONAL: usize = 3;

/// Cells of the numbers in a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Columns {
    /// Cell of each number of q, dq and tau; `None` for joints that are not in the log.
    pub(super) cells: [Option<usize>; N_COLUMNS],
    /// Cell of the time, and cell of the nanoseconds that are added to it.
    pub(super) time: Option<usize>,
    pub(super) nanoseconds: Option<usize>,
    /// Whether a header or a table names the columns.
    pub(super) is_named: bool,
    /// Whether joints 6 and 7 are wrist yaw and jaw opening, as the dVRK reports them.
    pub(super) is_console: bool,
}

/// The parts of a column name.
struct Name {
    topic: Vec<String>,
    word: String,
    number: Option<usize>,
}

impl Columns {
    /// Columns of a file without a header: the 21 numbers in order.
    pub(super) fn in_order() -> Self {
        Self {
            cells: std::array::from_fn(Some),
            time: None,
            nanoseconds: None,
            is_named: false,
            is_console: false,
        }
    }

    /// Columns of a table. Names that say nothing do not matter if there are 21 columns.
    pub(super) fn of_table(names: &[Option<String>]) -> Result<Self, String> {
        let cells: Vec<&str> = names
            .iter()
            .map(|name| name.as_deref().unwrap_or_default())
            .collect();
        let is_known = |cell: &&str| Name::of(cell).quantity().is_some();
        if cells.iter().any(is_known) {
            return Self::named(&cells).map_err(|(column, problem)| format!("{column} {problem}"));
        }
        if cells.len() != N_COLUMNS {
            return Err(format!(
                "has {} columns, none named as a position; it must have {N_COLUMNS} (q1..q7, dq1..dq7, tau1..tau7), or columns or arrays with such names",
                cells.len()
            ));
        }
        Ok(Self::in_order())
    }

    /// The columns that are read, each once.
    pub(super) fn places(&self) -> Vec<usize> {
        let times = [self.time, self.nanoseconds];
        self.cells.into_iter().chain(times).flatten().collect()
    }

    /// These columns in a table that consists of `places` alone.
    pub(super) fn among(&self, places: &[usize]) -> Self {
        let of = |place: Option<usize>| {
            let place = place?;
            places.iter().position(|other| *other == place)
        };
        Self {
            cells: self.cells.map(of),
            time: of(self.time),
            nanoseconds: of(self.nanoseconds),
            ..self.clone()
        }
    }

    /// Columns of a header. The error is the column that is missing or duplicated, and the problem.
    pub(super) fn named(cells: &[&str]) -> Result<Self, (String, String)> {
        let mut names: Vec<Name> = cells.iter().map(|cell| Name::of(cell)).collect();
        // In a recording of several topics, take measured instead of commanded values.
        let is_measured = |name: &Name| name.topic.iter().any(|word| word == "measured");
        if names
            .iter()
            .any(|name| name.quantity().is_some() && is_measured(name))
        {
            names
                .iter_mut()
                .filter(|name| !is_measured(name) && name.quantity().is_some())
                .for_each(|name| name.number = None);
        }
        let is_jaw = |name: &Name| name.topic.iter().any(|word| word == "jaw");
        let quantities = || names.iter().filter(|name| name.quantity().is_some());
        let first = usize::from(!quantities().any(|name| !is_jaw(name) && name.number == Some(0)));
        let has_jaw = quantities().any(|name| is_jaw(name) && name.number.is_some());
        let six = quantities().all(|name| is_jaw(name) || name.number != Some(first + 6));
        let is_console = six && (has_jaw || quantities().any(is_measured));

        let mut columns = Self {
            cells: [None; N_COLUMNS],
            time: None,
            nanoseconds: None,
            is_named: true,
            is_console,
        };
        for index in 0..N_COLUMNS {
            let (quantity, joint) = (index / N_JOINTS, index % N_JOINTS);
            let wanted = |name: &&(usize, &Name)| {
                let name = name.1;
                let number = if is_jaw(name) && is_console {
                    name.number.map(|_| N_JOINTS - 1)
                } else {
                    name.number.and_then(|number| number.checked_sub(first))
                };
                name.quantity() == Some(quantity) && number == Some(joint)
            };
            let all: Vec<(usize, &Name)> = names.iter().enumerate().collect();
            let found: Vec<usize> = all.iter().filter(wanted).map(|(cell, _)| *cell).collect();
            columns.cells[index] = match found[..] {
                [] => None,
                [only] => Some(only),
                _ => {
                    let which: Vec<&str> = found.iter().map(|cell| cells[*cell].trim()).collect();
                    return Err((
                        column_name(index),
                        format!("is named twice: {}", shown(&which)),
                    ));
                }
            };
        }
        for index in 0..N_COLUMNS {
            let joint = index % N_JOINTS;
            let of_joint = (0..3).map(|quantity| columns.cells[quantity * N_JOINTS + joint]);
            let is_left_out = joint >= FIRST_OPTIONAL && of_joint.flatten().next().is_none();
            if columns.cells[index].is_none() && !is_left_out {
                return Err((
                    column_name(index),
                    format!("is missing in the header; it names: {}", shown(cells)),
                ));
            }
        }
        let place = |words: &[&str]| {
            names
                .iter()
                .position(|name| name.number.is_none() && words.contains(&name.word.as_str()))
        };
        columns.time = place(&TIMES);
        let is_seconds = columns
            .time
            .is_some_and(|cell| names[cell].word.starts_with("sec"));
        columns.nanoseconds = place(&NANOSECONDS).filter(|_| is_seconds);
        Ok(columns)
    }
}

impl Name {
    fn of(cell: &str) -> Self {
        // A unit after a name is not part of the name.
        let cell = cell.trim().trim_matches('"').to_lowercase();
        let is_unit = |part: &str| part.chars().any(char::is_alphabetic);
        let mut text = cell.as_str();
        for (open, close) in [('[', ']'), ('(', ')')] {
            if let Some(start) = text.rfind(open)
                && text.ends_with(close)
                && is_unit(&text[start..])
            {
                text = text[..start].trim_end();
            }
        }
        let mut words: Vec<String> = Vec::new();
        let mut before = ' ';
        for letter in text.chars() {
            if letter.is_alphanumeric() {
                let joins = before.is_alphanumeric() && before.is_numeric() == letter.is_numeric();
                match words.last_mut() {
                    Some(word) if joins => word.push(letter),
                    _ => words.push(letter.to_string()),
                }
            }
            before = letter;
        }
        let number = words.last().and_then(|word| word.parse().ok());
        if number.is_some() {
            words.pop();
        }
        let word = words.pop().unwrap_or_default();
        Self {
            topic: words,
            word,
            number,
        }
    }

    /// Index of the quantity among q, dq and tau.
    fn quantity(&self) -> Option<usize> {
        NAMES
            .iter()
            .position(|names| names.contains(&self.word.as_str()))
    }
}

fn shown(names: &[&str]) -> String {
    names.join(", ").chars().take(200).collect()
}
