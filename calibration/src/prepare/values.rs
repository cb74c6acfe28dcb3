//! The values of a channel with one or three numbers per sample.

use crate::{Channel, Log, Motion};

/// A channel's values.
#[derive(Clone, Copy)]
pub(super) enum Values<'a> {
    Scalar(&'a [f64]),
    Vector(&'a [[f64; 3]]),
}

impl<'a> Values<'a> {
    pub(super) fn of(channel: &'a Channel) -> Self {
        match channel {
            Channel::Scalar(values) => Self::Scalar(values),
            Channel::Vector(values) => Self::Vector(values),
        }
    }

    pub(super) fn of_position(log: &'a Log) -> Self {
        match &log.motion {
            Motion::Indentation(values) => Self::Scalar(values),
            Motion::Position(channel) => Self::of(channel),
        }
    }

    pub(super) fn len(self) -> usize {
        match self {
            Self::Scalar(values) => values.len(),
            Self::Vector(values) => values.len(),
        }
    }

    /// One list of numbers per axis.
    pub(super) fn axes(self) -> Vec<Vec<f64>> {
        match self {
            Self::Scalar(values) => vec![values.to_vec()],
            Self::Vector(values) => (0..3)
                .map(|axis| values.iter().map(|value| value[axis]).collect())
                .collect(),
        }
    }

    pub(super) fn not_finite(self) -> Option<usize> {
        match self {
            Self::Scalar(values) => values.iter().position(|value| !value.is_finite()),
            Self::Vector(values) => values
                .iter()
                .position(|value| value.iter().any(|axis| !axis.is_finite())),
        }
    }

    /// Whether a sample equals another.
    pub(super) fn equal(self, row: usize, other: usize) -> bool {
        match self {
            Self::Scalar(values) => values[row] == values[other],
            Self::Vector(values) => values[row] == values[other],
        }
    }

    pub(super) fn is_constant(self) -> bool {
        (1..self.len()).all(|row| self.equal(row, 0))
    }

    pub(super) fn is_zero(self) -> bool {
        match self {
            Self::Scalar(values) => values[0] == 0.0,
            Self::Vector(values) => values[0] == [0.0; 3],
        }
    }

    /// Samples that differ from the previous one, increasing.
    pub(super) fn changes(self) -> Vec<usize> {
        (1..self.len())
            .filter(|&row| !self.equal(row, row - 1))
            .collect()
    }

    /// Share of samples equal to the previous one.
    pub(super) fn repeats(self) -> f64 {
        let repeated = self.len().saturating_sub(1) - self.changes().len();
        repeated as f64 / self.len().max(1) as f64
    }
}
