//! Ring-down: the lens of the probe rings for a moment after transmission, and for long where the face meets air.

/// Thickness of the lens, which reflects at both sides [m].
const LENS: f32 = 0.9e-3;
/// Factor of the amplitude per round, on tissue and on air.
const ROUND: [f32; 2] = [0.25, 0.72];
/// First echo relative to the speckle of liver.
const FIRST: f32 = 90.0;
/// Rounds after which ring-down is invisible, on tissue and on air.
const N_ROUNDS: [usize; 2] = [14, 30];

/// The rounds: range [m] and amplitude on the whole width of the beam; on tissue the ringing is weaker.
pub(crate) fn rounds(is_coupled: bool) -> impl Iterator<Item = [f32; 2]> {
    let under = usize::from(!is_coupled);
    let left = ROUND[under];
    let amplitudes = std::iter::successors(Some(FIRST), move |amplitude| Some(amplitude * left));
    let ranges = (0..N_ROUNDS[under]).map(|round| round as f32 * LENS);
    ranges
        .zip(amplitudes)
        .map(|(range, amplitude)| [range, amplitude])
}
