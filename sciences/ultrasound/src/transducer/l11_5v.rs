//! Linear probe Verasonics L11-5v: 128 elements, pitch 0.300 mm, kerf 0.030 mm, 7.6 MHz with 77 % bandwidth, elevation aperture 5 mm,
//! focus 18 mm (García 2021, MUST toolbox, `getparam`, after Verasonics' data).

use super::{ArrayKind, Transducer};

/// The L11-5v transducer.
pub fn l11_5v() -> Transducer {
    Transducer {
        kind: ArrayKind::Linear,
        n_elements: 128,
        pitch: 0.300e-3,
        element_width: 0.270e-3,
        elevation_aperture: 5e-3,
        elevation_focus: 18e-3,
        center_frequency: 7.6e6,
        band: [4.674e6, 10.526e6],
    }
}
