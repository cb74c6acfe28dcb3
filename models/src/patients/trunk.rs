//! The soft trunk of a patient as one function of block coordinates: of the procedural adult, or of a skin.

use std::sync::Arc;

use super::adult_trunk::AdultTrunk;
use super::body_shape::BodyShape;
use super::physique::Physique;

/// The trunk of a patient. Lengths are in m, in the torso's frame: +x to the patient's left, +y to the head, +z up from the table.
#[derive(Clone, Debug, PartialEq)]
pub enum Trunk {
    /// Of an adult of a physique.
    Adult(AdultTrunk),
    /// Of a patient's skin.
    Body(Arc<BodyShape>),
}

impl Trunk {
    /// The trunk of an adult.
    pub fn new(physique: &Physique) -> Self {
        Self::Adult(AdultTrunk::new(physique))
    }

    /// Half of the greatest width, half of the greatest thickness, half of the length [m].
    pub fn half_size(&self) -> [f64; 3] {
        match self {
            Self::Adult(adult) => adult.half_size(),
            Self::Body(body) => body.half_size(),
        }
    }

    /// Numbers of lattice points across, upwards and along for a distance of about `spacing` [m] on the surface.
    pub fn count(&self, spacing: f64) -> [usize; 3] {
        let [front, flank] = match self {
            Self::Adult(adult) => adult.arcs(),
            Self::Body(body) => body.arcs(),
        };
        let [.., half_length] = self.half_size();
        [front, flank, 2.0 * half_length]
            .map(|length| (length / spacing).round().max(2.0) as usize + 1)
    }

    /// The point at block coordinates `[u, w, v]`: across, upwards, along, in the torso's frame [m].
    pub fn point(&self, coordinates: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Adult(adult) => adult.point(coordinates),
            Self::Body(body) => body.point(coordinates),
        }
    }

    /// Approximate distance of a point from the trunk [m]; negative inside, zero on the surface between the end faces.
    pub fn distance(&self, point: [f64; 3]) -> f64 {
        match self {
            Self::Adult(adult) => adult.distance(point),
            Self::Body(body) => body.distance(point),
        }
    }

    /// The same point with the relief that is too fine for a lattice. For rendering.
    pub(super) fn drawn_point(&self, coordinates: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Adult(adult) => adult.drawn_point(coordinates),
            Self::Body(body) => body.point(coordinates),
        }
    }
}
