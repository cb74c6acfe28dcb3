//! Tear: a strip with a notch on each side is pulled apart.

use insonate_tissue::Tearing;

use super::Motion;
use super::tension::between_clamps;
use crate::tissue::discretized_body::{BodyKind, STRIP};

/// Depth and width of a notch [m].
const NOTCH: (f64, f64) = (0.009, 0.008);

pub(super) const TEAR: Motion = Motion {
    name: "tear",
    bodies: &[BodyKind::Strip],
    travel: |_| 0.06,
    duration: 2.4,
    tearing: Some(Tearing {
        begins: 1.35,
        ends: 1.65,
    }),
    cut: Some(is_notch),
    setup: |plan, _| between_clamps(plan, 1.0),
};

/// Whether a point of the strip lies in one of two wedges.
fn is_notch(at: &[f64; 3]) -> bool {
    let (half, _) = STRIP;
    let (depth, width) = NOTCH;
    let into = at[1].abs() - (half[1] - depth);
    into > 0.0 && at[0].abs() < 0.5 * width * (0.4 + 0.6 * into / depth)
}
