//! Phased cardiac probe Verasonics P4-2v: 64 elements, pitch 0.300 mm, kerf 0.050 mm, 2.72 MHz with 74 % bandwidth, elevation aperture
//! 14 mm, focus 60 mm (García 2021, MUST toolbox, `getparam`, after Verasonics' data).
//!
//! The sector of 90° is usual for cardiac views.

use std::f64::consts::FRAC_PI_2;

use super::{ArrayKind, Transducer};

/// The P4-2v transducer.
pub fn p4_2() -> Transducer {
    Transducer {
        kind: ArrayKind::Phased { sector: FRAC_PI_2 },
        n_elements: 64,
        pitch: 0.300e-3,
        element_width: 0.250e-3,
        elevation_aperture: 14e-3,
        elevation_focus: 60e-3,
        center_frequency: 2.72e6,
        band: [1.714e6, 3.726e6],
    }
}
