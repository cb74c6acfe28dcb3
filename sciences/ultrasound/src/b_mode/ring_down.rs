//! Ring-down: the lens of the probe rings for a moment after transmission, and for long where the face meets air.

use super::echoes::{Carrier, Echoes};
use super::grid::Grid;

/// Thickness of the lens, which reflects at both sides [m].
const LENS: f32 = 0.9e-3;
/// Factor of the amplitude per round, on tissue and on air.
const ROUND: [f32; 2] = [0.25, 0.72];
/// First echo relative to the speckle of liver.
const FIRST: f32 = 90.0;
/// Rounds after which ring-down is invisible.
const N_ROUNDS: usize = 30;

/// The rounds: range [m] and amplitude. All lines ring alike, so each gets its share of the sum; on tissue the ringing is weaker.
pub(crate) fn rounds(grid: &Grid, is_coupled: bool) -> impl Iterator<Item = [f32; 2]> {
    let left = ROUND[usize::from(!is_coupled)];
    let amplitudes = std::iter::successors(Some(FIRST), move |amplitude| Some(amplitude * left));
    let ranges = (0..N_ROUNDS).map(|round| round as f32 * LENS);
    ranges
        .zip(amplitudes)
        .map(|(range, amplitude)| [range, amplitude / grid.together(range)])
}

/// Adds the rounds to a line of a group.
pub(crate) fn ring_down(
    grid: &Grid,
    carrier: Carrier,
    is_coupled: bool,
    line: usize,
    echoes: &mut Echoes,
) {
    for [range, amplitude] in rounds(grid, is_coupled) {
        echoes.add(line, carrier, range, amplitude);
    }
}
