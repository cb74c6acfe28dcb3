//! Attribute values: numbers or text.

use std::fmt::{self, Write as _};

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// One or more numbers.
    Reals(Vec<f64>),
    /// A name, reference, keyword, file or other text.
    Text(String),
}

impl Value {
    /// The numbers, or `None` for a text.
    pub fn as_reals(&self) -> Option<&[f64]> {
        match self {
            Self::Reals(reals) => Some(reals),
            Self::Text(_) => None,
        }
    }

    /// The text, or `None` for numbers.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Reals(_) => None,
            Self::Text(text) => Some(text),
        }
    }
}

/// Numbers are written such that reading restores the same bits.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Reals(reals) => {
                let mut text = String::new();
                write_reals(reals, &mut text);
                f.write_str(&text)
            }
        }
    }
}

/// Appends numbers separated by spaces. Each is the shortest text that reads back as the same bits.
pub(super) fn write_reals(reals: &[f64], text: &mut String) {
    for (index, &real) in reals.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        let magnitude = real.abs();
        if real == 0.0 {
            text.push('0'); // also covers -0
        } else if !write_millionths(real, text) {
            let written = if (1e-5..1e15).contains(&magnitude) {
                write!(text, "{real}")
            } else {
                write!(text, "{real:e}")
            };
            written.expect("writing into a string does not fail");
        }
    }
}

/// Writes a number with at most six decimals, and returns whether the number has this form. Most numbers of a scene do, and writing
/// integers is several times faster than writing floats.
///
/// Below 1e9 such a number has at most 15 digits, so no shorter text reads back as the same number.
fn write_millionths(real: f64, text: &mut String) -> bool {
    const MILLION: f64 = 1e6;
    let millionths = (real * MILLION).round();
    if millionths.abs() >= 1e15 || millionths / MILLION != real {
        return false;
    }
    if real < 0.0 {
        text.push('-');
    }
    let millionths = millionths.abs() as u64;
    write_integer(millionths / 1_000_000, text);
    let mut rest = millionths % 1_000_000;
    if rest > 0 {
        text.push('.');
        while rest > 0 {
            rest *= 10;
            text.push(char::from(b'0' + (rest / 1_000_000) as u8));
            rest %= 1_000_000;
        }
    }
    true
}

fn write_integer(integer: u64, text: &mut String) {
    if integer >= 10 {
        write_integer(integer / 10, text);
    }
    text.push(char::from(b'0' + (integer % 10) as u8));
}

impl From<f64> for Value {
    fn from(real: f64) -> Self {
        Self::Reals(vec![real])
    }
}

impl From<i32> for Value {
    fn from(integer: i32) -> Self {
        Self::Reals(vec![f64::from(integer)])
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Text(flag.to_string())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl<const N: usize> From<[f64; N]> for Value {
    fn from(reals: [f64; N]) -> Self {
        Self::Reals(reals.to_vec())
    }
}

impl From<&[f64]> for Value {
    fn from(reals: &[f64]) -> Self {
        Self::Reals(reals.to_vec())
    }
}

impl From<Vec<f64>> for Value {
    fn from(reals: Vec<f64>) -> Self {
        Self::Reals(reals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_shortest_and_read_back_exactly() {
        let reals = [
            0.0,
            -0.0,
            1.0,
            0.1,
            1324.17,
            1e-9,
            -2.5e20,
            1.0 / 3.0,
            f64::MIN_POSITIVE,
        ];
        let text = Value::from(reals).to_string();
        assert!(
            text.starts_with("0 0 1 0.1 1324.17 1e-9 -2.5e20 "),
            "{text}"
        );
        let back: Vec<f64> = text.split(' ').map(|word| word.parse().unwrap()).collect();
        assert_eq!(back, reals);
    }

    #[test]
    fn fast_number_formatting_agrees_with_the_standard_library() {
        let mut real = 1.0_f64;
        for step in 0..40_000 {
            real = (real * 1.618_033_988).rem_euclid(1e4);
            let short = (real * 10_f64.powi(step % 9)).round() / 10_f64.powi(step % 9);
            for number in [short, -short, 1e3 * short] {
                let expected = if number == 0.0 {
                    "0".to_owned()
                } else {
                    format!("{number}")
                };
                assert_eq!(Value::from(number).to_string(), expected);
            }
        }
    }
}
