//! Whether a log has numbers to work with: equal lengths, finite, and channels that move.

use super::findings::Findings;
use crate::{CalibrationError, Channel, Log, Motion};

/// Fewer samples than this cannot be calibrated.
pub(super) const FEWEST: usize = 10;

/// Refuses logs without usable numbers; notes channels that repeat themselves.
pub(super) fn check(log: &Log, findings: &mut Findings) -> Result<(), CalibrationError> {
    let n = log.time.len();
    if n < FEWEST {
        return Err(findings.refuse(format!("{n} samples; at least {FEWEST} are needed")));
    }
    let position = match &log.motion {
        Motion::Indentation(values) => Values::Scalar(values),
        Motion::Position(channel) => Values::of(channel),
    };
    let force = Values::of(&log.force);
    let mut channels = vec![
        ("time", Values::Scalar(&log.time)),
        ("position", position),
        ("force", force),
    ];
    channels.extend(
        log.velocity
            .iter()
            .map(|channel| ("velocity", Values::of(channel))),
    );
    for (name, values) in &channels {
        if values.len() != n {
            return Err(findings.refuse(format!(
                "{name} has {} samples, time has {n}; all channels must be as long",
                values.len()
            )));
        }
        if let Some(row) = values.not_finite() {
            return Err(findings.refuse(format!(
                "sample {} of {name} is not finite; remove the row",
                row + 1
            )));
        }
    }
    if force.is_constant() {
        let zero = force.is_zero();
        return Err(findings.refuse(format!(
            "the force {}; check which column is the force and whether the sensor was on",
            if zero {
                "is 0 throughout"
            } else {
                "never changes"
            }
        )));
    }
    if position.is_constant() {
        return Err(findings.refuse(
            "the position never changes; check which column it is, a log of a hold alone says nothing of stiffness",
        ));
    }
    for (name, values) in [("position", position), ("force", force)] {
        let repeats = values.repeats();
        if repeats > 0.5 {
            findings.note(format!(
                "{name} repeats its last value in {:.0} % of the samples: it was recorded more slowly than the log, or in coarse steps",
                100.0 * repeats
            ));
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Values<'a> {
    Scalar(&'a [f64]),
    Vector(&'a [[f64; 3]]),
}

impl<'a> Values<'a> {
    fn of(channel: &'a Channel) -> Self {
        match channel {
            Channel::Scalar(values) => Self::Scalar(values),
            Channel::Vector(values) => Self::Vector(values),
        }
    }

    fn len(self) -> usize {
        match self {
            Self::Scalar(values) => values.len(),
            Self::Vector(values) => values.len(),
        }
    }

    fn not_finite(self) -> Option<usize> {
        match self {
            Self::Scalar(values) => values.iter().position(|value| !value.is_finite()),
            Self::Vector(values) => values
                .iter()
                .position(|value| value.iter().any(|axis| !axis.is_finite())),
        }
    }

    fn is_constant(self) -> bool {
        match self {
            Self::Scalar(values) => values.iter().all(|value| *value == values[0]),
            Self::Vector(values) => values.iter().all(|value| *value == values[0]),
        }
    }

    fn is_zero(self) -> bool {
        match self {
            Self::Scalar(values) => values[0] == 0.0,
            Self::Vector(values) => values[0] == [0.0; 3],
        }
    }

    /// Share of samples that equal the one before.
    fn repeats(self) -> f64 {
        let count = match self {
            Self::Scalar(values) => values.windows(2).filter(|pair| pair[0] == pair[1]).count(),
            Self::Vector(values) => values.windows(2).filter(|pair| pair[0] == pair[1]).count(),
        };
        count as f64 / self.len() as f64
    }
}
