//! Arrays of elements: geometry and band, one file each.
//!
//! The frame of a probe has its origin at the centre of its face: +x along the array, +y across it (elevational), +z into the body.

mod array;
mod c5_2;
mod l11_5v;
mod l12_5;
mod p4_2;

pub(crate) use array::ElementPose;
pub use array::{ArrayKind, Transducer};
pub use c5_2::c5_2;
pub use l11_5v::l11_5v;
pub use l12_5::l12_5;
pub use p4_2::p4_2;

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
