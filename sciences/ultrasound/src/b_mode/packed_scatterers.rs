//! Cells and scatterers of a batch, packed for vector instructions.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use super::speckle_tables::REACH;
use crate::pack::{LANES, Lanes};

/// Cells of a batch.
pub(crate) const BATCH: usize = 512;
/// Cells of a batch, plus spare lanes behind the last.
pub(crate) const ROOM: usize = BATCH + LANES;
/// Negative logarithm of the beam across the array at the edge of what is visible.
pub(crate) const OUTSIDE: f32 = 0.5 * std::f32::consts::LOG2_E * REACH * REACH;

/// Scatterers in beam space that lie in a block.
#[derive(Clone, Debug)]
pub(crate) struct PackedScatterers {
    /// Lines, counted from the first line of the group.
    pub(crate) across: [f32; ROOM],
    /// Distance from the first range of the block [m], with the sign of the echo.
    pub(crate) into: [f32; ROOM],
    /// Negative logarithm of the beam across the array; its sign gives the side.
    pub(crate) exponent: [f32; ROOM],
}

/// Cells: their numbers and corners.
pub(crate) struct Cells {
    pub(crate) number: [u32; LANES],
    pub(crate) corner: [Lanes; 3],
}

impl PackedScatterers {
    /// Clears the lanes behind the last scatterer.
    #[inline(always)]
    pub(crate) fn end(&mut self, n: usize) {
        for lane in n..(n + LANES).min(ROOM) {
            (self.across[lane], self.into[lane], self.exponent[lane]) = (0.0, 0.0, OUTSIDE);
        }
    }
}
