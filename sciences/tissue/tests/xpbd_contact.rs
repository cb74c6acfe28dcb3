//! Force of tetrahedra on a ball and on a flat punch, compared with finite elements of the same layer.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[expect(clippy::pedantic, reason = "shared by several tests")]
mod finite_elements;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;
mod xpbd_indentation;

use xpbd_indentation::{ball, other_ball, other_punch, punch};

/// Errors with cells of 10 and 5 mm below the tool.
fn errors(error: fn(f64) -> f64) -> [f64; 2] {
    [0.01, 0.005].map(error)
}

/// Within 10 % with cells of 10 mm, where the contact is 13 mm in radius, and 5 % with those of 5 mm.
#[test]
fn the_force_on_a_ball_is_that_of_finite_elements() {
    let [coarse, fine] = errors(ball);
    assert!(coarse.abs() < 0.1 && fine.abs() < 0.05, "{coarse} {fine}");
}

/// Within 20 % with cells of 10 mm and 10 % with those of 5 mm: the edge lies somewhere between vertices.
#[test]
fn the_force_on_a_flat_punch_is_that_of_finite_elements() {
    let [coarse, fine] = errors(punch);
    assert!(coarse.abs() < 0.2 && fine.abs() < 0.1, "{coarse} {fine}");
}

/// A layer that was not used to tune the elements: the ball within 10 %, the punch within 25 % with cells of 5 mm.
#[test]
fn another_layer_answers_as_finite_elements_do() {
    let [ball, punch] = [other_ball, other_punch].map(|error| error(0.005));
    assert!(ball.abs() < 0.1 && punch.abs() < 0.25, "{ball} {punch}");
}
