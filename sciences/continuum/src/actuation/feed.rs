//! Feeds the rod through the introducer's mouth.
//!
//! The first node stays at the mouth. The element behind it grows with the fed length. It is divided when it is longer
//! than one and a half elements, and joined when it is shorter than half of one. The initial guess moves the rod along
//! its own curve.

use nalgebra::Vector3;

use crate::rod::RodState;

/// Distances of the nodes from the tip [m], for an `inserted_length` beyond the mouth [m].
pub(crate) fn nodes_from_tip(inserted_length: f64, element_length: f64) -> Vec<f64> {
    // As many whole elements as possible, with more than half an element left for the first one.
    let n_whole = (inserted_length / element_length - 0.5).floor().max(0.0) as usize;
    let whole = (0..=n_whole).rev().map(|idx| idx as f64 * element_length);
    let mut from_tip = vec![inserted_length];
    from_tip.extend(whole.filter(|place| *place < inserted_length - 1e-9 * element_length));
    from_tip
}

/// Feeds the rod by a length [m], at most half an element, and divides or joins its first element.
pub(crate) fn feed(state: &mut RodState, fed: f64, element_length: f64) {
    let before = state.clone();
    let last = before.positions.len() - 1;
    let new_length = before.inserted_length + fed;
    let from_tip = nodes_from_tip(new_length, element_length);
    state.inserted_length = new_length;
    state.positions.truncate(1);
    state.rotations.truncate(1);
    for place in &from_tip[1..] {
        // Poses of the rod moved along itself by `fed`.
        let there = place - fed;
        let (position, rotation) = if there <= 0.0 {
            let tangent = before.rotations[last] * Vector3::x();
            (
                before.positions[last] - tangent * there,
                before.rotations[last],
            )
        } else {
            let beyond = before.from_tip.partition_point(|own| *own > there);
            let first = beyond.clamp(1, last) - 1;
            let length = before.from_tip[first] - before.from_tip[first + 1];
            before.interpolated(first, ((before.from_tip[first] - there) / length).max(0.0))
        };
        state.positions.push(position);
        state.rotations.push(rotation);
    }
    state.from_tip = from_tip;
}

/// The same rod in the same place, with nodes for a different inserted length [m]; the change is at most half an
/// element.
pub(crate) fn draw_out(before: &RodState, inserted_length: f64, element_length: f64) -> RodState {
    let from_tip = nodes_from_tip(inserted_length, element_length);
    let along = before.rotations[0] * Vector3::x();
    let poses = from_tip.iter().map(|&place| {
        if place >= before.inserted_length {
            let behind = along * (place - before.inserted_length);
            return (before.positions[0] - behind, before.rotations[0]);
        }
        let beyond = before.from_tip.partition_point(|own| *own > place);
        let first = beyond.clamp(1, before.from_tip.len() - 1) - 1;
        let length = before.from_tip[first] - before.from_tip[first + 1];
        before.interpolated(first, ((before.from_tip[first] - place) / length).max(0.0))
    });
    let (positions, rotations) = poses.unzip();
    RodState {
        inserted_length,
        positions,
        rotations,
        from_tip,
    }
}
