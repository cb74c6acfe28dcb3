//! Arrays of elements: geometry and band; those that a robot holds are in `insonate-models`, each other in a file here.
//!
//! The frame of a probe has its origin at the centre of its face: +x along the array, +y across it (elevational), +z into the body.

mod l11_5v;
mod p4_2;

pub(crate) use insonate_models::probes::ElementPose;
pub use insonate_models::probes::{ArrayKind, Transducer};
pub use l11_5v::l11_5v;
pub use p4_2::p4_2;

/// That of the robot's probe C5-2.
pub fn c5_2() -> Transducer {
    insonate_models::probes::c5_2().transducer
}

/// That of the robot's probe L12-5.
pub fn l12_5() -> Transducer {
    insonate_models::probes::l12_5().transducer
}

/// Makes a transducer.
pub type MakeTransducer = fn() -> Transducer;

/// All transducers: name and maker.
pub const ALL: &[(&str, MakeTransducer)] = &[
    ("c5-2", c5_2),
    ("l12-5", l12_5),
    ("l11-5v", l11_5v),
    ("p4-2", p4_2),
];

/// The transducer called `name`.
pub fn by_name(name: &str) -> Option<Transducer> {
    ALL.iter()
        .find(|(known, _)| *known == name)
        .map(|(_, make)| make())
}
