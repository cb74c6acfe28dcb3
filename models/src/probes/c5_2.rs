//! Curvilinear abdominal probe of the C5-2 class.
//!
//! Array: Verasonics C5-2v, 128 elements, pitch 0.508 mm, kerf 0.048 mm, radius 49.57 mm, elevation aperture 13.5 mm, elevation
//! focus 60 mm, 3.57 MHz with 79 % bandwidth (García 2021, MUST toolbox, `getparam`, after Verasonics' data).
//! The class spans pitches of 0.41–0.51 mm and radii of 40–61 mm (ATL C5-2: 41 mm, Ultrasonix C5-2/60: 0.47 mm and 61 mm).
//!
//! Rim, edges, length and masses are chosen, because manufacturers do not publish them. The probe of the thesis had a mass of 1 kg.

use std::sync::LazyLock;

use super::housing::Housing;
use super::probe::Probe;
use super::transducer::{ArrayKind, Transducer};

/// The array.
const TRANSDUCER: Transducer = Transducer {
    kind: ArrayKind::Curvilinear { radius: 49.57e-3 },
    n_elements: 128,
    pitch: 0.508e-3,
    element_width: 0.46e-3,
    elevation_aperture: 13.5e-3,
    elevation_focus: 60e-3,
    center_frequency: 3.57e6,
    band: [2.16e6, 4.98e6],
};

/// The probe.
pub fn c5_2() -> Probe {
    // The surfaces are generated once.
    static MADE: LazyLock<Probe> = LazyLock::new(make);
    MADE.clone()
}

fn make() -> Probe {
    Housing {
        transducer: TRANSDUCER,
        face_offset: 0.16,
        rim: 0.0035,
        edge: 0.004,
        handle: [0.018, 0.0135],
        probe_mass: 0.15,
        holder_mass: 0.11,
        rgba: [0.9, 0.9, 0.87, 1.0],
    }
    .probe(
        "c5-2",
        "curvilinear, 128 elements, 3.57 MHz, radius 49.6 mm, footprint 60 mm",
    )
}
