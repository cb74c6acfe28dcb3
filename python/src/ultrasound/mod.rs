//! Ultrasound: phantoms, and a scanner that images them.

mod controls;
mod phantom;
mod scanner;

pub(crate) use phantom::Phantom;
pub(crate) use scanner::{PressedTorso, Scanner, hold_probe};

use insonate::ultrasound::UltrasoundError;
use insonate::ultrasound::transducer::{self, Transducer};

use crate::error::{Raised, Result, value_error};

impl From<UltrasoundError> for Raised {
    fn from(error: UltrasoundError) -> Self {
        value_error(error.to_string())
    }
}

/// A transducer of a name, or an array of a user's own from a text with its numbers.
fn transducer(name: &str) -> Result<Transducer> {
    if name.contains('=') {
        return Ok(transducer::described(name)?);
    }
    transducer::by_name(name).ok_or_else(|| {
        let names = transducer::names().join(", ");
        value_error(format!("probe is {name:?}; it must be one of {names}"))
    })
}
