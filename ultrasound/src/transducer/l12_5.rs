//! The linear small-parts probe of [`insonate_models::probes`]: Philips (ATL) L12-5 50 mm.

use super::Transducer;

/// The transducer.
pub fn l12_5() -> Transducer {
    Transducer::of_probe(&insonate_models::probes::l12_5().transducer)
}
