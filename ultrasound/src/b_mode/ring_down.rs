//! Echoes within the probe: its lens rings for a moment after sending, and for long where its face meets air.

use super::echoes::{Carrier, Echoes};

/// Thickness of the lens, whose two sides reflect [m].
const LENS: f32 = 0.9e-3;
/// Part of the amplitude that each round leaves on tissue and on air.
const ROUND: [f32; 2] = [0.25, 0.72];
/// First echo over the speckle of liver.
const FIRST: f32 = 30.0;
/// Rounds, after which nothing is seen.
const N_ROUNDS: usize = 30;

/// Puts the rounds into a line of a group; less clearly so on tissue.
pub(crate) fn ring_down(carrier: Carrier, is_coupled: bool, line: usize, echoes: &mut Echoes) {
    let mut amplitude = FIRST;
    for round in 0..N_ROUNDS {
        echoes.add(line, carrier, round as f32 * LENS, amplitude);
        amplitude *= ROUND[usize::from(!is_coupled)];
    }
}
