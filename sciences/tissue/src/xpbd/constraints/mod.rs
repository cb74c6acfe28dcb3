//! The kinds of constraints, one per file, in the order of the solution.

mod distance;
mod elastic_system;
mod neo_hookean;
mod patch;
mod volume;

use super::constraint::{AnyConstraintList, ConstraintList, ConstraintSet};
use super::lane_layout::LaneLayout;
use super::pack::Packing;

pub(super) use distance::Distance;
pub(super) use neo_hookean::NeoHookean;
pub(super) use patch::Patch;
pub(super) use volume::Volume;

macro_rules! kinds {
    ($($name:ident: $kind:ty, $n_points:literal, $n_parameters:literal;)+) => {
        /// All constraints of a world, kind by kind.
        #[derive(Debug, Clone, Default)]
        pub(crate) struct Constraints {
            $(pub(super) $name: ConstraintList<$kind, $n_points, $n_parameters>,)+
        }

        impl Constraints {
            /// Name and GPU kernel of each kind; the file of the kernel has that name.
            #[cfg(feature = "gpu")]
            pub(crate) const KERNELS: &[(&str, &str)] = &[$((
                stringify!($name),
                include_str!(concat!("../../gpu/xpbd/", stringify!($name), ".wgsl")),
            )),+];

            /// The constraints of each kind.
            pub(crate) fn all(&self) -> Vec<&dyn AnyConstraintList> {
                vec![$(&self.$name),+]
            }

            /// The constraints of each kind, packed for the lanes; see [`ConstraintList::pack`].
            pub(super) fn pack<Y: LaneLayout>(
                &self,
                by_color: bool,
                packing: &Packing<'_>,
            ) -> Vec<Box<dyn ConstraintSet<Y>>> {
                vec![$(self.$name.pack(by_color, packing)),+]
            }
        }
    };
}

// Name, type, number of points, number of parameters.
kinds! {
    distance: Distance, 2, 5;
    neo_hookean: NeoHookean, 4, 13;
    patch: Patch, 8, 24;
    volume: Volume, 4, 3;
}
