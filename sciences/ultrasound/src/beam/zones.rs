//! Zones of several transmit foci: one line is transmitted for each focus, and at each depth the line with the nearest focus is shown.

use super::{Focusing, TransmitFocus};

/// Focusing over depth.
#[derive(Clone, Debug)]
pub(crate) struct Zones<'a> {
    focusing: Focusing,
    /// Depths of further foci [m].
    others: &'a [f64],
}

impl<'a> Zones<'a> {
    pub(crate) fn new(focusing: Focusing, others: &'a [f64]) -> Self {
        Self { focusing, others }
    }

    /// Focusing of the lines that are shown at a depth [m].
    pub(crate) fn at(&self, depth: f64) -> Focusing {
        let transmit = self.focusing.transmit.map(|first| {
            let foci = [first.depth].into_iter().chain(self.others.iter().copied());
            let nearest = foci.min_by(|a, b| (a - depth).abs().total_cmp(&(b - depth).abs()));
            TransmitFocus {
                depth: nearest.unwrap_or(first.depth),
                ..first
            }
        });
        Focusing {
            transmit,
            ..self.focusing
        }
    }
}
