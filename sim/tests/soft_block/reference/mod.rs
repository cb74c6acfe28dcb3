//! Reference: hexahedra with 27 nodes on a polar grid, refined below the tool, in equilibrium with a rigid tool.
//!
//! It shares nothing with the solvers that are compared with it: other elements, another mesh, no dynamics. The tool does not penetrate the
//! block by more than a few micrometres (a penalty), and friction is Coulomb's.

mod elements;
mod equilibrium;
mod grid;

pub(crate) use elements::Law;
pub(crate) use equilibrium::Equilibrium;
pub(crate) use grid::{Extent, Resolution};

use super::{Case, HALF_WIDTH, HEIGHT};

/// Step of a drag [m].
const DRAG_STEP: f64 = 2.5e-4;

/// Forces on the tool of a case: along z at the end of the press, then along −x at the end of each drag [N].
pub(crate) fn forces(case: &Case, law: Law, resolution: Resolution) -> Vec<f64> {
    let extent = Extent {
        half_width: HALF_WIDTH,
        height: HEIGHT,
        is_half: !case.drags.is_empty(),
    };
    let young = |height: f64| case.young_modulus(height);
    let mut block = Equilibrium::new(extent, case.tool, case.friction, resolution, law, young);
    let n_press = if case.friction > 0.0 { 12 } else { 4 };
    for step in 1..=n_press {
        block.move_tool([0.0, -case.depth * f64::from(step) / f64::from(n_press)]);
    }
    let mut found = vec![block.force().z];
    let mut from = 0.0;
    for &drag in case.drags {
        // Rounding aside.
        let n_steps = ((drag - from) / DRAG_STEP - 1e-6).ceil() as u32;
        for step in 1..=n_steps {
            let part = f64::from(step) / f64::from(n_steps);
            block.move_tool([from + (drag - from) * part, -case.depth]);
        }
        found.push(-block.force().x);
        from = drag;
    }
    found
}
