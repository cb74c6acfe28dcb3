//! Points within an element, and their motion with its nodes (Hermite interpolation in the element's frame).
//!
//! The paper interpolates only the positions of nodes (Chen et al. 2024, Eq. 4–6). Here the rotations of the nodes bend
//! the element too. A point lies on the deformed centre line, and its force reaches the nodes with its moments.

use nalgebra::{SVector, Vector3};

use super::ElementState;
use crate::rotation::inverse_tangent;

/// Derivative of a point's motion along one direction with respect to the nodes of its element: the row
/// of a constraint.
///
/// Order: u₁, w₁, u₂, w₂, world axes.
pub(crate) type PointRow = SVector<f64, 12>;

impl ElementState {
    /// Offset of the point from the chord's start, in the frame [m]; `at` from 0 to 1, `rest_length` [m].
    fn offset(&self, at: f64, rest_length: f64) -> Vector3<f64> {
        let [first, second] = hermite(at, rest_length);
        Vector3::new(
            at * self.frame.length,
            first * self.turns[0].z + second * self.turns[1].z,
            -first * self.turns[0].y - second * self.turns[1].y,
        )
    }

    /// Position of the point [m].
    pub(crate) fn point(&self, start: &Vector3<f64>, at: f64, rest_length: f64) -> Vector3<f64> {
        start + self.frame.to_world * self.offset(at, rest_length)
    }

    /// The row of the point's motion along `direction` (unit, world).
    pub(crate) fn point_row(
        &self,
        direction: &Vector3<f64>,
        at: f64,
        rest_length: f64,
    ) -> PointRow {
        let rotation = &self.frame.to_world;
        let along = rotation.tr_mul(direction);
        let [first, second] = hermite(at, rest_length);
        // With respect to the rotation vectors, then to w_i − ω.
        let bending = Vector3::new(0.0, -along.z, along.y);
        let turned = [(0, first), (1, second)]
            .map(|(end, weight)| weight * inverse_tangent(&self.turns[end]).tr_mul(&bending));
        let swept = self.offset(at, rest_length).cross(&along);
        let z = self.frame.spin.tr_mul(&(swept - turned[0] - turned[1]));
        let chord = rotation * (z.fixed_rows::<3>(0) + Vector3::new(at * along.x, 0.0, 0.0));

        let mut row = PointRow::zeros();
        row.fixed_rows_mut::<3>(0).copy_from(&(direction - chord));
        row.fixed_rows_mut::<3>(6).copy_from(&chord);
        for (end, turned) in turned.iter().enumerate() {
            let turn = rotation * (z.fixed_rows::<3>(3 + 3 * end) + turned);
            row.fixed_rows_mut::<3>(3 + 6 * end).copy_from(&turn);
        }
        row
    }
}

/// Deflection of a beam at `at`, per rotation of its ends [m].
fn hermite(at: f64, length: f64) -> [f64; 2] {
    let rest = 1.0 - at;
    [length * at * rest * rest, -length * at * at * rest]
}

#[cfg(test)]
mod tests {
    use nalgebra::Rotation3;

    use super::*;
    use crate::element::Element;

    #[test]
    fn rows_are_the_derivatives_of_the_point() {
        let element = Element {
            rest_length: 0.9,
            axial: 1.0,
            rotational: Vector3::repeat(1.0),
            rest_turn: Vector3::zeros(),
        };
        let (at, direction) = (0.3, Vector3::new(0.48, 0.6, -0.64));
        let strained = |step: &PointRow| {
            let part = |start: usize| step.fixed_rows::<3>(start).into_owned();
            let positions = [part(0), part(6) + Vector3::new(0.8, 0.3, -0.25)];
            let first = Rotation3::new(part(3)) * Rotation3::new(Vector3::new(0.3, 0.2, -0.5));
            let second = Rotation3::new(part(9)) * Rotation3::new(Vector3::new(-0.1, 0.5, 0.3));
            let nodes = [&positions[0], &positions[1]];
            let strained = element.strained(nodes, [first.matrix(), second.matrix()]);
            (strained.expect("it is not folded"), positions[0])
        };
        let place = |step: &PointRow| {
            let (strained, start) = strained(step);
            strained
                .point(&start, at, element.rest_length)
                .dot(&direction)
        };
        let (strained, _) = strained(&PointRow::zeros());
        let row = strained.point_row(&direction, at, element.rest_length);
        let h = 1e-5;
        for i in 0..12 {
            let step = PointRow::ith(i, h);
            let slope = (place(&step) - place(&-step)) / (2.0 * h);
            assert!((slope - row[i]).abs() < 1e-8, "{i}: {slope} {}", row[i]);
        }
    }
}
