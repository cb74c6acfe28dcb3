//! The force of tetrahedra on a ball and on a flat punch, against finite elements of the same layer.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[expect(clippy::pedantic, reason = "shared by several tests")]
mod finite_elements;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;
mod xpbd_indentation;

use xpbd_indentation::{ball, punch};

/// Widths of the cells below the tool [m].
const CELLS: [f64; 2] = [0.005, 0.0035];

/// The error falls with the cells, to less than 5 % without them if it is of second order, e = a + b h².
#[test]
fn the_force_on_a_ball_goes_to_that_of_finite_elements() {
    let errors = CELLS.map(ball);
    let [coarse, fine] = CELLS.map(|cell| cell * cell);
    let limit = (coarse * errors[1] - fine * errors[0]) / (coarse - fine);
    assert!(errors[1] < 0.6 * errors[0], "{errors:?}");
    assert!(limit.abs() < 0.05, "{errors:?} {limit}");
}

/// The error falls with the cells, to less than 25 % with the finer ones. No order can be told from two, as the edge lies somewhere
/// between vertices.
#[test]
fn the_force_on_a_flat_punch_nears_that_of_finite_elements() {
    let errors = CELLS.map(punch);
    assert!(
        errors[1] < 0.6 * errors[0] && errors[1] < 0.25,
        "{errors:?}"
    );
}
