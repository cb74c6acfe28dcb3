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

/// Numbers are written so that reading them back gives the same bits.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Reals(reals) => {
                for (index, &real) in reals.iter().enumerate() {
                    if index > 0 {
                        f.write_char(' ')?;
                    }
                    let magnitude = real.abs();
                    if real == 0.0 {
                        f.write_char('0')?; // also for -0
                    } else if (1e-5..1e15).contains(&magnitude) {
                        write!(f, "{real}")?;
                    } else {
                        write!(f, "{real:e}")?;
                    }
                }
                Ok(())
            }
        }
    }
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
}
