//! Converts the text of an attribute to a value of the schema's kind.

use crate::mjcf::Value;
use crate::mjcf::schema::AttributeKind;

/// Returns the value, or a description of the error.
///
/// Text that is not a number stays text, so that the schema check can report it.
pub(super) fn parse_value(kind: AttributeKind, text: &str) -> Result<Value, String> {
    let (AttributeKind::Reals(least, most) | AttributeKind::Integers(least, most)) = kind else {
        return Ok(Value::from(text));
    };
    let mut reals = Vec::new();
    for word in text.split_whitespace() {
        if reals.len() == most {
            let count = text.split_whitespace().count();
            let needed = if least == most {
                format!("{most}")
            } else {
                format!("at most {most}")
            };
            return Err(format!("holds {count} numbers; {needed} needed"));
        }
        match word.parse::<f64>() {
            Ok(real) => reals.push(real),
            Err(_) => return Ok(Value::from(text)),
        }
    }
    Ok(Value::Reals(reals))
}
