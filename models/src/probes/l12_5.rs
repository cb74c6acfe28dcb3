//! Linear small-parts probe of the L12-5 class.
//!
//! Array: Philips (ATL) L12-5 50 mm, 256 elements, pitch 0.1953 mm, element width 0.1703 mm, 8.18 MHz, band 5–11 MHz,
//! elevation aperture 7.5 mm and focus 20 mm (both are estimates in this source), as listed by Verasonics' `computeTrans`.
//! The 38 mm version has 192 elements at 0.1979 mm.
//!
//! Rim, edges, length and masses are chosen, because manufacturers do not publish them.

use std::sync::LazyLock;

use super::housing::Housing;
use super::probe::Probe;
use super::transducer::{ArrayKind, Transducer};

/// The array.
const TRANSDUCER: Transducer = Transducer {
    kind: ArrayKind::Linear,
    n_elements: 256,
    pitch: 0.1953e-3,
    element_width: 0.1703e-3,
    elevation_aperture: 7.5e-3,
    elevation_focus: 20e-3,
    center_frequency: 8.18e6,
    band: [5e6, 11e6],
};

/// The probe.
pub fn l12_5() -> Probe {
    // The surfaces are generated once.
    static MADE: LazyLock<Probe> = LazyLock::new(make);
    MADE.clone()
}

fn make() -> Probe {
    Housing {
        transducer: TRANSDUCER,
        face_offset: 0.16,
        rim: 0.0035,
        edge: 0.0035,
        handle: [0.0175, 0.012],
        probe_mass: 0.12,
        holder_mass: 0.11,
        rgba: [0.88, 0.9, 0.92, 1.0],
    }
    .probe("l12-5", "linear, 256 elements, 8.18 MHz, footprint 50 mm")
}
