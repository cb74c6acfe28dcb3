//! Arrays of elements: geometry and band. The robot's probes are in `insonate-models`; each other transducer has a file here.
//!
//! The frame of a probe has its origin at the centre of its face: +x along the array, +y across it (elevational), +z into the body.

mod described;
mod l11_5v;
mod p4_2;

pub use described::described;
use insonate_models::probes;
pub(crate) use insonate_models::probes::ElementPose;
pub use insonate_models::probes::{ArrayKind, Transducer};
pub use l11_5v::l11_5v;
pub use p4_2::p4_2;

/// Transducer of the robot's probe C5-2.
pub fn c5_2() -> Transducer {
    probes::c5_2().transducer
}

/// Transducer of the robot's probe L12-5.
pub fn l12_5() -> Transducer {
    probes::l12_5().transducer
}

/// Makes a transducer.
type MakeTransducer = fn() -> Transducer;

/// Transducers that are not in a probe of `insonate-models`: name and maker.
const WITHOUT_PROBE: &[(&str, MakeTransducer)] = &[("l11-5v", l11_5v), ("p4-2", p4_2)];

/// Names of all transducers; the robot's probes come first.
pub fn names() -> Vec<&'static str> {
    let held = probes::ALL.iter().map(|(name, _)| *name);
    held.chain(WITHOUT_PROBE.iter().map(|(name, _)| *name))
        .collect()
}

/// The transducer called `name`; the transducer of a robot's probe has the probe's name.
pub fn by_name(name: &str) -> Option<Transducer> {
    probes::by_name(name)
        .map(|probe| probe.transducer)
        .or_else(|| {
            let mut others = WITHOUT_PROBE.iter();
            others
                .find(|(known, _)| *known == name)
                .map(|(_, make)| make())
        })
}
