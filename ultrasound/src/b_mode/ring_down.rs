//! Echoes within the probe: its lens rings for a moment after sending, and for long where its face meets air.

use super::echoes::{Carrier, Echoes};
use super::grid::Grid;

/// Thickness of the lens, whose two sides reflect [m].
const LENS: f32 = 0.9e-3;
/// Part of the amplitude that each round leaves on tissue and on air.
const ROUND: [f32; 2] = [0.25, 0.72];
/// First echo over the speckle of liver.
const FIRST: f32 = 90.0;
/// Rounds, after which nothing is seen.
const N_ROUNDS: usize = 30;

/// The rounds: range [m] and amplitude, as a line's share of what all ring alike; less clearly so on tissue.
pub(crate) fn rounds(grid: &Grid, is_coupled: bool) -> impl Iterator<Item = [f32; 2]> {
    let left = ROUND[usize::from(!is_coupled)];
    let amplitudes = std::iter::successors(Some(FIRST), move |amplitude| Some(amplitude * left));
    let ranges = (0..N_ROUNDS).map(|round| round as f32 * LENS);
    ranges
        .zip(amplitudes)
        .map(|(range, amplitude)| [range, amplitude / grid.together(range)])
}

/// Puts the rounds into a line of a group.
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
