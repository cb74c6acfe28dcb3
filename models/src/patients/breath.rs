//! Rise of the front of a patient in a breath.
//!
//! In quiet breathing while lying down, mainly the belly moves (Verschakelen & Demedts 1995, doi:10.1164/ajrccm.151.2.7842198). The upper
//! ribs rise by 3 to 5 mm (De Groote 1997, *J. Appl. Physiol.* 83, 1531–1537).
//! With the usual amplitude of 8 mm, the belly rises by 8 mm and the chest by 3.6 mm.

/// Gaussians of belly and chest: height between crotch (0) and notch (1), width, rise.
const BELLY: [f64; 3] = [0.42, 0.2, 1.0];
const CHEST: [f64; 3] = [0.77, 0.17, 0.45];

/// Rise at a height between crotch (0) and notch (1), as a fraction of the amplitude, 0 to 1.
pub(crate) fn rise(height: f64) -> f64 {
    let bell = |[place, width, rise]: [f64; 3]| rise * (-((height - place) / width).powi(2)).exp();
    // The ends are fixed, because head and legs begin there.
    let ends = 1.0 - (2.0 * height - 1.0).powi(6);
    ((bell(BELLY) + bell(CHEST)) * ends).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_belly_rises_by_the_amplitude_the_chest_by_less_and_the_ends_rest() {
        assert!(rise(0.42) > 0.99);
        assert!((0.4..0.55).contains(&rise(0.77)));
        assert!(rise(0.0) == 0.0 && rise(1.0) == 0.0);
    }
}
