//! Assessment of a frame for tasks: contact, confidence and visible points.

use insonate_ultrasound::deformation::Point;
use insonate_ultrasound::{BMode, Frame, View};

use super::Patient;

/// What a frame shows, whether it is observed or not.
pub struct FrameAssessment<'a> {
    b_mode: &'a BMode,
    view: &'a View<'a>,
    contact_share: f64,
    confidence: f64,
    /// Number of samples of each line before bone or gas. Zero for a line without contact. Shape `[n_lines]`.
    n_visible: Vec<usize>,
}

impl<'a> FrameAssessment<'a> {
    /// `b_mode`: the scanner of the frame; `confidence`: its mean confidence.
    pub(super) fn new(
        b_mode: &'a BMode,
        view: &'a View<'a>,
        frame: &Frame,
        patient: &Patient,
        confidence: f64,
    ) -> Self {
        Self {
            b_mode,
            view,
            contact_share: frame.contact_share(),
            confidence,
            n_visible: visible_samples(frame, patient),
        }
    }

    /// Fraction of the lines in contact.
    pub fn contact_share(&self) -> f64 {
        self.contact_share
    }

    /// Mean confidence (Karamalis 2012), 0 to 1. 0 if `confidence` is not observed.
    pub fn confidence(&self) -> f64 {
        self.confidence
    }

    /// Whether a point of the torso at rest is in the imaged slice, or less than `margin` [m] outside it, on a line in contact, before bone
    /// and gas.
    pub fn shows(&self, rest: &Point, margin: f64) -> bool {
        let place = self.b_mode.sample_of(self.view, rest, margin);
        place.is_some_and(|[line, sample]| sample < self.n_visible[line])
    }
}

/// Number of samples of each line before bone or gas.
pub(super) fn visible_samples(frame: &Frame, patient: &Patient) -> Vec<usize> {
    let is_opaque = patient.casts_shadow();
    let lines = frame.labels.chunks_exact(frame.n_samples);
    let count = |(labels, is_coupled): (&[u8], &bool)| {
        let mut labels = labels.iter().take_while(|_| *is_coupled);
        let shadow = labels.position(|label| is_opaque[usize::from(*label)]);
        shadow.unwrap_or(if *is_coupled { frame.n_samples } else { 0 })
    };
    lines.zip(&frame.coupled).map(count).collect()
}
