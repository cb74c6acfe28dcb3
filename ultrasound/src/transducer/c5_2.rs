//! The curvilinear abdominal probe of [`insonate_models::probes`]: Verasonics C5-2v.

use super::Transducer;

/// The transducer.
pub fn c5_2() -> Transducer {
    Transducer::of_probe(&insonate_models::probes::c5_2().transducer)
}
